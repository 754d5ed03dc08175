"""Random pairs of shapes in nearly degenerate poses, drawn in machine code.

Poses are drawn where rounding decides: axes parallel to 1e-16..1e-3 rad, edges on edges, faces on faces,
vertices on edges, one centre in the other, sizes from 1e-4 to 1e4 m, plates and needles, far from the origin.
A case is named by its seed, its pair and its number, and is the same in every run.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from math import cos, log2, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.spatial import ConvexHull

from treadle.collision.blocks import hull_block
from treadle.collision.kinds import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    KIND,
    KINDS,
    PLANE,
    REACH,
    ROW,
    SIZE,
    SPHERE,
)
from treadle.collision.mesh import Mesh, checked_mesh, convex_hull

SOLIDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "hull")
PAIRS = [
    *itertools.combinations_with_replacement(SOLIDS, 2),
    *(("plane", kind) for kind in SOLIDS),
]

#: Cases that share their hulls, and hulls of these: to make one costs as much as a hundred cases.
CHUNK, POOL = 10_000, 100
#: Most edges of a hull that are tried against those of another.
MOST_EDGES = 30


class Hulls(NamedTuple):
    """Convex hulls, one after the other: what belongs to hull h lies from starts[h] to starts[h + 1]."""

    #: (n, 3) corners, (n, 3) triangles, (n, 4) planes of the faces, (n, 3) unit directions of edges
    points: np.ndarray
    triangles: np.ndarray
    planes: np.ndarray
    edges: np.ndarray
    #: (n,) what the kernels know of them, see `treadle.collision.blocks`
    blocks: np.ndarray
    #: (hulls + 1, 5) into points, triangles, planes, edges and blocks
    starts: np.ndarray


class Cases(NamedTuple):
    """Pairs of shapes."""

    #: (n, 2, 18) rows of the shapes, see `treadle.collision.kinds`, without the addresses of hulls
    rows: np.ndarray
    #: (n, 2) number of the hull, (n, 2) what its lengths are multiplied by: a power of two, which is exact
    hull: np.ndarray
    scale: np.ndarray
    #: (n, 7) a motion of the second shape: its way (m), axis and angle (rad) in a step
    motion: np.ndarray


def make_cases(count: int) -> Cases:
    """Room for cases."""
    return Cases(
        np.zeros((count, 2, ROW)), np.zeros((count, 2), dtype=np.int64), np.ones((count, 2)),
        np.zeros((count, 7)),
    )  # fmt: skip


def drawn(seed: int, names: tuple[str, str], first: int, count: int) -> tuple[Cases, Hulls]:
    """Cases of one chunk: from the number `first` on."""
    hulls = pool(seed, first // CHUNK) if "hull" in names else hulls_of([])
    cases = make_cases(count)
    a, b = (KINDS[name] for name in names)
    draw(cases, hulls, a, b, np.uint64(seed), np.uint64(PAIRS.index(names)), np.uint64(first))
    return cases, hulls


@lru_cache(maxsize=128)
def pool(seed: int, chunk: int) -> Hulls:
    """The hulls of a chunk of cases, of sizes from 1 to 2 m."""
    rng = np.random.default_rng([seed, chunk])
    return hulls_of([_hull(rng) for _ in range(POOL)])


def hulls_of(meshes: list[Mesh]) -> Hulls:
    """Meshes as hulls; without any there is one that is empty."""
    empty = (
        np.zeros((0, 3)),
        np.zeros((0, 3), dtype=np.int64),
        np.zeros((0, 4)),
        np.zeros((0, 3)),
        np.zeros(0),
    )
    parts = list(zip(empty, *(_known(mesh) for mesh in meshes)))
    starts = np.array([np.cumsum([len(array) for array in part]) for part in parts]).T
    if not meshes:
        starts = np.zeros((2, 5), dtype=np.int64)
    return Hulls(*(np.concatenate(part) for part in parts), np.ascontiguousarray(starts))


def mesh_of(hulls: Hulls, h: int) -> Mesh:
    """A hull as a mesh."""
    (p, t), (p_end, t_end) = hulls.starts[h : h + 2, :2]
    return Mesh(hulls.points[p:p_end], hulls.triangles[t:t_end], np.zeros(3), True, True)


def _known(mesh: Mesh) -> tuple[np.ndarray, ...]:
    hull = ConvexHull(mesh.points)
    return mesh.points, mesh.triangles, hull.equations, _edges(mesh.points, hull.simplices), hull_block(mesh)


def _edges(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    ends = np.unique(np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)), axis=0)
    ways = points[ends[:, 1]] - points[ends[:, 0]]
    ways = ways[np.linspace(0, len(ways) - 1, min(len(ways), MOST_EDGES)).astype(int)]
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def _hull(rng: np.random.Generator) -> Mesh:
    """A hull of random points, a box, a prism, a bipyramid, or of so many corners that cells find them."""
    proportions = np.zeros(3)
    draw_proportions(proportions, rng.integers(2**63, size=1, dtype=np.uint64))
    ring = [(np.cos(a), np.sin(a), z) for a in np.arange(6) * np.pi / 3 for z in (-1.0, 1.0)]
    points = {
        0: lambda: rng.normal(size=(12, 3)),
        1: lambda: np.array(list(itertools.product((-1.0, 1.0), repeat=3))),
        2: lambda: np.array(ring),
        3: lambda: np.vstack([np.eye(3), -np.eye(3)]),
        4: lambda: (x := rng.normal(size=(60, 3))) / np.linalg.norm(x, axis=1, keepdims=True),
    }[int(rng.choice(5, p=[0.225, 0.225, 0.225, 0.225, 0.1]))]()
    return checked_mesh("hull", *convex_hull(points * proportions * 2.0 ** rng.uniform()))


# ---------------------------------------------------------------------------------------------------------
# random numbers


@njit(cache=True)
def _next(state):
    """The next number of a stream (splitmix64; Steele, Lea and Flood, 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def uniform(state, low, high):
    return low + (high - low) * (_next(state) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def _integer(state, count):
    return min(int(uniform(state, 0.0, 1.0) * count), count - 1)


@njit(cache=True)
def _power(state, low, high):
    """Ten to a power between these."""
    return 10.0 ** uniform(state, low, high)


@njit(cache=True)
def _sign(state):
    return 1.0 if _integer(state, 2) == 0 else -1.0


@njit(cache=True)
def normal(state, out):
    """Three numbers of a normal distribution (Box and Muller)."""
    for k in range(3):
        u = 1.0 - uniform(state, 0.0, 1.0)
        out[k] = sqrt(-2.0 * np.log(u)) * cos(2.0 * pi * uniform(state, 0.0, 1.0))


# ---------------------------------------------------------------------------------------------------------
# vectors and rotations


@njit(cache=True)
def normalize(x):
    length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    for k in range(3):
        x[k] /= length


@njit(cache=True)
def turn(axis, angle, R):
    """Write the rotation about an axis of length one (Rodrigues)."""
    x, y, z = axis
    s, c = sin(angle), 1.0 - cos(angle)
    R[0, 0], R[0, 1], R[0, 2] = 1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y
    R[1, 0], R[1, 1], R[1, 2] = c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x
    R[2, 0], R[2, 1], R[2, 2] = c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y)


@njit(cache=True)
def turned(R, A):
    """R A, written into A."""
    for j in range(3):
        x, y, z = A[0, j], A[1, j], A[2, j]
        for i in range(3):
            A[i, j] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z


@njit(cache=True)
def into_world(A, x, out):
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]


@njit(cache=True)
def into_shape(A, x, out):
    for i in range(3):
        out[i] = A[0, i] * x[0] + A[1, i] * x[1] + A[2, i] * x[2]


# ---------------------------------------------------------------------------------------------------------
# shapes


@njit(cache=True)
def support(rows, j, points, start, stop, scale, x, y, z):
    """Support function h(n) of shape j along n = (x, y, z) in its own axes; of a plane along its normal.

    The corners of a hull are points[start:stop].
    """
    kind, a, b, c = rows[j, KIND], rows[j, SIZE], rows[j, SIZE + 1], rows[j, SIZE + 2]
    if kind == PLANE:
        return 0.0
    if kind == SPHERE:
        return a * sqrt(x * x + y * y + z * z)
    if kind == CAPSULE:
        return a * sqrt(x * x + y * y + z * z) + b * abs(z)
    if kind == BOX:
        return a * abs(x) + b * abs(y) + c * abs(z)
    if kind == CYLINDER:
        return a * sqrt(x * x + y * y) + b * abs(z)
    if kind == ELLIPSOID:
        return sqrt((a * x) ** 2 + (b * y) ** 2 + (c * z) ** 2)
    most = -np.inf
    for i in range(start, stop):
        most = max(most, points[i, 0] * x + points[i, 1] * y + points[i, 2] * z)
    return scale * most


@njit(cache=True)
def _support_point(kind, size, hulls, h, scale, n, out):
    """A point of a shape that is farthest along n, in its own axes: of a face one of its corners."""
    length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    flat = sqrt(n[0] * n[0] + n[1] * n[1])
    out[:] = 0.0
    if kind == HULL:
        most = -np.inf
        for i in range(hulls.starts[h, 0], hulls.starts[h + 1, 0]):
            p = hulls.points[i]
            far = p[0] * n[0] + p[1] * n[1] + p[2] * n[2]
            if far > most:
                most = far
                out[:] = scale * p
        return
    for k in range(3):
        side = 1.0 if n[k] >= 0.0 else -1.0
        if kind in (SPHERE, CAPSULE):
            out[k] = size[0] * n[k] / length
        if kind == BOX:
            out[k] = side * size[k]
        if kind == ELLIPSOID:
            out[k] = (
                size[k] ** 2
                * n[k]
                / sqrt((size[0] * n[0]) ** 2 + (size[1] * n[1]) ** 2 + (size[2] * n[2]) ** 2)
            )
        if kind == CYLINDER and k < 2 and flat > 0.0:
            out[k] = size[0] * n[k] / flat
        if kind in (CAPSULE, CYLINDER) and k == 2:
            out[k] += side * size[1]


@njit(cache=True)
def reach(kind, size, hulls, h, scale):
    """The radius of a sphere around a shape's origin that it lies in; 0 for a plane."""
    if kind == PLANE:
        return 0.0
    if kind == SPHERE:
        return size[0]
    if kind == CAPSULE:
        return size[0] + size[1]
    if kind == CYLINDER:
        return sqrt(size[0] ** 2 + size[1] ** 2)
    if kind != HULL:
        return sqrt(size[0] ** 2 + size[1] ** 2 + size[2] ** 2)
    most = 0.0
    for i in range(hulls.starts[h, 0], hulls.starts[h + 1, 0]):
        p = hulls.points[i]
        most = max(most, p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    return scale * sqrt(most)


@njit(cache=True)
def draw_proportions(out, state):
    """Compact, a cube, a plate or a needle."""
    thin = _power(state, -3.0, -1.0)
    style, first, second = _integer(state, 4), _integer(state, 3), 1 + _integer(state, 2)
    for k in range(3):
        out[k] = uniform(state, 0.3, 1.0) if style == 0 else 1.0
    if style == 2:
        out[first], out[(first + second) % 3] = thin, uniform(state, 0.5, 1.0)
    if style == 3:
        out[first], out[(first + second) % 3] = thin, thin


@njit(cache=True)
def _shape(state, kind, wanted, hulls, row, half):
    """Draw a shape of about this size (m); returns the number and the factor of its hull."""
    row[KIND], h, scale = kind, 0, 1.0
    if kind == HULL:
        h = _integer(state, len(hulls.starts) - 1)
        # hulls of the pool are 1 to 2 m large
        scale = 2.0 ** np.floor(log2(wanted))
        half[:] = 0.0
        for i in range(hulls.starts[h, 0], hulls.starts[h + 1, 0]):
            for k in range(3):
                half[k] = max(half[k], scale * hulls.points[i, k])
    else:
        draw_proportions(half, state)
        for k in range(3):
            half[k] *= wanted
    used = 0 if kind == PLANE else 1 if kind == SPHERE else 2 if kind in (CAPSULE, CYLINDER) else 3
    for k in range(used):
        row[SIZE + k] = half[k]
    row[REACH] = reach(kind, half, hulls, h, scale)
    if kind == PLANE:
        row[REACH], half[:] = np.inf, 0.0
    if kind == ELLIPSOID:
        row[REACH] = half.max()
    return h, scale


@njit(cache=True)
def _special(state, kind, out):
    """A direction in which a shape has a face, an edge or a vertex, or any."""
    style, k = _integer(state, 4), _integer(state, 3)
    for i in range(3):
        out[i] = _sign(state)
        if (style == 0 and i != k) or (style == 1 and i == k):
            out[i] = 0.0
    if style == 3:
        normal(state, out)
    if kind == PLANE:
        out[0], out[1], out[2] = 0.0, 0.0, 1.0
    normalize(out)


@njit(cache=True)
def _sideways(state, style, first, second, out):
    """None, so that edges lie over edges; from border to border; or any."""
    side = _sign(state)
    for k in range(3):
        out[k] = 0.0
        if style == 1:
            out[k] = (_integer(state, 3) - 1.0) * (first[k] + side * second[k])
        if style == 2:
            out[k] = uniform(state, -1.0, 1.0) * (first[k] + second[k])


@njit(cache=True)
def _place(state, cases, hulls, i, A, B, n, half, small, out):
    """Where B is from A: touching along n, support points at one place or aside; or centre on centre."""
    x, w = np.zeros(3), np.zeros(3)
    style, far = _integer(state, 8), 0.0
    gap = (_integer(state, 3) - 1) * _power(state, -14.0, 0.0) * small
    meeting, concentric = style in (3, 4, 5), style == 6 and _integer(state, 2) == 0
    out[:] = 0.0
    for j in range(2):
        row, h, scale, R = cases.rows[i, j], cases.hull[i, j], cases.scale[i, j], A if j == 0 else B
        into_shape(R, n if j == 0 else -n, x)
        start, stop = hulls.starts[h, 0], hulls.starts[h + 1, 0]
        far += support(cases.rows[i], j, hulls.points, start, stop, scale, x[0], x[1], x[2])
        if meeting:
            _support_point(row[KIND], row[SIZE:REACH], hulls, h, scale, x, w)
            into_world(R, w, x)
            for k in range(3):
                out[k] += x[k] if j == 0 else -x[k]
    if not meeting:
        _sideways(state, style, half[0], half[1], x)
        into_world(A, x, out)
        aside = out @ n
        for k in range(3):
            out[k] += (far - aside) * n[k]
    if concentric:
        out[:] = 0.0
    for k in range(3):
        out[k] += gap * n[k]


@njit(cache=True)
def _turns(state, A, B, x, R):
    """Draw the rotations: axes of B along those of A, or half way between, and then tilted by very little."""
    A[:] = np.eye(3)
    if _integer(state, 2) == 0:
        normal(state, x)
        normalize(x)
        turn(x, uniform(state, -pi, pi), A)
    B[:] = np.eye(3)
    if uniform(state, 0.0, 1.0) < 0.15:
        normal(state, x)
        normalize(x)
        turn(x, uniform(state, -pi, pi), B)
        return
    for k in range(2, -1, -1):
        for i in range(3):
            x[i] = 1.0 if i == k else 0.0
        turn(x, (_integer(state, 5) - 2) * pi / 4, R)
        turned(R, B)
    turned(A, B)
    normal(state, x)
    normalize(x)
    angle = _power(state, -16.0, -3.0)
    turn(x, 0.0 if _integer(state, 2) == 0 else angle, R)
    turned(R, B)


@njit(cache=True)
def draw(cases, hulls, a, b, seed, pair, first):
    """Draw cases of the kinds a and b, from the number `first` on."""
    state = np.zeros(1, dtype=np.uint64)
    A, B, R, x, n = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    half, place = np.zeros((2, 3)), np.zeros(3)
    for i in range(len(cases.rows)):
        state[0] = seed
        state[0] = _next(state) ^ pair
        state[0] = _next(state) ^ (first + np.uint64(i))
        rows, hull, scales = cases.rows[i], cases.hull[i], cases.scale[i]
        scale = _power(state, -4.0, 4.0)
        ratio = _power(state, -1.0, 1.0) if uniform(state, 0.0, 1.0) < 0.8 else _power(state, -3.0, 3.0)
        hull[0], scales[0] = _shape(state, a, scale, hulls, rows[0], half[0])
        hull[1], scales[1] = _shape(state, b, scale * ratio, hulls, rows[1], half[1])
        _turns(state, A, B, x, R)
        _special(state, a, x)
        into_world(A, x, n)
        small = np.inf
        for j in range(2):
            size = reach(rows[j, KIND], rows[j, SIZE:REACH], hulls, hull[j], scales[j])
            small = min(small, size) if size > 0.0 else small
        _place(state, cases, hulls, i, A, B, n, half, small, place)
        normal(state, x)
        away = scale * np.array([0.0, 1.0, 10.0])[_integer(state, 3)]
        for k in range(3):
            rows[0, 9 + k], rows[1, 9 + k] = x[k] * away, x[k] * away + place[k]
            rows[0, 3 * k : 3 * k + 3], rows[1, 3 * k : 3 * k + 3] = A[k], B[k]
        _motion(state, small, reach(b, rows[1, SIZE:REACH], hulls, hull[1], scales[1]), cases.motion[i])


@njit(cache=True)
def _motion(state, small, size, out):
    length = small * _power(state, -12.0, -2.0)
    for j in range(2):
        normal(state, out[3 * j : 3 * j + 3])
        normalize(out[3 * j : 3 * j + 3])
    out[:3] *= length
    out[6] = length / size
