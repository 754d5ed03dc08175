"""Contact on the command line: meshes of files, and machines whose own links touch."""

import csv
import json

import pytest
import trimesh
from typer.testing import CliRunner

from treadle.cli import app

TOML = """format = "treadle-1"
units = "SI"

[[body]]
name = "crate"
mass = 2.0
inertia = [0.1, 0.1, 0.1]

[[joint]]
name = "rail"
type = "prismatic"
predecessor = "world"
successor = "crate"
axis = [0, 0, 1]

[[shape]]
name = "skin"
body = "crate"
type = "mesh"
role = "collision"
file = "crate.stl"

[[shape]]
name = "floor"
body = "world"
type = "plane"
role = "collision"
position = [0, 0, -0.3]
"""
LINK = """<link name="{}"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial><collision>
<origin xyz="0 0 -0.5"/><geometry><sphere radius="0.1"/></geometry></collision></link>"""
JOINT = """<joint name="j{0}" type="continuous"><parent link="{0}"/><child link="{1}"/><axis xyz="0 1 0"/>
<origin xyz="0 0 -1"/></joint>"""


def treadle(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def crate(tmp_path):
    trimesh.creation.box((0.2, 0.2, 0.2)).export(tmp_path / "crate.stl")
    path = tmp_path / "crate.toml"
    path.write_text(TOML)
    return path


def test_a_run_touches_with_the_meshes_of_the_file(crate, tmp_path):
    path = tmp_path / "run.csv"
    result = treadle("run", str(crate), "--seconds", "1", "--dt", "0.01", "--csv", str(path), "--json")
    assert result.exit_code == 0, result.output
    names = [row["name"] for row in json.loads(result.stdout)["rows"]]
    assert "rigid overlap" in names
    with path.open() as file:
        *_, last = csv.DictReader(file)
    (position,) = [float(value) for name, value in last.items() if name.endswith("[m]")]
    assert position == pytest.approx(-0.2, abs=1e-6)


def test_bodies_at_rest_sleep_where_that_is_asked_for():
    result = treadle("run", "box-stack", "--sleep", "--seconds", "0.05", "--json")
    assert result.exit_code == 0, result.output
    result = treadle("run", "pendulum", "--sleep", "--seconds", "0.05")
    assert result.exit_code == 2
    assert "sleep is for scenes whose shapes touch" in result.stderr


def test_a_mesh_that_is_missing_is_one_sentence(crate):
    (crate.parent / "crate.stl").unlink()
    for command in (["run"], ["view", "--no-open"], ["render", "--out", str(crate.parent / "crate.png")]):
        result = treadle(command[0], str(crate), *command[1:])
        assert result.exit_code == 2
        (line,) = result.stderr.splitlines()
        assert 'shape "skin": its mesh "crate.stl": there is no such mesh; check the path' in line
    assert treadle("run", str(crate), "--no-contact", "--seconds", "0.01").exit_code == 0


def test_the_links_of_one_machine_touch_where_that_is_asked_for(tmp_path):
    path = tmp_path / "chain.urdf"
    names = ("base", "upper", "lower", "tip")
    links = "".join(LINK.format(name) for name in names)
    path.write_text(f'<robot name="chain">{links}{"".join(map(JOINT.format, names, names[1:]))}</robot>')
    told = "Its links pass through each other; --contact lets them touch."
    run = ("run", str(path), "--seconds", "0.01")
    for flags, expected in (((), True), (("--contact",), False), (("--no-contact",), False)):
        result = treadle(*run, *flags)
        assert result.exit_code == 0, result.output
        assert (told in result.output) is expected
    assert "has nothing to touch" in treadle("run", "pendulum", "--contact").stderr
