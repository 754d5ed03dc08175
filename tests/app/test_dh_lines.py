"""Tables of Denavit and Hartenberg as lines: there and back, and lines that are none."""

import math

import numpy as np
import pytest

import treadle as td
from treadle.app.dh_lines import arm_of_lines, lines_of_table, rows_of_lines

LINES = "waist revolute 0 pi/2 0.4 0\n\nshoulder revolute 0.5 0 0 0.6\nrod prismatic 0.1, -pi/2, 0.3, 0"


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_there_and_back(convention):
    model = arm_of_lines(LINES, convention, 2.0)
    assert [joint.name for joint in model.joints] == ["waist", "shoulder", "rod"]
    assert sum(body.inertia.mass for body in model.bodies) == pytest.approx(6.0)
    table = td.dh_table(model, "tool", convention)
    again = arm_of_lines(lines_of_table(table), convention, 2.0)
    assert [joint.type.kind for joint in again.joints] == ["revolute", "revolute", "prismatic"]
    assert rows_of_lines(lines_of_table(table))[0].alpha == table.rows[0].alpha
    td.Simulation(model).run(seconds=0.01)


def test_numbers_are_formulas():
    waist, _, rod = rows_of_lines(LINES)
    assert waist.alpha == math.pi / 2
    assert (rod.a, rod.alpha, rod.d) == (0.1, -math.pi / 2, 0.3)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("", "1 to 50 joints"),
        ("waist revolute 0 0 0", "line 1 has 5 words"),
        ("waist ball 0 0 0 0", "line 1: .*revolute or prismatic"),
        ("a revolute 0 0 0 0\nb revolute 0 0 0 1/0", "line 2: its numbers"),
        ("a revolute 0 0 0 open('x')", "line 1"),
        ("\n".join(f"j{k} revolute 1 0 0 0" for k in range(51)), "has 51"),
    ],
)
def test_lines_that_are_no_table(lines, told):
    with pytest.raises(td.InputError, match=told):
        arm_of_lines(lines, "standard", 1.0)


def test_a_mass_that_is_none():
    with pytest.raises(td.InputError, match="positive"):
        arm_of_lines(LINES, "standard", np.nan)
