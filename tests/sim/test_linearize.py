"""The linear machine against differences of the machine itself, over random machines."""

import numpy as np
import pytest

import treadle as td
from tests.machines import random_spec, random_state
from tests.numeric import integrate
from treadle.integrators.system import System


def rates(sim: td.Simulation, q, v, drives, commands, tau) -> np.ndarray:
    """dv/dt and the rate of the actuators' own state, in plain numbers."""
    system = System(
        sim.model, list(tau), list(sim.loads[:, 0]), sim.laws, commands=list(commands), drives=list(drives)
    )
    a = system.acceleration(list(q), list(v), sim.time)
    # linear in the step, as long as no valve relieves the pressure
    h = 1e-6
    flows = (np.array(system.driven(list(q), list(v), h)) - drives) / h if len(drives) else []
    return np.array([*a, *flows], dtype=float)


def moved(sim: td.Simulation, x: np.ndarray) -> np.ndarray:
    """dv/dt and the rate of the actuators' state, x = (delta, v, p, u) away from the present state."""
    model, nv = sim.model, sim.model.nv
    drives = sim.arrays.get("drives", np.zeros((0, 1)))[:, 0]
    commands = sim.arrays.get("commands", np.zeros((0, 1)))[:, 0]
    n = 2 * nv + len(drives)
    there = integrate(model, sim.q.tolist(), x[:nv].tolist())
    state = there, sim.v + x[nv : 2 * nv], drives + x[2 * nv : n]
    if len(commands):
        return rates(sim, *state, commands + x[n:], sim.tau)
    return rates(sim, *state, commands, sim.tau + x[n:])


def compared(sim: td.Simulation, rng: np.random.Generator, step: float = 1e-5, directions: int = 8) -> float:
    """Largest relative error of A and B along random directions, against central differences."""
    found = td.linearize(sim)
    nv, n, m = sim.model.nv, len(found.A), found.B.shape[1]
    whole = np.hstack([found.A, found.B])[nv:]
    scale = np.concatenate([np.ones(2 * nv), np.full(n - 2 * nv, 1e6), np.ones(m)])
    worst = 0.0
    for _ in range(directions):
        along = rng.uniform(-1.0, 1.0, n + m) * scale
        expected = (moved(sim, step * along) - moved(sim, -step * along)) / (2.0 * step)
        size = np.maximum(1.0, np.abs(whole * along).max(axis=1))
        worst = max(worst, float((np.abs(whole @ along - expected) / size).max()))
    return worst


def law(q, v, t):
    return {"j0": -3.0 * td.tanh(v["j0"])}


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_with_all_kinds_of_forces(seed):
    rng = np.random.default_rng(seed)
    kinds = ("revolute", "prismatic", "ball", "free", "universal")
    spec = random_spec(rng, 4, kinds)
    spec.joints[0].type = "revolute"
    spec.joints[0].second_axis = None
    for joint in spec.joints:
        joint.damping = 0.5
    spec.joints[0].stiffness = 3.0
    spec.add_spring("spring", None, "b3", (0, 0, 3), stiffness=50.0, damping=2.0, length=0.5)
    spec.add_element("bearing", "bushing", ("b0", "b3"), stiffness=(1,) * 6, damping=(0.1,) * 6)
    spec.add_hull("hull", "b2", size=(0.3, 0.2, 0.1), linear_drag=(1, 1, 1, 5, 5, 5), density=100.0)
    spec.add_actuator("servo", "position", "j0", stiffness=20.0, damping=1.0)
    model = spec.compile()
    q, v, _ = random_state(model, rng)
    sim = td.Simulation(model, q=q, v=v, laws=[law])
    sim.apply_force("b3", force=(1.0, 2.0, 3.0))
    assert compared(sim, rng) < 1e-6


def test_derivatives_of_a_simulation_see_all_forces():
    spec = td.ModelSpec("driven")
    for k in range(2):
        spec.add_body(f"b{k}", 1.0, center=(0.1, 0, -0.3), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(f"j{k}", "revolute", f"b{k - 1}" if k else None, f"b{k}", axis=(0, 1, 0), damping=0.3)
    spec.joints[1].stiffness = 4.0
    spec.add_spring("spring", None, "b1", (0.4, 0, 0), (0, 0, -0.5), stiffness=30.0, damping=1.0, length=0.2)
    spec.add_tendon("cable", stiffness=20.0, damping=0.5, length=0.3).through(None, (1, 0, 0)).through("b1")
    spec.add_actuator("servo", "position", "j0", stiffness=7.0, damping=0.2)
    spec.add_actuator("winch", "motor", tendon="cable", time_constant=0.1)
    sim = td.Simulation(spec.compile(), q=[0.3, -0.4], v=[0.5, 0.7], laws=[law])
    sim.actuator("servo").command = 0.6
    found = td.derivatives(sim)
    whole = np.hstack([found.by_q, found.by_v, found.by_drives, found.by_commands])
    drives, commands = sim.arrays["drives"][:, 0], sim.arrays["commands"][:, 0]
    np.testing.assert_allclose(found.acceleration, rates(sim, sim.q, sim.v, drives, commands, sim.tau)[:2])
    for k in range(whole.shape[1]):
        x = np.zeros(whole.shape[1])
        x[k] = 1e-5
        slope = (moved(sim, x) - moved(sim, -x))[:2] / 2e-5
        np.testing.assert_allclose(whole[:, k], slope, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.by_tau, np.linalg.inv(td.mass_matrix(sim.model, sim.q)), rtol=1e-9)
    with pytest.raises(td.InputError, match="need q, v and tau"):
        td.derivatives(sim.model)


def test_the_rate_of_a_turning_body_depends_on_where_it_is_measured_from():
    spec = td.ModelSpec("top", gravity=(0, 0, 0))
    spec.add_body("top", 1.0, inertia=(1, 2, 3))
    spec.add_joint("ball", "ball", None, "top")
    sim = td.Simulation(spec.compile(), v=[1.0, 2.0, 3.0])
    joint = sim.model.joints[0].type
    found = td.linearize(sim)
    for k in range(3):
        delta = np.zeros(3)
        delta[k] = 1e-6
        ahead, back = (np.array(joint.tangent_rate((s * delta).tolist(), sim.v.tolist())) for s in (1, -1))
        np.testing.assert_allclose(found.A[:3, k], (ahead - back) / 2e-6, atol=1e-8)


def test_an_oscillator_has_its_eigenvalues():
    spec = td.ModelSpec("oscillator", gravity=(0, 0, 0))
    spec.add_body("ball", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "ball")
    spec.add_spring("spring", None, "ball", (0, 0, -1), stiffness=50.0, damping=4.0)
    found = td.linearize(td.Simulation(spec.compile()))
    np.testing.assert_allclose(found.A, [[0, 1], [-25, -2]], atol=1e-12)
    np.testing.assert_allclose(found.B, [[0], [0.5]])
    assert found.states == ("rail", "rail.rate")
    assert found.inputs == ("rail",)


def test_the_roadheader_with_its_loops_and_cylinders():
    sim = td.Simulation(td.scene("roadheader"), contact=False)
    sim.step(20)
    for actuator in sim.model.actuators:
        # at zero the valves have different slopes either way
        sim.actuator(actuator.name).command = 0.1
    assert compared(sim, np.random.default_rng(0), directions=2) < 1e-6
    A, B = td.linearize(sim).reduced()
    assert len(A) == len(B) < 2 * sim.model.nv


def test_what_is_not_smooth_is_refused():
    with pytest.raises(td.InputError, match="contact=False"):
        td.linearize(td.Simulation(td.scene("bouncing-ball")))
