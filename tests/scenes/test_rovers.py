"""Machines on wheels: they stand as they should, drive where they are told, and are seen."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.rovers import landtamer, rocky7

ROVERS = {"rocky7": rocky7, "landtamer": landtamer}


@pytest.mark.parametrize("name", ROVERS)
def test_every_body_is_seen_and_every_wheel_has_a_drive(name):
    model = td.scene(name)
    assert set(range(len(model.bodies))) <= {shape.body for shape in model.shapes}
    assert {wheel.joint for wheel in model.wheels} <= {actuator.joint for actuator in model.actuators}


@pytest.mark.parametrize("name, mass", [("rocky7", 14.0), ("landtamer", 1462.8342)])
def test_at_rest_the_wheels_carry_the_weight(name, mass):
    model = td.scene(name)
    assert model.mass == pytest.approx(mass)
    sim = td.Simulation(model)
    sim.run(4.0)
    forces = [sim.wheel(wheel.name).force[2] for wheel in model.wheels]
    assert sum(forces) == pytest.approx(mass * 9.81, rel=1e-6)
    # as deep as its stiffness was chosen for, on average
    assert np.mean([sim.wheel(wheel.name).sinkage for wheel in model.wheels]) == pytest.approx(0.02, rel=1e-3)


def test_rocky7_climbs_with_one_side():
    """Its differential lets one rocker rise while the other stays down, and the body takes half."""
    ramp = td.Ramp(0.15, 0.5, 0.25, center=(0.9, -0.2), friction=1.0)
    sim = td.Simulation(td.scene("rocky7", speed=0.2), terrain=ramp)
    for wheel in sim.model.wheels:
        sim.actuator(wheel.name).command = 0.2 / rocky7.RADIUS
    highest = 0.0
    for _ in range(100):
        sim.step(1)
        left, right = (sim.joint(f"{side}_rocker_pivot").position for side in ("left", "right"))
        assert left == pytest.approx(-right, abs=1e-9)
        highest = max(highest, abs(left))
    assert 0.05 < highest < 1.0 and sim.q[4] > 0.5


def test_landtamer_turns_with_its_sides():
    sim = td.Simulation(td.scene("landtamer", speed=1.0))
    for wheel in sim.model.wheels:
        side = 1.0 if "left" in wheel.name else -1.0
        sim.actuator(wheel.name).command = (1.0 - side * 0.5 * landtamer.HALF_TRACK) / landtamer.RADIUS
    sim.run(5.0)
    # skidding takes some of the 0.5 rad/s
    assert 0.2 < sim.v[2] < 0.5
    assert sim.wheel("front_left").slip < 0.0 < sim.wheel("front_right").slip
    assert sim.wheel("front_left").slip_angle * sim.wheel("rear_left").slip_angle < 0.0
