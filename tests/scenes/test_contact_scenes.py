"""Boxes, slopes and marbles: what friction holds and what it does not."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.scenes.slope import FRICTIONS


def test_a_stack_is_carried_by_its_table():
    sim = td.Simulation(td.scene("box-stack", boxes=4))
    td.Routine(sim.model).run(sim, seconds=2.0)
    table = sim.joint("slide").position
    assert table == pytest.approx(0.25, abs=1e-3)
    for number in range(4):
        # nothing turns: what sticks, sticks
        place = sim.body(f"box{number + 1}").position
        np.testing.assert_allclose(place, (table, 0.0, 0.45 + 0.2 * number), atol=1e-6)


def test_a_table_that_is_pulled_away_leaves_the_stack_behind():
    sim = td.Simulation(td.scene("box-stack", boxes=1, friction=0.1))
    sim.actuator("slide").command = 0.4
    sim.run(0.15)
    # friction gives the box 0.1 g, however much faster the table is
    assert sim.joint("slide").position > 0.3
    assert sim.body("box1").velocity[3] == pytest.approx(0.1 * 9.81 * 0.15, rel=1e-9)


@pytest.mark.parametrize("number", [None, 0.0, True])
def test_stacks_have_a_whole_number_of_boxes(number):
    with pytest.raises(td.InputError, match="whole number of boxes"):
        td.scene("box-stack", boxes=number)


def on_board(sim):
    """Where the four blocks are, seen from the board."""
    board = np.linalg.inv(sim.body("board").pose)
    return np.array([(board @ sim.body(f"block{k + 1}").pose)[:3, 3] for k in range(4)])


def test_blocks_slide_at_their_angle_of_friction():
    model = td.scene("slope")
    for share in (0.98, 1.02):
        # the board goes to just below and just above where the second block slides
        sim = td.Simulation(model)
        angle = math.atan(share * FRICTIONS[1])
        routine = td.Routine(model, [[3.0, {"tilt": angle}]])
        routine.run(sim)
        sim.run(0.5)
        start = on_board(sim)
        assert sim.joint("tilt").position == pytest.approx(angle, rel=2e-3)
        sim.run(1.0)
        moved = np.linalg.norm(on_board(sim) - start, axis=1)
        assert moved[2:].max() < 1e-9
        assert moved[1] < 1e-9 if share < 1.0 else moved[1] > 0.02


def test_marbles_fall_through_the_funnel_once_it_is_open():
    sim = td.Simulation(td.scene("marbles", count=5))
    assert sim.model.joint("slide").type.kind == "prismatic"
    routine = td.Routine(sim.model)
    heights = lambda: np.array([sim.body(f"marble{k + 1}").position[2] for k in range(5)])  # noqa: E731
    routine.run(sim, seconds=1.5)
    assert heights().min() > 0.6
    routine.run(sim, start=sim.time)
    # all lie in the tray, and none has left it
    np.testing.assert_allclose(heights(), 0.03, atol=1e-3)
    assert max(np.abs(sim.body(f"marble{k + 1}").position[:2]).max() for k in range(5)) < 0.31


def test_marbles_are_counted():
    with pytest.raises(td.InputError, match="1 to 100 marbles"):
        td.scene("marbles", count=0)
