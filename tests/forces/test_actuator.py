"""What actuators do: closed forms, limits, and stability at steps that explicit servos do not survive."""

import numpy as np
import pytest

import treadle as td
from treadle.forces.actuator import actuator_drives


def slider(kind: str, mass: float = 2.0, **options) -> td.Model:
    """A mass on a rail with one drive, no gravity."""
    spec = td.ModelSpec("slider", gravity=(0, 0, 0))
    spec.add_body("cart", mass, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_actuator("drive", kind, "rail", **options)
    return spec.compile()


def test_a_motor_pushes_with_its_gain_within_its_limits():
    model = slider("motor", gain=3.0, lower=-2.0, upper=2.0, effort=5.0)
    sim = td.Simulation(model, dt=1e-3)
    drive = sim.actuator("drive")
    assert drive.range == (-2.0, 2.0)
    for command, force in ((1.0, 3.0), (-1.0, -3.0), (1.9, 5.0), (-10.0, -5.0)):
        drive.command = command
        assert drive.force == pytest.approx(force)
    drive.command = 1.0
    sim.step(1000)
    assert sim.v[0] == pytest.approx(1.5)
    sim.restore(sim.save())
    assert drive.command == 1.0


@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1.0])
def test_a_stiff_servo_reaches_its_goal_at_any_step(dt):
    model = slider("position", stiffness=1e9, damping=1e4)
    sim = td.Simulation(model, dt=dt)
    sim.actuator("drive").command = 0.7
    sim.step(200)
    assert sim.q[0] == pytest.approx(0.7, abs=1e-6)


def test_a_servo_is_a_spring_and_a_damper():
    """The same motion as springs and dampers of the joint, to the order of the step."""
    spec = td.ModelSpec("sprung", gravity=(0, 0, 0))
    spec.add_body("cart", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0), stiffness=50.0, damping=3.0)
    for integrator, tolerance in (("symplectic_euler", 2e-3), ("rk4", 1e-12), ("implicit_midpoint", 1e-12)):
        sims = [
            td.Simulation(model, dt=1e-3, integrator=integrator, q=[0.4])
            for model in (spec.compile(), slider("position", stiffness=50.0, damping=3.0))
        ]
        for sim in sims:
            sim.step(500)
        assert sims[0].q[0] == pytest.approx(sims[1].q[0], abs=tolerance)


def test_a_velocity_drive_pulls_with_no_more_than_its_effort():
    model = slider("velocity", damping=1e6, effort=4.0)
    sim = td.Simulation(model, dt=1e-2)
    sim.actuator("drive").command = 3.0
    sim.step(50)
    # 2 N per kg until it is there
    assert sim.v[0] == pytest.approx(1.0, rel=0.05)
    sim.step(300)
    assert sim.v[0] == pytest.approx(3.0, rel=1e-6)
    assert abs(sim.actuator("drive").force) < 1e-3


def test_the_force_is_that_of_the_formula():
    model = slider("general", gain=2.0, bias=(0.5, -3.0, -0.2))
    (drive,) = actuator_drives(model, [1.5], [], [0.4], [0.7])
    assert drive.force - drive.damping * 0.7 == pytest.approx(2.0 * 1.5 + 0.5 - 3.0 * 0.4 - 0.2 * 0.7)


def test_wrong_names_and_commands():
    sim = td.Simulation(slider("motor"))
    with pytest.raises(td.InputError, match="'slider' has no actuator named 'drives'; did you mean 'drive'"):
        sim.actuator("drives")
    with pytest.raises(td.InputError, match="command of actuator 'drive' must be finite"):
        sim.actuator("drive").command = np.nan
    with pytest.raises(td.InputError, match="is a motor: only cylinders have pressures"):
        print(sim.actuator("drive").pressures)


def test_worlds_of_a_batch_have_commands_of_their_own():
    model = slider("motor", gain=2.0)
    worlds = td.Batch(model, 5, dt=1e-3)
    worlds.commands[:, 0] = [0.0, 1.0, 2.0, 3.0, 4.0]
    worlds.step(100)
    for k in range(5):
        sim = td.Simulation(model, dt=1e-3)
        sim.actuator("drive").command = float(k)
        sim.step(100)
        assert sim.v[0] == worlds.v[k, 0]
