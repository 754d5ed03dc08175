"""Time stepping: contacts that begin and end with steps."""

from __future__ import annotations

import numpy as np
import pytest

import treadle as td
from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.errors import InputError

RADIUS, DROP = 0.1, 0.9


def ball(restitution: float = 0.0, shape: str = "sphere", **material: float) -> td.Model:
    spec = td.ModelSpec("ball")
    spec.add_material("rubber", friction=0.5, restitution=restitution, **material)
    spec.add_body("ball", 1.0, inertia=(0.004, 0.004, 0.004))
    spec.add_joint("ball", "free", None, "ball", position=(0.0, 0.0, RADIUS + DROP))
    size = (RADIUS,) if shape == "sphere" else (2 * RADIUS,) * 3
    spec.add_shape("skin", "ball", shape, size, role="collision", material="rubber")
    spec.add_shape("floor", None, "plane", (), role="collision", material="rubber")
    return spec.compile()


def energy(sim: td.Simulation) -> float:
    return kinetic_energy(sim.model, sim.q, sim.v) + potential_energy(sim.model, sim.q)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9, 1.0])
def test_rebounds_are_as_high_as_the_restitution_says_to_the_first_order(restitution: float) -> None:
    errors = []
    for dt in (1e-2, 1e-3):
        sim = td.Simulation(ball(restitution), dt, time_stepping=True)
        start, heights, most = energy(sim), [], 0.0
        for _ in range(round(1.2 / dt)):
            sim.step()
            heights.append(sim.q[6] + DROP)
            most = max(most, energy(sim))
        landed = round(1.05 * np.sqrt(2.0 * DROP / 9.81) / dt)
        errors.append(abs(max(heights[landed:]) / DROP - restitution**2))
        assert most <= start + 1e-9
        # what falls at 4.2 m/s overlaps by less than it falls in half a step
        assert min(heights) > -4.3 * dt / 2.0
    # what does not rebound touches in the step in which it lands, and stays there
    assert errors[0] < (0.03 if restitution else 1e-9)
    assert errors[1] < (0.003 if restitution else 1e-9)


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "dopri5"])
def test_what_lands_is_at_rest_on_the_ground_and_pressed_by_its_weight(integrator: str) -> None:
    sim = td.Simulation(ball(shape="box"), 5e-3, integrator=integrator, time_stepping=True)
    for _ in range(400):
        sim.step()
        assert sim.q[6] + DROP > -1e-9
    assert np.abs(sim.v).max() < 1e-12
    assert abs(sum(contact.force[2] for contact in sim.contacts())) == pytest.approx(9.81, rel=1e-6)


def test_nothing_passes_through_a_thin_wall() -> None:
    spec = td.ModelSpec("shot")
    spec.add_material("steel", friction=0.0, restitution=0.0)
    spec.add_body("ball", 1.0, inertia=(1e-5, 1e-5, 1e-5))
    spec.add_joint("ball", "free", None, "ball")
    spec.add_shape("skin", "ball", "sphere", (0.005,), role="collision", material="steel")
    wall = {"position": (0.733, 0.0, 0.0), "role": "collision", "material": "steel"}
    spec.add_shape("wall", None, "box", (0.004, 2.0, 2.0), **wall)
    sim = td.Simulation(spec.compile(), 1e-2, contact=True, time_stepping=True)
    sim.v[3:] = (40.0, 0.0, 0.0)
    for _ in range(10):
        sim.step()
    assert sim.q[4] < 0.733


def test_it_takes_one_solve_a_step_where_feet_land_between_steps() -> None:
    events, stepped = (td.Simulation(ball(0.9), 1e-2, time_stepping=way) for way in (False, True))
    for sim in (events, stepped):
        sim.step(300)
    assert stepped.contact_step.scratch.effort[0] == 300
    assert events.contact_step.scratch.effort[0] > 300


def test_worlds_have_the_bits_of_a_simulation() -> None:
    model = ball(0.5, shape="box")
    batch = td.Batch(model, 3, 5e-3, time_stepping=True)
    sims = [td.Simulation(model, 5e-3, time_stepping=True) for _ in range(3)]
    for k, sim in enumerate(sims):
        sim.v[:] = batch.v[k] = (0.3 * k, 0.2, 0.1, 0.5 * k, 0.0, 0.0)
    batch.step(200)
    for k, sim in enumerate(sims):
        sim.step(200)
        assert np.array_equal(batch.q[k], sim.q)
        assert np.array_equal(batch.v[k], sim.v)


def test_an_edit_keeps_it_and_what_cannot_be_stepped_is_refused() -> None:
    options = td.Simulation(ball(), 1e-2, time_stepping=True).step_options
    assert options.changed(ball(0.5)).time_stepping
    with pytest.raises(InputError, match="whose shapes touch"):
        td.Simulation(td.scene("pendulum"), time_stepping=True)
    with pytest.raises(InputError, match="'rubber' has a spring"):
        td.Simulation(ball(stiffness=1e5), time_stepping=True)


@pytest.mark.parametrize("speed", [30.0, 300.0, 1000.0])
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_what_tumbles_fast_gains_no_energy(speed, dt):
    """A capsule in the air, while a box beside it is pressed on the floor."""
    spec = td.ModelSpec("tumbling", gravity=(0.0, 0.0, 0.0))
    spec.add_material("skin", friction=0.5, restitution=0.0)
    spec.add_shape("floor", None, "plane", role="collision", material="skin")
    spec.add_body("box", 1.0, inertia=td.box_inertia(1.0, 0.2, 0.2, 0.2))
    spec.add_joint("box", "free", None, "box", position=(3.0, 0.0, 0.1))
    spec.add_shape("box", "box", "box", (0.2, 0.2, 0.2), role="collision", material="skin")
    spec.add_body("capsule", 1.0, inertia=(1e-2, 3e-2, 3.5e-2))
    spec.add_joint("capsule", "free", None, "capsule", position=(0.0, 0.0, 5.0))
    spec.add_shape("capsule", "capsule", "capsule", (0.05, 0.3), role="collision", material="skin")
    model = spec.compile()
    sim = td.Simulation(model, dt=dt, time_stepping=True)
    sim.apply_force("box", force=(0.0, 0.0, -10.0))
    sim.v[6:9] = speed * np.array([0.36, 0.48, 0.8])
    before = td.kinetic_energy(model, sim.q, sim.v)
    sim.run(1.0)
    # turned by more than a radian in a step, it has lost its way but not its energy
    share = 0.2 if speed * dt >= 1.0 else 0.01
    assert td.kinetic_energy(model, sim.q, sim.v) == pytest.approx(before, rel=share)
