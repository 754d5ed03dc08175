"""The studies of wheel models and of predicted paths: what they find, and what they would notice."""

import numpy as np
import pytest

from treadle.studies import landtamer_prediction, wheel_models


def silent(share, what):
    assert 0.0 <= share <= 1.0 and what


def failing(checks):
    return [check.name for check in checks if not check.holds]


def test_all_wheel_models_keep_their_promises():
    findings = wheel_models.run(True, silent)
    assert failing(findings.checks) == []
    rows = {row["model"]: row for row in findings.rows}
    # a tyre pulls most at little slip, sand the more the wheel spins
    assert rows["pacejka"]["at"] < 0.5 < rows["ishigami"]["at"]
    assert 0.85 < rows["pacejka"]["pull"] <= 1.0
    assert findings.draw().axes
    broken = [row | {"power": 1.0, "jacobian": 1.0} for row in findings.rows]
    assert len(failing(wheel_models._checks(broken))) == 2 * len(broken)


def test_slips_of_a_contact_are_those_asked_for():
    for slip in (-0.7, -0.1, 0.0, 0.3, 0.9):
        here = wheel_models.contact(slip, 0.4)
        ahead = here.vx + here.rolling
        assert -here.vx / max(ahead, here.rolling) == pytest.approx(slip)
        assert here.vy / ahead == pytest.approx(np.tan(0.4))
        assert np.hypot(np.hypot(ahead, here.vy), here.rolling) == pytest.approx(1.0)


def test_the_dynamic_model_predicts_better():
    findings = landtamer_prediction.run(True, silent)
    errors = {(row["horizon"], row["model"]): row["position"] for row in findings.rows}
    for horizon in landtamer_prediction.HORIZONS:
        assert errors[horizon, "dynamic"] < 0.35 * errors[horizon, "kinematic"]
        assert errors[horizon, "dynamic"] < 0.02 * horizon
    equal = [row | {"position": 0.1, "yaw": 0.1} for row in findings.rows]
    assert len(failing(landtamer_prediction._checks(equal))) == 6


def test_errors_are_taken_after_the_distance():
    times = np.arange(100.0)[:, None]
    ahead, still = 0.1 * times * [1.0, 1.0], 0.0 * times * [1.0, 1.0]
    straight = landtamer_prediction._Paths(np.stack([ahead, still], axis=2), still)
    aside = landtamer_prediction._Paths(np.stack([ahead, 0.1 * ahead], axis=2), 0.01 * ahead)
    found = landtamer_prediction._errors(aside, straight, 5.0)
    assert found["position"] == pytest.approx(0.5, abs=0.02) and found["yaw"] == pytest.approx(
        0.05, abs=0.002
    )
