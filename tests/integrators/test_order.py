"""Measured order of convergence of every integrator on every joint type."""

import functools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import treadle as td
from tests.machines import MOVING_KINDS, build_spec
from treadle.integrators import INTEGRATORS
from treadle.integrators.runge_kutta import runge_kutta_step

#: Steps over the measured time at which the error of every method is neither coarse nor rounding.
STEPS = {
    "symplectic_euler": 1600, "explicit_euler": 1600, "implicit_euler": 1600, "linear_implicit_euler": 1600,
    "index2_euler": 1600,
    "midpoint": 400, "implicit_midpoint": 400, "generalized_alpha": 400, "variational": 400,
    "rk4": 64, "variational4": 48, "rk6": 16, "dopri5": 8, "dopri853": 4,
}  # fmt: skip

#: Methods under error control are measured with their steps held.
FIXED = {
    name: replace(method, step=partial(runge_kutta_step, method.tableau()), options={}, iterates=False)
    for name, method in INTEGRATORS.items()
    if method.tableau is not None
}

DURATION = 0.5


def test_every_integrator_is_measured():
    assert set(STEPS) == set(INTEGRATORS)


@functools.cache
def machine(kind: str) -> td.Model:
    """Two links on joints of the same kind, with friction, a spring where there can be one, and a load."""
    spec = build_spec(np.random.default_rng(11), [kind, kind if kind != "free" else "ball"], [-1, 0])
    for joint in spec.joints:
        joint.damping = 0.2
        if kind not in ("ball", "free"):
            joint.stiffness = 3.0
    return spec.compile()


def start(model: td.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    q = np.array([x for joint in model.joints for x in joint.type.sample(rng)])
    return q, rng.uniform(-1.0, 1.0, model.nv), rng.uniform(-1.0, 1.0, model.nv)


@functools.cache
def reference(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The state after DURATION by an integrator that knows nothing of joints, in the coordinates q."""
    model = machine(kind)
    q0, v0, tau = start(model)
    damping = np.concatenate([joint.damping for joint in model.joints])
    stiffness = np.concatenate([joint.stiffness for joint in model.joints])

    def rate(_, state):
        q, v = state[: model.nq].copy(), state[model.nq :]
        dq = np.concatenate(
            [joint.type.rate(q[joint.q].tolist(), v[joint.v].tolist()) for joint in model.joints]
        )
        springs = stiffness * q if model.nq == model.nv else 0.0
        return np.concatenate([dq, td.forward_dynamics(model, q, v, tau - damping * v - springs)])

    solution = solve_ivp(
        rate, (0.0, DURATION), np.concatenate([q0, v0]), method="DOP853", rtol=1e-13, atol=1e-13
    )
    return solution.y[: model.nq, -1], solution.y[model.nq :, -1]


def error(kind: str, integrator: str, steps: int) -> float:
    model = machine(kind)
    q0, v0, tau = start(model)
    sim = td.Simulation(model, dt=DURATION / steps, integrator=integrator, q=q0)
    sim.v, sim.tau = v0, tau
    sim.step(steps)
    q, v = reference(kind)
    turns = [
        x
        for joint in model.joints
        for x in joint.type.difference(q[joint.q].tolist(), sim.q[joint.q].tolist())
    ]
    return float(np.linalg.norm([*turns, *(sim.v - v)]))


@pytest.mark.parametrize("kind", MOVING_KINDS)
@pytest.mark.parametrize("integrator", [name for name in STEPS if name not in FIXED])
def test_order(integrator, kind):
    order, steps = INTEGRATORS[integrator].order, STEPS[integrator]
    coarse, fine = error(kind, integrator, steps), error(kind, integrator, 2 * steps)
    assert 1e-12 < fine < coarse < 0.2
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.15 if order < 6 else 0.3)


@pytest.mark.parametrize("kind", MOVING_KINDS)
@pytest.mark.parametrize("integrator", FIXED)
def test_order_of_methods_under_error_control(integrator, kind, monkeypatch):
    """Over all doublings of the steps between coarse and rounding: these methods start above their order."""
    method = replace(FIXED[integrator], memory=lambda model: 0)
    monkeypatch.setitem(INTEGRATORS, integrator, method)
    errors = [error(kind, integrator, STEPS[integrator] * 2**k) for k in range(5)]
    clean = [e for e in errors if e > 1e-12]
    if len(clean) < 2:
        # of so simple a machine the second step count is exact to rounding
        assert errors[0] < 1e-11 and errors[1] < 1e-13
        return
    slope = np.log2(clean[0] / clean[-1]) / (len(clean) - 1)
    assert method.order - 0.3 < slope < method.order + 2.5


def arm_above_table() -> td.Model:
    """Two links that swing above a table, which they do not reach."""
    spec = td.ModelSpec("arm above a table")
    for name, parent, height in (("upper", None, 2.0), ("lower", "upper", -0.5)):
        spec.add_body(name, 1.0, center=(0, 0, -0.25), inertia=(0.02, 0.02, 0.001))
        spec.add_joint(name, "revolute", parent, name, axis=(0, 1, 0), position=(0, 0, height))
        spec.add_shape(name, name, "capsule", (0.03, 0.4), role="collision", position=(0, 0, -0.25))
    spec.add_shape("table", None, "plane", role="collision")
    return spec.compile()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_between_contacts_a_machine_moves_by_its_integrator(integrator):
    model, ends = arm_above_table(), []
    flows = INTEGRATORS[integrator].flows
    for dt, contact in ((4e-3, True), (4e-3, False), (2e-3, True), (1e-3, True)):
        sim = td.Simulation(model, dt=dt, integrator=integrator, q=[1.2, 0.5], contact=contact)
        sim.run(0.8)
        ends.append(np.concatenate([sim.q, sim.v]))
    if flows:
        np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)
    else:
        # the midpoint rule of contact substeps
        coarse, fine = (np.abs(a - b).max() for a, b in ((ends[0], ends[2]), (ends[2], ends[3])))
        assert coarse / fine > 3.5


def rolling_ball(dt: float) -> np.ndarray:
    """A ball whose centre of mass is not its middle rolls without slipping."""
    spec = td.ModelSpec("ball")
    spec.add_material("rubber", friction=1.0)
    spec.add_body("ball", 1.0, center=(0.05, 0, 0.02), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("ball", "free", None, "ball", position=(0, 0, 0.2))
    spec.add_shape("ball", "ball", "sphere", (0.2,), role="collision", material="rubber")
    spec.add_shape("floor", None, "plane", role="collision", material="rubber")
    sim = td.Simulation(spec.compile(), dt=dt)
    sim.v[:3] = 0.3, 2.0, 0.1
    sim.v[3:] = np.cross(sim.v[:3], (0, 0, 0.2))
    sim.run(0.8)
    assert sim.quality()["friction creep"] < 1e-6
    return np.concatenate([sim.q, sim.v])


def sliding_ladder(dt: float) -> np.ndarray:
    """A rod slides down a wall and along the floor, rubbing at both ends."""
    lean, half, radius = 0.5, 1.0, 0.05
    spec = td.ModelSpec("ladder")
    spec.add_material("wood", friction=0.2)
    spec.add_body("rod", 2.0, inertia=(0.5, 0.5, 0.01))
    spec.add_joint("rod", "free", None, "rod")
    for name, z in (("foot", -half), ("head", half)):
        spec.add_shape(
            name, "rod", "sphere", (radius,), position=(0, 0, z), role="collision", material="wood"
        )
    spec.add_shape("floor", None, "plane", role="collision", material="wood")
    upright = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    spec.add_shape("wall", None, "plane", role="collision", material="wood", rotation=upright)
    place = radius + half * np.sin(lean), 0, radius + half * np.cos(lean)
    sim = td.Simulation(spec.compile(), dt=dt, q=[np.cos(lean / 2), 0, -np.sin(lean / 2), 0, *place])
    sim.run(0.4)
    assert len(sim.contacts()) == 2
    return np.concatenate([sim.q, sim.v])


@pytest.mark.parametrize("motion", [rolling_ball, sliding_ladder])
def test_rolling_and_sliding_are_of_second_order(motion):
    ends = [motion(dt) for dt in (0.02, 0.01, 0.005, 0.0025)]
    changes = [np.abs(a - b).max() for a, b in zip(ends, ends[1:], strict=False)]
    assert changes[0] / changes[1] > 3.5
    assert changes[1] / changes[2] > 3.5
