"""Xacro files, expanded and read as URDF."""

import sys

import pytest

from treadle.errors import ModelError
from treadle.formats import load

ARM = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="count" default="2"/>
  <xacro:property name="length" value="0.5"/>
  <xacro:macro name="link_and_joint" params="index parent">
    <link name="link${index}"><inertial><mass value="${1.5 * length}"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="joint${index}" type="continuous">
      <parent link="${parent}"/><child link="link${index}"/>
      <origin xyz="0 0 ${length}" rpy="0 ${pi / 2} 0"/><axis xyz="0 1 0"/>
    </joint>
  </xacro:macro>
  <link name="base"/>
  <xacro:link_and_joint index="1" parent="base"/>
  <xacro:if value="${int('$(arg count)') > 1}"><xacro:link_and_joint index="2" parent="link1"/></xacro:if>
</robot>
"""


@pytest.fixture
def write(tmp_path):
    def written(text: str, name: str = "arm.urdf.xacro"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return written


def including(*lines: str) -> str:
    return ARM.replace("  <xacro:arg", "\n".join(lines) + "\n  <xacro:arg")


def test_macros_and_expressions(write):
    model = load(write(ARM))
    assert [joint.name for joint in model.joints] == ["joint1", "joint2"]
    assert (model.name, model.mass) == ("arm", 1.5)
    assert model.bodies[1].placement.translation.z == 0.5


def test_a_floating_base(write):
    assert load(write(ARM), floating_base=True).nv == 8


def test_a_robot_without_a_name_is_called_after_its_file(write):
    assert load(write(ARM.replace('name="arm" ', ""))).name == "arm"


def test_includes_and_yaml(write):
    write(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="extra"/></robot>', "parts/extra.xacro"
    )
    write("lengths: {upper: 0.25}", "sizes.yaml")
    text = including(
        '<xacro:include filename="parts/extra.xacro"/>',
        "<xacro:property name='sizes' value=\"${xacro.load_yaml('sizes.yaml')}\"/>",
    )
    joint = '<joint name="glue" type="fixed"><parent link="base"/><child link="extra"/></joint>'
    text = text.replace("</robot>", joint + "</robot>").replace("0 0 ${length}", "0 0 ${sizes.lengths.upper}")
    model = load(write(text))
    assert "extra" in [link.name for link in model.links]
    assert model.bodies[1].placement.translation.z == 0.25


def test_packages_are_found(write):
    write('<robot><link name="base"/></robot>', "my_arm/urdf/base.xacro")
    text = including('<xacro:include filename="$(find my_arm)/urdf/base.xacro"/>').replace(
        '  <link name="base"/>\n', ""
    )
    assert load(write(text, "my_arm/urdf/arm.xacro")).nv == 2
    with pytest.raises(ModelError, match="package 'my_arm' is not found"):
        load(write(text, "elsewhere/urdf/arm.xacro"))


def test_meshes_are_found(write):
    shape = '<link name="base"><visual><geometry><mesh filename="package://my_arm/a.stl"/></geometry></visual></link>'
    model = load(write(ARM.replace('<link name="base"/>', shape), "my_arm/urdf/arm.xacro"))
    assert [item.file for item in model.shapes] == ["../a.stl"]
    assert any("missing" in line for line in model.report)


def test_other_files_are_refused_unless_allowed(write, tmp_path):
    write("<robot/>", "other.xacro")
    write("a: 1", "other.yaml")
    for line in (
        '<xacro:include filename="../other.xacro"/>',
        f'<xacro:include filename="{tmp_path}/other.xacro"/>',
        '<xacro:include filename="../o*.xacro"/>',
        "<xacro:property name='a' value=\"${xacro.load_yaml('../other.yaml')}\"/><link name='${a}'/>",
    ):
        path = write(including(line), "home/arm.xacro")
        with pytest.raises(ModelError, match="outside the folder") as caught:
            load(path)
        assert caught.value.file == str(path)
        assert "allow_outside" in caught.value.hint
    assert load(
        write(including('<xacro:include filename="../other.xacro"/>'), "home/arm.xacro"), allow_outside=True
    )


@pytest.mark.parametrize(
    "expression",
    [
        "().__class__",
        "[().__class__ for x in (1,)]",
        "(lambda: ().__class__)()",
        "(x for x in (1,)).gi_frame.f_builtins",
        "python.vars(python.type)",
        "'%s'.format(1)",
    ],
)
def test_expressions_that_reach_for_the_interpreter(write, expression):
    path = write(ARM.replace("${1.5 * length}", "${" + expression.replace("<", "&lt;") + "}"))
    with pytest.raises(ModelError, match="which it may not"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("${1.5 * length}", "${1.5 * width}", "width"),
        ("${1.5 * length}", "${1.5 *}", "1.5"),
        ("${1.5 * length}", "-1", "negative mass"),
        ('<xacro:arg name="count" default="2"/>', "", "Undefined substitution argument"),
        ('filename="', "", "well-formed"),
        ("</robot>", "", "well-formed"),
        ('xmlns:xacro="http://www.ros.org/wiki/xacro"', "", "unbound prefix"),
        ("<link name=\"base\"/>", '<xacro:include filename="absent.xacro"/>', "No such file"),
        ("<link name=\"base\"/>", "<xacro:nothing/>", "nothing"),
        ("<link name=\"base\"/>", "", "is not a link"),
        ('<link name="link${index}">', '<xacro:link_and_joint index="1" parent="a"/><link>', "without end"),
        ('<?xml version="1.0"?>', '<!DOCTYPE r [<!ENTITY a "b">]>', "entities"),
    ],
)  # fmt: skip
def test_mistakes(write, old, new, said):
    text = including('<xacro:include filename="a"/>') if "filename" in old else ARM
    assert old in text
    path = write(text.replace(old, new))
    with pytest.raises(ModelError, match=said) as caught:
        load(path)
    assert (caught.value.file, bool(caught.value.hint)) == (str(path), True)


def test_many_macros(write):
    macros = '<xacro:macro name="m0" params=""><a/></xacro:macro>'
    for level in range(1, 9):
        calls = f"<xacro:m{level - 1}/>" * 10
        macros += f'<xacro:macro name="m{level}" params="">{calls}</xacro:macro>'
    with pytest.raises(ModelError, match="calls more than"):
        load(write(ARM.replace('<link name="base"/>', f'{macros}<link name="base"/><xacro:m8/>')))


def test_without_the_package(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModelError, match="not installed") as caught:
        load(write(ARM))
    assert "treadle[xacro]" in caught.value.hint


def test_the_package_is_left_as_it_was(write):
    import xacro

    load(write(ARM))
    assert "open" not in vars(xacro)
    assert xacro.safe_eval.__module__ == "xacro"
