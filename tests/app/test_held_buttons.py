import pytest

import treadle as td
from treadle.app.controls import controls
from treadle.app.driving import driving
from treadle.app.held_buttons import HeldButtons
from treadle.app.moves import moves


def machine(kind: str, **options) -> td.Simulation:
    spec = td.ModelSpec("door")
    spec.add_body("leaf", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("hinge", "revolute", None, "leaf", axis=(0, 0, 1))
    spec.add_actuator("drive", kind, "hinge", lower=-2.0, upper=4.0, **options)
    return td.Simulation(spec.compile())


def held_buttons_of(sim, clock) -> HeldButtons:
    found = controls(sim.model)
    return HeldButtons(moves(sim.model, found), {c.name: c for c in found}, clock=lambda: clock[0])


def test_a_push_ends_when_it_is_let_go():
    clock, sim = [0.0], machine("velocity", damping=1.0)
    held_buttons = held_buttons_of(sim, clock)
    assert set(held_buttons.moves) == {"drive -", "drive +"}
    held_buttons.press(1, "drive +")
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == 4.0
    held_buttons.lift(2)
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == 4.0
    held_buttons.lift(1, "drive +")
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == 0.0
    # nothing is commanded that nobody holds
    sim.actuator("drive").command = 1.5
    assert not held_buttons.apply(sim)
    assert sim.actuator("drive").command == 1.5


def test_a_button_whose_page_is_silent_counts_as_let_go():
    clock, sim = [0.0], machine("velocity", damping=1.0)
    held_buttons = held_buttons_of(sim, clock)
    held_buttons.renew(1, "drive -")
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == -2.0
    clock[0] = 0.3
    held_buttons.renew(1, "drive -")
    clock[0] = 0.6
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == -2.0
    clock[0] = 0.8
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == 0.0


def test_a_place_to_go_to_is_moved_and_stays():
    clock, sim = [0.0], machine("position", stiffness=10.0)
    held_buttons = held_buttons_of(sim, clock)
    held_buttons.press(1, "drive +")
    for _ in range(20):
        clock[0] += 0.05
        held_buttons.apply(sim)
    # a quarter of the range per second
    assert sim.actuator("drive").command == pytest.approx(1.5)
    held_buttons.lift(1)
    clock[0] += 1.0
    held_buttons.apply(sim)
    assert sim.actuator("drive").command == pytest.approx(1.5)
    held_buttons.press(1, "drive +")
    for _ in range(60):
        clock[0] += 0.1
        held_buttons.apply(sim)
    assert sim.actuator("drive").command == 4.0


@pytest.mark.parametrize(("move", "joint", "sign"), [
    ("Raise", "lift", 1), ("Lower", "lift", -1), ("Swing left", "slew", 1), ("Swing right", "slew", -1),
    ("Extend", "extend", 1), ("Shovel up", "shovel", 1), ("Rear support down", "rear_leg_left", 1),
])  # fmt: skip
def test_moves_of_the_roadheader_do_what_they_are_called(move, joint, sign):
    sim = td.Simulation(td.scene("roadheader"))
    found = controls(sim.model)
    held_buttons = HeldButtons(moves(sim.model, found), {c.name: c for c in found})
    held_buttons.press(1, move)
    held_buttons.apply(sim)
    start = sim.joint(joint).position
    sim.step(300)
    assert sign * (sim.joint(joint).position - start) > 1e-3


def test_two_moves_at_once_and_their_end():
    sim = td.Simulation(td.scene("landtamer"))
    levers = driving(sim.model)
    held_buttons = HeldButtons(levers.moves, {c.name: c for c in levers.controls})
    held_buttons.press(1, "Forward")
    held_buttons.press(1, "Left")
    held_buttons.apply(sim)
    assert levers.wanted == {"throttle": 1.0, "steer": 1.0, "brake": 0.0}
    held_buttons.lift(1, "Left")
    held_buttons.press(2, "Back")
    held_buttons.apply(sim)
    assert levers.wanted == {"throttle": 0.0, "steer": 0.0, "brake": 0.0}


def test_switches():
    sim = td.Simulation(td.scene("roadheader"))
    found = controls(sim.model)
    held_buttons = HeldButtons(moves(sim.model, found), {c.name: c for c in found})
    held_buttons.switch(sim, "Gathering arms on/off")
    left, right = sim.actuator("gather_left"), sim.actuator("gather_right")
    # their axes point down and up: both sweep to the middle
    assert left.command == right.command > 1.0
    held_buttons.switch(sim, "Gathering arms on/off")
    assert left.command == right.command == 0.0


def test_every_move_has_a_key_of_its_own():
    model = td.scene("roadheader")
    keys = [move.key for move in moves(model, controls(model))]
    assert len(set(keys)) == len(keys) == 12
    # these move the camera
    assert not set(keys) & set("wasdqen ")
