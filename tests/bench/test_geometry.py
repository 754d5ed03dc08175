import json

import pytest
from typer.testing import CliRunner

from treadle.bench.threedt import robot_of_many_parts
from treadle.cli import app


def bench(*options: str):
    result = CliRunner().invoke(app, ["bench", "geometry", "--size", "1", "--quick", *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_rows_and_checks():
    data = json.loads(bench("--json"))
    ratio, rate, robot = data["rows"]
    assert ratio["peer"].startswith("trimesh")
    assert ratio["ratio"] == pytest.approx(ratio["peer_value"] / ratio["value"])
    assert ratio["agreement"] == 0.0
    assert (rate["unit"], robot["unit"]) == ("MB/s", "s")
    assert [check["limit"] for check in data["checks"]] == [5.0, 100.0, 0.15]
    fast, wide, soon = data["checks"]
    assert fast["holds"] == (fast["value"] >= 5.0)
    assert wide["holds"] == (wide["value"] >= 100.0)
    assert soon["holds"] == (soon["value"] <= 0.15)


def test_table():
    text = bench()
    assert "Geometry files" in text
    assert "≤ 0.15" in text
    assert "robot of 27216 faces" in text
    assert max(len(line) for line in text.splitlines()) <= 100


def test_robot_is_as_large_as_the_roadheader():
    robot = robot_of_many_parts()
    assert (robot.part_count, robot.point_count, robot.face_count) == (162, 24624, 27216)


def test_sizes_that_make_no_sense():
    result = CliRunner().invoke(app, ["bench", "geometry", "--size", "0"])
    assert result.exit_code == 2
    assert "--size must be between" in result.stderr
