"""The study of Rocky 7: its geometry and its checks."""

import numpy as np
import pytest

from treadle.scenes import scene
from treadle.scenes.rovers.rocky7 import K3, K4, K6X, RADIUS
from treadle.studies import rocky7_terrain as study


@pytest.fixture(scope="module")
def trials():
    model, ground = scene("rocky7"), study.terrain()
    return model, ground, study._settled(model, ground, 4)


def test_commands_meet_in_one_point():
    model = scene("rocky7")
    names = [actuator.name for actuator in model.actuators]
    values = dict(zip(names, study.commands(model, 3.0), strict=True))
    # the axles of the front wheels point at the centre of the turn, 3 m to the left of the rear ones
    for side, y in (("left", K3), ("right", -K3)):
        assert np.tan(values[f"{side}_steering"]) == pytest.approx((K4 + K6X) / (3.0 - y))
    assert values["left_rear"] * RADIUS == pytest.approx(0.5 * (3.0 - K3) / 3.0)
    mirrored = dict(zip(names, study.commands(model, -3.0), strict=True))
    assert mirrored["right_steering"] == pytest.approx(-values["left_steering"])
    assert mirrored["left_front"] == pytest.approx(values["right_front"])


def test_trials_start_at_rest_and_end_five_metres_on(trials):
    model, ground, start = trials
    ends = study._ends(model, ground, start, 0.04, "balance")
    assert ends[:, 3].all()
    way = np.linalg.norm(ends[:, :2] - start.q[:, 4:6], axis=1)
    assert ((way > 3.0) & (way < 5.5)).all()
    fine = study._ends(model, ground, start, 0.01, "balance")
    assert 0.0 < study._errors(ends, fine)["position"] < 0.1
    rough = study._ends(model, ground, start, 0.04, "rigid_bias")
    assert 1e-6 < study._errors(rough, ends)["position"] < 0.1


def row(model, step, position, speed=6000.0, alive=1.0):
    return {
        "model": model,
        "rolling": "balance",
        "step": step,
        "position": position,
        "speed": speed,
        "alive": alive,
    }


def failing(rows, batches=None):
    batches = batches or {"linear": 9e3, "ishigami": 9e3}
    return [check.name for check in study._checks(rows, batches) if not check.holds]


def test_what_goes_wrong_is_noticed():
    good = [row(name, step, 1e-3 * step) for name in study.MODELS for step in (5.0, 10.0, 20.0, 40.0)]
    assert failing(good) == []
    assert len(failing([*good[:-1], row("ishigami", 40.0, 0.04, speed=4000.0)])) == 1
    assert len(failing(good, {"linear": 9e3, "ishigami": 7e3})) == 1
    flat = [row(r["model"], r["step"], 0.01) for r in good]
    assert len(failing(flat)) == 2
    steep = [row(r["model"], r["step"], 1e-4 * r["step"] ** 2) for r in good]
    assert len(failing(steep)) == 2
    assert len(failing([*good[:-1], row("ishigami", 40.0, 0.04, alive=0.9)])) == 1
