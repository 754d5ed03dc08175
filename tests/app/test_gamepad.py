"""Sticks and buttons of gamepads."""

import pytest

import treadle as td
from treadle.app.controls import controls
from treadle.app.driving import driving
from treadle.app.gamepad import Gamepad
from treadle.app.held_buttons import HeldButtons
from treadle.app.moves import moves
from treadle.scenes import scene_names

#: All sticks in the middle, and no button.
REST = [0.0] * 20


def pushed(**places: float) -> list[float]:
    """What is sent with some sticks or buttons pushed, by their places."""
    names = ("lx", "ly", "rx", "ry", "a", "b", "x", "y", "lb", "rb", "lt", "rt", "back", "start")
    values = list(REST)
    for name, value in places.items():
        values[names.index(name)] = value
    return values


def operated(name: str) -> tuple[td.Simulation, HeldButtons, Gamepad]:
    sim = td.Simulation(td.scene(name))
    levers, found = driving(sim.model), controls(sim.model)
    own = [] if levers is None else levers.moves
    others = [control for control in found if levers is None or control.name not in levers.drives]
    own = [*own, *moves(sim.model, others, {move.key for move in own})]
    known = [*found, *([] if levers is None else levers.controls)]
    held = HeldButtons(own, {control.name: control for control in known})
    return sim, held, Gamepad(held)


def test_a_vehicle():
    sim, held, pad = operated("rocky7")
    levers = {name: held._controls[name] for name in ("throttle", "steer", "brake")}

    def told(values: list[float]) -> tuple[float, ...]:
        assert pad.take(1, values) == []
        held.apply(sim)
        return tuple(control.read(sim) for control in levers.values())

    assert told(pushed(ly=-0.5)) == (0.5, 0.0, 0.0)
    assert told(pushed(ly=0.25, lx=-1.0)) == (-0.25, 1.0, 0.0)
    assert told(pushed(rt=0.75, lx=0.5)) == (0.75, -0.5, 0.0)
    assert told(pushed(lt=1.0)) == (-1.0, 0.0, 0.0)
    assert told(pushed(a=1.0)) == (0.0, 0.0, 1.0)
    # let go, or taken away
    assert told(REST) == (0.0, 0.0, 0.0)
    told(pushed(ly=-1.0))
    assert told([]) == (0.0, 0.0, 0.0)
    assert held.held == set()


def test_sideways_is_on_the_right_stick():
    sim, held, pad = operated("mecanum")
    pad.take(1, pushed(rx=-0.5))
    held.apply(sim)
    assert held._controls["sideways"].read(sim) == 0.5
    _, held, pad = operated("bluerov2")
    pad.take(1, pushed(rx=-0.5, ry=-1.0))
    assert held.held == {"Sideways left", "Up"}


def test_levers_in_the_picture_are_the_sticks():
    assert operated("rocky7")[2].levers == [
        {"up": "Forward", "down": "Back", "left": "Left", "right": "Right"}, {}
    ]  # fmt: skip
    left, right = operated("roadheader")[2].levers
    assert left == {"up": "Raise", "down": "Lower", "left": "Swing left", "right": "Swing right"}
    assert right == {"up": "Extend", "down": "Retract"}
    assert operated("pendulum")[2].levers == [{}, {}]


def test_a_machine_with_switches():
    sim, held, pad = operated("roadheader")
    pad.take(1, pushed(ly=-1.0, lx=0.5))
    assert held.held == {"Raise", "Swing right"}
    held.apply(sim)
    assert sim.actuator("lift_left").command == 1.0
    assert sim.actuator("slew_left").command == pytest.approx(0.5)
    # pressed once, not again while it is held
    assert pad.take(1, pushed(b=1.0)) == ["Cutter on/off"]
    assert pad.take(1, pushed(b=1.0, start=1.0)) == ["start"]
    assert pad.take(1, REST) == []


@pytest.mark.parametrize("name", scene_names())
def test_both_ends_of_a_pair_are_opposite(name):
    _, held, pad = operated(name)
    places = [place for places in pad.places.values() for place in places]
    assert len(set(places)) == len(places)
    for move, ((number, sign), *_) in pad.places.items():
        others = [other for other, ((k, s), *_) in pad.places.items() if k == number and s == -sign]
        for other in others:
            commands = held.moves[other].commands
            assert all(value * commands[c] < 0.0 for c, value in held.moves[move].commands.items())
