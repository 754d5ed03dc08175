import numpy as np
import pytest

import treadle as td
from treadle.app.recording_quality import recording_quality


@pytest.fixture
def recording(tmp_path):
    sim = td.Simulation(td.scene("pendulum"), q=[1.0, 0.5])
    with sim.record(tmp_path / "run.mcap"):
        sim.run(seconds=1.0)
    return td.read_recording(tmp_path / "run.mcap")


def place(model, recording, seconds) -> np.ndarray:
    _, q = min(recording.replay(model), key=lambda sample: abs(sample[0] - seconds))
    return td.frame_pose(model, q, "lower")[:3, 3]


@pytest.mark.parametrize("seconds", [0.0, 0.37, 1.0])
def test_the_slider_moves_the_machine(replay, recording, seconds):
    model = td.scene("pendulum")
    app = replay(model, recording)
    assert (app.slider.min, app.slider.max) == (0.0, 1.0)
    app.slider.value = 0.5
    app.slider.value = seconds
    assert app.time == seconds
    np.testing.assert_allclose(app.scene.nodes["lower"].position, place(model, recording, seconds), atol=1e-6)


def test_plays_to_the_end_and_again(replay, recording, until, click):
    model = td.scene("pendulum")
    app = replay(model, recording)
    app.speed.value = "5x"
    app.start()
    assert (app.playing, app.button.label) == (True, "Pause")
    until(lambda: not app.playing)
    assert (app.time, app.slider.value, app.button.label) == (1.0, 1.0, "Play")
    np.testing.assert_allclose(app.scene.nodes["lower"].position, place(model, recording, 1.0), atol=1e-6)
    app.speed.value = "0.1x"
    click(app.button)
    until(lambda: 0.0 < app.time < 0.5)
    click(app.button)
    assert not app.playing


def test_another_machine_is_one_sentence(replay, recording):
    with pytest.raises(td.InputError, match=r"does not hold 'joint\..*\.position', which a replay needs"):
        replay(td.scene("arm"), recording)


def test_plots_of_all_of_a_recording(replay, recording):
    app = replay(td.scene("pendulum"), recording)
    title = app.plots.plot("joint.shoulder.position")
    assert title == "1: joint.shoulder.position"
    table = app.dock.plots[title].table()
    np.testing.assert_array_equal(table[:, 0], recording.time)
    np.testing.assert_array_equal(table[:, 1], recording["joint.shoulder.position"])
    # a second curve, and then a signal with components
    assert app.plots.plot("joint.elbow.position", title) == title
    assert [curve.name for curve in app.dock.plots[title].curves] == [
        "joint.shoulder.position",
        "joint.elbow.position",
    ]
    pose = app.plots.plot("body.lower.pose")
    assert len(app.dock.plots[pose].curves) == len(recording.components("body.lower.pose"))
    app.plots.pressed(0, {"remove": title})
    assert list(app.dock.plots) == [pose]


def test_what_a_recording_says_about_itself(recording):
    rows = {name: (value, remark) for name, value, remark in recording_quality(recording)}
    assert rows["samples"] == (str(len(recording)), "complete")
    assert rows["numbers that are not finite"] == ("0", "good")
    energy = recording["energy.total"]
    assert rows["change of the energy"][0] == f"{energy[-1] - energy[0]:.4g} J"


def test_gaps_of_loops_where_they_were_recorded(tmp_path):
    sim = td.Simulation(td.scene("slider-crank"))
    with sim.record(tmp_path / "run.mcap", signals=["joint.*.position", "loop.*.gap"]):
        sim.run(seconds=0.1)
    found = recording_quality(td.read_recording(tmp_path / "run.mcap"))
    assert any(name == "largest gap of a loop" for name, _, _ in found)
