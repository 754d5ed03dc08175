"""Files that are no sound URDF: each is refused with its file, line, element and what to do."""

import zlib
from pathlib import Path

import pytest

from treadle.errors import ModelError
from treadle.formats import load

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <geometry><box size="1 2 3"/></geometry>
      <material name="red"><color rgba="1 0 0 1"/></material>
    </visual>
    <collision>
      <geometry><mesh filename="a.stl" scale="1 1 1"/></geometry>
    </collision>
  </link>
  <joint name="swing" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
</robot>
"""
SECOND = '<joint name="second" type="fixed"><parent link="{}"/><child link="{}"/></joint>\n</robot>'
LINK, JOINT = 'link "arm"', 'joint "swing"'
SHAPE = 'shape "arm/collision"'

#: Text to replace, the replacement, part of the message, the line, the element.
CHANGED = {
    "no root element": (ARM, "", "XML", None, None),
    "only a comment": (ARM, "<!-- nothing -->", "XML", 1, None),
    "another format": ("robot", "sdf", "outermost element is <sdf>", 1, None),
    "end tag missing": ("</robot>", "", "well-formed", 26, None),
    "end tag of another element": ("</inertial>", "</inertia>", "well-formed", 8, None),
    "quote missing": ('<mass value="2"/>', '<mass value="2/>', "well-formed", 7, None),
    "attribute twice": ('<mass value="2"/>', '<mass value="2" value="3"/>', "well-formed", 6, None),
    "second root": ("</robot>", "</robot><robot/>", "well-formed", 25, None),
    "undeclared entity": ('value="2"', 'value="&two;"', "well-formed", 6, None),
    "a character that XML does not have": ('name="arm"', 'name="a\x01"', "well-formed", 1, None),
    "no links": (ARM, '<robot name="r"/>', "describes no links", 1, None),
    "mass is a word": ('value="2"', 'value="heavy"', "needs a number", 6, LINK),
    "mass is empty": ('value="2"', 'value=""', "no attribute 'value'", 6, LINK),
    "mass is not a number": ('value="2"', 'value="nan"', "needs a number", 6, LINK),
    "mass is infinite": ('value="2"', 'value="inf"', "needs a number", 6, LINK),
    "mass overflows": ('value="2"', 'value="1e999"', "needs a number", 6, LINK),
    "mass is hexadecimal": ('value="2"', 'value="0x10"', "needs a number", 6, LINK),
    "mass with an underscore": ('value="2"', 'value="2_000"', "needs a number", 6, LINK),
    "mass in digits of another script": ('value="2"', 'value="２"', "needs a number", 6, LINK),
    "mass is negative": ('value="2"', 'value="-2"', "negative mass", 3, 'body "arm"'),
    "mass missing": ('<mass value="2"/>', "", "has no <mass>", 4, LINK),
    "inertia missing": ("<inertia ", "<other ", "has no <inertia>", 4, LINK),
    "moment missing": ('izz="0.1"', "", "no attribute 'izz'", 7, LINK),
    "moment is not a number": ('izz="0.1"', 'izz="-nan"', "needs a number", 7, LINK),
    "origin with two numbers": ('xyz="0 0 0.1"', 'xyz="0 0"', "needs 3 numbers", 5, LINK),
    "origin with commas": ('xyz="0 0 0.1"', 'xyz="0,0,0.1"', "needs 3 numbers", 5, LINK),
    "origin is infinite": ('xyz="0 0 0.1"', 'xyz="0 0 -inf"', "needs 3 numbers", 5, LINK),
    "angles are not numbers": ('rpy="0 0 0"', 'rpy="0 nan 0"', "needs 3 numbers", 5, LINK),
    "angles in degrees with their sign": ('rpy="0 0 0"', 'rpy="90° 0 0"', "needs 3 numbers", 5, LINK),
    "link without a name": ('<link name="base"/>', "<link/>", "no attribute 'name'", 2, "link"),
    "two links of one name": ('name="base"/>', 'name="arm"/>', "already that of the link in line 2", 3, LINK),
    "geometry missing": ('<geometry><box size="1 2 3"/></geometry>', "", "has no <geometry>", 9, LINK),
    "two shapes in one": ("</geometry>", '<sphere radius="1"/></geometry>', "holds 2 shapes", 10, LINK),
    "box without a size": ('<box size="1 2 3"/>', "<box/>", "no attribute 'size'", 10, LINK),
    "box with two sizes": ('size="1 2 3"', 'size="1 2"', "needs 3 numbers", 10, LINK),
    "box with a size that is none": ('size="1 2 3"', 'size="1 2 nan"', "needs 3 numbers", 10, LINK),
    "box of negative size": ('size="1 2 3"', 'size="1 -2 3"', "size is negative", 9, 'shape "arm/visual"'),
    "sphere without a radius": ('<box size="1 2 3"/>', "<sphere/>", "no attribute 'radius'", 10, LINK),
    "cylinder without a length": ('<box size="1 2 3"/>', '<cylinder radius="1"/>', "'length'", 10, LINK),
    "capsule without a length": ('<box size="1 2 3"/>', '<capsule radius="1"/>', "'length'", 10, LINK),
    "quaternion with three numbers": ('rpy="0 0 0"', 'quat_xyzw="0 0 0"', "needs 4 numbers", 5, LINK),
    "quaternion of no length": ('rpy="0 0 0"', 'quat_xyzw="0 0 0 0"', "is zero", 5, LINK),
    "angles and a quaternion": ('rpy="0 0 0"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"', "both", 5, LINK),
    "colour with three numbers": ('rgba="1 0 0 1"', 'rgba="1 0 0"', "needs 4 numbers", 11, LINK),
    "colour by name": ('rgba="1 0 0 1"', 'rgba="red"', "needs 4 numbers", 11, LINK),
    "mesh without a file": ('filename="a.stl" ', "", "no attribute 'filename'", 14, LINK),
    "mesh without a name": ('filename="a.stl"', 'filename="  "', "no attribute 'filename'", 14, LINK),
    "mesh with two scales": ('scale="1 1 1"', 'scale="1 1"', "needs 3 numbers", 14, LINK),
    "mesh with an infinite scale": ('scale="1 1 1"', 'scale="inf"', "needs 3 numbers", 14, LINK),
    "mesh of no size": ('scale="1 1 1"', 'scale="1 0 1"', "scale is zero", 13, SHAPE),
    "mesh with an absolute path": ('"a.stl"', '"/tmp/a.stl"', "absolute path", 13, SHAPE),
    "mesh with the address of a file": ('"a.stl"', '"file:///tmp/a.stl"', "absolute path", 13, SHAPE),
    "mesh above the folder": ('"a.stl"', '"../a.stl"', "outside the folder", 13, SHAPE),
    "mesh above the folder, hidden": ('"a.stl"', '"a/b/../../../a.stl"', "outside the folder", 13, SHAPE),
    "mesh above the package": ('"a.stl"', '"package://arm/../../a.stl"', "outside its package", 13, SHAPE),
    "mesh in no package": ('"a.stl"', '"package://../a.stl"', "names no package", 13, SHAPE),
    "mesh on the network": ('"a.stl"', '"https://example.org/a.stl"', "not a path", 13, SHAPE),
    "joint without a name": ('<joint name="swing"', "<joint", "no attribute 'name'", 17, "joint"),
    "joint without a type": (' type="revolute"', "", "no attribute 'type'", 17, JOINT),
    "unknown joint type": ('type="revolute"', 'type="hinge"', "unknown joint type 'hinge'", 17, JOINT),
    "joint type in capitals": ('type="revolute"', 'type="Revolute"', "unknown joint type", 17, JOINT),
    "parent missing": ('<parent link="base"/>', "", "has no <parent>", 17, JOINT),
    "child missing": ('<child link="arm"/>', "", "has no <child>", 17, JOINT),
    "parent without a link": ('<parent link="base"/>', "<parent/>", "no attribute 'link'", 18, JOINT),
    "parent that is not there": ('<parent link="base"/>', '<parent link="bass"/>', "not a link", 18, JOINT),
    "child that is not there": ('<child link="arm"/>', '<child link="ann"/>', "not a link", 19, JOINT),
    "joint of a link with itself": ('<parent link="base"/>', '<parent link="arm"/>', "itself", 17, JOINT),
    "parents in a circle": (
        "</robot>", SECOND.format("arm", "base"), 'circle: "base" -> "arm" -> "base"', 25, 'joint "second"',
    ),
    "a link on two joints": ("</robot>", SECOND.format("base", "arm"), "closed loops", 25, 'joint "second"'),
    "two roots": ('name="base"/>', 'name="base"/><link name="b"/>', "2 root links", 2, 'link "b"'),
    "two joints of one name": (
        "</robot>", SECOND.format("a", "b").replace("second", "swing"), "that of the joint", 25, JOINT,
    ),
    "axis with two numbers": ('<axis xyz="0 1 0"/>', '<axis xyz="0 1"/>', "needs 3 numbers", 21, JOINT),
    "axis of no length": ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "axis is zero", 17, JOINT),
    "limit is a word": ('lower="-1"', 'lower="low"', "needs a number", 22, JOINT),
    "limit is not a number": ('upper="1"', 'upper="nan"', "needs a number", 22, JOINT),
    "limits exchanged": ('lower="-1" upper="1"', 'lower="1" upper="-1"', "above its upper", 17, JOINT),
    "effort is negative": ('effort="10"', 'effort="-10"', "effort limit is negative", 17, JOINT),
    "speed is negative": ('velocity="2"', 'velocity="-2"', "speed limit is negative", 17, JOINT),
    "damping is negative": ('damping="0.1"', 'damping="-0.1"', "damping is negative", 17, JOINT),
    "damping is infinite": ('damping="0.1"', 'damping="inf"', "needs a number", 23, JOINT),
    "friction is negative": ('friction="0.2"', 'friction="-0.2"', "friction is negative", 17, JOINT),
    "mimic without a joint": ("<axis", "<mimic/><axis", "no attribute 'joint'", 21, JOINT),
    "mimic of itself": ("<axis", '<mimic joint="swing"/><axis', "mimics itself", 21, JOINT),
    "mimic by a word": ("<axis", '<mimic joint="swing" offset="a"/><axis', "needs a number", 21, JOINT),
}  # fmt: skip

BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {name} "{f"&{below};" * 10}">' for name, below in zip("bcdefghij", "abcdefghi", strict=True)
)  # fmt: skip
#: Contents, part of the message.
CONTENTS = {
    "entity bomb": (BOMB.encode() + b"]><robot name='r'><link name='&j;'/></robot>", ""),
    "quadratic bomb": (
        f'<!DOCTYPE r [<!ENTITY a "{"a" * 50_000}">]><robot name="{"&a;" * 50_000}"/>'.encode(), "entity",
    ),
    "entity of a file": (
        b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="r"><link>&a;</link></robot>',
        "entities",
    ),
    "parameter entity of a file": (
        b'<!DOCTYPE r [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><robot><link name="b"/></robot>', "",
    ),
    "nested a million times": (b"<robot>" + b"<link>" * 1_000_000, "well-formed"),
    "nested a million times, with an end": (
        b'<robot name="r">' + b"<a>" * 1_000_000 + b"</a>" * 1_000_000 + b"</robot>", "well-formed",
    ),
    "zeros": (b"\0" * 10_000, "XML"),
    "binary rubbish": (zlib.compress(ARM.encode()) * 3, "XML"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "XML"),
    "text": (b"this is not a robot", "XML"),
    "JSON": (b'{"robot": {"name": "arm"}}', "XML"),
    "a wrong encoding": (ARM.replace("arm", "\xe4rm").encode("latin-1"), "XML"),
    "half a character": (('<?xml version="1.0" encoding="utf-16"?>' + ARM).encode("utf-16")[:-7], "XML"),
    "cut in the middle": (ARM.encode()[:500], "well-formed"),
    "cut in an attribute": (ARM.encode()[:125], "well-formed"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))


def refused(tmp_path: Path, content: bytes) -> ModelError:
    path = tmp_path / "home" / "robot.urdf"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        load(path)
    assert caught.value.file == str(path)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    return caught.value


def test_the_file_itself_is_sound(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    assert load(path).nv == 1


@pytest.mark.parametrize("name", CHANGED)
def test_changed_files(tmp_path, name):
    old, new, message, line, element = CHANGED[name]
    assert old in ARM
    error = refused(tmp_path, ARM.replace(old, new, 1 if old != "robot" else -1).encode())
    assert message in error.message
    if line is not None:
        assert error.line == line
    if element is not None:
        assert error.element == element


@pytest.mark.parametrize("name", CONTENTS)
def test_contents(tmp_path, name):
    content, message = CONTENTS[name]
    error = refused(tmp_path, content)
    assert message in error.message
    assert "root:" not in str(error)
