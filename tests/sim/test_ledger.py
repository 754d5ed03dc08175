"""Work and impulse of forces: the balances close as the order of the integrator says."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.machines import MOVING_KINDS, build_spec, machines, random_state
from treadle.dynamics.energy import spring_energy
from treadle.integrators import INTEGRATORS

DURATION = 0.4

#: Steps at which the errors of each order are neither coarse nor rounding.
STEPS = {1: 400, 2: 100, 4: 40, 5: 40, 6: 40, 8: 40}


def energy(model, q, v) -> float:
    springs = float(spring_energy(model, list(q)))
    return td.kinetic_energy(model, q, v) + td.potential_energy(model, q) + springs


def about_center(model, q, v) -> np.ndarray:
    """Angular momentum about the centre of mass, linear momentum."""
    p = td.momentum(model, q, v)
    return np.hstack([p[:3] - np.cross(td.center_of_mass(model, q), p[3:]), p[3:]])


@functools.cache
def machine(kind: str) -> td.Model:
    """Two links with dampers, springs where there can be some, and joints of the kind."""
    spec = build_spec(np.random.default_rng(11), [kind, kind if kind != "free" else "ball"], [-1, 0])
    for joint in spec.joints:
        joint.damping = 0.2
        if kind not in ("ball", "free"):
            joint.stiffness = 3.0
    return spec.compile()


def law(q, v, t):
    """A drive that depends on the position, the velocity and the time."""
    speeds = v["j1"] if isinstance(v["j1"], list) else [v["j1"]]
    return {"j1": [td.sin(3.0 * t) - 0.3 * x for x in speeds]}


def driven(kind: str, integrator: str, steps: int) -> tuple[td.Simulation, td.State]:
    """After a run with joint forces, a load, dampers and a law, and its first state."""
    model, rng = machine(kind), np.random.default_rng(2)
    q = [x for joint in model.joints for x in joint.type.sample(rng)]
    sim = td.Simulation(
        model, dt=DURATION / steps, integrator=integrator, q=q, v=rng.uniform(-1, 1, model.nv), laws=[law]
    )
    sim.tau = rng.uniform(-1, 1, model.nv)
    sim.apply_force("b1", (1.0, 2.0, -1.0), (0.3, 0.1, -0.2), (0.1, 0.1, 0.0))
    start = sim.save()
    sim.step(steps)
    return sim, start


def energy_error(kind: str, integrator: str, steps: int) -> float:
    sim, start = driven(kind, integrator, steps)
    gained = energy(sim.model, sim.q, sim.v) - energy(sim.model, start.q, start.v)
    return gained - sim.run_log.work


@pytest.mark.parametrize("steps", [1, 10, 100])
@pytest.mark.parametrize(("integrator", "most"), [("dopri5", 1e-5), ("dopri853", 1e-8)])
@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_the_energy_balance_closes_to_the_tolerance(kind, integrator, most, steps):
    assert abs(energy_error(kind, integrator, steps)) < most


@pytest.mark.parametrize("integrator", [name for name, m in INTEGRATORS.items() if not m.adaptive])
@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_the_energy_balance_closes_at_the_order_of_the_method(kind, integrator):
    order = INTEGRATORS[integrator].order
    steps = STEPS[order]
    coarse, fine = (abs(energy_error(kind, integrator, n)) for n in (steps, 2 * steps))
    # the rule for the work is of order 4 itself
    assert np.log2(coarse / fine) == pytest.approx(min(order, 4), abs=0.25)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "midpoint", "rk4"])
def test_the_momentum_balance_closes_at_the_order_of_the_method(integrator):
    order = INTEGRATORS[integrator].order
    errors = []
    for steps in (STEPS[order], 2 * STEPS[order]):
        sim, start = driven("free", integrator, steps)
        model = sim.model
        gained = about_center(model, sim.q, sim.v) - about_center(model, start.q, start.v)
        gained[3:] -= model.mass * np.array(model.gravity) * DURATION
        errors.append(np.abs(gained - sim.run_log.ledger[1:, 0]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


@settings(max_examples=8)
@given(machines(largest=4, kinds=MOVING_KINDS))
def test_random_machines_under_random_forces(machine):
    """With small steps of rk4 nothing is left of the change of energy but the work."""
    model, rng = machine
    q, v, tau = random_state(model, rng)
    sim = td.Simulation(model, dt=2e-4, integrator="rk4", q=q, v=v)
    sim.tau = tau
    sim.apply_force("tip", rng.uniform(-3, 3, 3), rng.uniform(-1, 1, 3), rng.uniform(-0.2, 0.2, 3))
    before = energy(model, sim.q, sim.v)
    sim.run(0.02)
    gained = energy(model, sim.q, sim.v) - before
    scale = td.kinetic_energy(model, sim.q, sim.v)
    assert gained == pytest.approx(sim.run_log.work, rel=1e-6, abs=1e-6 * scale)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "implicit_euler"])
def test_no_damper_is_too_strong_for_the_books(integrator):
    """A damper that stops a cart within one step takes what it had, and not more."""
    spec = td.ModelSpec(gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", damping=1e5)
    sim = td.Simulation(spec.compile(), dt=1e-3, integrator=integrator, v=[2.0])
    sim.step(10)
    assert abs(sim.v[0]) < 1e-10
    assert sim.run_log.work == pytest.approx(-2.0, rel=1e-6)


def test_forces_come_and_go():
    """One program counts the work on plain joints; that on joints that turn in space takes another."""
    sim = td.Simulation(machine("ball"), q=[1, 0, 0, 0] * 2, integrator="rk4", dt=1e-3)
    start = energy(sim.model, sim.q, sim.v)
    for torque in (0.0, 1.0, 0.0):
        sim.tau[0] = torque
        sim.step(100)
    assert len(sim.stepper.runners) == 2
    assert energy(sim.model, sim.q, sim.v) - start == pytest.approx(sim.run_log.work, abs=1e-6)
    plain = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5], integrator="rk4", dt=1e-3)
    start = energy(plain.model, plain.q, plain.v)
    plain.step(100)
    assert plain.run_log.work == 0.0
    plain.tau[0] = 1.0
    plain.step(100)
    assert len(plain.stepper.runners) == 1
    assert energy(plain.model, plain.q, plain.v) - start == pytest.approx(plain.run_log.work, abs=1e-6)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint"])
def test_the_ledger_changes_no_bit_of_the_motion(integrator):
    """A batch keeps none, and comes out the same."""
    model = machine("ball")
    batch = td.Batch(model, 1, dt=1e-3, integrator=integrator)
    sim = td.Simulation(model, dt=1e-3, integrator=integrator)
    for world in (batch, sim):
        world.tau = np.linspace(-1.0, 1.0, model.nv)
        world.step(50)
    assert sim.run_log.work != 0.0
    assert np.array_equal(batch.q[0], sim.q)
    assert np.array_equal(batch.v[0], sim.v)


@pytest.mark.parametrize(("stiffness", "damping"), [(100.0, 5.0), (1e7, 1e4)])
def test_the_work_of_a_servo(stiffness, damping):
    """Soft, and so stiff that the step does not resolve it."""
    spec = td.ModelSpec("servo", gravity=(0, 0, 0))
    spec.add_body("cart", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart")
    spec.add_actuator("servo", "position", "rail", stiffness=stiffness, damping=damping)
    sim = td.Simulation(spec.compile(), dt=1e-3, v=[0.5])
    sim.actuator("servo").command = 0.2
    start = energy(sim.model, sim.q, sim.v)
    sim.step(40)
    gained = energy(sim.model, sim.q, sim.v) - start
    assert sim.q[0] > 0.01
    assert gained == pytest.approx(sim.run_log.work, rel=1e-9, abs=1e-12)
