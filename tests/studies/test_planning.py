"""The study of planning: its geometry, and that it would notice a failure."""

import numpy as np
import pytest

from treadle.scenes import scene
from treadle.scenes.rovers.rocky7 import RADIUS
from treadle.studies import planning as study


def test_commands_turn_about_one_center():
    """Straight on all wheels turn alike; in a turn the outer ones are faster, and steer less."""
    names = [actuator.name for actuator in scene("rocky7").actuators]
    straight, turn = (
        dict(zip(names, row, strict=True)) for row in study.commands(np.array([[0.5, 0.0], [0.5, 1.0]]))
    )
    assert straight["left_front"] == straight["right_rear"] == pytest.approx(0.5 / RADIUS)
    assert straight["left_steering"] == 0.0
    assert turn["left_rear"] < turn["right_rear"] and turn["left_steering"] > turn["right_steering"] > 0.0
    # the axle without steering rolls about the centre of the turn: speeds are as radii
    assert turn["left_rear"] / turn["right_rear"] == pytest.approx((1.0 - 0.2) / (1.0 + 0.2))


def row(success: float, plan_ms: float | None) -> dict:
    return {"success": success, "plan_ms": plan_ms}


def test_checks_notice_a_failure():
    good = study._checks([row(0.3, None), row(0.97, 35.0)])
    assert all(check.holds for check in good)
    bad = study._checks([row(0.9, None), row(0.6, 55.0)])
    assert [check.holds for check in bad] == [False, False, False, True]
