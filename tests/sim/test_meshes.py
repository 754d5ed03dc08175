"""Meshes that a simulation reads from the files of its machine."""

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.formats.load import load_spec
from treadle.geometry import threedt
from treadle.geometry.components import Component, Geometry, Part

URDF = """<robot name="crate"><link name="base"/>
<link name="crate"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><mesh filename="{file}" scale="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="crate"/><axis xyz="0 0 1"/>
<limit lower="-9" upper="9" effort="0" velocity="9"/></joint></robot>"""


def corner():
    """An L of two boxes, as large as a box of 2 m."""
    return trimesh.util.concatenate(
        [
            trimesh.creation.box(bounds=[(-1, -1, -1), (1, 1, 0)]),
            trimesh.creation.box(bounds=[(-1, -1, 0), (0, 1, 1)]),
        ]
    )


def machine(tmp_path, file="corner.stl", world=None):
    """A crate with a mesh of 0.2 m on a rail, from a URDF file, over a floor."""
    corner().export(tmp_path / "corner.stl")
    (tmp_path / "crate.urdf").write_text(URDF.format(file=file))
    spec = load_spec(tmp_path / "crate.urdf")
    if world == "mesh":
        spec.add_shape("floor", None, "mesh", role="collision", file="corner.stl", position=(0.5, 0, -0.3))
    else:
        spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -0.3))
    return spec.compile(strict=False)


@pytest.mark.parametrize("world", ["plane", "mesh"])
def test_a_machine_from_a_file_touches_with_its_meshes(tmp_path, world):
    sim = td.Simulation(machine(tmp_path, world=world), dt=0.01)
    assert sim.contact
    sim.run(1.0)
    assert sim.q[0] == pytest.approx(-0.2, abs=1e-6)
    assert sim.contact_on("crate").force[2] == pytest.approx(2.0 * 9.81, rel=1e-6)


def test_what_moves_touches_as_a_solid_and_what_is_fixed_as_it_is(tmp_path):
    sim = td.Simulation(machine(tmp_path, world="mesh"), dt=0.01)
    (crate,) = [shape.name for shape in sim.model.shapes if shape.link == "crate"]
    corners = 0.1 * np.asarray(corner().vertices)
    assert len(sim.step_options.meshes[crate][0]) == len(np.unique(td.convex_hull(corners)[0], axis=0))
    assert len(sim.step_options.meshes["floor"][1]) == len(corner().faces)


def test_worlds_of_a_batch_read_them_too(tmp_path):
    worlds = td.Batch(machine(tmp_path), 2, dt=0.01)
    worlds.step(100)
    assert worlds.q[:, 0] == pytest.approx([-0.2, -0.2], abs=1e-6)


def test_given_meshes_take_their_place_and_stay_through_an_edit(tmp_path):
    model = machine(tmp_path)
    (name,) = [shape.name for shape in model.shapes if shape.link == "crate"]
    taller = trimesh.creation.box((0.2, 0.2, 0.4))
    sim = td.Simulation(model, dt=0.01, meshes={name: (np.array(taller.vertices), np.array(taller.faces))})
    with sim.edit() as spec:
        spec.bodies[-1].mass = 3.0
    sim.run(1.0)
    assert sim.q[0] == pytest.approx(-0.1, abs=1e-6)
    with sim.edit() as spec:
        next(shape for shape in spec.shapes if shape.name == name).scale = (0.05, 0.05, 0.05)
    assert np.ptp(sim.step_options.meshes[name][0], axis=0) == pytest.approx([0.1, 0.1, 0.1])


def test_meshes_that_are_missing_or_damaged_are_told_in_one_sentence(tmp_path):
    model = machine(tmp_path, file="gone.stl")
    with pytest.raises(
        td.ModelError, match=r'^shape ".*": its mesh "gone\.stl": there is no such mesh; .*"visual"$'
    ) as told:
        td.Simulation(model)
    assert str(tmp_path) not in str(told.value)
    td.Simulation(model, contact=False).step()
    (tmp_path / "gone.stl").write_text("solid nothing\nendsolid nothing\n")
    with pytest.raises(td.ModelError, match=r'its mesh "gone\.stl": '):
        td.Simulation(model)


def test_parts_of_a_geometry_file_touch_in_their_scale(tmp_path):
    cube = trimesh.creation.box((1, 1, 1))
    part = Part.from_faces("cube", cube.vertices, cube.faces.tolist())
    threedt.write(Geometry("cube", [Component("cube", [part])]), tmp_path / "cube.3dt")
    spec = td.ModelSpec("cube")
    spec.geometry = str(tmp_path / "cube.3dt")
    spec.add_body("cube", mass=1.0, type="sphere", size=(0.1,))
    spec.add_joint("free", "free", None, "cube")
    spec.add_shape("skin", "cube", "part", file="cube", scale=(0.2, 0.2, 0.2), role="collision")
    model = spec.compile()
    assert np.ptp(td.collision_meshes(model)["skin"][0], axis=0) == pytest.approx([0.2, 0.2, 0.2])
    spec.shapes[0].file = "ball"
    with pytest.raises(td.ModelError, match='is the part "ball", which the geometry file does not have'):
        td.collision_meshes(spec.compile())


def test_points_of_a_mesh_need_no_file(tmp_path):
    ball = trimesh.creation.icosphere(2, 0.1)
    spec = td.ModelSpec("ball")
    spec.add_shape("floor", None, "plane", role="collision")
    spec.add_body("ball", mass=1.0, type="sphere", size=(0.1,))
    spec.add_joint("flight", "free", None, "ball", position=(0, 0, 0.3))
    spec.add_shape("skin", "ball", "mesh", role="collision")
    model = spec.compile()
    sim = td.Simulation(model, dt=0.01, meshes={"skin": (ball.vertices, ball.faces)})
    sim.run(1.0)
    assert sim.body("ball").position[2] == pytest.approx(0.1, abs=1e-3)
    with pytest.raises(td.ModelError, match=r"is a mesh without a file; give meshes=\{'skin': \(points, tri"):
        td.Simulation(model)
    with pytest.raises(td.InputError, match="no collision mesh named 'shin'; did you mean 'skin'"):
        td.Simulation(model, meshes={"shin": (ball.vertices, ball.faces)})
    (finding,) = td.save(model, tmp_path / "ball.toml")
    assert str(finding) == 'shapes left out, for their meshes have no file: "skin"'
    assert [shape.name for shape in td.load(tmp_path / "ball.toml").shapes] == ["floor"]
