import pytest

import treadle as td
from treadle.app.controls import controls
from treadle.app.driving import driving
from treadle.app.holds import Holds
from treadle.app.moves import moves


def machine(kind: str, **options) -> td.Simulation:
    spec = td.ModelSpec("door")
    spec.add_body("leaf", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("hinge", "revolute", None, "leaf", axis=(0, 0, 1))
    spec.add_actuator("drive", kind, "hinge", lower=-2.0, upper=4.0, **options)
    return td.Simulation(spec.compile())


def holds_of(sim, clock) -> Holds:
    found = controls(sim.model)
    return Holds(moves(sim.model, found), {c.name: c for c in found}, clock=lambda: clock[0])


def test_a_push_ends_when_it_is_let_go():
    clock, sim = [0.0], machine("velocity", damping=1.0)
    holds = holds_of(sim, clock)
    assert set(holds.moves) == {"drive -", "drive +"}
    holds.press(1, "drive +")
    holds.apply(sim)
    assert sim.actuator("drive").command == 4.0
    holds.lift(2)
    holds.apply(sim)
    assert sim.actuator("drive").command == 4.0
    holds.lift(1, "drive +")
    holds.apply(sim)
    assert sim.actuator("drive").command == 0.0
    # nothing is commanded that nobody holds
    sim.actuator("drive").command = 1.5
    assert not holds.apply(sim)
    assert sim.actuator("drive").command == 1.5


def test_a_button_whose_page_is_silent_counts_as_let_go():
    clock, sim = [0.0], machine("velocity", damping=1.0)
    holds = holds_of(sim, clock)
    holds.renew(1, "drive -")
    holds.apply(sim)
    assert sim.actuator("drive").command == -2.0
    clock[0] = 0.3
    holds.renew(1, "drive -")
    clock[0] = 0.6
    holds.apply(sim)
    assert sim.actuator("drive").command == -2.0
    clock[0] = 0.8
    holds.apply(sim)
    assert sim.actuator("drive").command == 0.0


def test_a_place_to_go_to_is_moved_and_stays():
    clock, sim = [0.0], machine("position", stiffness=10.0)
    holds = holds_of(sim, clock)
    holds.press(1, "drive +")
    for _ in range(20):
        clock[0] += 0.05
        holds.apply(sim)
    # a quarter of the range per second
    assert sim.actuator("drive").command == pytest.approx(1.5)
    holds.lift(1)
    clock[0] += 1.0
    holds.apply(sim)
    assert sim.actuator("drive").command == pytest.approx(1.5)
    holds.press(1, "drive +")
    for _ in range(60):
        clock[0] += 0.1
        holds.apply(sim)
    assert sim.actuator("drive").command == 4.0


@pytest.mark.parametrize(("move", "joint", "sign"), [
    ("Raise", "lift", 1), ("Lower", "lift", -1), ("Swing left", "slew", 1), ("Swing right", "slew", -1),
    ("Extend", "extend", 1), ("Shovel up", "shovel", 1), ("Rear support down", "rear_leg_left", 1),
])  # fmt: skip
def test_moves_of_the_roadheader_do_what_they_are_called(move, joint, sign):
    sim = td.Simulation(td.scene("roadheader"))
    found = controls(sim.model)
    holds = Holds(moves(sim.model, found), {c.name: c for c in found})
    holds.press(1, move)
    holds.apply(sim)
    start = sim.joint(joint).position
    sim.step(300)
    assert sign * (sim.joint(joint).position - start) > 1e-3


def test_two_moves_at_once_and_their_end():
    sim = td.Simulation(td.scene("landtamer"))
    levers = driving(sim.model)
    holds = Holds(levers.moves, {c.name: c for c in levers.controls})
    holds.press(1, "Forward")
    holds.press(1, "Left")
    holds.apply(sim)
    assert levers.wanted == {"throttle": 1.0, "steer": 1.0, "brake": 0.0}
    holds.lift(1, "Left")
    holds.press(2, "Back")
    holds.apply(sim)
    assert levers.wanted == {"throttle": 0.0, "steer": 0.0, "brake": 0.0}


def test_switches():
    sim = td.Simulation(td.scene("roadheader"))
    found = controls(sim.model)
    holds = Holds(moves(sim.model, found), {c.name: c for c in found})
    holds.switch(sim, "Gathering arms on/off")
    left, right = sim.actuator("gather_left"), sim.actuator("gather_right")
    assert left.command == -right.command > 1.0
    holds.switch(sim, "Gathering arms on/off")
    assert left.command == right.command == 0.0


def test_every_move_has_a_key_of_its_own():
    model = td.scene("roadheader")
    keys = [move.key for move in moves(model, controls(model))]
    assert len(set(keys)) == len(keys) == 12
    # these move the camera
    assert not set(keys) & set("wasdqen ")
