"""Stiff elements of random machines that float freely: momentum is kept, and energy does not grow."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from treadle.forces.element import element_inertia, element_kick

KINDS = ("revolute", "prismatic", "universal", "ball", "free")


def floating(seed: int, rested: bool = False) -> td.Model:
    """One to three trees on free joints in space, with 1 to 5 springs and bushings between their bodies."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, int(rng.integers(2, 6)), KINDS, root="free", armature=())
    for joint in spec.joints:
        if joint.parent is None:
            joint.type = "free"
    spec.gravity = (0.0, 0.0, 0.0)
    names = [body.name for body in spec.bodies]
    for k in range(int(rng.integers(1, 6))):
        first, second = (names[i] for i in rng.choice(len(names), 2, replace=False))
        stiffness = 10.0 ** rng.uniform(2.0, 8.0)
        damping = float(rng.choice([0.0, 1e-4, 1e-2])) * stiffness * rng.random()
        points = rng.uniform(-0.5, 0.5, (2, 3)).tolist()
        if rng.random() < 0.3 and not rested:
            K, D = ([0.01 * x] * 3 + [x] * 3 for x in (stiffness, damping))
            spec.add_element(f"s{k}", "bushing", (first, second), points, stiffness=K, damping=D)
            continue
        # a step takes a spring that is stretched in another way than one of its length
        length = None if rested else float(rng.choice([0.0, 0.5, 2.0]))
        options = {"stiffness": stiffness, "damping": damping, "length": length}
        spec.add_spring(f"s{k}", first, second, *points, **options)
    return spec.compile()


@pytest.mark.parametrize("seed", range(12))
def test_a_step_gives_the_machine_no_momentum(seed):
    """Moved as one rigid body it feels no force of its elements, stiffness or damping."""
    model = floating(seed)
    rng = np.random.default_rng(seed)
    q, v, _ = random_state(model, rng)
    h = 1e-2
    force = np.array(element_kick(model, q, v, 0.0, h))
    matrix = np.zeros((model.nv, model.nv))
    for key, x in element_inertia(model, q, v, h).items():
        matrix[key] = x
    turn, shift = rng.uniform(-1.0, 1.0, (2, 3))
    rigid = np.zeros(model.nv)
    for body in model.bodies:
        if body.parent == -1:
            pose = body.placement @ body.joint.type.transform(q[body.joint.q])
            R, p = np.array(pose.rotation.to_rows()), np.array(list(pose.translation))
            P = np.array(body.placement.rotation.to_rows())
            rigid[body.joint.v] = [*(R.T @ turn), *(P.T @ (shift + np.cross(turn, p)))]
    assert abs(rigid @ force) < 1e-12 * (1.0 + np.abs(force).max()) * model.nv
    assert np.abs(matrix @ rigid).max() < 1e-12 * (1.0 + np.abs(matrix).max()) * model.nv


@pytest.mark.parametrize("seed", [1, 3, 4, 6, 9])
def test_a_run_keeps_the_momentum_to_first_order_and_gains_no_energy(seed):
    """The springs are at rest at first."""
    model = floating(seed, rested=True)
    v = np.random.default_rng(seed).uniform(-1.0, 1.0, model.nv)
    drifts = []
    for dt in (1e-2, 2.5e-3):
        sim = td.Simulation(model, dt, v=v)
        before, available = td.momentum(model, sim.q, sim.v), td.kinetic_energy(model, sim.q, sim.v)
        for _ in range(10):
            sim.run(0.1)
            assert td.kinetic_energy(model, sim.q, sim.v) < 1.05 * available
        drifts.append(np.abs(td.momentum(model, sim.q, sim.v) - before).max())
    assert drifts[0] < 0.1 * np.abs(before).max()
    assert drifts[1] < 0.35 * drifts[0] + 1e-9
