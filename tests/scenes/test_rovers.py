"""Machines on wheels: they stand as they should, drive where they are told, and are seen."""

import numpy as np
import pytest

import treadle as td
from treadle.scenes.rovers import differential_drive, landtamer, mecanum, minibaja, rocky7

#: Mass (kg), and how deep the wheels stand on average (m).
ROVERS = {
    "rocky7": (14.0, 0.02),
    "landtamer": (1462.8342, 0.02),
    "zoe": (198.0, 0.02),
    "minibaja": (267.0, 267.0 * 9.81 / 4 / 9e4),
    "differential-drive": (13.0, 13.0 * 9.81 / 3 / 4e4),
    "mecanum": (40.0, 40.0 * 9.81 / 4 / 1e5),
}


@pytest.mark.parametrize("name", ROVERS)
def test_every_body_is_seen(name):
    model = td.scene(name)
    assert set(range(len(model.bodies))) <= {shape.body for shape in model.shapes}
    assert len({shape.color for shape in model.shapes}) >= 3


@pytest.mark.parametrize("name", ROVERS)
def test_at_rest_the_wheels_carry_the_weight(name):
    mass, depth = ROVERS[name]
    model = td.scene(name)
    assert model.mass == pytest.approx(mass)
    sim = td.Simulation(model)
    sim.run(8.0)
    forces = [sim.wheel(wheel.name).force[2] for wheel in model.wheels]
    assert sum(forces) == pytest.approx(mass * 9.81, rel=1e-6)
    found = np.mean([sim.wheel(wheel.name).sinkage for wheel in model.wheels])
    assert found == pytest.approx(depth, rel=1e-3)
    assert np.abs(sim.v).max() < 1e-3


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


def drive(sim: td.Simulation, commands: dict[str, float], seconds: float) -> None:
    for name, value in commands.items():
        sim.actuator(name).command = value
    sim.run(seconds)


def test_the_differential_drive_turns_and_its_caster_trails():
    sim = td.Simulation(td.scene("differential-drive"))
    radius, track = differential_drive.RADIUS, differential_drive.TRACK
    drive(sim, {"left": 0.4 / radius, "right": 0.6 / radius}, 4.0)
    assert sim.v[2] == pytest.approx(0.2 / track, rel=0.03)
    # backwards the caster turns round
    drive(sim, {"left": -0.5 / radius, "right": -0.5 / radius}, 4.0)
    turned = sim.joint("swivel").position % (2.0 * np.pi)
    assert turned == pytest.approx(np.pi, abs=0.1)


@pytest.mark.parametrize("forward, left, turning", [(0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.8), (0.3, -0.3, 0.3)])
def test_the_mecanum_base_goes_anywhere(forward, left, turning):
    sim = td.Simulation(td.scene("mecanum"))
    drive(sim, mecanum.mecanum_rates(forward, left, turning), 3.0)
    heading = 2.0 * np.arctan2(sim.q[3], sim.q[0])
    ahead = sim.v[3] * np.cos(heading) + sim.v[4] * np.sin(heading)
    across = sim.v[4] * np.cos(heading) - sim.v[3] * np.sin(heading)
    np.testing.assert_allclose([ahead, across, sim.v[2]], [forward, left, turning], atol=0.03)


def test_zoe_steers_by_its_wheels():
    sim = td.Simulation(td.scene("zoe", speed=0.5))
    rate = 0.5 / 0.325
    outer = {f"{end}_{side}": rate for end in ("front", "rear") for side in ("left", "right")}
    # the front axle is turned to the left by its right wheel, the rear one to the right
    drive(sim, outer | {"front_left": 0.8 * rate, "front_right": 1.2 * rate,
                        "rear_left": 0.8 * rate, "rear_right": 1.2 * rate}, 1.0)  # fmt: skip
    drive(sim, outer, 1.0)
    assert sim.joint("front_steering").position > 0.02
    assert np.isfinite(sim.q).all()


def test_the_springs_of_the_buggy_carry_it_over_a_bump():
    bump = td.Ramp(0.12, 0.5, 6.0, flat=0.3, center=(4.0, 0.0))
    sim = td.Simulation(td.scene("minibaja", speed=4.0), terrain=bump)
    rates = dict.fromkeys(("rear_left", "rear_right"), 4.0 / minibaja.RADIUS)
    travel = []
    for _ in range(30):
        drive(sim, rates, 0.05)
        travel.append([sim.joint(f"{end}_left_suspension").position for end in ("front", "rear")])
    front, rear = np.array(travel).T
    assert front.max() > 0.02 and rear.max() > 0.02
    # the front wheels meet it first
    assert front.argmax() < rear.argmax()
    assert sim.q[4] > 4.5
    assert sim.q[6] < 0.5


def test_a_mecanum_base_is_parked_by_its_rollers_together():
    """Every wheel holds along the axle of its roller alone; four of them hold the base in all directions."""
    sim = td.Simulation(td.scene("mecanum"), terrain=td.Plane(rise=(0.1, 0.15)))
    sim.run(4.0)
    place = sim.q[4:7].copy()
    sim.run(20.0)
    assert np.abs(sim.q[4:7] - place).max() < 1e-6
