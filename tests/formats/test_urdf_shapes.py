"""Shapes of URDF files, and the meshes they name."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.crosscheck.robots import ROBOTS
from treadle.errors import ModelError
from treadle.formats import load, load_spec
from treadle.formats.urdf import read
from treadle.geometry.files import mesh_path

BOX_STL = b"""solid box
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 0.4 0 0
vertex 0 0.2 0
endloop
endfacet
endsolid box
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))


def link(content: str, before: str = "") -> bytes:
    return f'<robot name="r">{before}\n<link name="a">\n{content}\n</link></robot>'.encode()


def mesh(filename: str, scale: str = "") -> bytes:
    return link(f'<visual><geometry><mesh filename="{filename}" {scale}/></geometry></visual>')


def folder(tmp_path: Path, content: bytes, *meshes: str, place: str = "home") -> Path:
    """A description in a folder of its own, with mesh files given by their paths from `tmp_path`."""
    path = tmp_path / place / "robot.urdf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    for name in meshes:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(BOX_STL)
    return path


def test_shapes_of_all_kinds():
    spec = read(
        link(
            """
    <visual name="hull"><geometry><box size="1,2 3"/></geometry><origin xyz="1 2 3" rpy="0 0 .5"/></visual>
            <visual><geometry><cylinder radius="0.5" length="2"/></geometry></visual>
            <visual><geometry><sphere radius="0.25"/></geometry></visual>
            <collision><geometry><mesh filename="m/a.STL" scale="0.001 0.001 -0.001"/></geometry></collision>
            <collision name="hull"><geometry><mesh filename="a.dae" scale="2"/></geometry></collision>"""
        ),
        "r",
    )
    shapes = spec.shapes
    assert [(s.name, s.role, s.type, s.size) for s in shapes] == [
        ("hull", "visual", "box", (1.0, 2.0, 3.0)),
        ("a/visual", "visual", "cylinder", (0.5, 2.0)),
        ("a/visual2", "visual", "sphere", (0.25,)),
        ("a/collision", "collision", "mesh", ()),
        ("hull2", "collision", "mesh", ()),
    ]
    assert {s.body for s in shapes} == {"a"}
    assert shapes[0].position == (1.0, 2.0, 3.0)
    assert shapes[0].rotation[1][0] == np.sin(0.5)
    assert (shapes[3].file, shapes[3].scale) == ("m/a.STL", (0.001, 0.001, -0.001))
    assert shapes[4].scale == (2.0, 2.0, 2.0)
    assert [s.line for s in shapes] == [4, 5, 6, 7, 8]
    assert not spec.compile(strict=False).report[1:]


def test_what_urdf_1_1_added():
    spec = read(
        link(
            """<visual><origin xyz="1 0 0" quat_xyzw="0 0 0.6 0.8"/>
            <geometry><capsule radius="0.1" length="0.5"/></geometry></visual>
            <visual><geometry><cylinder radius="0.1" length="0.5"/></geometry></visual>"""
        ),
        "r",
    )
    capsule, cylinder = spec.shapes
    assert (capsule.type, capsule.size, cylinder.type) == ("capsule", (0.1, 0.5), "cylinder")
    np.testing.assert_allclose(capsule.rotation[1][0], 0.96, rtol=1e-15)
    assert "not read" not in "".join(spec.report)


def test_colours():
    ball = '<geometry><sphere radius="1"/></geometry>'
    visual = f'<visual name="{{}}">{ball}<material name="{{}}">{{}}</material></visual>'
    content = link(
        visual.format("global", "red", "")
        + visual.format("inner", "blue", '<color rgba="0 0 1 0.5"/>')
        + visual.format("again", "blue", "")
        + visual.format("nothing", "unknown", "")
        + visual.format("bright", "sun", '<color rgba="2 -1 0 1"/>')
        + visual.format("other", "red", '<color rgba="0.5 0 0 1"/><texture filename="t.png"/>')
        + '<visual name="plain">'
        + ball
        + "</visual>",
        '<material name="red"><color rgba="1 0 0 1"/></material>',
    )
    spec = read(content, "r")
    assert {shape.name: shape.color for shape in spec.shapes} == {
        "global": (1.0, 0.0, 0.0, 1.0),
        "inner": (0.0, 0.0, 1.0, 0.5),
        "again": (0.0, 0.0, 1.0, 0.5),
        "nothing": None,
        "bright": (1.0, 0.0, 0.0, 1.0),
        "other": (0.5, 0.0, 0.0, 1.0),
        "plain": None,
    }
    report = "\n".join(spec.report)
    for part in ("texture (1)", '"unknown"', 'cut: "bright"', 'differently, each where it stands: "red"'):
        assert part in report


def test_meshes_of_other_kinds_are_left_out_and_reported(tmp_path):
    path = folder(tmp_path, mesh("file:///opt/robot/head.mesh"))
    model = load(path)
    assert model.shapes == ()
    assert any("'.mesh' cannot be read" in line and "a/visual" in line for line in model.report)


@pytest.mark.parametrize(
    ("filename", "place", "file", "found"),
    [
        ("meshes/a.stl", "home", "home/meshes/a.stl", "meshes/a.stl"),
        ("meshes\\a.stl", "home", "home/meshes/a.stl", "meshes/a.stl"),
        ("meshes/../a.stl", "home", "home/a.stl", "a.stl"),
        ("package://arm/meshes/a.stl", "arm", "arm/meshes/a.stl", "meshes/a.stl"),
        ("package:///arm/meshes/a.stl", "arm", "arm/meshes/a.stl", "meshes/a.stl"),
        ("package://arm/meshes/a.stl", "arm/urdf", "arm/meshes/a.stl", "../meshes/a.stl"),
        ("package://arm/meshes/a.stl", "home", "home/arm/meshes/a.stl", "arm/meshes/a.stl"),
    ],
)
def test_where_meshes_are_found(tmp_path, filename, place, file, found):
    path = folder(tmp_path, mesh(filename), file, place=place)
    # what the first load kept must not keep the second from looking
    for _ in range(2):
        model = load(path)
        assert [shape.file for shape in model.shapes] == [found]
        assert not any("missing" in line for line in model.report)
        assert os.path.samefile(mesh_path(model.file, found), tmp_path / file)
    (tmp_path / file).unlink()
    assert f'meshes that are missing: "{found}"' in load(path).report


def test_a_package_is_known_by_its_manifest(tmp_path):
    path = folder(tmp_path, mesh("package://arm/m/a.stl"), "arm/m/a.stl", place="arm/robots/one/urdf")
    assert any('packages that are not found: "arm"' in line for line in load(path).report)
    (tmp_path / "arm" / "package.xml").write_text("<package/>")
    assert [shape.file for shape in load(path).shapes] == ["../../../m/a.stl"]
    # then it may also be left by relative paths, but no further
    path.write_bytes(mesh("../../../m/a.stl"))
    assert not any("missing" in line for line in load(path).report)
    path.write_bytes(mesh("../../../../other.stl"))
    with pytest.raises(ModelError, match="outside"):
        load(path)


def test_packages_elsewhere_are_searched_for_if_allowed(tmp_path, monkeypatch):
    path = folder(tmp_path, mesh("package://hand/a.stl"), "src/hand/a.stl", place="src/arm/urdf")
    report = load(path).report
    assert any('packages that are not found: "hand"' in line for line in report)
    assert any("missing" in line for line in report)
    assert [shape.file for shape in load(path, allow_outside=True).shapes] == ["../../hand/a.stl"]
    shutil.move(tmp_path / "src" / "hand", tmp_path / "ros" / "hand")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    assert [shape.file for shape in load(path, allow_outside=True).shapes] == ["../../../ros/hand/a.stl"]
    shutil.move(tmp_path / "ros" / "hand", tmp_path / "ros2" / "share" / "hand")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros2"))
    assert not any("missing" in line for line in load(path, allow_outside=True).report)


@pytest.mark.parametrize(
    "filename",
    [
        "/etc/passwd", "/tmp/a.stl", "../a.stl", "meshes/../../a.stl", "file:///tmp/a.stl", "..\\a.stl",
        "package://home/../a.stl", "package://../a.stl", "package:///a.stl/../../b.stl", "link/a.stl",
        "package://home/link/a.stl", "package://link/a.stl", "http://example.org/a.stl", "a\x7f/../../a.stl",
    ],
)  # fmt: skip
def test_meshes_outside_are_refused(tmp_path, filename):
    path = folder(tmp_path, mesh(filename), "a.stl")
    (path.parent / "link").symlink_to(tmp_path)
    with pytest.raises(ModelError) as caught:
        load(path)
    error = caught.value
    assert (error.file, error.line, error.element) == (str(path), 3, 'shape "a/visual"')
    assert error.hint


def test_meshes_outside_can_be_allowed(tmp_path):
    path = folder(tmp_path, mesh("../a.stl"), "a.stl")
    model = load(path, allow_outside=True)
    assert [shape.file for shape in model.shapes] == ["../a.stl"]
    assert not any("missing" in line for line in model.report)
    path.write_bytes(mesh(str(tmp_path / "a.stl")))
    assert [shape.file for shape in load(path, allow_outside=True).shapes] == ["../a.stl"]
    path.write_bytes(mesh(f"file://{tmp_path / 'a.stl'}"))
    assert [shape.file for shape in load(path, allow_outside=True).shapes] == ["../a.stl"]


@pytest.mark.parametrize("name", sorted(ROBOTS.keys() - {"ur-ur3"}))
def test_all_meshes_of_the_robots_are_found(name):
    spec = load_spec(ROBOTS[name])
    assert spec.shapes or name == "simple_humanoid-simple_humanoid_classical"
    assert not any("missing" in line or "packages" in line for line in spec.report)
