import numpy as np
import pytest

import treadle as td


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
