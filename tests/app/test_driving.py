"""Every scene on wheels is driven by the same few levers."""

import numpy as np
import pytest

import treadle as td
from treadle.app.controls import controls
from treadle.app.driving import driving
from treadle.app.held_buttons import HeldButtons
from treadle.app.moves import moves
from treadle.app.viser_private import uuid_of
from treadle.scenes import scene_names

WHEELED = [name for name in scene_names() if td.scene(name).wheels]


def drive(sim, levers, wanted: dict[str, float], seconds: float) -> None:
    levers.wanted |= dict.fromkeys(levers.wanted, 0.0) | wanted
    steps = max(1, round(1.0 / 60.0 / sim.dt))
    for _ in range(round(seconds / (steps * sim.dt))):
        levers.apply(sim, steps * sim.dt)
        sim.step(steps)


def begun(name: str):
    sim = td.Simulation(td.scene(name))
    levers = driving(sim.model)
    assert levers is not None
    return sim, levers


def place(sim) -> np.ndarray:
    """Where the machine is, from where it started."""
    name = sim.model.bodies[0].name
    start = td.frame_pose(sim.model, sim.model.initial()[0], name)
    return sim.body(name).pose[:2, 3] - start[:2, 3]


def heading(sim) -> float:
    x, y = sim.body(sim.model.bodies[0].name).pose[:2, 0]
    return float(np.arctan2(y, x))


def test_there_are_nine():
    assert len(WHEELED) == 9
    assert driving(td.scene("pendulum")) is None
    assert driving(td.scene("roadheader")) is None


@pytest.mark.parametrize("name", WHEELED)
def test_throttle_brake_and_steering(name):
    sim, levers = begun(name)
    drive(sim, levers, {"throttle": 1.0}, 2.0)
    forward = place(sim)
    # up to speed within a second
    assert 0.7 * 1.4 * levers.speed < forward[0] < 2.0 * levers.speed
    assert abs(forward[1]) < 0.02 * forward[0]
    drive(sim, levers, {"throttle": 1.0, "steer": 1.0}, 0.8)
    assert heading(sim) > 0.1
    drive(sim, levers, {"brake": 1.0}, 1.5)
    stopped = place(sim)
    drive(sim, levers, {}, 1.0)
    assert np.linalg.norm(place(sim) - stopped) < 0.05 * levers.speed


@pytest.mark.parametrize("name", WHEELED)
def test_back_and_to_the_right(name):
    sim, levers = begun(name)
    drive(sim, levers, {"throttle": -1.0}, 1.5)
    assert place(sim)[0] < -0.5 * levers.speed
    sim, levers = begun(name)
    drive(sim, levers, {"throttle": 1.0, "steer": -1.0}, 1.2)
    assert heading(sim) < -0.1


@pytest.mark.parametrize("name", ["rocky7", "minibaja"])
def test_steering_returns_when_it_is_let_go(name):
    sim, levers = begun(name)
    drive(sim, levers, {"steer": 1.0}, 0.6)
    steered = [a.name for a in sim.model.actuators if "steering" in a.name]
    assert steered
    assert all(sim.actuator(n).command > 0.1 for n in steered)
    drive(sim, levers, {}, 0.6)
    assert all(sim.actuator(n).command == 0.0 for n in steered)


def test_rollers_go_sideways():
    sim, levers = begun("mecanum")
    drive(sim, levers, {"sideways": 1.0}, 2.0)
    x, y = place(sim)
    assert y > 0.7 * 1.4 * levers.speed
    assert abs(x) < 0.05 * y
    assert "sideways" not in begun("rocky7")[1].wanted


def test_others_have_their_say_while_nobody_drives():
    sim, levers = begun("differential-drive")
    sim.actuator("left").command = 3.0
    drive(sim, levers, {}, 0.1)
    assert sim.actuator("left").command == 3.0


def test_fields_have_ends():
    for name in WHEELED:
        model = td.scene(name)
        levers = driving(model)
        rates = [levers.rate(a.name) for a in model.actuators if a.type == "rigid_velocity"]
        assert all(rate is not None and 0.0 < rate < 30.0 for rate in rates)


#: Where each move takes a vehicle under water: along which axis, or about which.
_WAYS = {
    "Forward": ("place", 0, 1), "Back": ("place", 0, -1), "Left": ("turn", 2, 1), "Right": ("turn", 2, -1),
    "Sideways left": ("place", 1, 1), "Sideways right": ("place", 1, -1),
    "Up": ("place", 2, 1), "Down": ("place", 2, -1),
}  # fmt: skip


@pytest.mark.parametrize("name", ["bluerov2", "bluerov2-arm", "remus"])
def test_vehicles_under_water_go_where_their_moves_say(name):
    model = td.scene(name)
    known = {control.name: control for control in controls(model)}
    found = {move.name: move for move in moves(model, list(known.values()))}
    assert {"Forward", "Left", "Right", "Up", "Down"} <= set(found)
    for way, (what, axis, sign) in _WAYS.items():
        if way not in found:
            continue
        sim = td.Simulation(model)
        held = HeldButtons(list(found.values()), known)
        held.press(1, way)
        if name == "remus" and way not in ("Forward", "Back"):
            # rudders turn a vehicle that swims
            held.press(1, "Forward")
        held.apply(sim)
        sim.run(seconds=2.5)
        vehicle = sim.body(model.bodies[0].name)
        turned = np.array([0.0, 0.0, heading(sim)])
        gone = vehicle.position - td.frame_pose(model, model.initial()[0], model.bodies[0].name)[:3, 3]
        assert sign * {"place": gone, "turn": turned}[what][axis] > 0.1, way


def test_a_loader_raises_and_dumps():
    sim = td.Simulation(td.scene("loader"))
    known = {control.name: control for control in controls(sim.model)}
    held = HeldButtons(moves(sim.model, list(known.values())), known)
    height, nose = sim.body("bucket").pose[2, 3], sim.body("bucket").pose[2, 0]
    held.press(1, "Raise")
    held.apply(sim)
    sim.run(seconds=0.6)
    assert sim.body("bucket").pose[2, 3] > height + 0.05
    held.lift(1)
    held.press(1, "Dump")
    held.apply(sim)
    sim.run(seconds=0.5)
    # the front of the bucket goes down
    assert sim.body("bucket").pose[2, 0] < nose - 0.1


def test_every_machine_on_wheels_has_moves_for_what_it_carries(live):
    for name, own in (("loader", {"Raise", "Dump"}), ("mobile-manipulator", {"turret +", "grip -"})):
        drive = live(td.Simulation(td.scene(name), contact=False)).stage.drive
        found = drive.held_buttons.moves
        assert {"Forward", "Brake"} | own <= set(found)
        keys = [key for move in found.values() for key in (move.key, move.other_key) if key]
        assert len(keys) == len(set(keys)) == len(drive.keys)


@pytest.mark.parametrize(
    ("name", "pairs"),
    [("rocky7", 2), ("mecanum", 3), ("roadheader", 5), ("roadheader-ground", 5), ("loader", 4)],
)
def test_levers_that_go_two_ways_stand_side_by_side(live, name, pairs):
    drive = live(td.Simulation(td.scene(name))).stage.drive
    by_number = {uuid_of(button): title for title, button in drive.buttons.items()}
    titles = [by_number[number] for number in drive.pairs]
    assert len(titles) == 2 * pairs
    # the two of a pair command the same drives, the opposite way
    for one, other in zip(titles[::2], titles[1::2], strict=True):
        first, second = drive.held_buttons.moves[one], drive.held_buttons.moves[other]
        assert first.commands.keys() == second.commands.keys()
        for drive_name in first.commands:
            assert first.commands[drive_name] * second.commands[drive_name] <= 0.0
