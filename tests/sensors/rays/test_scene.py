"""Rays against triangles, primitives, planes and terrain, on bodies that move."""

import numpy as np
import pytest
import trimesh

import treadle as td
from treadle.errors import InputError
from treadle.model import ModelSpec
from treadle.sensors.rays import RayScene

SIZES = {
    "sphere": (0.7,), "box": (1.0, 1.6, 0.4), "cylinder": (0.5, 1.4), "capsule": (0.4, 1.2),
    "ellipsoid": (0.9, 0.5, 0.3),
}  # fmt: skip


def inside(kind, size, p):
    """A function of points (n, 3) in a primitive's axes that is negative inside it."""
    x, y, z = p.T
    match kind:
        case "sphere":
            return np.linalg.norm(p, axis=1) - size[0]
        case "box":
            return np.abs(p / (0.5 * np.array(size))).max(axis=1) - 1.0
        case "cylinder":
            return np.maximum(np.hypot(x, y) - size[0], np.abs(z) - 0.5 * size[1])
        case "capsule":
            end = np.clip(z, -0.5 * size[1], 0.5 * size[1])
            return np.sqrt(x * x + y * y + (z - end) ** 2) - size[0]
    return np.linalg.norm(p / np.array(size), axis=1) - 1.0


def random_rotation(rng):
    q = rng.standard_normal(4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def rays(rng, n, spread=4.0):
    """Rays from around the origin towards it, roughly; a tenth of them along an axis."""
    origins = rng.uniform(-spread, spread, (n, 3))
    directions = rng.uniform(-1, 1, (n, 3)) - origins
    axis = rng.integers(0, 3, n)
    aligned = np.arange(n) % 10 == 0
    directions[aligned] = np.eye(3)[axis[aligned]] * rng.choice([-1.0, 1.0], aligned.sum())[:, None]
    return origins, directions / np.linalg.norm(directions, axis=1, keepdims=True)


def one_body(shape, size, rng=None):
    spec = ModelSpec("one")
    spec.add_body("body", 1.0, inertia=(1.0, 1.0, 1.0))
    spec.add_joint("base", "free", None, "body")
    options = {}
    if rng is not None:
        options = {"position": rng.uniform(-0.5, 0.5, 3).tolist(), "rotation": random_rotation(rng).tolist()}
    spec.add_shape("shape", "body", shape, size, **options)
    return spec.compile()


def free_pose(rng):
    q = rng.standard_normal(4)
    return np.concatenate([q / np.linalg.norm(q), rng.uniform(-1, 1, 3)])


@pytest.mark.parametrize("kind", SIZES)
def test_primitives_are_hit_where_their_surface_is_first_crossed(kind):
    rng = np.random.default_rng(3)
    model = one_body(kind, SIZES[kind], rng)
    scene = RayScene(model, free_pose(rng))
    X = scene.poses[0, 1]
    R, p = X[:9].reshape(3, 3), X[9:]
    S = model.shapes[0].placement.to_matrix()
    R, p = R @ S[:3, :3], R @ S[:3, 3] + p
    origins, ways = rays(rng, 400, 2.0)
    hits = scene.cast(origins, ways)
    found = np.isfinite(hits.distance)
    assert 0.2 < found.mean() < 1.0
    f = lambda points: inside(kind, SIZES[kind], (points - p) @ R)  # noqa: E731
    assert np.abs(f(hits.point[found])).max() < 1e-12
    # on the way there the side does not change, and after it it does
    for share in np.linspace(0.0, 0.999999, 60):
        ahead = np.where(found, hits.distance, 20.0) * share
        assert (np.sign(f(origins + ahead[:, None] * ways)) == np.sign(f(origins))).all()
    beyond = f(hits.point[found] + 1e-7 * ways[found])
    grazing = np.abs((hits.normal * ways).sum(axis=1))[found] < 1e-3
    assert (np.sign(beyond) == -np.sign(f(origins)[found]))[~grazing].all()
    # normals are unit vectors against the ray, across the surface
    assert ((hits.normal * ways).sum(axis=1)[found] <= 0.0).all()
    along = np.cross(hits.normal[found], rng.standard_normal(3))
    drift = f(hits.point[found] + 1e-5 * along / np.linalg.norm(along, axis=1, keepdims=True))
    # second order in the step, but for points within it of an edge
    assert np.quantile(np.abs(drift), 0.98) < 1e-8


def soup(rng, count):
    """Triangles around the origin, as a mesh file would hold them."""
    corners = rng.uniform(-1, 1, (count, 1, 3)) + 0.4 * rng.standard_normal((count, 3, 3))
    return corners


@pytest.mark.parametrize("seed", range(4))
def test_meshes_on_moving_bodies_against_brute_force(seed, tmp_path):
    rng = np.random.default_rng(seed)
    spec = ModelSpec("soups")
    soups = [soup(rng, n) for n in (1, 40, 300)]
    for k, corners in enumerate(soups):
        trimesh.Trimesh(
            corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), process=False
        ).export(tmp_path / f"soup{k}.obj", digits=17)
        link = None
        if k:
            link = f"body{k}"
            spec.add_body(link, 1.0, inertia=(1.0, 1.0, 1.0))
            spec.add_joint(f"base{k}", "free", None, link)
        spec.add_shape(f"soup{k}", link, "mesh", file=str(tmp_path / f"soup{k}.obj"))
    model = spec.compile()
    scene = RayScene(model)
    origins, ways = rays(rng, 300)
    q = np.concatenate([free_pose(rng), free_pose(rng)])
    scene.place(q)
    hits = scene.cast(origins, ways)
    world = [
        (corners @ X[:9].reshape(3, 3).T + X[9:], k)
        for k, (corners, X) in enumerate(zip(soups, scene.poses[0], strict=True))
    ]
    triangles = np.concatenate([corners for corners, _ in world])
    owner = np.concatenate([np.full(len(corners), k) for corners, k in world])
    expected, which = brute_force(triangles, origins, ways)
    np.testing.assert_allclose(hits.distance, expected, rtol=1e-10)
    surfaces = np.where(np.isfinite(expected), owner[which], -1)
    assert [scene.surfaces[s].name if s >= 0 else None for s in hits.surface] == [
        f"soup{k}" if k >= 0 else None for k in surfaces
    ]
    # an occlusion test agrees, within any limit
    limit = rng.uniform(0.0, 6.0, len(origins))
    assert (scene.occluded(origins, ways, limit) == (expected <= limit)).all()
    without = scene.cast(origins, ways, ignore=["body2", "world"])
    assert set(np.unique(without.surface)) <= {-1, 1}


def brute_force(triangles, origins, ways):
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    best, which = np.full(len(origins), np.inf), np.zeros(len(origins), dtype=int)
    for i, (o, d) in enumerate(zip(origins, ways, strict=True)):
        # o + t d = a + x u + y v
        M = np.stack([u, v, np.broadcast_to(-d, u.shape)], axis=-1)
        flat = np.abs(np.linalg.det(M)) < 1e-14
        M[flat] = np.eye(3)
        x, y, t = np.linalg.solve(M, (o - a)[..., None])[..., 0].T
        t = np.where(~flat & (x >= 0) & (y >= 0) & (x + y <= 1) & (t > 0), t, np.inf)
        best[i], which[i] = t.min(), t.argmin()
    return best, which


def test_groups_of_rays_see_the_bodies_at_their_own_instants():
    rng = np.random.default_rng(0)
    scene = RayScene(one_body("box", (1.0, 0.6, 0.8)), terrain=td.Plane(-2.0))
    poses = [free_pose(rng) for _ in range(7)]
    origins, ways = rays(rng, 70)
    together = scene.cast(origins, ways, poses=np.stack([scene.body_poses(q) for q in poses]))
    normal = together.normal
    threaded = scene.cast(origins, ways, poses=np.stack([scene.body_poses(q) for q in poses]), threads=3)
    assert (threaded.distance == together.distance).all()
    for k, q in enumerate(poses):
        scene.place(q)
        one = scene.cast(origins[10 * k : 10 * k + 10], ways[10 * k : 10 * k + 10])
        assert (one.distance == together.distance[10 * k : 10 * k + 10]).all()
        assert (one.normal == normal[10 * k : 10 * k + 10]).all()
    assert (scene.cast(origins, ways, threads=2).distance == scene.cast(origins, ways).distance).all()
    with pytest.raises(InputError, match="groups of equal size"):
        scene.cast(origins[:69], ways[:69], poses=np.stack([scene.body_poses(q) for q in poses]))


@pytest.mark.parametrize("seed", range(4))
def test_terrain_is_hit_where_it_is_first_crossed(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 60, 2)
    grid = td.Grid(
        rng.uniform(-1, 1, shape), tuple(rng.uniform(0.1, 0.7, 2)), tuple(rng.uniform(-9, 0, 2)), friction=0.5
    )
    scene = RayScene(one_body("sphere", (0.01,)), terrain=grid, links=())
    n = 300
    low = np.array(grid.origin)
    high = low + (np.array(shape) - 1) * grid.spacing
    aim = np.column_stack([rng.uniform(low, high, (n, 2)), rng.uniform(-1.2, 1.2, n)])
    origins = np.column_stack([rng.uniform(low - 2, high + 2, (n, 2)), rng.uniform(-2, 4, n)])
    ways = aim - origins
    ways[::9] *= (1.0, 0.0, 1.0)
    ways[1::9] *= (0.0, 0.0, 1.0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    hits = scene.cast(origins, ways)
    found = np.isfinite(hits.distance)
    assert found.mean() > 0.3

    def above(points):
        """Height over the grid, positive beyond its border."""
        within = ((points[:, :2] >= low) & (points[:, :2] <= high)).all(axis=1)
        z = np.array([float(grid.height(x, y)) for x, y in points[:, :2].tolist()])
        return np.where(within, points[:, 2] - z, np.nan)

    assert np.nanmax(np.abs(above(hits.point[found]))) < 1e-9
    # before the hit the height over the ground keeps its sign
    sign = np.zeros(n)
    for share in np.linspace(0.0, 0.9999, 150):
        ahead = np.where(found, hits.distance, 12.0) * share
        now = np.nan_to_num(np.sign(above(origins + ahead[:, None] * ways)))
        assert ((now == 0) | (sign == 0) | (now == sign)).all()
        sign = np.where(now != 0, now, sign)
    # normals are those of the patch
    h = 1e-6
    points = hits.point[found]
    heights = lambda dx, dy: above(points + np.array([dx, dy, 0.0]))  # noqa: E731
    slopes = np.column_stack([heights(h, 0) - heights(-h, 0), heights(0, h) - heights(0, -h)]) / (2 * h)
    normal = np.column_stack([slopes, np.ones(len(slopes))])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    error = np.abs(np.abs((normal * hits.normal[found]).sum(axis=1)) - 1.0)
    assert np.nanquantile(error, 0.99) < 1e-6


def test_planes_and_other_terrains():
    model = one_body("sphere", (0.01,))
    down = np.array([[0.0, 0.0, -1.0]])
    slope = RayScene(model, terrain=td.Plane(0.3, (0.2, -0.1)), links=())
    hit = slope.cast([[2.0, 1.0, 5.0]], down)
    assert hit.distance[0] == pytest.approx(5.0 - (0.3 + 0.4 - 0.1))
    np.testing.assert_allclose(hit.normal[0], np.array([-0.2, 0.1, 1.0]) / np.sqrt(1.05))
    assert slope.surfaces[hit.surface[0]].name == "terrain"
    ramp = RayScene(model, terrain=td.Ramp(1.0, 0.5, 3.0, flat=2.0), links=())
    assert ramp.cast([[0.3, 0.2, 5.0]], down).distance[0] == pytest.approx(4.0)
    assert ramp.cast([[0.3, 9.0, 5.0]], down).distance[0] == pytest.approx(5.0)
    assert not np.isfinite(ramp.cast([[90.0, 0.0, 5.0]], down).distance[0])


def test_the_roadheader_in_its_tunnel():
    model = td.scene("roadheader")
    scene = RayScene(model)
    assert scene.enclosed and {surface.link for surface in scene.surfaces} > {"world"}
    rng = np.random.default_rng(5)
    ways = rng.standard_normal((60, 3))
    hits = scene.cast((-1.01, 0.61, 2.61), ways)
    triangles = np.concatenate(
        [p.triangles @ X[:9].reshape(3, 3).T + X[9:] for p in scene.pieces for X in [scene.poses[0, p.body]]]
    )
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    s = np.array([-1.01, 0.61, 2.61]) - a
    q = np.cross(s, u)
    for d, distance in zip(hits.directions, hits.distance, strict=True):
        h = np.cross(d, v)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1.0 / (u * h).sum(axis=1)
            x, y, t = (s * h).sum(axis=1) * inverse, (q @ d) * inverse, (v * q).sum(axis=1) * inverse
            found = (x >= 0) & (y >= 0) & (x + y <= 1) & (t > 0)
        expected = t[found].min() if found.any() else np.inf
        assert distance == pytest.approx(expected, rel=1e-9)
    outside = RayScene(model, surroundings=False)
    assert not outside.enclosed and len(outside.surfaces) < len(scene.surfaces)


def test_wrong_rays_are_refused():
    scene = RayScene(one_body("sphere", (1.0,)))
    for origins, ways in (
        ([[0, 0, 0]], [[0, 0, 0]]),
        ([[np.nan, 0, 0]], [[1, 0, 0]]),
        ([0, 0], [1, 0]),
        (["a"], [1]),
    ):
        with pytest.raises(InputError, match="rays must be"):
            scene.cast(origins, ways)
    with pytest.raises(InputError, match="did you mean 'body'"):
        scene.cast([[0, 0, 0]], [[1, 0, 0]], ignore=["bodi"])
    with pytest.raises(InputError, match="role"):
        RayScene(scene.model, role="sound")
    with pytest.raises(InputError, match="no link"):
        RayScene(scene.model, links=["wheel"])


def test_a_ray_that_starts_inside_sees_the_surface_from_within():
    scene = RayScene(one_body("sphere", (1.0,)))
    hit = scene.cast([[0.0, 0.0, 0.5]], [[0.0, 0.0, 1.0]])
    assert hit.distance[0] == pytest.approx(0.5)
    np.testing.assert_allclose(hit.normal[0], (0.0, 0.0, -1.0))
