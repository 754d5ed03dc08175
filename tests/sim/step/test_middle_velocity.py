"""The velocity in the middle of a substep is predicted well enough to solve smooth motion once."""

import numpy as np
import pytest

import treadle as td
from treadle.studies.gauntlet.grasps import GRASPS
from treadle.studies.gauntlet.spinning import SPINNING


def solves_per_step(sim: td.Simulation, steps: int) -> float:
    """Solves of the rows per step, once the motion goes on."""
    sim.step(50)
    before = sim.contact_step.context.scratch.effort[3]
    sim.step(steps)
    return (sim.contact_step.context.scratch.effort[3] - before) / steps


@pytest.mark.parametrize("name", ["disk", "coin", "tippe-top"])
def test_what_rolls_smoothly_is_solved_once(name):
    model = SPINNING[name](np.random.default_rng(3)).model
    assert solves_per_step(td.Simulation(model, dt=1e-3), 500) < 1.7


def test_a_grasp_that_turns_is_solved_once():
    case = GRASPS["grasp-turned"](np.random.default_rng(3))
    sim = td.Simulation(case.model, dt=1e-3)
    solves = 0.0
    for k in range(300):
        for name, value in case.commands(1.0 + k * sim.dt).items():
            sim.actuator(name).command = value
        sim.step()
        solves = sim.contact_step.context.scratch.effort[3]
    assert solves < 1.2 * 300


def test_a_swing_that_slows_down_does_not_miss_its_coriolis_forces():
    """A double pendulum that touches itself nowhere, beside contact: its energy is that of smaller steps."""
    spec = td.ModelSpec("swing")
    spec.add_material("skin", friction=0.5, restitution=0.0)
    spec.add_shape("floor", None, "plane", (), role="collision", material="skin")
    for name, parent, place in (("upper", None, (0.0, 0.0, 3.0)), ("lower", "upper", (0.0, 0.0, -1.0))):
        spec.add_body(name, 1.0, center=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))
        spec.add_joint(name, "revolute", parent, name, position=place, axis=(0.0, 1.0, 0.0))
    spec.add_body("box", 1.0, type="box", size=(0.2, 0.2, 0.2))
    spec.add_shape("box", "box", "box", (0.2, 0.2, 0.2), role="collision", material="skin")
    spec.add_joint("box", "free", None, "box")
    spec.add_keyframe("initial", {"box": (1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.1), "upper": 1.0, "lower": 0.5})
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3)
    sim.step()
    energy = td.kinetic_energy(model, sim.q, sim.v) + td.potential_energy(model, sim.q)
    sim.run(10.0)
    assert td.kinetic_energy(model, sim.q, sim.v) + td.potential_energy(model, sim.q) == pytest.approx(
        energy, abs=2e-4
    )
