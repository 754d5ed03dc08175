"""`--meshes` chooses what meshes of a file touch as."""

import pytest

import treadle as td
from treadle.cli.machine import open_machine

URDF = "<robot name='r'><link name='a'/></robot>"


def test_meshes_is_a_setting_of_the_machine(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF)
    path = str(tmp_path / "robot.urdf")
    assert open_machine(path, meshes="parts").settings["meshes"] == "parts"
    assert "meshes" not in open_machine(path).settings


def test_a_scene_has_its_own():
    with pytest.raises(td.InputError, match="--meshes is for files"):
        open_machine("pendulum", meshes="parts")
