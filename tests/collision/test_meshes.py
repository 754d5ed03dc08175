"""Meshes: against the primitives that they are made from, through coal, and those that are damaged."""

import numpy as np
import pytest
import trimesh

import treadle as td
from tests.collision.scenes import at, free_bodies
from treadle.collision.collider import Collider
from treadle.collision.height_field import HeightField
from treadle.collision.mesh import checked_mesh

pytest.importorskip("coal")

CUBE = trimesh.creation.box((1, 1, 1))
CUBE = (np.array(CUBE.vertices), np.array(CUBE.faces))
L_SHAPE = trimesh.boolean.union(
    [
        trimesh.creation.box(bounds=[(0, 0, 0), (2, 1, 1)]),
        trimesh.creation.box(bounds=[(0, 0, 0), (1, 2, 1)]),
    ],
    engine="manifold",
)
L_SHAPE = (np.array(L_SHAPE.vertices), np.array(L_SHAPE.faces))


def mesh_collider(mesh, *others, fields=(), ground=True):
    model = free_bodies(("mesh", ()), *others, ground=ground)
    return Collider(model, meshes={"s0": mesh}, fields=fields)


def corners(points):
    return sorted(tuple(np.round(p.second_position[:2], 6)) for p in points)


def test_a_convex_mesh_is_the_box_that_it_is_made_from():
    collider = mesh_collider(CUBE, ("box", (1, 1, 1)))
    assert collider.meshes[1].convex
    points = td.contact_points(collider, at((0, 0, 0.499), (0.3, 0.2, 1.497)), 0.01)
    ground = [p for p in points if p.first == "ground"]
    assert corners(ground) == [(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    assert all(p.distance == pytest.approx(-1e-3, abs=1e-12) for p in ground)
    stacked = [p for p in points if p.first == "s0"]
    assert corners(stacked) == [(x, y) for x in (-0.2, 0.5) for y in (-0.3, 0.5)]
    for p in stacked:
        assert p.distance == pytest.approx(-2e-3, abs=1e-6)
        np.testing.assert_allclose(p.normal, (0, 0, 1), atol=1e-6)


def test_a_mesh_with_a_notch_is_not_filled_in():
    collider = mesh_collider(L_SHAPE, ("sphere", (0.3,)), ground=False)
    assert not collider.meshes[0].convex
    gap = td.distance(collider, at((0, 0, 0), (1.6, 1.6, 0.5)), "b0", "b1")
    assert gap.distance == pytest.approx(0.3, abs=1e-6)
    touching = td.contact_points(collider, at((0, 0, 0), (1.5, 1.29, 0.5)))
    assert {round(p.distance, 6) for p in touching} == {-0.01}
    np.testing.assert_allclose(touching[0].normal, (0, 1, 0), atol=1e-6)


def test_a_mesh_on_a_height_field():
    field = HeightField("terrain", np.full((5, 5), 0.2), (4, 4))
    points = td.contact_points(mesh_collider(CUBE, fields=[field], ground=False), at((0.1, 0.1, 0.71)), 0.02)
    assert points and min(p.distance for p in points) == pytest.approx(0.01, abs=1e-6)


def test_meshes_that_are_not_convex_touch_through_coal():
    field = HeightField("terrain", np.full((5, 5), 0.2), (4, 4))
    collider = mesh_collider(L_SHAPE, fields=[field], ground=False)
    q = at((-0.6, -0.5, 0.21))
    assert td.distance(collider, q, "b0", "terrain").distance == pytest.approx(0.01, abs=1e-6)
    points = td.contact_points(collider, q, 0.02)
    assert points and min(p.distance for p in points) == pytest.approx(0.01, abs=1e-6)
    with pytest.raises(td.InputError, match="are ground or meshes that are not convex"):
        collider.require_kernels()


def test_a_hull_is_filled_in():
    collider = mesh_collider(td.convex_hull(L_SHAPE[0]), ("sphere", (0.3,)), ground=False)
    gap = td.distance(collider, at((0, 0, 0), (1.6, 1.6, 0.5)), "b0", "b1")
    assert gap.distance == pytest.approx(0.1 * np.sqrt(2) - 0.3, abs=1e-9)


def test_rays_hit_meshes():
    collider = mesh_collider(L_SHAPE, ground=False)
    hit = td.ray_cast(collider, at((0, 0, 0)), (1.5, 5, 0.5), (0, -1, 0))
    assert (hit.shape, hit.distance) == ("s0", pytest.approx(4.0))
    np.testing.assert_allclose(hit.normal, (0, 1, 0), atol=1e-12)
    assert td.ray_cast(collider, at((0, 0, 0)), (1.5, 5, 0.5), (0, -1, 0), ignore=["b0"]) is None


def test_damaged_meshes():
    points, triangles = CUBE
    bad = points.copy()
    bad[3, 1] = np.nan
    for mesh, message in [
        ((bad, triangles), "not finite"),
        ((points, triangles + 1), "triangle without a point"),
        ((points * 0.0, triangles), "no area"),
        ((points, triangles[:0]), "no area"),
        ((points[:, :2], triangles), "wrong shape"),
    ]:
        with pytest.raises(td.ModelError, match=message):
            checked_mesh("m", *mesh)
    assert checked_mesh("m", *CUBE).convex
    assert checked_mesh("m", points, triangles[:, ::-1]).convex
    assert not checked_mesh("m", points, triangles[:-1]).convex


def test_meshes_are_read_from_the_files_of_a_machine(tmp_path):
    trimesh.creation.box((2, 2, 2)).export(tmp_path / "cube.stl")
    spec = td.ModelSpec("robot")
    spec.add_body("b", mass=1.0, type="sphere", size=(1,))
    spec.add_joint("j", "free", None, "b")
    options = {"file": str(tmp_path / "cube.stl"), "scale": (0.5, 0.5, 0.5), "role": "collision"}
    spec.add_shape("cube", "b", "mesh", **options)
    spec.add_shape("ground", None, "plane", role="collision")
    model = spec.compile()
    assert td.distance(model, at((0, 0, 2)), "b", "ground").distance == pytest.approx(1.5, abs=1e-6)
    smaller = {name: (0.5 * points, faces) for name, (points, faces) in td.collision_meshes(model).items()}
    given = td.distance(Collider(model, meshes=smaller), at((0, 0, 2)), "b", "ground")
    assert given.distance == pytest.approx(1.75, abs=1e-6)
    (tmp_path / "cube.stl").unlink()
    with pytest.raises(td.ModelError, match=r"its mesh .*cube.stl.*: there is no such mesh"):
        td.distance(spec.compile(), at((0, 0, 2)), "b", "ground")
