"""Steps of machines whose shapes are meshes: as the primitives that these are made from, and at rest."""

import numpy as np
import pytest
import trimesh

import treadle as td


def mesh(body):
    return np.array(body.vertices), np.array(body.faces)


BOX = mesh(trimesh.creation.box((0.4, 0.3, 0.2)))
STAIRS = mesh(
    trimesh.boolean.union(
        [
            trimesh.creation.box(bounds=[(-1, -1, -1), (0, 1, 0.5)]),
            trimesh.creation.box(bounds=[(-1, -1, -1), (1, 1, 0)]),
        ],
        engine="manifold",
    )
)


def machine(kind, world="plane"):
    """A crate with a shape of this kind over the world."""
    spec = td.ModelSpec("crate")
    file = "given.stl" if world == "mesh" else None
    spec.add_shape("ground", None, world, role="collision", file=file)
    spec.add_body("crate", mass=2.0, type="box", size=(0.4, 0.3, 0.2))
    spec.add_joint("free", "free", None, "crate")
    size = (0.4, 0.3, 0.2) if kind == "box" else ()
    file = "given.stl" if kind == "mesh" else None
    spec.add_shape("shape", "crate", kind, size, role="collision", file=file)
    return spec.compile()


def fallen(kind, world="plane", meshes=None, q=(1, 0, 0, 0, 0, 0, 0.3), seconds=1.0):
    sim = td.Simulation(machine(kind, world), dt=0.005, q=q, meshes=meshes)
    assert sim.contact
    sim.run(seconds)
    return sim


def test_a_mesh_of_a_box_falls_as_the_box():
    turned = (*(np.array([0.9, 0.3, 0.2, 0.1]) / np.sqrt(0.95)), 0, 0, 0.4)
    box, hull = fallen("box", q=turned), fallen("mesh", meshes={"shape": BOX}, q=turned)
    # both lie on the same face; on the way the corners of a mesh are all looked at
    assert hull.body("crate").pose[2, 3] == pytest.approx(box.body("crate").pose[2, 3], abs=1e-6)
    assert np.abs(hull.v).max() < 1e-6


def test_a_crate_stands_on_stairs_of_triangles():
    """Half over the edge of the upper step, and on the lower one beside the wall."""
    upper = fallen("box", "mesh", {"ground": STAIRS}, q=(1, 0, 0, 0, -0.1, 0.2, 0.65))
    assert upper.q[4:] == pytest.approx([-0.1, 0.2, 0.6], abs=1e-6)
    lower = fallen("box", "mesh", {"ground": STAIRS}, q=(1, 0, 0, 0, 0.201, 0.2, 0.2))
    assert lower.q[4:] == pytest.approx([0.201, 0.2, 0.1], abs=1e-5)
    hull = fallen("mesh", "mesh", {"ground": STAIRS, "shape": BOX}, q=(1, 0, 0, 0, 0.4, 0.2, 0.2))
    assert hull.q[4:] == pytest.approx([0.4, 0.2, 0.1], abs=1e-6)
    assert np.abs(hull.v).max() < 1e-6


def test_a_mesh_stands_on_terrain_of_heights():
    sim = td.Simulation(
        machine("mesh"), dt=0.005, q=(1, 0, 0, 0, 0.1, 0.05, 0.45), meshes={"shape": BOX},
        terrain=td.Grid(np.full((9, 9), 0.2), (0.5, 0.5), (-2.0, -2.0)),
    )  # fmt: skip
    sim.run(1.0)
    assert sim.q[6] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("height", [0.12, 0.5])
def test_a_ring_with_a_round_underside_comes_to_rest_on_its_lowest_corners(height):
    """Many corners are near the floor as it falls; those further out are higher."""
    ring = trimesh.creation.torus(0.3, 0.1)
    sim = td.Simulation(
        machine("mesh"),
        dt=0.01,
        q=(1, 0, 0, 0, 0, 0, height),
        meshes={"shape": td.convex_hull(ring.vertices)},
    )
    sim.run(2.0)
    assert sim.q[6] == pytest.approx(0.1, abs=1e-6)
    assert np.abs(sim.v).max() < 1e-9
    assert sim.contact_on("crate").force == pytest.approx([0, 0, 2.0 * 9.81], abs=1e-6)
    assert all(np.hypot(*point.position[:2]) == pytest.approx(0.3, abs=1e-6) for point in sim.contacts())


def test_what_cannot_touch_is_told():
    both = td.Simulation(machine("mesh", "mesh"), dt=0.01, meshes={"shape": STAIRS, "ground": STAIRS})
    with pytest.raises(td.InputError, match=r"'ground' and 'shape' .* td\.convex_hull"):
        both.step()
    hull = td.convex_hull(STAIRS[0])
    sim = td.Simulation(machine("mesh", "mesh"), dt=0.01, meshes={"shape": hull, "ground": STAIRS})
    sim.step()
    with pytest.raises(td.InputError, match="four points"):
        td.convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
