"""The study of the bouncing ball: its closed form is right, and it would notice another contact."""

import pytest

from treadle.studies import bouncing_ball as study

#: Restitution: duration (s), largest penetration (m) and force (N) of an impact with 4.2 m/s.
KNOWN = {
    0.2: (2.983274e-4, 2.023184e-4, 46008.0),
    0.4: (2.765759e-4, 2.438724e-4, 40288.9),
    0.6: (2.690001e-4, 2.822563e-4, 41642.5),
    0.8: (2.661820e-4, 3.190933e-4, 45125.3),
    1.0: (2.655130e-4, 3.549648e-4, 49695.1),
}


@pytest.fixture(scope="module")
def findings():
    return study.run(True, lambda done, what: None)


@pytest.mark.parametrize("restitution", KNOWN)
def test_closed_form(restitution):
    exact = study._closed_form(restitution)
    found = [exact[name] for name in ("duration", "penetration", "force")]
    assert found == pytest.approx(KNOWN[restitution], rel=2e-6)


def test_contact_is_that_of_the_closed_form(findings):
    assert [check.name for check in findings.checks if not check.holds] == []
    assert [row["restitution"] for row in findings.rows] == list(KNOWN)
    assert [row["force"] for row in findings.rows] == pytest.approx([k[2] for k in KNOWN.values()], rel=2e-6)


def test_another_contact_is_noticed(findings):
    wrong = study._row(0.8, study._in_one_step(0.81), study._follow(0.81, 50))
    failed = [check.name for check in study._checks([*findings.rows, wrong], 1e-8) if not check.holds]
    assert len(failed) == 5


def test_falls_are_drawn(findings):
    force, depth, rate, energy = findings.draw().axes
    assert len(force.lines) == len(depth.lines) == len(rate.lines) == 5
    # the elastic ball keeps its energy, the others lose some at once
    last = [round(float(line.get_ydata()[-1]), 6) for line in energy.lines]
    assert last[-1] == 9.8
    assert last == sorted(last)
    assert last[-2] < 7.0
