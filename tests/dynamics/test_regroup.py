"""Regrouped inertias: other numbers, the same equations of motion."""

import numpy as np
import pytest
from hypothesis import given

from tests.machines import build_spec, machines, random_state
from treadle import Model, ModelSpec
from treadle.dynamics.aba import aba
from treadle.dynamics.crba import crba
from treadle.dynamics.forward import by_composite_inertia
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.spatial import Force

KINDS = ("revolute", "prismatic", "continuous", "fixed")


def zeros(model: Model) -> int:
    """Zeros among the numbers of all inertias."""
    return sum(
        x == 0.0
        for body in model.bodies
        for x in (
            body.inertia.mass,
            *body.inertia.moment,
            *[x for row in body.inertia.rotational.to_rows() for x in row],
        )
    )


def agree(model: Model, rng: np.random.Generator) -> None:
    other = regroup(model)
    q, v, tau = random_state(model, rng)
    external = {i: Force.of(rng.uniform(-1.0, 1.0, 6).tolist()) for i in range(len(model.bodies))}
    nothing = [0.0] * model.nv
    M = np.array(crba(model, q))
    np.testing.assert_allclose(np.array(crba(other, q)), M, atol=1e-11 * abs(M).max())
    for forces in (None, external):
        bias = np.array(rnea(model, q, v, nothing, forces))
        np.testing.assert_allclose(
            rnea(other, q, v, nothing, forces), bias, atol=1e-11 * (1.0 + abs(bias).max())
        )
        a = np.array(aba(model, q, v, tau, forces))
        scale = (1.0 + abs(a).max()) * np.linalg.cond(M)
        np.testing.assert_allclose(aba(other, q, v, tau, forces), a, atol=1e-11 + 1e-14 * scale)
        np.testing.assert_allclose(
            by_composite_inertia(other, q, v, tau, forces), a, atol=1e-11 + 1e-14 * scale
        )


@given(machines(kinds=KINDS))
def test_sliding_and_turning_trees(machine):
    agree(*machine)


@given(machines(root="free"))
def test_any_joints_on_a_floating_base(machine):
    agree(*machine)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(
    "axis", [*np.eye(3).tolist(), *(-np.eye(3)).tolist(), [0.6, 0.0, -0.8], [1.0, 2.0, 3.0]]
)
@pytest.mark.parametrize("armature", [0.0, 0.3])
def test_every_axis(kind, axis, armature):
    rng = np.random.default_rng(3)
    spec = build_spec(rng, [kind, "revolute", kind, kind], [-1, 0, 1, 1])
    for joint in spec.joints:
        joint.axis, joint.armature = tuple(axis), armature
    model = spec.compile()
    agree(model, rng)
    # about a general axis nothing can move, but what slides needs no rotational inertia in any direction
    expected = sum(x == 0.0 for x in axis) == 2 or kind == "prismatic"
    assert (zeros(regroup(model)) > zeros(model)) == expected


def test_zeros_of_an_arm():
    """Every link loses its mass, the moment along its axis and one entry of its rotational inertia."""
    rng = np.random.default_rng(0)
    spec = build_spec(rng, ["revolute"] * 6, list(range(-1, 5)))
    for k, joint in enumerate(spec.joints):
        joint.axis = np.eye(3)[k % 3]
    assert zeros(regroup(spec.compile())) >= 6 * 3


def test_what_is_left_of_a_turning_link():
    spec = ModelSpec()
    for name in ("first", "second"):
        spec.add_body(name, 2.0, center=(0.1, 0.2, 0.3), inertia=(0.5, 0.6, 0.7, 0.01, 0.02, 0.03))
    spec.add_joint("a", "revolute", None, "first")
    spec.add_joint("b", "revolute", "first", "second", position=(0.5, 0, 0))
    model = regroup(spec.compile())
    second, first = model.bodies[1].inertia, model.bodies[0].inertia
    assert (second.mass, second.moment.z) == (0.0, 0.0)
    assert [list(second.moment)[k] for k in (0, 1)] == pytest.approx([0.2, 0.4])
    assert second.rotational.to_rows()[0][0] == 0.0
    # the base's own mass never moves anything
    assert first.mass == 0.0


def test_other_joints_keep_their_inertia():
    spec = build_spec(np.random.default_rng(0), ["free", "ball", "universal", "planar"], [-1, 0, 1, 2])
    model = spec.compile()
    for before, after in zip(model.bodies, regroup(model).bodies, strict=True):
        assert after.inertia is before.inertia


@given(machines(kinds=KINDS))
def test_a_second_time_changes_nothing(machine):
    model, rng = machine
    once = regroup(model)
    twice = regroup(once)
    assert zeros(twice) == zeros(once)
    q = random_state(model, rng)[0]
    np.testing.assert_allclose(np.array(crba(twice, q)), np.array(crba(once, q)), rtol=1e-10, atol=1e-12)
