import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.app.meshes import machine_meshes, scenery_meshes


def volume(mesh) -> float:
    # opened edges leave the triangles as they are
    return float(trimesh.Trimesh(mesh.points, mesh.triangles, process=False).volume)


def machine(**shape) -> td.Model:
    spec = td.ModelSpec("block")
    spec.add_body("block", 12.0, center=(0.1, 0.2, 0.3), inertia=td.box_inertia(12.0, 1.0, 2.0, 3.0))
    spec.add_joint("slide", "prismatic", None, "block", axis=(0, 0, 1))
    if shape:
        spec.add_shape("look", "block", **shape)
    return spec.compile()


@pytest.mark.parametrize(("kind", "size", "expected"), [
    ("box", (1.0, 2.0, 3.0), 6.0),
    ("sphere", (0.5,), np.pi / 6),
    ("cylinder", (0.5, 2.0), np.pi / 2),
    ("capsule", (0.5, 2.0), np.pi / 2 + np.pi / 6),
    ("ellipsoid", (0.5, 1.0, 1.5), np.pi),
])  # fmt: skip
def test_shapes_have_their_size_place_and_colour(kind, size, expected):
    model = machine(type=kind, size=size, position=(1.0, 0.0, 0.0), color=(0.2, 0.4, 0.6, 0.5))
    meshes, faults = machine_meshes(model)
    ((body, (mesh,)),) = meshes.items()
    assert (body, mesh.color, faults) == (0, (0.2, 0.4, 0.6, 0.5), [])
    assert volume(mesh) == pytest.approx(expected, rel=0.03)
    middle = 0.5 * (mesh.points.min(axis=0) + mesh.points.max(axis=0))
    np.testing.assert_allclose(middle, (1.0, 0.0, 0.0), atol=1e-9)


def test_a_machine_without_shapes_is_boxes_of_its_inertia():
    meshes, _ = machine_meshes(machine())
    (box,) = meshes[0]
    np.testing.assert_allclose(box.points.min(axis=0), (-0.4, -0.8, -1.2), atol=1e-9)
    np.testing.assert_allclose(box.points.max(axis=0), (0.6, 1.2, 1.8), atol=1e-9)


def test_a_missing_mesh_is_named_and_the_rest_is_shown(tmp_path):
    spec = td.ModelSpec("block", file=str(tmp_path / "robot.toml"))
    spec.add_body("block", 1.0, inertia=td.sphere_inertia(1.0, 0.1))
    spec.add_joint("slide", "prismatic", None, "block", axis=(0, 0, 1))
    spec.add_shape("seen", "block", type="sphere", size=(0.1,))
    spec.add_shape("lost", "block", type="mesh", file="lost.stl")
    meshes, (fault,) = machine_meshes(spec.compile())
    assert len(meshes[0]) == 1
    assert "lost.stl" in fault


def test_parts_of_one_colour_are_joined():
    model = td.scene("roadheader")
    meshes, faults = machine_meshes(model)
    assert faults == []
    for items in meshes.values():
        assert len({mesh.color for mesh in items}) == len(items)
    # far fewer than its 162 parts
    assert sum(len(items) for items in meshes.values()) < 100


def test_smooth_shading_ends_at_sharp_edges():
    (box,) = machine_meshes(machine(type="box", size=(1.0, 1.0, 1.0)))[0][0]
    (ball,) = machine_meshes(machine(type="sphere", size=(1.0,)))[0][0]
    # a cube has a point for each corner of each side, a ball each point once
    assert len(box.points) == 24
    assert len(ball.points) == 642


def test_scenery():
    assert "tunnel_roof" in scenery_meshes(td.scene("roadheader"))
    assert scenery_meshes(td.scene("arm")) == {}
