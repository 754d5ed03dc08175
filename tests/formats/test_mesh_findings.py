"""Meshes of a machine that are missing, damaged or in the wrong unit."""

import pytest

from treadle import ModelSpec
from treadle.formats import load
from treadle.formats.mesh_findings import mesh_findings

TRIANGLE = b"""solid a
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 0.4 0 0
vertex 0 0.2 0
endloop
endfacet
endsolid a
"""


@pytest.fixture
def robot(tmp_path, monkeypatch):
    """A machine half a metre high, with the mesh a.stl times a scale, in a file with the content given."""
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path / "cache"))

    def written(content: bytes = TRIANGLE, scale: str = "1 1 1"):
        (tmp_path / "a.stl").write_bytes(content)
        path = tmp_path / "robot.urdf"
        path.write_text(f"""<robot name="r">
        <link name="a"><visual><geometry><mesh filename="a.stl" scale="{scale}"/></geometry></visual></link>
        <link name="b"/>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 0.5"/></joint>
        </robot>""")
        return load(path)

    return written


def test_loading_does_not_open_meshes(robot):
    model = robot(b"rubbish")
    assert not any("a.stl" in line for line in model.report)
    (line,) = mesh_findings(model)
    assert 'mesh "a.stl" holds no triangles' in line
    assert "cut short" in str(line.hint)
    assert line.severity == "warning"


def test_a_binary_mesh_with_a_header_and_no_data(robot):
    # 20 million triangles, which would be 1 GB
    (line,) = mesh_findings(robot(b"\0" * 80 + (20_000_000).to_bytes(4, "little")))
    assert 'mesh "a.stl"' in line


def test_missing_meshes_are_said_once(robot, tmp_path):
    model = robot()
    (tmp_path / "a.stl").unlink()
    assert [str(line) for line in mesh_findings(model)] == ['meshes that are missing: "a.stl"']
    reported = load(tmp_path / "robot.urdf")
    assert any("missing" in line for line in reported.report)
    assert mesh_findings(reported) == []


def test_a_machine_without_a_file():
    spec = ModelSpec("m")
    spec.add_body("a", 1.0, inertia=(1, 1, 1))
    spec.add_joint("j", "revolute", None, "a")
    spec.add_shape("s", "a", "mesh", file="there is none.stl")
    (line,) = mesh_findings(spec.compile())
    assert line.elements == ("there is none.stl",)


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("1 1 1", None),
        ("1000 1000 1000", "change its scale from 1000 1000 1000 to 1 1 1"),
        ("1000 -1000 1000", "to 1 -1 1"),
        ("1e-5 1e-5 1e-5", "to 0.01 0.01 0.01"),
    ],
)
def test_meshes_in_the_wrong_unit(robot, scale, said):
    lines = mesh_findings(robot(scale=scale))
    assert len(lines) == (said is not None)
    assert said is None or said in str(lines[0].hint)


def test_meshes_fifty_times_as_long_as_the_machine_are_suspicious(robot):
    (line,) = mesh_findings(robot(scale="70 70 70"))
    assert "28 m long, the machine 0.5 m: it seems to be in millimetres" in line
    assert not mesh_findings(robot(scale="50 50 50"))
