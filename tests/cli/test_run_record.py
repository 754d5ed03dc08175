"""`treadle run --record`."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.cli import app


def run(*arguments: str):
    return CliRunner().invoke(app, ["run", "pendulum", "--seconds", "1", "--set", "shoulder=1", *arguments])


@pytest.mark.parametrize("suffix", ["mcap", "parquet"])
def test_record(tmp_path, suffix):
    path = tmp_path / f"run.{suffix}"
    done = run("--record", str(path))
    assert done.exit_code == 0, done.output
    assert f"wrote {path}" in done.stdout.replace("\n", "")
    table = td.read_recording(path)
    assert (len(table), table.complete) == (101, True)
    assert table["joint.shoulder.position"][0] == 1.0


def test_signals_and_rate(tmp_path):
    path = tmp_path / "run.parquet"
    done = run(
        "--record", str(path), "--signals", "joint.*.position, energy.total", "--signals", "momentum.linear",
        "--rate", "20", "--plot", str(tmp_path / "run.png"), "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["files"] == [str(tmp_path / "run.png"), str(path)]
    table = td.read_recording(path)
    names = ["joint.shoulder.position", "joint.elbow.position", "energy.total", "momentum.linear"]
    assert table.names == names
    np.testing.assert_allclose(table.time, np.arange(21) * 0.05, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--signals", "energy.*"], "--signals and --rate say what to record; name the file with --record"),
        (["--rate", "10"], "name the file with --record"),
        (["--record", "{}/run.csv"], "a recording's name ends in .mcap or .parquet"),
        (["--record", "{}/run.mcap", "--rate", "5000"], "it can be 1000 at most"),
        (["--record", "{}/run.mcap", "--signals", "energy.totl"], "did you mean 'energy.total' or"),
        (["--record", "{}/absent/run.mcap"], "there is no folder"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, arguments, message):
    done = run(*[argument.format(tmp_path) for argument in arguments])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert message in line
    assert list(tmp_path.iterdir()) == []
