"""The study of SimBenchmark's tests: analytic accelerations, and errors that it would notice."""

from math import inf

import pytest

from treadle.sim import Simulation
from treadle.studies import simbenchmark as study


@pytest.fixture(scope="module")
def findings():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "_QUICK", 0.01)
        patch.setattr(study, "_QUICK_STEPS", (0.1,))
        return study.run(True, lambda done, what: None)


def test_analytic_accelerations():
    assert study._accelerations() == pytest.approx({"box": 0.7385, "ball0": 0.211}, abs=1e-9)


def test_errors_are_below_the_bounds(findings):
    assert [check.name for check in findings.checks if not check.holds] == []
    assert [row["test"] for row in findings.rows] == ["rolling, xy", "rolling, y", "bouncing"]
    assert findings.draw().axes[0].lines


def test_larger_errors_are_noticed(findings):
    worse = [row | {"error": 1e8} for row in findings.rows]
    assert [check.holds for check in study._checks(worse)] == [False, False, False]


def test_another_push_has_another_error(monkeypatch):
    accelerations = study._accelerations()
    monkeypatch.setattr(study, "_accelerations", lambda: accelerations | {"box": 0.75})
    error, _ = study._roll(study.rolling(), (0.0, 1.0), 0.01)
    # the mean of (0.0115 t)^2 over ten steps of 1 ms
    assert error == pytest.approx(0.0115**2 * 38.5e-6, rel=1e-3)


def test_balls_that_fall_through_the_ground_are_noticed(monkeypatch):
    monkeypatch.setattr(study, "_warm", lambda model, dt: Simulation(model, dt, contact=False))
    error, _ = study._bounce(study.bouncing(), 0.1, 1.2)
    assert error == inf
