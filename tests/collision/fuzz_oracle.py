"""Proofs that contact points are right, in machine code, from support functions alone.

Along its normal the gap of the support functions is a bound of the signed distance from below, and a pair of
points that belong to the shapes is one from above; of shapes that overlap no direction may have a larger gap.
`fuzz_reference` says the same in numpy.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import njit

from tests.collision.fuzz_cases import Cases, Hulls, into_world, reach, support, turn, turned
from treadle.collision.contacts import TOTAL
from treadle.collision.kernels import Contacts, fill, make_contacts, touch
from treadle.collision.kinds import (
    BLOCK,
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    KIND,
    PLANE,
    REACH,
    ROW,
    SIZE,
    SPHERE,
)
from treadle.native.intrinsics import call_by_address, integers, reals

#: Error allowed, as a share of the larger of the two shapes: rounding; that of a search; and that of the
#: search between curved shapes and hulls; and as a share of the coordinates of their places.
ROUNDING, SEARCHED, CURVED_HULL, PLACES = 1e-9, 1e-8, 1e-6, 1e-15

#: Angle (rad) up to which edges count as parallel: further points of theirs are outside by it times the
#: smaller shape, and inside by it times their length.
PARALLEL = 1e-3

#: Error allowed of what is a unit vector, or a plane's normal; and of that of a curved surface in a single
#: point, which is not better known than the point.
UNIT, SMOOTH = 1e-9, 1e-7

#: Directions that are tried against the depth of shapes that overlap, and steps uphill from the best of them.
DIRECTIONS = np.random.default_rng(1).normal(size=(300, 3))
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)
CLIMBS = 120

#: Most contact points of a pair.
ROOM = 64

#: What is checked of a case, in the order of its errors.
CHECKS = (
    "number of points",
    "unit normal",
    "normal of a curved surface",
    "gap along the normal",
    "point of the shape",
    "further point of the shape",
    "point on the surface",
    "further point on the surface",
    "points along the normal",
    "least depth",
    "distance within a margin",
    "continuous distance",
)
(
    NUMBER, NORMAL, CURVED, GAP, POINT, FURTHER_POINT, SURFACE, FURTHER_SURFACE, ALONG, DEPTH, MARGIN, JUMP,
) = range(len(CHECKS))  # fmt: skip

#: Steps of a motion.
STEPS = 2

_call_touch = call_by_address(touch.signature)


def errors_of(cases: Cases, hulls: Hulls) -> np.ndarray:
    """Errors (n, checks) as shares of those allowed: above 1 is wrong."""
    contacts = make_contacts(ROOM)
    count, points = contact_points(cases, hulls, contacts)
    errors = np.zeros((len(cases.rows), len(CHECKS)))
    judge(cases, hulls, count, points, DIRECTIONS, errors)
    move(cases, hulls, touch.address, contacts.desk, contacts.data, count, points, errors)
    return errors


def contact_points(cases: Cases, hulls: Hulls, contacts: Contacts) -> tuple[np.ndarray, np.ndarray]:
    """How many contact points every case has (n,), and these (n, 64, 10)."""
    fill(contacts.desk, {(int(a), int(b)) for a, b in np.unique(cases.rows[:, :, KIND], axis=0)})
    count, points = np.zeros(len(cases.rows), dtype=np.int64), np.zeros((len(cases.rows), ROOM, 10))
    collide(cases, hulls, touch.address, contacts.desk, contacts.data, count, points)
    return count, points


@njit(cache=True)
def _place(cases, hulls, i, rows, blocks):
    """The rows of a case, with addresses of hulls in their size."""
    for j in range(2):
        for k in range(ROW):
            rows[j, k] = cases.rows[i, j, k]
        if rows[j, KIND] == HULL:
            h = cases.hull[i, j]
            start, stop = hulls.starts[h, 4], hulls.starts[h + 1, 4]
            for k in range(stop - start):
                blocks[j, k] = hulls.blocks[start + k]
            for k in range(3, 3 + 3 * int(blocks[j, 0])):
                blocks[j, k] *= cases.scale[i, j]
            rows[j, BLOCK] = blocks[j].ctypes.data


@njit(cache=True)
def _room(hulls):
    most = 1
    for h in range(len(hulls.starts) - 1):
        most = max(most, hulls.starts[h + 1, 4] - hulls.starts[h, 4])
    return np.zeros((2, ROW)), np.zeros((2, most))


@njit(cache=True)
def _touch(address, rows, margin, desk):
    """Run the code under test."""
    desk[TOTAL] = 0
    _call_touch(address, (reals(rows.ctypes.data), 0, 1, margin, integers(desk.ctypes.data)))
    return desk[TOTAL]


@njit(cache=True)
def collide(cases, hulls, address, desk, data, count, points):
    """Contact points of all cases."""
    rows, blocks = _room(hulls)
    for i in range(len(count)):
        _place(cases, hulls, i, rows, blocks)
        data[:] = np.inf
        count[i] = _touch(address, rows, np.inf, desk)
        points[i] = data


@njit(cache=True)
def _outside(kind, size, hulls, h, scale, p):
    """How far a point in a shape's own axes is outside it; negative inside."""
    flat = sqrt(p[0] * p[0] + p[1] * p[1])
    if kind == PLANE:
        return p[2]
    if kind == SPHERE:
        return sqrt(flat * flat + p[2] * p[2]) - size[0]
    if kind == CAPSULE:
        beyond = max(abs(p[2]) - size[1], 0.0)
        return sqrt(flat * flat + beyond * beyond) - size[0]
    if kind == BOX:
        return max(abs(p[0]) - size[0], abs(p[1]) - size[1], abs(p[2]) - size[2])
    if kind == CYLINDER:
        return max(flat - size[0], abs(p[2]) - size[1])
    if kind == ELLIPSOID:
        x, y, z = p[0] / size[0], p[1] / size[1], p[2] / size[2]
        return (sqrt(x * x + y * y + z * z) - 1.0) * min(size[0], size[1], size[2])
    most = -np.inf
    for f in range(hulls.starts[h, 2], hulls.starts[h + 1, 2]):
        e = hulls.planes[f]
        most = max(most, e[0] * p[0] + e[1] * p[1] + e[2] * p[2] + scale * e[3])
    return most


@njit(cache=True)
def _inside(kind, size, out, p, n):
    """How far a point is from the surface, inside; n points outward.

    A point of a capsule may lie on any of the balls that it consists of.
    """
    if kind != CAPSULE:
        return -out
    x, y, z = p[0] - size[0] * n[0], p[1] - size[0] * n[1], p[2] - size[0] * n[2]
    beyond = max(abs(z) - size[1], 0.0)
    return min(-out, sqrt(x * x + y * y + beyond * beyond))


@njit(cache=True)
def _curved(kind, size, p, n, tolerance, loose):
    """Error of the normal of a curved surface at p, in the shape's own axes, as a share of that allowed."""
    x, y, z, radius = p[0], p[1], p[2], size[0]
    if kind == CAPSULE:
        z -= min(max(z, -size[1]), size[1])
    elif kind == CYLINDER:
        # at the rim there are many
        if abs(z) > size[1] - 1e3 * tolerance:
            return 0.0
        z = 0.0
    elif kind == ELLIPSOID:
        x, y, z = x / size[0] ** 2, y / size[1] ** 2, z / size[2] ** 2
        least, most = min(size[0], size[1], size[2]), max(size[0], size[1], size[2])
        radius = least * least / most
    elif kind != SPHERE:
        return 0.0
    length, across = sqrt(x * x + y * y + z * z), 0.0
    if length == 0.0:
        return np.inf
    for c in (y * n[2] - z * n[1], z * n[0] - x * n[2], x * n[1] - y * n[0]):
        across += (c / length) ** 2
    return sqrt(across) / (loose + 3.0 * tolerance / radius)


@njit(cache=True)
def _accuracy(a, b):
    """The error that is allowed, as a share of the larger shape."""
    curved = a in (CYLINDER, ELLIPSOID) or b in (CYLINDER, ELLIPSOID)
    if curved:
        return CURVED_HULL if HULL in (a, b) else SEARCHED
    return SEARCHED if HULL in (a, b) or (BOX in (a, b) and a in (CAPSULE, BOX)) else ROUNDING


@njit(cache=True)
def _allowed(cases, i, large):
    """The error (m) that is allowed of a case: no number is better known than the places of the shapes."""
    return _accuracy(cases.rows[i, 0, KIND], cases.rows[i, 1, KIND]) * large + PLACES * _farthest(cases, i)


@njit(cache=True)
def _farthest(cases, i):
    """The largest coordinate of the places of two shapes."""
    most = 0.0
    for k in range(9, 12):
        most = max(most, abs(cases.rows[i, 0, k]), abs(cases.rows[i, 1, k]))
    return most


@njit(cache=True)
def _sizes(cases, hulls, i):
    """Reach of the smaller and the larger shape, without a plane."""
    small, large = np.inf, 0.0
    for j in range(2):
        row = cases.rows[i, j]
        size = reach(row[KIND], row[SIZE:REACH], hulls, cases.hull[i, j], cases.scale[i, j])
        large = max(large, size)
        small = min(small, size) if size > 0.0 else small
    return small, large


@njit(cache=True)
def _view(cases, hulls, i):
    """What `_gap` needs of a case."""
    h, k = cases.hull[i, 0], cases.hull[i, 1]
    starts, stops = (hulls.starts[h, 0], hulls.starts[k, 0]), (hulls.starts[h + 1, 0], hulls.starts[k + 1, 0])
    return cases.rows[i], hulls.points, starts, stops, (cases.scale[i, 0], cases.scale[i, 1])


@njit(cache=True)
def _gap(view, nx, ny, nz):
    """The gap between two shapes along n, and along -n."""
    rows, points, starts, stops, scales = view
    there = (
        nx * (rows[1, 9] - rows[0, 9]) + ny * (rows[1, 10] - rows[0, 10]) + nz * (rows[1, 11] - rows[0, 11])
    )
    back = -there
    for j in range(2):
        x = rows[j, 0] * nx + rows[j, 3] * ny + rows[j, 6] * nz
        y = rows[j, 1] * nx + rows[j, 4] * ny + rows[j, 7] * nz
        z = rows[j, 2] * nx + rows[j, 5] * ny + rows[j, 8] * nz
        if j == 1:
            x, y, z = -x, -y, -z
        far = support(rows, j, points, starts[j], stops[j], scales[j], x, y, z)
        there -= far
        # all but hulls are symmetric
        if rows[j, KIND] == HULL:
            far = support(rows, j, points, starts[j], stops[j], scales[j], -x, -y, -z)
        back -= far
    return there, back


@njit(cache=True)
def judge(cases, hulls, count, points, directions, errors):
    """Write the errors of the points of all cases."""
    x, n = np.zeros(3), np.zeros(3)
    for i in range(len(count)):
        m = count[i]
        errors[i] = 0.0
        if m < 1 or m > ROOM or not np.isfinite(points[i, :m]).all():
            errors[i, NUMBER] = np.inf
            continue
        small, large = _sizes(cases, hulls, i)
        plane = cases.rows[i, 0, KIND] == PLANE
        tolerance = _allowed(cases, i, large)
        deepest = points[i, :m, 9].argmin()
        n[:] = points[i, deepest, 6:9]
        s = points[i, deepest, 9]
        view = _view(cases, hulls, i)
        errors[i, GAP] = abs(_gap(view, n[0], n[1], n[2])[0] - s) / tolerance
        _normals(cases, i, points[i, :m], plane, small, errors[i])
        _membership(cases, hulls, i, points[i, :m], deepest, tolerance, PARALLEL * small, x, errors[i])
        if s < 0.0 and not plane:
            errors[i, DEPTH] = (_best(cases, hulls, i, view, n, directions) - s) / tolerance


@njit(cache=True)
def _normals(cases, i, points, plane, small, errors):
    """Normals are unit vectors, that of a plane its own, and the points of a pair lie along them."""
    farthest = _farthest(cases, i)
    for p in points:
        length, along, off = 0.0, 0.0, 0.0
        for k in range(3):
            length += p[6 + k] ** 2
            along += (p[3 + k] - p[k] - p[9] * p[6 + k]) ** 2
            off += (p[6 + k] - cases.rows[i, 0, 3 * k + 2]) ** 2 if plane else 0.0
        errors[NORMAL] = max(errors[NORMAL], abs(sqrt(length) - 1.0) / UNIT, sqrt(off) / UNIT)
        rounded = ROUNDING * (small + abs(p[9])) + PLACES * farthest
        errors[ALONG] = max(errors[ALONG], sqrt(along) / rounded)


@njit(cache=True)
def _membership(cases, hulls, i, points, deepest, tolerance, slack, x, errors):
    """Points belong to their shapes, and lie on their surfaces."""
    w = np.zeros(3)
    for j in range(2):
        row = cases.rows[i, j]
        size = reach(row[KIND], row[SIZE:REACH], hulls, cases.hull[i, j], cases.scale[i, j])
        for q in range(len(points)):
            for k in range(3):
                w[k] = points[q, 3 * j + k] - row[9 + k]
            for k in range(3):
                x[k] = row[k] * w[0] + row[3 + k] * w[1] + row[6 + k] * w[2]
            out = _outside(row[KIND], row[SIZE:REACH], hulls, cases.hull[i, j], cases.scale[i, j], x)
            outward = 1.0 if j == 0 else -1.0
            for k in range(3):
                w[k] = row[k] * points[q, 6] + row[3 + k] * points[q, 7] + row[6 + k] * points[q, 8]
                w[k] *= outward
            inside = _inside(row[KIND], row[SIZE:REACH], out, x, w)
            if q == deepest:
                errors[POINT] = max(errors[POINT], out / tolerance)
                errors[SURFACE] = max(errors[SURFACE], inside / tolerance)
                loose = PARALLEL if len(points) > 1 else SMOOTH
                error = _curved(row[KIND], row[SIZE:REACH], x, w, tolerance, loose)
                errors[CURVED] = max(errors[CURVED], error)
            else:
                errors[FURTHER_POINT] = max(errors[FURTHER_POINT], out / (tolerance + slack))
                error = inside / (tolerance + max(slack, PARALLEL * size))
                errors[FURTHER_SURFACE] = max(errors[FURTHER_SURFACE], error)


@njit(cache=True)
def _best(cases, hulls, i, view, normal, directions):
    """The largest gap along directions of faces, across edges, all over, and from the best of them upward."""
    top, n, R = np.zeros(3), np.zeros(3), np.zeros((3, 3))
    best = _try(view, normal[0], normal[1], normal[2], -np.inf, top)
    turn(cases.motion[i, 3:6], 2.0, R)
    for k in range(len(directions)):
        into_world(R, directions[k], n)
        best = _try(view, n[0], n[1], n[2], best, top)
    for j in range(2):
        A = cases.rows[i, j, :9].reshape(3, 3)
        for k in range(3):
            best = _try(view, A[0, k], A[1, k], A[2, k], best, top)
        if cases.rows[i, j, KIND] == HULL:
            h = cases.hull[i, j]
            for f in range(hulls.starts[h, 2], hulls.starts[h + 1, 2]):
                into_world(A, hulls.planes[f], n)
                best = _try(view, n[0], n[1], n[2], best, top)
    U, V = _edges(cases, hulls, i, 0), _edges(cases, hulls, i, 1)
    for k in range(len(U)):
        for m in range(len(V)):
            x = U[k, 1] * V[m, 2] - U[k, 2] * V[m, 1]
            y = U[k, 2] * V[m, 0] - U[k, 0] * V[m, 2]
            z = U[k, 0] * V[m, 1] - U[k, 1] * V[m, 0]
            if x * x + y * y + z * z > 1e-12:
                best = _try(view, x, y, z, best, top)
    return max(_climb(view, normal.copy(), directions), _climb(view, top, directions))


@njit(cache=True)
def _climb(view, top, directions):
    """The gap uphill from a direction: steps that shrink where one is not better."""
    step, best = 0.2, _try(view, top[0], top[1], top[2], -np.inf, top)
    for k in range(CLIMBS):
        before = best
        x, y, z = directions[k, 0], directions[k, 1], directions[k, 2]
        best = _try(view, top[0] + step * x, top[1] + step * y, top[2] + step * z, best, top)
        step *= 2.0 if best > before else 0.85
    return best


@njit(cache=True)
def _try(view, x, y, z, best, top):
    """The best gap, or that along n or -n (of any length) if it is larger: then the direction is kept."""
    length = sqrt(x * x + y * y + z * z)
    there, back = _gap(view, x, y, z)
    found = max(there, back) / length
    if found > best:
        sign = 1.0 if there >= back else -1.0
        top[0], top[1], top[2] = sign * x / length, sign * y / length, sign * z / length
    return max(best, found)


@njit(cache=True)
def _edges(cases, hulls, i, j):
    """Directions of edges, of what has none its axes, in the world."""
    A = cases.rows[i, j, :9].reshape(3, 3)
    if cases.rows[i, j, KIND] != HULL:
        return A.T.copy()
    h = cases.hull[i, j]
    start, stop = hulls.starts[h, 3], hulls.starts[h + 1, 3]
    out = np.zeros((stop - start, 3))
    for k in range(stop - start):
        into_world(A, hulls.edges[start + k], out[k])
    return out


@njit(cache=True)
def move(cases, hulls, address, desk, data, count, points, errors):
    """Errors of what takes further runs: a margin that just holds the points, and small motions."""
    rows, blocks = _room(hulls)
    R, B = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(len(count)):
        if errors[i, NUMBER] > 0.0:
            continue
        _, large = _sizes(cases, hulls, i)
        allowed = _allowed(cases, i, large)
        start = points[i, : count[i], 9].min()
        _place(cases, hulls, i, rows, blocks)
        # the motion's length is any share of the size
        way = cases.motion[i, :3]
        length = sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2)
        now = _distance(address, rows, start + allowed + length, desk, data)
        errors[i, MARGIN] = abs(now - start) / allowed
        turn(cases.motion[i, 3:6], cases.motion[i, 6], R)
        for k in range(9):
            B[k // 3, k % 3] = rows[1, k]
        before, worst = start, 0.0
        for _ in range(STEPS):
            turned(R, B)
            for k in range(9):
                rows[1, k] = B[k // 3, k % 3]
            for k in range(3):
                rows[1, 9 + k] += way[k]
            now = _distance(address, rows, np.inf, desk, data)
            worst = max(worst, abs(now - before) - 2.0 * length * 1.01)
            before = now
        errors[i, JUMP] = worst / allowed


@njit(cache=True)
def _distance(address, rows, margin, desk, data):
    """The signed distance that the kernels report."""
    count, least = _touch(address, rows, margin, desk), np.inf
    for k in range(min(count, ROOM)):
        least = min(least, data[k, 9])
    return least
