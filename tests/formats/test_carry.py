from pathlib import Path

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.errors import ModelError
from treadle.formats.atomic_write import AtomicFiles
from treadle.formats.carry import carry
from treadle.geometry import SUFFIXES, threedt
from treadle.geometry.components import Component, Geometry, Part
from treadle.geometry.mesh import read_mesh

POINTS = np.array([[0.0, 0.0, 0.0], [1 / 3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.1]])
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def machine(folder: Path, *files: str, geometry: str | None = None) -> td.Model:
    spec = td.ModelSpec("arm", geometry=geometry, file=str(folder / "robot.toml"))
    spec.add_body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("hinge", "revolute", None, "arm")
    for index, file in enumerate(files):
        kind = "part" if file.startswith("part:") else "mesh"
        spec.add_shape(f"shape{index}", "arm", kind, file=file.removeprefix("part:"))
    return spec.compile()


def mesh(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    trimesh.Trimesh(POINTS, FACES, process=False).export(path)


def test_files_in_the_new_folder_stay_where_they_are(tmp_path):
    mesh(tmp_path / "meshes" / "a.stl")
    carried = carry(machine(tmp_path, "meshes/a.stl"), tmp_path / "other.toml", SUFFIXES)
    assert carried.files == {}
    assert carried.machine.shapes[0].file == "meshes/a.stl"


def test_files_of_other_folders_are_copied_once_and_never_mixed_up(tmp_path):
    for name in ("x/a.stl", "y/a.stl", "z/odd name!.stl"):
        mesh(tmp_path / name)
    model = machine(tmp_path, "x/a.stl", "y/a.stl", "x/a.stl", "z/odd name!.stl", "absent.stl")
    carried = carry(model, tmp_path / "new" / "robot.toml", SUFFIXES)
    assert [shape.file for shape in carried.machine.shapes] == [
        "robot_meshes/a.stl",
        "robot_meshes/a-2.stl",
        "robot_meshes/a.stl",
        "robot_meshes/odd_name_.stl",
        "absent.stl",
    ]
    assert carried.files["robot_meshes/a-2.stl"] == tmp_path / "y" / "a.stl"
    (finding,) = carried.findings
    assert finding.elements == ("absent.stl",)
    assert finding.severity == "warning"


def test_kinds_that_the_format_does_not_have_become_obj(tmp_path):
    mesh(tmp_path / "a.glb")
    carried = carry(machine(tmp_path, "a.glb"), tmp_path / "robot.xml", (".stl", ".obj"))
    (name,) = carried.files
    assert name == "robot_meshes/a.obj"
    (tmp_path / "robot_meshes").mkdir()
    (tmp_path / name).write_bytes(carried.files[name])
    points, triangles = read_mesh(tmp_path / name)
    before, _ = read_mesh(tmp_path / "a.glb")
    np.testing.assert_array_equal(points, before)
    assert len(triangles) == 4
    assert carried.findings[0].elements == ("a.glb",)


def test_parts_become_meshes_by_colour(tmp_path):
    parts = [
        Part.from_faces("one", POINTS, FACES, RED),
        Part.from_faces("two", POINTS + 1.0, FACES, BLUE),
        Part.from_faces("three", POINTS + 2.0, FACES, RED),
    ]
    threedt.write(Geometry("arm", [Component("boom", parts)]), tmp_path / "arm.3dt")
    model = machine(tmp_path, "part:boom", "part:absent", geometry="arm.3dt")
    carried = carry(model, tmp_path / "robot.xml", (".stl", ".obj"), parts=True)
    assert carried.machine.geometry is None
    assert [(shape.type, shape.color) for shape in carried.machine.shapes] == [("mesh", RED), ("mesh", BLUE)]
    content = carried.files[carried.machine.shapes[0].file]
    assert content.count(b"v ") == content.count(b"f ") == 8
    assert content.splitlines()[-1] == b"f 5 8 7"
    assert carried.findings[0].elements == ("arm.3dt: absent",)


def test_geometry_is_copied_under_the_new_name(tmp_path):
    threedt.write(Geometry("arm", [Component("boom")]), tmp_path / "arm.3dt")
    (tmp_path / "new").mkdir()
    assert td.save(machine(tmp_path, "part:boom", geometry="arm.3dt"), tmp_path / "new" / "digger.toml") == ()
    assert td.load(tmp_path / "new" / "digger.toml").geometry == "digger.3dt"
    assert (tmp_path / "new" / "digger.3dt").read_bytes() == (tmp_path / "arm.3dt").read_bytes()


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text("before")
    spec = td.ModelSpec("arm", settings={"ground": "\ud800"})
    with pytest.raises(ModelError, match="cannot be written as text"):
        td.save(spec, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_files_appear_together(tmp_path):
    with AtomicFiles(tmp_path) as files:
        files.add("meshes/a.obj", b"content")
        files.place("robot.toml").write_text("text")
        assert not (tmp_path / "robot.toml").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"meshes", "robot.toml"}
    assert (tmp_path / "meshes" / "a.obj").read_bytes() == b"content"
