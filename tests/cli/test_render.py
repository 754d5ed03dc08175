"""`treadle render`."""

import json

import pytest
from typer.testing import CliRunner

from treadle.app.browser import find_chromium
from treadle.cli import app
from treadle.errors import InputError


@pytest.mark.parametrize(("arguments", "message"), [
    (["pendulun", "--out", "a.gif"], "did you mean 'pendulum'"),
    (["pendulum", "--out", "a.avi"], "a film ends in .mp4, .webm, .gif, .webp"),
    (["pendulum", "--out", "nowhere/a.gif"], "there is no folder 'nowhere'"),
    (["pendulum", "--out", "a.gif", "--size", "big"], "must be like 1280x720"),
    (["pendulum", "--out", "a.png", "--size", "10x10"], "64 to 4096 pixels"),
    (["pendulum", "--out", "a.gif", "--fps", "0"], "--fps from 1 to 120"),
    (["pendulum", "--out", "a.png", "--view", "Below"], "there is no view 'Below'"),
    (["roadheader", "--out", "a.gif", "--command", "lift=1"], "has no actuator named 'lift'"),
    (["roadheader", "--out", "a.gif", "--command", "extend=far"], "--command must be like lift=1"),
])  # fmt: skip
def test_mistakes_are_one_sentence(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["render", *arguments])
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_without_a_browser_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CHROMIUM", str(tmp_path / "absent"))
    done = CliRunner().invoke(app, ["render", "pendulum", "--out", str(tmp_path / "a.png")])
    assert done.exit_code == 2
    assert "install one (apt install chromium)" in " ".join(done.output.split())


@pytest.mark.slow
def test_a_film_moves(tmp_path):
    try:
        find_chromium()
    except InputError as error:
        pytest.skip(str(error))
    import imageio.v2 as imageio
    import numpy as np

    path = tmp_path / "swing.gif"
    arguments = [
        "render",
        "friction-chain",
        "--out",
        str(path),
        "--size",
        "160x120",
        "--fps",
        "4",
        "--seconds",
        "0.75",
    ]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["pictures"] == 3
    pictures = [np.asarray(picture)[:, :, :3].astype(float) for picture in imageio.mimread(path)]
    assert len(pictures) == 3
    assert pictures[0].shape == (120, 160, 3)
    # there is something to see, and it is not the same later on
    assert pictures[0].std() > 5.0
    assert np.abs(pictures[2] - pictures[0]).max() > 30.0
