import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import treadle as td
from treadle.cli import app
from treadle.cli.findings import count_line, print_findings, rows
from treadle.geometry import threedt
from treadle.geometry.components import Component, Geometry, Part
from treadle.model.finding import Finding

URDF = """<robot name="odd">
  <link name="base"/>
  <link name="tip"><inertial><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="end"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
    <limit lower="0.5" upper="2" effort="10" velocity="3"/></joint>
  <joint name="last" type="prismatic"><parent link="tip"/><child link="end"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/></joint>
  <transmission name="t"/>
</robot>
"""


@pytest.fixture
def odd(tmp_path) -> Path:
    path = tmp_path / "odd.urdf"
    path.write_text(URDF)
    return path


def check(path, *options: str, code: int = 0):
    result = CliRunner().invoke(app, ["check", str(path), *options])
    assert result.exit_code == code, result.output
    return result


def record(path, *options: str, code: int = 0) -> dict:
    return json.loads(check(path, "--json", *options, code=code).stdout)


def found(data: dict, what: str) -> list[tuple[str, str | None]]:
    return [(row["severity"], row["element"]) for row in data["rows"] if what in row["what"]]


def test_everything_is_said(odd):
    text = " ".join(check(odd).stdout.split())
    assert 'body "tip": its inertia is not physical' in text
    assert "it is kept as written → check its inertia about the centre of mass" in text
    assert 'joints that move no inertia, so that forces do not determine their motion: "last"' in text
    assert 'joints whose limits exclude the initial position: "hinge"' in text
    assert "transmission" in text
    assert "mass 2 kg, of which 2 kg move" in text
    assert "degrees of freedom 2" in text
    assert "no errors, 3 warnings" in text


def test_json(odd):
    data = record(odd)
    for row in data["rows"]:
        assert set(row) == {"severity", "element", "what", "hint"}
    assert found(data, "limits exclude") == [("warning", "hinge")]
    assert data["summary"]["mass"] == 2.0
    assert data["summary"]["mobility"] == data["summary"]["degrees_of_freedom"] == 2
    assert data["checks"] == [
        {"name": "errors, at most", "value": 0, "limit": 0, "holds": True},
        {"name": "warnings, at most", "value": 3, "limit": 0, "holds": False},
    ]


def test_exit_codes(odd, tmp_path):
    check(odd)
    check(odd, "--strict", code=1)
    check("arm", "--strict")
    # notes are no reason to fail
    assert record("roadheader", "--strict")["rows"][0]["severity"] == "note"
    check(tmp_path / "absent.urdf", code=2)


def test_a_file_that_cannot_be_loaded(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text('<robot name="x">\n<link name="a"/>\n<joint name="j" type="hinge"/>\n</robot>')
    result = check(path, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith(f'treadle: {path}:3: joint "j": ')
    (row,) = record(path, code=2)["rows"]
    assert (row["severity"], row["file"], row["line"], row["element"]) == ("error", str(path), 3, 'joint "j"')
    assert row["hint"]


def test_loops_redundant_constraints_and_mobility(tmp_path):
    from tests.model.test_loops import linkage

    td.save(linkage(), tmp_path / "linkage.toml")
    data = record(tmp_path / "linkage.toml")
    assert (data["summary"]["mobility"], data["summary"]["redundant"]) == (1, 3)
    assert found(data, "3 of the 5 constraints are redundant") == [("note", None)]


def machine_of_parts(folder: Path, **files: str) -> Path:
    """A body that is shown as a component of a geometry file."""
    spec = td.ModelSpec("parts", geometry="parts.3dt")
    spec.add_body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("hinge", "revolute", None, "arm", position=(0.0, 0.0, 1.0))
    spec.add_shape("shown", "arm", "part", file=files.get("part", "arm"))
    td.save(spec, folder / "robot.toml")
    points = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.5]])
    part = Part.from_faces("plate", points, [(0, 1, 2)])
    threedt.write(Geometry("parts", [Component("arm", [part])]), folder / "parts.3dt")
    return folder / "robot.toml"


def test_size_is_that_of_the_parts(tmp_path):
    data = record(machine_of_parts(tmp_path), "--strict")
    assert data["summary"]["lower"] == [0.0, 0.0, 1.0]
    assert data["summary"]["upper"] == [3.0, 2.0, 1.5]
    assert data["rows"] == []


def test_parts_that_are_not_there(tmp_path):
    data = record(machine_of_parts(tmp_path, part="boom"))
    assert found(data, "does not have") == [("warning", "boom")]
    assert found(data, "no shape shows") == [("note", "arm")]


def test_damaged_geometry_is_an_error(tmp_path):
    path = machine_of_parts(tmp_path)
    content = (tmp_path / "parts.3dt").read_text()
    (tmp_path / "parts.3dt").write_text(content[: len(content) // 2])
    data = record(path, code=2)
    assert [row["severity"] for row in data["rows"]] == ["error"]
    assert "parts.3dt" in data["rows"][0]["what"]


def test_missing_and_huge_meshes(tmp_path):
    import trimesh

    spec = td.ModelSpec("meshes")
    spec.add_body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("hinge", "revolute", None, "arm")
    spec.add_shape("gone", "arm", "mesh", file="gone.stl")
    spec.add_shape("huge", "arm", "mesh", file="huge.stl")
    trimesh.creation.box((400.0, 300.0, 200.0)).export(tmp_path / "huge.stl")
    td.save(spec, tmp_path / "robot.toml")
    data = record(tmp_path / "robot.toml")
    text = " ".join(row["what"] for row in data["rows"])
    assert "gone.stl" in text + str([row["element"] for row in data["rows"]])
    assert "seems to be in millimetres" in text
    assert {row["severity"] for row in data["rows"]} == {"warning"}


@pytest.mark.parametrize("width", [80, 120])
def test_findings_fit_the_terminal(width):
    out = Console(width=width, record=True, file=io.StringIO())
    findings = [
        Finding("x" * 30 + " " + "word " * 60, ["a", "b"], "warning", "do " * 50),
        "note",
        Finding("bad", (), "error"),
    ]
    print_findings(out, findings)
    lines = out.export_text().splitlines()
    assert max(len(line) for line in lines) <= width
    assert lines[0].startswith("error ")
    assert lines[1].startswith("warning ")
    assert lines[-1].startswith("note ")
    assert count_line(findings) == "1 error, 1 warning, 1 note"
    assert [row["element"] for row in rows(findings)] == [None, "a", "b", None]
