"""What sticks to bodies that turn goes along with them, and what rolls on them rolls where it should."""

import numpy as np
import pytest

import treadle as td

#: rad/s, m
RATE, RADIUS = 1.0, 0.3


def turntable(load, size, **material):
    """A heavy disc that turns, and a body on it."""
    spec = td.ModelSpec("turntable")
    spec.add_material("stuff", **material)
    spec.add_body("disc", 1e9, type="cylinder", size=(2.0, 0.1))
    spec.add_joint("turn", "revolute", None, "disc", axis=(0, 0, 1))
    spec.add_body("load", 1.0, type=load, size=size)
    spec.add_joint("load", "free", None, "load")
    spec.add_shape("floor", None, "plane", position=(0, 0, -1), role="collision", material="stuff")
    spec.add_shape("disc", "disc", "cylinder", (2.0, 0.1), role="collision", material="stuff")
    spec.add_shape("load", "load", load, size, role="collision", material="stuff")
    return spec.compile()


@pytest.fixture(scope="module")
def table_with_box():
    return turntable("box", (0.1, 0.1, 0.1), friction=1.0)


def creep(model, dt):
    """Way outwards (m) in a second, after the first one."""
    sim = td.Simulation(model, dt)
    sim.q[1:8] = [1.0, 0.0, 0.0, 0.0, RADIUS, 0.0, 0.1]
    sim.v[:] = [RATE, 0.0, 0.0, RATE, 0.0, RATE * RADIUS, 0.0]
    ways = []
    for _ in range(2):
        sim.run(1.0)
        ways.append(np.hypot(*sim.body("load").position[:2]))
    assert sim.quality()["friction creep"] < 1e-9
    return ways[1] - ways[0]


def test_what_sticks_to_a_turntable_does_not_creep(table_with_box):
    coarse, fine = creep(table_with_box, 0.01), creep(table_with_box, 0.005)
    # without regard to the turning it would be w^2 r h / 2: 1.5e-3
    assert abs(fine) < 1e-6
    assert np.log2(coarse / fine) > 2.5


@pytest.mark.parametrize("stiffness", [None, 1e8])
def test_ball_on_a_turntable_goes_round_with_two_sevenths_of_its_rate(stiffness):
    radius = 0.1
    stiff = {} if stiffness is None else {"stiffness": stiffness, "restitution": 0.0}
    sim = td.Simulation(turntable("sphere", (radius,), friction=2.0, **stiff), dt=5e-3)
    depth = 0.0 if stiffness is None else 9.81 / stiffness
    place, up = np.array([RADIUS, 0.0, 0.05 + radius - depth]), np.array([0.0, 0.0, 1.0])
    speed, ground = 2.0 / 7.0 * RATE * np.cross(up, place), RATE * np.cross(up, place)
    sim.q[1:8] = [1.0, 0.0, 0.0, 0.0, *place]
    sim.v[:] = [RATE, *np.cross(up, speed - ground) / (radius - depth), *speed]
    sim.run(5.0)
    x, y, _ = sim.body("load").position
    assert np.hypot(x, y) == pytest.approx(RADIUS, abs=1e-6)
    assert np.arctan2(y, x) == pytest.approx(2.0 / 7.0 * RATE * 5.0, abs=1e-4)


@pytest.fixture(scope="module")
def grip():
    """An arm of two links whose jaw presses a part against its hand."""
    spec = td.ModelSpec("arm with a grip", gravity=(0.0, 0.0, 0.0))
    spec.add_material("rubber", friction=1.0)
    spec.add_shape("floor", None, "plane", position=(0, 0, -5), role="collision", material="rubber")
    spec.add_body("upper", 5.0, type="box", size=(0.5, 0.05, 0.05), center=(0.25, 0, 0))
    spec.add_body("lower", 3.0, type="box", size=(0.5, 0.05, 0.05), center=(0.25, 0, 0))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 0, 1))
    spec.add_joint("elbow", "revolute", "upper", "lower", position=(0.5, 0, 0), axis=(0, 1, 0))
    spec.add_body("jaw", 0.2, type="box", size=(0.1, 0.02, 0.06))
    spec.add_joint("jaw", "prismatic", "lower", "jaw", position=(0.5, 0.05, 0), axis=(0, -1, 0))
    pad = (0.1, 0.02, 0.06)
    spec.add_shape("jaw", "jaw", "box", pad, role="collision", material="rubber")
    spec.add_shape("hand", "lower", "box", pad, position=(0.5, -0.05, 0), role="collision", material="rubber")
    spec.add_body("part", 0.3, type="box", size=(0.06, 0.08, 0.06))
    spec.add_joint("part", "free", None, "part", position=(1.0, 0, 0))
    spec.add_shape("part", "part", "box", (0.06, 0.08, 0.06), role="collision", material="rubber")
    return spec.compile()


def slipped(model, dt):
    """Way (m) that the part moves in the grip while the arm swings for a second."""
    sim = td.Simulation(model, dt)
    sim.joint("jaw").torque = 60.0

    def held():
        hand, part = (sim.body(name).pose for name in ("lower", "part"))
        return (np.linalg.inv(hand) @ part)[:3, 3]

    sim.run(0.1)
    before = held()
    sim.joint("shoulder").torque, sim.joint("elbow").torque = 3.0, 1.0
    sim.run(1.0)
    assert np.abs(sim.v[:2]).min() > 0.2
    return np.linalg.norm(held() - before)


def test_what_a_swinging_arm_holds_stays_in_its_grip(grip):
    # without regard to the turning 1.3e-3
    assert slipped(grip, 5e-3) < 2e-5
    assert slipped(grip, 2.5e-3) / slipped(grip, 1.25e-3) > 3.0


def test_solves_end_as_soon_as_goals_are_met_as_well_as_they_are_known(grip):
    sim = td.Simulation(grip, 5e-3)
    sim.joint("jaw").torque, sim.joint("shoulder").torque, sim.joint("elbow").torque = 60.0, 3.0, 1.0
    sim.run(1.0)
    # eight points with three rows each hold seven freedoms
    _, sweeps, _, solves = sim.stepper.ready_contact_step().scratch.effort
    assert sweeps / solves < 20.0
    assert sim.quality()["unfinished solves"] == 0.0
