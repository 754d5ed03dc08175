import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

import treadle as td
from tests.machines import random_state
from treadle.cli import app
from treadle.dynamics.aba import aba
from treadle.geometry import threedt

URDF = """<robot name="two">
  <link name="base"><visual><geometry><mesh filename="parts/base.stl" scale="0.001 0.001 0.001"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="tip"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.5"/></joint>
</robot>
"""


@pytest.fixture
def robot(tmp_path) -> Path:
    (tmp_path / "in" / "parts").mkdir(parents=True)
    trimesh.creation.box((100.0, 200.0, 300.0)).export(tmp_path / "in" / "parts" / "base.stl")
    path = tmp_path / "in" / "two.urdf"
    path.write_text(URDF)
    return path


def convert(*arguments, code: int = 0):
    result = CliRunner().invoke(app, ["convert", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def same_dynamics(first: td.Model, second: td.Model) -> None:
    """Of machines whose joints have the same names and coordinates."""
    q, v, tau = random_state(first, np.random.default_rng(0))
    expected, found = aba(first, q, v, tau), aba(second, q, v, tau)
    np.testing.assert_allclose(np.array(found), np.array(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("suffix", [".toml", ".xml", ".urdf"])
def test_every_format_loads_by_itself(robot, tmp_path, suffix):
    """Also after the folder that the machine came from is gone."""
    before = td.load(robot)
    out = tmp_path / "out" / f"robot{suffix}"
    out.parent.mkdir()
    text = convert(robot, out).stdout
    assert str(out) in text
    (tmp_path / "in").rename(tmp_path / "gone")
    after = td.load(out)
    same_dynamics(before, after)
    joint = after.joint("hinge")
    assert (joint.lower, joint.upper, joint.effort, joint.damping) == ((-1.0,), (2.0,), (10.0,), (0.5,))
    checked = CliRunner().invoke(app, ["check", str(out), "--json"])
    assert checked.exit_code == 0
    data = json.loads(checked.stdout)
    assert "missing" not in str(data["rows"])
    # the mesh, the box and the colour are still there
    assert data["summary"]["size"] == pytest.approx([0.1, 0.2, 0.3])
    assert {shape.role for shape in after.shapes} == {"visual", "collision"}


def test_meshes_become_one_geometry_file(robot, tmp_path):
    convert(robot, tmp_path / "robot.toml")
    model = td.load(tmp_path / "robot.toml")
    assert model.geometry == "robot.3dt"
    (component,) = threedt.read(tmp_path / "robot.3dt").components
    assert component.name == "base"
    assert component.parts[0].color.tolist() == [1.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(component.bounds, [[-0.05, -0.1, -0.15], [0.05, 0.1, 0.15]])
    # and meshes again
    convert(tmp_path / "robot.toml", tmp_path / "back.urdf")
    (shape,) = [shape for shape in td.load(tmp_path / "back.urdf").shapes if shape.type == "mesh"]
    assert shape.color == (1.0, 0.0, 0.0, 1.0)


def test_nothing_is_replaced_without_force(robot, tmp_path):
    out = tmp_path / "robot.toml"
    out.write_text("mine")
    result = convert(robot, out, code=2)
    assert result.stderr == f"treadle: {out}: exists already; use --force to replace it\n"
    assert out.read_text() == "mine"
    assert not (tmp_path / "robot.3dt").exists()
    convert(robot, out, "--force")
    assert td.load(out).name == "two"


def test_a_file_can_replace_itself(robot):
    convert(robot, robot, "--force")
    assert td.load(robot).joint("hinge").upper == (2.0,)


def test_json(robot, tmp_path):
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / "robot.xml"
    data = json.loads(convert(robot, out, "--json").stdout)
    assert {Path(item["file"]).name for item in data["files"]} == {"robot.xml", "base.stl"}
    assert all(item["bytes"] > 100 for item in data["files"])
    assert {"stage", "severity", "element", "what", "hint"} == set(data["rows"][0])
    assert any(row["element"] == "hinge" and "speed" in row["what"] for row in data["rows"])


def test_what_is_lost_is_said(tmp_path):
    text = " ".join(convert("roadheader", tmp_path / "digger.urdf").stdout.split())
    assert "What is not carried over as it was" in text
    assert "slew_left_pin" in text
    assert "warning" in text
    assert text.endswith("notes")


def test_what_reading_left_out_is_said_too(robot, tmp_path):
    robot.write_text(URDF.replace('ixx="0.1"', 'ixx="0.5"').replace("</robot>", "<gazebo/></robot>"))
    text = convert(robot, tmp_path / "robot.toml").stdout
    assert "Already when two.urdf was read" in text
    assert "its inertia is not physical" in " ".join(text.split())
    assert f"about reading it: treadle check {robot}" in text
    assert "Everything else was carried over." in text
    data = json.loads(convert(robot, tmp_path / "robot.xml", "--json").stdout)
    assert {row["stage"] for row in data["rows"]} == {"reading", "writing"}


def test_roadheader_keeps_everything_in_its_own_format(tmp_path):
    assert "not carried" not in convert("roadheader", tmp_path / "digger.toml").stdout
    before, after = td.scene("roadheader"), td.load(tmp_path / "digger.toml")
    assert after.digest == before.digest
    assert [(loop.name, loop.predecessor_link) for loop in after.loops] == [
        (loop.name, loop.predecessor_link) for loop in before.loops
    ]
    assert (after.actuators, after.keyframes) == (before.actuators, before.keyframes)
    # the scenery too
    assert threedt.read(tmp_path / after.settings["scenery"]).name == "tunnel"
    assert CliRunner().invoke(app, ["check", str(tmp_path / "digger.toml"), "--strict"]).exit_code == 0


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("robot.stl", "cannot write a file that ends in '.stl'"),
        ("absent/robot.xml", "cannot be written (No such file or directory); check the folder"),
    ],
)
def test_mistakes(robot, tmp_path, out, sentence):
    assert sentence in convert(robot, tmp_path / out, code=2).stderr
    assert {path.name for path in tmp_path.iterdir()} == {"in"}


def test_meshes_outside_the_folder_need_leave(robot, tmp_path):
    (tmp_path / "in" / "parts").rename(tmp_path / "parts")
    robot.write_text(URDF.replace("parts/base", "../parts/base"))
    assert "outside" in convert(robot, tmp_path / "robot.toml", code=2).stderr
    convert(robot, tmp_path / "robot.toml", "--allow-outside")
    assert (tmp_path / "robot.3dt").is_file()
