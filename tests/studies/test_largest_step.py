"""The study of the largest step: it measures energies, and knows which steps keep them."""

from math import inf, sqrt

import pytest

from treadle.bench.peers import MissingPeer
from treadle.studies import largest_step as study
from treadle.studies.balls import BALLS


class Bouncing:
    """A ball that loses a share of its energy at once, or lies on the floor at the end."""

    stiffness = 0.0

    def __init__(self, share, height=0.5):
        self.share, self.height = share, height
        self.closed = False

    def step(self, count):
        pass

    def state(self):
        return self.height, sqrt(max(2.0 * 9.8 * (1.0 - self.share - self.height), 0.0))

    def close(self):
        self.closed = True


def test_energy_error():
    ball = Bouncing(0.25)
    assert study._energy_error(ball, 0.01, 1.0) == pytest.approx(0.25)
    assert ball.closed
    # at rest on the floor, and a little into it: seen at the end
    assert study._energy_error(Bouncing(0.9, 0.0999), 0.01, 1.0) == pytest.approx(0.9, rel=1e-3)
    assert study._energy_error(Bouncing(-1e4), 0.01, 1.0) == inf


def test_largest_step_counts_from_the_smallest():
    assert study._largest({1.0: 0.01, 2.0: 0.04, 4.0: 0.06, 8.0: 0.01}) == 2.0
    assert study._largest({1.0: 0.06, 2.0: 0.01}) is None


def test_it_runs_and_treadle_keeps_the_energy(monkeypatch):
    def missing(dt):
        raise MissingPeer("dartpy", "some")

    monkeypatch.setattr(study, "_QUICK_STEPS", (4.0, 128.0))
    monkeypatch.setattr(study, "_QUICK", 1.0)
    monkeypatch.setitem(BALLS, "DART", missing)
    findings = study.run(True, lambda done, what: None)
    assert [check.name for check in findings.checks if not check.holds] == []
    assert [row["engine"] for row in findings.rows] == [name for name in BALLS if name != "DART"]
    assert findings.rows[0]["largest"] == 128.0
    # the others do not at these steps, which are far above their contact's 0.3 ms
    assert {row["largest"] for row in findings.rows[1:]} == {"none"}
    assert "dartpy is not installed" in findings.notes[0]
    assert findings.draw().axes


def test_a_lost_energy_is_noticed():
    checks = study._checks({"Treadle": {1.0: 0.0, 128.0: 0.06}})
    assert [check.holds for check in checks] == [False, False]
