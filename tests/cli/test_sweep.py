"""`treadle sweep`: a table of all combinations, and what is wrong with its arguments."""

import json

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.cli import app

NAME = td.parameter_names(td.scene("pendulum"))[0]


def test_a_table_of_all_combinations(tmp_path):
    out = tmp_path / "sweep.parquet"
    arguments = ["sweep", "pendulum", "--vary", f"{NAME}=0.5:1.5:3", "--seconds", "0.05", "--out", str(out)]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row[NAME] for row in rows] == [0.5, 1.0, 1.5]
    assert pq.read_table(out).num_rows == 3


@pytest.mark.parametrize("text", ["mass", f"{NAME}=a,b", f"{NAME}=1:2"])
def test_wrong_values_are_refused(text):
    result = CliRunner().invoke(app, ["sweep", "pendulum", "--vary", text])
    assert result.exit_code != 0 and "--vary needs NAME=1,2,3" in result.output
