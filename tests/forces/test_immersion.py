"""What of closed meshes is under the surface, against counted points: also of hollow ones and rings."""

import numpy as np
import pytest
import trimesh

from treadle.forces.immersion import mesh_immersed
from treadle.spatial import Vec3

#: Points along the longest side of a mesh's box.
GRID = 44


def boulder(rng: np.random.Generator) -> trimesh.Trimesh:
    """Star-shaped, with dents and spikes."""
    ball = trimesh.creation.icosphere(subdivisions=2)
    radii = rng.uniform(0.4, 1.2, len(ball.vertices))
    return trimesh.Trimesh(ball.vertices * radii[:, None] * rng.uniform(0.5, 1.5, 3), ball.faces)


def ring(rng: np.random.Generator) -> trimesh.Trimesh:
    return trimesh.creation.torus(1.0, rng.uniform(0.2, 0.5), major_sections=16, minor_sections=9)


def pipe(rng: np.random.Generator) -> trimesh.Trimesh:
    return trimesh.creation.annulus(rng.uniform(0.3, 0.6), 0.9, rng.uniform(0.4, 2.0), sections=14)


def hollow(rng: np.random.Generator) -> trimesh.Trimesh:
    """A box with a closed room inside."""
    outer = trimesh.creation.box(rng.uniform(1.0, 2.0, 3))
    room = trimesh.creation.icosphere(subdivisions=1, radius=rng.uniform(0.2, 0.45))
    room.invert()
    return trimesh.util.concatenate([outer, room])


def winding(mesh: trimesh.Trimesh, points: np.ndarray) -> np.ndarray:
    """Sum of the solid angles of all triangles over 4 pi (Van Oosterom and Strackee 1983)."""
    total = np.zeros(len(points))
    for triangle in mesh.triangles:
        a, b, c = (corner - points for corner in triangle)
        la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a)))
        total += np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
    return total / (2.0 * np.pi)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("make", [boulder, ring, pipe, hollow])
def test_a_mesh_is_immersed_as_its_points_are(make, seed):
    """The counting is off by a share of the boundary's cells: 6e-3 of the volume covers it at this grid."""
    rng = np.random.default_rng(seed)
    mesh = make(rng)
    # faces along the grid would be counted all wrong, or all right
    mesh.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
    low, high = mesh.bounds
    cell = float((high - low).max() / GRID)
    axes = [np.arange(a + rng.random() * cell, b, cell) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points[winding(mesh, points) > 0.5]
    corners = [Vec3(*p) for p in mesh.vertices.tolist()]
    whole = len(points) * cell**3
    assert whole == pytest.approx(mesh.volume, rel=6e-3)
    for _ in range(4):
        up = rng.standard_normal(3)
        up /= np.linalg.norm(up)
        depth = float(rng.uniform(*np.quantile(points @ up, [0.02, 0.98])))
        found = mesh_immersed(corners, mesh.faces.tolist(), Vec3(*up.tolist()), depth)
        wet = points[points @ up < depth]
        size = np.ptp(points @ up)
        assert found.volume == pytest.approx(len(wet) * cell**3, abs=6e-3 * whole)
        np.testing.assert_allclose(list(found.moment), wet.sum(axis=0) * cell**3, atol=6e-3 * whole * size)
        counted = (depth - wet @ up).sum() * cell**3
        assert found.depth == pytest.approx(counted, abs=6e-3 * whole * size)


@pytest.mark.parametrize("make", [boulder, ring, pipe, hollow])
def test_the_surface_through_corners_and_faces(make):
    """Exactly through a corner or along a face, it is the limit from either side."""
    mesh = make(np.random.default_rng(5))
    corners = [Vec3(*p) for p in mesh.vertices.tolist()]
    for axis in range(3):
        up = Vec3(*np.eye(3)[axis].tolist())
        for height in sorted({float(x) for x in mesh.vertices[:, axis]})[::7]:
            at, below, above = (
                mesh_immersed(corners, mesh.faces.tolist(), up, height + shift)
                for shift in (0.0, -1e-9, 1e-9)
            )
            assert below.volume - 1e-7 < at.volume < above.volume + 1e-7
            assert above.volume - below.volume < 1e-7
            assert below.depth - 1e-7 < at.depth < above.depth + 1e-7
