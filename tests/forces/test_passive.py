"""Springs and dampers."""

import numpy as np
import pytest

from treadle import Model, ModelSpec
from treadle.forces.passive import damping, passive_force
from treadle.graph import Graph, evaluate


@pytest.fixture
def model() -> Model:
    spec = ModelSpec()
    solid = {"mass": 1.0, "center": (0.1, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    for name in ("slider", "cardan", "head"):
        spec.add_body(name, **solid)
    spec.add_joint("rail", "prismatic", None, "slider", stiffness=10.0, reference=0.5, damping=2.0)
    spec.add_joint("cross", "universal", "slider", "cardan", stiffness=(3.0, 0.0), damping=(0.0, 0.4))
    spec.add_joint("neck", "ball", "cardan", "head", damping=0.7)
    return spec.compile()


def test_springs_and_dampers(model):
    q, v = [0.7, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    expected = [-2.0 * 1.0 - 10.0 * 0.2, -3.0 * 0.1, -0.4 * 3.0, -0.7 * 4.0, -0.7 * 5.0, -0.7 * 6.0]
    np.testing.assert_allclose(passive_force(model, q, v), expected)
    assert damping(model) == [2.0, 0.0, 0.4, 0.7, 0.7, 0.7]


def test_joints_without_them_cost_nothing(model):
    spec = ModelSpec()
    spec.add_body("a", 1.0, inertia=(1, 1, 1))
    spec.add_joint("j", "revolute", None, "a")
    graph = Graph()
    (force,) = passive_force(spec.compile(), graph.inputs(1), graph.inputs(1))
    assert force == 0.0
    assert len(graph) == 2


def test_traced_forces_are_the_same(model):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, 13).tolist()
    graph = Graph()
    traced = passive_force(model, graph.inputs(7), graph.inputs(6))
    np.testing.assert_allclose(evaluate(graph, traced, x), passive_force(model, x[:7], x[7:]), rtol=1e-14)
