"""Meshes that are not convex touch by convex parts that fill them."""

import sys
from itertools import pairwise

import numpy as np
import pytest
import trimesh
from trimesh.creation import annulus, box, cylinder, icosphere

import treadle as td
from treadle.collision import convex_parts as module

CONCAVITY = 0.025
GRAVITY = 9.81


def ring(sections=12):
    """Of 1 m, with a hole of 0.8 m, around z."""
    return annulus(0.4, 0.5, 0.1, sections=sections)


def corner():
    """An L of two arms of 1 m."""
    return trimesh.boolean.union(
        [box(bounds=[(0, 0, 0), (1, 0.2, 0.2)]), box(bounds=[(0, 0, 0), (0.2, 0.2, 1)])]
    )


def cup():
    """An eight-sided cup, open at the top, on z = 0."""
    outside, inside = (
        cylinder(r, segment=[(0, 0, z), (0, 0, 1)], sections=8) for r, z in ((0.5, 0), (0.4, 0.1))
    )
    return trimesh.boolean.difference([outside, inside])


MESHES = {"ring": ring, "corner": corner, "cup": cup}


@pytest.fixture(params=MESHES)
def mesh(request):
    return MESHES[request.param]()


def volume(part):
    return trimesh.Trimesh(*part).volume


def test_the_parts_fill_the_mesh_within_the_concavity(mesh):
    parts = td.convex_parts(mesh.vertices, mesh.faces, CONCAVITY)
    near = CONCAVITY * mesh.extents.max()
    assert len(parts) > 1
    union = trimesh.boolean.union([trimesh.Trimesh(*part) for part in parts])
    assert mesh.volume * (1.0 - 1e-3) <= union.volume <= mesh.volume + near * mesh.area
    assert union.volume == pytest.approx(sum(volume(part) for part in parts), rel=0.02)
    # they leave out no more than slits along the cuts, and what they add is near the surface
    assert trimesh.boolean.difference([mesh, union]).volume < 1e-3 * mesh.volume
    corners = np.concatenate([part[0] for part in parts])
    distance = trimesh.proximity.closest_point_naive(mesh, corners)[1]
    outside = ~np.asarray(trimesh.ray.ray_triangle.RayMeshIntersector(mesh).contains_points(corners))
    assert distance[outside].max(initial=0.0) < near


def test_every_part_is_convex(mesh):
    for points, triangles in td.convex_parts(mesh.vertices, mesh.faces):
        assert volume(td.convex_hull(points)) == pytest.approx(volume((points, triangles)), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_parts_scale_with_the_mesh(scale):
    own, large = (td.convex_parts(s * corner().vertices, corner().faces) for s in (1.0, scale))
    assert [volume(part) for part in large] == pytest.approx([scale**3 * volume(part) for part in own])


@pytest.mark.parametrize("solid", [box((1, 2, 3)), icosphere(2)], ids=["box", "ball"])
def test_a_convex_mesh_is_one_part_and_needs_no_package(solid, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    (part,) = td.convex_parts(solid.vertices, solid.faces)
    assert volume(part) == pytest.approx(solid.volume)


def test_what_is_kept_has_the_same_bits(monkeypatch, tmp_path):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    mesh = corner()
    first = td.convex_parts(mesh.vertices, mesh.faces)
    again = {"fresh": None, "kept": None}
    again["kept"] = td.convex_parts(mesh.vertices, mesh.faces)
    (entry,) = (tmp_path / "parts").iterdir()
    entry.unlink()
    again["fresh"] = td.convex_parts(mesh.vertices, mesh.faces)
    for parts in again.values():
        for one, other in zip(first, parts, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_what_is_kept_is_not_found_again(monkeypatch, tmp_path):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    found = []
    search = module._decompose
    monkeypatch.setattr(module, "_decompose", lambda *given: found.append(1) or search(*given))
    mesh = corner()
    for concavity in (0.025, 0.025, 0.1, 0.025):
        td.convex_parts(mesh.vertices, mesh.faces, concavity)
    assert len(found) == 2


def test_one_sentence_where_it_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    mesh = corner()
    with pytest.raises(td.InputError, match=r"within 0.01 s: give td.convex_parts more seconds"):
        td.convex_parts(mesh.vertices, mesh.faces, seconds=0.01)
    with pytest.raises(td.InputError, match=r"concavity must be from 0.005 to 0.5"):
        td.convex_parts(mesh.vertices, mesh.faces, concavity=0.0)
    with pytest.raises(td.InputError, match="at most one part or more"):
        td.convex_parts(mesh.vertices, mesh.faces, most=0)
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(ImportError, match=r"needs the package coacd.*pip install 'treadle\[parts\]'"):
        td.convex_parts(mesh.vertices, mesh.faces)


def test_at_most_so_many():
    mesh = ring()
    assert len(td.convex_parts(mesh.vertices, mesh.faces, most=6)) <= 6


# in contact


def add_ring(spec, name, position, rotation):
    """A ring of 2 kg that moves freely."""
    mesh = ring()
    mesh.density = 2.0 / mesh.volume
    spec.add_body(name, 2.0, inertia=np.diag(mesh.moment_inertia).tolist())
    spec.add_joint(name, "free", None, name, position=position, rotation=rotation)
    spec.add_shape(f"{name}_skin", name, "mesh", role="collision", group="rings", material="steel")
    return mesh.vertices, mesh.faces


def over_a_peg(links=1):
    """A chain of rings whose first one is around a peg along y, and the meshes of their skins."""
    spec, meshes = td.ModelSpec("rings on a peg"), {}
    spec.add_material("steel", friction=0.4)
    spec.add_shape("peg", None, "box", (0.1, 1, 0.1), role="collision", material="steel")
    for k in range(links):
        turn = (0.5**0.5, 0.5**0.5, 0, 0) if k % 2 == 0 else (0.5**0.5, 0, 0.5**0.5, 0)
        place = (0, 0, -0.3 - 0.75 * k)
        meshes[f"ring{k}_skin"] = add_ring(spec, f"ring{k}", place, turn)
        spec.add_sensor(f"felt{k}", "contact_force", f"ring{k}_skin")
    return spec.compile(), meshes


def parts_of(meshes):
    return {name: td.convex_parts(*mesh) for name, mesh in meshes.items()}


def test_a_ring_hangs_on_a_peg():
    model, meshes = over_a_peg()
    sim = td.Simulation(model, dt=0.005, meshes=parts_of(meshes))
    sim.run(0.5)
    assert td.settle(sim, speed=1e-6).at_rest
    assert sim.body("ring0").position[2] == pytest.approx(0.05 - 0.4, abs=CONCAVITY)
    sim.step()
    assert sim.contact_between("peg", "ring0").force == pytest.approx([0, 0, 2.0 * GRAVITY], abs=1e-5)
    assert {point.shapes for point in sim.contacts()} == {("peg", "ring0_skin")}


def test_its_hull_does_not():
    model, meshes = over_a_peg()
    sim = td.Simulation(model, dt=0.005, meshes={name: td.convex_hull(m[0]) for name, m in meshes.items()})
    sim.run(1.5)
    assert abs(sim.body("ring0").position[2] - (0.05 - 0.4)) > 0.2


def test_linked_rings_stay_linked_and_carry_their_weight():
    model, meshes = over_a_peg(2)
    sim = td.Simulation(model, dt=0.005, meshes=parts_of(meshes))
    sim.run(1.0)
    assert td.settle(sim, speed=1e-8).at_rest
    upper, lower = (sim.body(f"ring{k}").position for k in range(2))
    assert upper[2] - lower[2] == pytest.approx(0.8, abs=2.0 * CONCAVITY + 0.05)
    sim.step()
    up = np.array([0, 0, GRAVITY])
    assert sim.contact_between("peg", "ring0_skin").force == pytest.approx(4.0 * up, abs=4e-5)
    assert sim.contact_between("ring0", "ring1_skin").force == pytest.approx(2.0 * up, abs=2e-5)
    # what sensors and signals feel is that of all pieces
    assert np.ravel(sim.sensor("felt1").value) == pytest.approx(2.0 * up, abs=2e-5)
    assert np.ravel(sim.sensor("felt0").value) == pytest.approx(2.0 * up, abs=4e-5)
    assert td.distance(sim.collider(), sim.q, "ring0_skin", "ring1_skin").distance == pytest.approx(
        0, abs=1e-6
    )


def test_as_they_are_they_are_refused():
    model, meshes = over_a_peg(2)
    with pytest.raises(td.InputError, match=r'give Simulation meshes="parts" for convex parts'):
        td.Simulation(model, dt=0.005, meshes=meshes).step()


def test_a_ball_rests_in_a_cup():
    mesh = cup()
    mesh.density = 3.0 / mesh.volume
    spec = td.ModelSpec("ball in a cup")
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_body("cup", 3.0, center=mesh.center_mass.tolist(), inertia=np.diag(mesh.moment_inertia).tolist())
    spec.add_joint("cup", "free", None, "cup", position=(0, 0, 0.001))
    spec.add_shape("cup", "cup", "mesh", role="collision")
    spec.add_body("ball", 1.0, type="sphere", size=(0.2,))
    spec.add_joint("ball", "free", None, "ball", position=(0.05, 0.02, 0.6))
    spec.add_shape("ball", "ball", "sphere", (0.2,), role="collision")
    sim = td.Simulation(spec.compile(), dt=0.005, meshes={"cup": td.convex_parts(mesh.vertices, mesh.faces)})
    sim.run(1.0)
    assert td.settle(sim, speed=1e-6).at_rest
    assert sim.body("ball").position[2] - sim.body("cup").position[2] == pytest.approx(0.3, abs=CONCAVITY)
    sim.step()
    assert sim.contact_on("ball").force[2] == pytest.approx(GRAVITY, rel=1e-6)
    assert sim.contact_between(None, "cup").force[2] == pytest.approx(4.0 * GRAVITY, rel=1e-6)


# chosen

URDF = """<robot name="corner"><link name="corner"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="skin"><geometry><mesh filename="corner.stl"/></geometry></collision></link></robot>"""


@pytest.fixture
def file(tmp_path):
    corner().export(tmp_path / "corner.stl")
    (tmp_path / "corner.urdf").write_text(URDF)
    return tmp_path / "corner.urdf"


def forms(meshes):
    return {name: len(mesh) if isinstance(mesh, list) else len(mesh[1]) for name, mesh in meshes.items()}


def test_a_word_says_what_meshes_touch_as(file):
    hull, parts, mesh = (
        len(td.convex_hull(corner().vertices)[1]),
        len(td.convex_parts(corner().vertices, corner().faces)),
        len(corner().faces),
    )
    expected = {"hull": hull, "parts": parts, "mesh": mesh, None: hull}
    from treadle.sim.meshes import contact_meshes

    for word, count in expected.items():
        model = td.load(file, floating_base=True, meshes=word)
        (name,) = [shape.name for shape in model.shapes if shape.role == "collision"]
        assert forms(contact_meshes(model, None)) == {name: count}
        plain = td.load(file, floating_base=True)
        assert forms(contact_meshes(plain, None, word)) == {name: count}
        if word is not None:
            assert forms(contact_meshes(plain, {name: word})) == {name: count}


def test_the_setting_survives_a_file_of_our_own(file, tmp_path):
    model = td.load(file, floating_base=True, meshes="parts")
    td.save(model, tmp_path / "corner.toml")
    assert td.load(tmp_path / "corner.toml").settings["meshes"] == "parts"


def test_a_wrong_word_is_refused(file):
    model = td.load(file, floating_base=True, meshes="pats")
    with pytest.raises(td.InputError, match="no form of meshes named 'pats'"):
        td.Simulation(model, contact=True, terrain=td.Plane())
    with pytest.raises(td.InputError, match="meshes must be"):
        td.Simulation(model, meshes=3)


def test_worlds_of_a_batch_feel_the_shape():
    model, meshes = over_a_peg()
    worlds = td.Batch(model, 2, dt=0.005, meshes=parts_of(meshes))
    sim = td.Simulation(model, dt=0.005, meshes=parts_of(meshes))
    worlds.step(100)
    sim.step(100)
    assert np.array_equal(worlds.q[0], sim.q)
    felt = np.asarray(worlds.sensor("felt0").value)
    assert felt[0] == pytest.approx(np.ravel(sim.sensor("felt0").value), abs=1e-9)


def test_the_surface_of_parts_turns_about_the_origin_of_the_shape():
    """A turntable of two pieces carries a puck around the shape's origin, as one of a single piece does."""
    places = {}
    for pieces in (1, 2):
        spec = td.ModelSpec("turntable")
        turn = {"surface_rotation": (0, 0, 1.0), "position": (0, 0, -0.05)}
        spec.add_shape("table", None, "mesh", role="collision", **turn)
        spec.add_body("puck", 1.0, type="box", size=(0.1, 0.1, 0.1))
        spec.add_joint("puck", "free", None, "puck", position=(0.5, 0.0, 0.05))
        spec.add_shape("puck", "puck", "box", (0.1, 0.1, 0.1), role="collision")
        edges = np.linspace(-1, 2, pieces + 1)
        slabs = [box(bounds=[(x, -1, -0.05), (y, 1, 0.05)]) for x, y in pairwise(edges)]
        meshes = {"table": [(slab.vertices, slab.faces) for slab in slabs]}
        sim = td.Simulation(spec.compile(), dt=0.005, v=[0, 0, 1.0, 0, 0.5, 0], meshes=meshes)
        sim.run(0.5)
        places[pieces] = sim.body("puck").position
    assert places[1][:2] == pytest.approx([0.5 * np.cos(0.5), 0.5 * np.sin(0.5)], abs=1e-4)
    assert places[2] == pytest.approx(places[1], abs=1e-6)
