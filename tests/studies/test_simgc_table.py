"""The study of sequential impulses runs, and its methods do the same."""

import numpy as np
import pytest

import treadle as td
from treadle.studies import simgc_table
from treadle.studies.baselines import Simgc, Simmc


@pytest.fixture(scope="module")
def findings():
    return simgc_table.run(True, lambda share, what: None)


def test_generalized_coordinates_need_fewer_iterations(findings):
    fewer = [check for check in findings.checks if "iterations" in check.name]
    assert len(fewer) == 3
    assert all(check.holds for check in fewer), [(check.name, check.value) for check in fewer]
    assert len(findings.checks) == 6
    assert [row["method"] for row in findings.rows] == 3 * ["SIMMC", "SIMGC in turn", "SIMGC"]


def test_all_methods_met_the_tolerance(findings):
    for row in findings.rows:
        if row["most_iterations"] < simgc_table._LIMIT:
            assert row["residual"] <= simgc_table.TOLERANCE
    assert findings.rows[-1]["most_iterations"] < simgc_table._LIMIT


def test_plot(findings):
    assert len(findings.draw().axes) == 2


@pytest.mark.parametrize("kind", [Simmc, Simgc])
def test_the_box_is_grasped_and_lifted(kind):
    contacts = simgc_table._touching()
    machine = kind(td.scene("gripper"), dt=0.01, iterations=10_000, tolerance=1e-6, contacts=contacts)
    simgc_table._play(machine, simgc_table._grasp(False))
    assert simgc_table._off_hand(machine) < 1e-3
    # without friction it stays on the table
    smooth = [type(c)(c.link, c.point, c.face, c.origin, c.normal) for c in contacts]
    machine = kind(td.scene("gripper"), dt=0.01, iterations=2000, tolerance=1e-6, contacts=smooth)
    simgc_table._play(machine, simgc_table._grasp(False))
    assert machine.pose("box")[2, 3] == pytest.approx(0.45, abs=1e-3)


def test_methods_agree_on_the_linkage():
    """Both hold the motor, and so all bars are where the crank puts them."""
    found = []
    for kind in (Simmc, Simgc):
        machine = kind(td.scene("peaucellier"), dt=0.01, iterations=10_000, tolerance=1e-6)
        simgc_table._play(machine, simgc_table._turn(True))
        assert simgc_table._off_line(machine) < 1e-3
        found.append(machine.pose("pen")[:3, 3])
    np.testing.assert_allclose(found[0], found[1], atol=1e-3)
