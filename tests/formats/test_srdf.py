"""SRDF: pairs that do not collide."""

import pytest
from typer.testing import CliRunner

import treadle as td
from treadle.cli import app

TEXT = """<?xml version="1.0"?>
<robot name="arm">
  <group name="all"><chain base_link="base" tip_link="hand"/></group>
  <disable_collisions link1="base" link2="wrist" reason="Never"/>
  <disable_collisions link1="base" link2="elbow" reason="Adjacent"/>
</robot>
"""


def test_disabled_pairs_are_read(tmp_path):
    path = tmp_path / "arm.srdf"
    path.write_text(TEXT)
    assert td.read_disabled_collisions(path) == [("base", "wrist"), ("base", "elbow")]


@pytest.mark.parametrize("text, message", [
    ("<robot", "not .*XML"), ("<world/>", "not an SRDF file"),
    ('<robot><disable_collisions link1="a"/></robot>', "link is missing"),
])  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, text, message):
    path = tmp_path / "arm.srdf"
    path.write_text(text)
    with pytest.raises(td.ModelError, match=message) as caught:
        td.read_disabled_collisions(path)
    assert caught.value.file == str(path)
    with pytest.raises(td.ModelError, match="cannot be read"):
        td.read_disabled_collisions(tmp_path / "missing.srdf")


LINK = """<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0"
iyz="0"/></inertial><collision><geometry><sphere radius="0.3"/></geometry></collision></link>"""
JOINT = """<joint name="{1}" type="continuous"><parent link="{0}"/><child link="{1}"/><axis xyz="0 1 0"/>
<origin xyz="0 0 0.2"/></joint>"""


def test_a_machine_is_loaded_with_its_rules(tmp_path):
    names = ("base", "elbow", "wrist", "hand")
    links, joints = "".join(map(LINK.format, names)), "".join(map(JOINT.format, names, names[1:]))
    urdf, srdf = tmp_path / "arm.urdf", tmp_path / "arm.srdf"
    urdf.write_text(f'<robot name="arm">{links}{joints}</robot>')
    srdf.write_text(TEXT.replace("</robot>", '<disable_collisions link1="base" link2="tool"/></robot>'))

    def touching(model):
        return {(p.first[:4], p.second[:4]) for p in td.contact_points(model, model.neutral())}

    plain, ruled = td.load(urdf), td.load(urdf, srdf=srdf)
    assert touching(plain) == {("base", "wris"), ("elbo", "hand")}
    assert touching(ruled) == {("elbo", "hand")}
    assert 'links of "arm.srdf" that the machine does not have: "tool"' in ruled.report
    told = CliRunner().invoke(app, ["run", str(urdf), "--srdf", str(tmp_path / "none.srdf")])
    assert (told.exit_code, "none.srdf: cannot be read" in told.stderr) == (2, True)
    result = CliRunner().invoke(app, ["run", str(urdf), "--srdf", str(srdf), "--seconds", "0.01"])
    assert result.exit_code == 0, result.output
