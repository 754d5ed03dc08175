"""Random pairs of shapes in nearly degenerate poses, and proofs that their contact points are right.

Poses are drawn where rounding decides: axes parallel to 1e-16..1e-3 rad, edges on edges, faces on faces,
vertices on edges, sizes from 1e-4 to 1e4 m, plates and needles. A result proves itself: along its normal the
gap of the support functions is a bound of the signed distance from below, and a pair of points that belong to
the shapes is one from above; of shapes that overlap no direction may have a larger gap.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from tests.collision.pairs import pair, points_of
from treadle.collision.mesh import checked_mesh, convex_hull

SOLIDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "hull")
PAIRS = [
    *itertools.combinations_with_replacement(SOLIDS, 2),
    *(("plane", kind) for kind in SOLIDS),
]

#: Error allowed, as a share of the larger of the two shapes: rounding; that of a search; and that of the
#: search between curved shapes and hulls.
ROUNDING, SEARCHED, CURVED_HULL = 1e-9, 1e-8, 1e-6

#: Angle (rad) up to which edges count as parallel: further points of theirs are off by it times their length.
PARALLEL = 1e-3

#: Directions that are tried against the depth of shapes that overlap.
DIRECTIONS = np.random.default_rng(1).normal(size=(300, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)


@dataclass
class Solid:
    """A shape, its half sizes (m), and for a hull its points and the planes of its faces."""

    kind: str
    size: np.ndarray
    points: np.ndarray | None = None
    planes: np.ndarray | None = None
    mesh: object = None

    @property
    def given(self):
        return self.mesh if self.mesh is not None else (self.kind, self.size)

    @property
    def reach(self) -> float:
        if self.kind == "plane":
            return 0.0
        if self.points is not None:
            return float(np.linalg.norm(self.points, axis=1).max())
        r = self.size
        return {"sphere": r[0], "capsule": r[0] + r[1], "cylinder": np.hypot(r[0], r[1])}.get(
            self.kind, float(np.linalg.norm(r))
        )

    def support(self, N: np.ndarray) -> np.ndarray:
        """h(n) for directions N (k, 3) in the shape's own axes."""
        flat = np.hypot(N[:, 0], N[:, 1])
        match self.kind:
            case "sphere":
                return self.size[0] * np.linalg.norm(N, axis=1)
            case "capsule":
                return self.size[0] * np.linalg.norm(N, axis=1) + self.size[1] * np.abs(N[:, 2])
            case "box":
                return np.abs(N) @ self.size
            case "cylinder":
                return self.size[0] * flat + self.size[1] * np.abs(N[:, 2])
            case "ellipsoid":
                return np.linalg.norm(N * self.size, axis=1)
            case "plane":
                return np.where(N[:, 2] > 1.0 - 1e-12, 0.0, np.inf)
        return (N @ self.points.T).max(axis=1)

    def outside(self, p: np.ndarray) -> np.ndarray:
        """How far points (k, 3) in the shape's own axes are outside it; not positive inside."""
        flat = np.hypot(p[:, 0], p[:, 1])
        match self.kind:
            case "sphere":
                return np.linalg.norm(p, axis=1) - self.size[0]
            case "capsule":
                beyond = np.maximum(np.abs(p[:, 2]) - self.size[1], 0.0)
                return np.hypot(flat, beyond) - self.size[0]
            case "box":
                return (np.abs(p) - self.size).max(axis=1)
            case "cylinder":
                return np.maximum(flat - self.size[0], np.abs(p[:, 2]) - self.size[1])
            case "ellipsoid":
                return (np.linalg.norm(p / self.size, axis=1) - 1.0) * self.size.min()
            case "plane":
                return p[:, 2]
        return (p @ self.planes[:, :3].T + self.planes[:, 3]).max(axis=1)

    def directions(self) -> np.ndarray:
        """Normals of faces and axes, in the shape's own axes."""
        return np.eye(3) if self.planes is None else np.vstack([np.eye(3), self.planes[:, :3]])

    def edges(self) -> np.ndarray:
        """Directions of edges, in the shape's own axes."""
        if self.points is None:
            return np.eye(3)
        hull = ConvexHull(self.points)
        ends = np.vstack([hull.simplices[:, [0, 1]], hull.simplices[:, [1, 2]], hull.simplices[:, [2, 0]]])
        ways = self.points[ends[:, 1]] - self.points[ends[:, 0]]
        return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def solid(rng, kind: str, scale: float) -> Solid:
    """A shape of about this size (m): compact, a plate or a needle."""
    thin = 10.0 ** rng.uniform(-3.0, -1.0)
    proportions = {
        0: rng.uniform(0.3, 1.0, 3),
        1: np.ones(3),
        2: rng.permutation([1.0, rng.uniform(0.5, 1.0), thin]),
        3: rng.permutation([1.0, thin, thin]),
    }[int(rng.integers(4))]
    size = scale * proportions
    if kind != "hull":
        return Solid(kind, size)
    points = {
        0: lambda: rng.normal(size=(12, 3)),
        1: lambda: np.array(list(itertools.product((-1.0, 1.0), repeat=3))),
        2: lambda: np.array(
            [(np.cos(a), np.sin(a), z) for a in np.arange(6) * np.pi / 3 for z in (-1.0, 1.0)]
        ),
        3: lambda: np.vstack([np.eye(3), -np.eye(3)]),
    }[int(rng.integers(4))]()
    mesh = checked_mesh("hull", *convex_hull(points * size))
    hull = ConvexHull(mesh.points)
    return Solid("hull", mesh.half, mesh.points, hull.equations, mesh)


def rotation(rng, axis=None, angle=None) -> np.ndarray:
    """About a random axis by a random angle, or by those given."""
    axis = rng.normal(size=3) if axis is None else np.asarray(axis, float)
    angle = rng.uniform(-np.pi, np.pi) if angle is None else angle
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def scene(rng, first: str, second: str) -> tuple[list[Solid], np.ndarray]:
    """Two shapes and their poses (2, 12), nearly touching in a special way."""
    scale = 10.0 ** rng.uniform(-4.0, 4.0)
    ratio = 10.0 ** rng.uniform(-1.0, 1.0) if rng.random() < 0.8 else 10.0 ** rng.uniform(-3.0, 3.0)
    solids = [solid(rng, first, scale), solid(rng, second, scale * ratio)]
    A = np.eye(3) if rng.random() < 0.5 else rotation(rng)
    # axes of B along those of A, or half way between, and then tilted by very little
    turns = [rotation(rng, axis, rng.integers(-2, 3) * np.pi / 4) for axis in np.eye(3)]
    tilt = rotation(rng, None, float(rng.choice([0.0, 10.0 ** rng.uniform(-16.0, -3.0)])))
    B = rotation(rng) if rng.random() < 0.15 else tilt @ A @ turns[0] @ turns[1] @ turns[2]
    n = A @ _special(rng, solids[0])
    n /= np.linalg.norm(n)
    a, b = solids
    far = (0.0 if a.kind == "plane" else a.support((n @ A)[None])[0]) + b.support((-n @ B)[None])[0]
    small = min(solid.reach for solid in solids if solid.kind != "plane")
    gap = (
        float(rng.choice([0.0, 10.0 ** rng.uniform(-14.0, -0.5), -(10.0 ** rng.uniform(-14.0, -0.5))]))
        * small
    )
    sideways = A @ (_shift(rng, a, b))
    sideways -= (sideways @ n) * n
    place = n * (far + gap) + sideways
    origin = rng.normal(size=3) * scale * float(rng.choice([0.0, 1.0, 10.0]))
    X = np.array([np.concatenate([A.ravel(), origin]), np.concatenate([B.ravel(), origin + place])])
    return solids, X


def _special(rng, a: Solid) -> np.ndarray:
    """A direction in which a shape has a face, an edge or a vertex, or any."""
    if a.kind == "plane":
        return np.array([0.0, 0.0, 1.0])
    signs = rng.choice([-1.0, 1.0], 3)
    match int(rng.integers(4)):
        case 0:
            return signs * np.eye(3)[rng.integers(3)]
        case 1:
            return signs * (1.0 - np.eye(3)[rng.integers(3)])
        case 2:
            return signs
    return rng.normal(size=3)


def _shift(rng, a: Solid, b: Solid) -> np.ndarray:
    """Sideways: none, so that edges lie over edges, or any."""
    sizes = [np.zeros(3) if solid.kind == "plane" else np.resize(solid.size, 3) for solid in (a, b)]
    match int(rng.integers(3)):
        case 0:
            return np.zeros(3)
        case 1:
            return rng.choice([-1.0, 0.0, 1.0], 3) * (sizes[0] + rng.choice([-1.0, 1.0]) * sizes[1])
    return rng.uniform(-1.0, 1.0, 3) * (sizes[0] + sizes[1])


def accuracy(solids: list[Solid]) -> float:
    """The error that is allowed, as a share of the larger shape."""
    kinds = {solid.kind for solid in solids}
    if not kinds & {"cylinder", "ellipsoid"}:
        return SEARCHED if "hull" in kinds or (kinds <= {"capsule", "box"} and "box" in kinds) else ROUNDING
    return CURVED_HULL if "hull" in kinds else SEARCHED


def gaps(solids: list[Solid], X: np.ndarray, N: np.ndarray) -> np.ndarray:
    """The gap between the two shapes along each of the directions N (k, 3)."""
    d = X[1, 9:] - X[0, 9:]
    A, B = (X[i, :9].reshape(3, 3) for i in range(2))
    return N @ d - solids[0].support(N @ A) - solids[1].support(-N @ B)


def faults(solids: list[Solid], X: np.ndarray, margin: float = np.inf) -> list[str]:
    """What is wrong with the contact points of two shapes."""
    shapes, rows = pair(solids[0].given, solids[1].given, (X[0, 9:], X[0, :9].reshape(3, 3)),
                        (X[1, 9:], X[1, :9].reshape(3, 3)))  # fmt: skip
    data, _ = points_of(shapes, rows, margin)
    if not len(data):
        return ["no point"] if margin == np.inf else []
    if not np.isfinite(data).all():
        return ["a number is not finite"]
    found = []
    size = max(solid.reach for solid in solids)
    tolerance = accuracy(solids) * size
    best = data[data[:, 9].argmin()]
    n, s = best[6:9], best[9]
    if abs(np.linalg.norm(n) - 1.0) > 1e-9:
        found.append(f"the normal has the length {np.linalg.norm(n)}")
    # along this normal the gap is what it says: a bound from below
    gap = s if solids[0].kind == "plane" else float(gaps(solids, X, n[None])[0])
    if abs(gap - s) > tolerance:
        found.append(f"distance {s:.6g}, but the gap along the normal is {gap:.6g}")
    # the points belong to the shapes: a bound from above
    deepest = data[:, 9].argmin()
    for i in range(2):
        p = (data[:, 3 * i : 3 * i + 3] - X[i, 9:]) @ X[i, :9].reshape(3, 3)
        out = solids[i].outside(p)
        if out[deepest] > tolerance:
            found.append(f"the point is {out[deepest]:.3g} m outside shape {i}, a {solids[i].kind}")
        if out.max() > tolerance + PARALLEL * min(solid.reach or np.inf for solid in solids):
            found.append(f"a further point is {out.max():.3g} m outside shape {i}, a {solids[i].kind}")
    if s < 0.0 and solids[0].kind != "plane":
        N = _directions(solids, X)
        better = float(gaps(solids, X, N).max())
        if better > s + tolerance:
            found.append(f"depth {-s:.6g}, but there is a direction with {-better:.6g}")
    return found


def _directions(solids: list[Solid], X: np.ndarray) -> np.ndarray:
    """Directions of faces of both, across edges of both, from centre to centre, and many others."""
    A, B = (X[i, :9].reshape(3, 3) for i in range(2))
    faces = [solids[0].directions() @ A.T, solids[1].directions() @ B.T]
    across = np.cross((solids[0].edges() @ A.T)[:, None], (solids[1].edges() @ B.T)[None]).reshape(-1, 3)
    lengths = np.linalg.norm(across, axis=1)
    across = across[lengths > 1e-6] / lengths[lengths > 1e-6, None]
    N = np.vstack([*faces, across, DIRECTIONS])
    return np.vstack([N, -N])


def distance(solids: list[Solid], X: np.ndarray) -> float:
    """The signed distance that the kernels report."""
    shapes, rows = pair(solids[0].given, solids[1].given, (X[0, 9:], X[0, :9].reshape(3, 3)),
                        (X[1, 9:], X[1, :9].reshape(3, 3)))  # fmt: skip
    data, _ = points_of(shapes, rows)
    return float(data[:, 9].min())


def jump(rng, solids: list[Solid], X: np.ndarray, steps: int = 8) -> float:
    """The most that the distance changes along a motion beyond what points move, as a share of the size."""
    size = max(solid.reach for solid in solids)
    small = min(solid.reach for solid in solids if solid.kind != "plane")
    length = small * 10.0 ** rng.uniform(-12.0, -2.0)
    way = rng.normal(size=3)
    way *= length / np.linalg.norm(way)
    axis, angle = rng.normal(size=3), length / max(solids[1].reach, 1e-300)
    worst, before = 0.0, distance(solids, X)
    moved = X.copy()
    for _ in range(steps):
        moved[1, 9:] += way
        moved[1, :9] = (rotation(rng, axis, angle) @ moved[1, :9].reshape(3, 3)).ravel()
        now = distance(solids, moved)
        worst = max(worst, abs(now - before) - 2.0 * length * 1.01)
        before = now
    return worst / size
