"""Real processes: run by `make test-mpi`."""

import json
import os

import pytest

if "TREADLE_MPI" not in os.environ:
    pytest.skip("starts processes with MPI: run `make test-mpi`", allow_module_level=True)

from typer.testing import CliRunner

from treadle.cli import app
from treadle.distributed.launch import run_ranks
from treadle.errors import InputError
from treadle.formats.save import save
from treadle.studies import mpi
from treadle.studies.mpi_scenes import SCENES


@pytest.mark.parametrize("scene, bodies, steps", [("walls", 60, 60), ("balls", 24, 60)])
def test_four_processes_are_one(scene, bodies, steps):
    assert mpi.compare(scene, bodies, steps, 4)["difference"] < 1e-9


@pytest.mark.parametrize("scene, bodies, steps", [("sliding", 60, 60), ("paddle", 24, 80)])
def test_differences_are_no_larger_than_those_that_the_tolerance_grows_to(scene, bodies, steps):
    row = mpi.compare(scene, bodies, steps, 4)
    assert row["difference"] <= row["tolerance"]


def test_a_body_across_all_borders():
    row = mpi.cross_borders()
    assert row["owners"] == 4
    assert row["difference"] <= 1e-12


def test_the_command(tmp_path):
    path = tmp_path / "stones.toml"
    save(SCENES["field"](16), path)
    result = CliRunner().invoke(app, ["run", str(path), "--ranks", "2", "--seconds", "0.1", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [row["rank"] for row in found["rows"]] == [0, 1]
    assert all(check["holds"] for check in found["checks"])
    assert CliRunner().invoke(app, ["run", str(path), "--ranks", "2", "--plot", "a.png"]).exit_code != 0


def test_errors_of_processes_are_told():
    with pytest.raises(InputError, match="free bodies"):
        run_ranks(
            2, "treadle.cli.ranks", [json.dumps({"machine": "pendulum", "seconds": 1.0, "dt": None})], 300
        )
