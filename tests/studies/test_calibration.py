"""The study of error bars judges runs of every family, and notices bars and verdicts that are wrong."""

import numpy as np
import pytest

from treadle.sim.quality import Quality
from treadle.studies.calibration.judge import FLOOR, Judged, draw_trials
from treadle.studies.calibration.machines import FAMILIES
from treadle.studies.calibration.study import _checks, _row, calibrate


def silent(share, what):
    assert 0.0 <= share <= 1.0
    assert what


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_draws_the_same_run(family):
    first, second = (FAMILIES[family](np.random.default_rng(5)) for _ in range(2))
    assert first.model.digest == second.model.digest
    assert first.seconds == second.seconds
    (trial,) = draw_trials(first, np.random.default_rng(1), 1)
    (again,) = draw_trials(second, np.random.default_rng(1), 1)
    assert (trial.integrator, trial.dt, trial.steps) == (again.integrator, again.dt, again.steps)
    assert trial.dt * trial.steps == pytest.approx(first.seconds)


def test_a_small_part_holds():
    families = [name for name in FAMILIES if name not in ("contact", "striker", "closed tree")]
    findings = calibrate(1, families, silent)
    assert [check.name for check in findings.checks if not check.holds] == []
    *rows, every = findings.rows
    assert every["family"] == "all"
    assert [row["family"] for row in rows] == families
    assert every["runs"] == sum(row["runs"] for row in rows) == len(families)
    assert findings.draw().axes[0].get_legend_handles_labels()[1] == families


def judged(rating: str, bar: float, true: float) -> Judged:
    return Judged(Quality((), rating, ""), 1.0, bar, true, bar, true)


def test_errors_are_compared_with_their_bars_down_to_a_floor():
    assert judged("good", 1e-5, 2.9e-5).within(3.0)
    assert judged("good", 1e-5, 3.5e-6).within(3.0)
    assert not judged("good", 1e-5, 3.1e-5).within(3.0)
    assert not judged("good", 1e-5, 3.2e-6).within(3.0)
    assert judged("good", 1e-14, FLOOR).within(3.0)
    assert not judged("good", 1e-14, 4.0 * FLOOR).largest_within(3.0)


def test_verdicts_are_wrong_where_the_error_says_otherwise():
    assert judged("good", 1e-5, 2e-5).wrong is None
    assert judged("good", 1e-5, 4e-5).wrong == "good though off by more than stated"
    assert judged("poor", 0.1, 0.05).wrong is None
    assert judged("poor", 0.1, 5e-4).wrong == "poor though right"
    assert judged("fair", 1e-5, 4e-3).wrong is None


def test_bars_and_verdicts_that_are_wrong_are_noticed():
    right = [judged("good", 1e-5, 1e-5)] * 98
    assert all(check.holds for check in _checks(right))
    small = _checks([*right, *[judged("fair", 1e-3, 1e-2)] * 6])
    assert [check.holds for check in small] == [False, True, True, True]
    wrong = _checks([*right, judged("good", 1e-5, 1e-3), judged("good", 1e-5, 1e-3)])
    assert [check.holds for check in wrong] == [True, False, False, True]
    harsh = _checks([*right, judged("poor", 1e-5, 1e-5), judged("poor", 1e-5, 1e-5)])
    assert [check.holds for check in harsh] == [True, False, True, False]
    assert _row("some", [judged("good", 1e-5, 1e-3)])["wrong"] == 1
    assert not any(check.holds for check in _checks([]))
