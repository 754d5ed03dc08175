"""Ray casts: the first shape that a ray hits.

A ray that starts inside a solid hits it at once, at distance 0 with the normal against the ray.
"""

from __future__ import annotations

from math import inf, sqrt

from treadle.collision.field_rays import field_ray
from treadle.collision.kinds import (
    BLOCK,
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    HEIGHT_FIELD,
    HULL,
    KIND,
    MESH,
    PLANE,
    REACH,
    ROW,
    SIZE,
    SPHERE,
)
from treadle.collision.mesh_rays import hull_ray, mesh_ray
from treadle.collision.vectors import (
    along,
    axes_of,
    corner,
    dot,
    local,
    minus,
    position,
    scaled,
    store,
    turned,
    unit,
)
from treadle.native import c_types as types
from treadle.native.calling import reals
from treadle.native.pieces import REALS, WHOLES, at, helper, piece

__all__ = ["cast_many"]


@piece(types.void(REALS, types.int64, REALS, REALS, types.int64, types.float64, WHOLES, REALS, WHOLES, REALS))
def cast_many(X, shapes, origins, directions, rays, limit, skipped, distance, hit, normals):
    """For every ray write its distance (infinite without a hit), the shape (-1) and the outward normal.

    X are the rows of the shapes; `origins` and unit `directions` are (rays, 3); `skipped` (shapes,) tells
    which shapes rays pass through.
    """
    for k in range(rays):
        t, s, n = _cast(X, shapes, corner(origins, k), corner(directions, k), limit, skipped)
        distance[k], hit[k] = t, s
        store(normals, k, n)


@helper
def _cast(X, shapes, o, d, limit, skipped):
    """Distance, shape and outward normal of the first hit of one ray within the limit (m)."""
    best, which, normal = inf, -1, (0.0, 0.0, 0.0)
    for s in range(shapes):
        if skipped[s] != 0:
            continue
        row = at(X, ROW * s)
        kind = row[KIND]
        if kind != PLANE:
            # bounding sphere of the shape
            gap = minus(position(row), o)
            t = dot(gap, d)
            reach = row[REACH]
            squared = dot(gap, gap)
            if squared - t * t > reach * reach * (1.0 + 1e-12) or (t < 0.0 and squared > reach * reach):
                continue
        p, e = local(row, o), axes_of(row, d)
        size = (row[SIZE], row[SIZE + 1], row[SIZE + 2])
        most = min(best, limit)
        if kind == HEIGHT_FIELD:
            t, n = field_ray(reals(int(row[BLOCK])), size, p, e, most)
        elif kind == HULL:
            t, n = hull_ray(reals(int(row[BLOCK])), p, e)
        elif kind == MESH:
            t, n = mesh_ray(reals(int(row[BLOCK])), p, e, most)
        else:
            t, n = _enter(kind, size, p, e)
        if t < best and t <= limit:
            best, which = t, s
            normal = scaled(d, -1.0) if t == 0.0 else turned(row, n)
    return best, which, normal


@helper
def _enter(kind, size, p, e):
    """Where the ray p + t e enters a primitive in its own axes, and the normal there."""
    none = (0.0, 0.0, 0.0)
    if kind == PLANE:
        if p[2] <= 0.0:
            return 0.0, (0.0, 0.0, 1.0)
        return (-p[2] / e[2] if e[2] < 0.0 else inf), (0.0, 0.0, 1.0)
    if kind == SPHERE:
        t, _ = _ball(p, e, size[0])
        return t, unit(along(p, t, e), none) if t < inf else none
    if kind == ELLIPSOID:
        # a ball in stretched axes
        a = (p[0] / size[0], p[1] / size[1], p[2] / size[2])
        b = (e[0] / size[0], e[1] / size[1], e[2] / size[2])
        t, _ = _ball(a, b, 1.0)
        if t == inf:
            return t, none
        q = along(a, t, b)
        return t, unit((q[0] / size[0], q[1] / size[1], q[2] / size[2]), none)
    if kind == BOX:
        return _box(size, p, e)
    if kind == CYLINDER:
        return _cylinder(size[0], size[1], p, e)
    if kind == CAPSULE:
        return _capsule(size[0], size[1], p, e)
    return inf, none


@helper
def _ball(p, e, r):
    """Where a ray enters and leaves a ball, the entry at 0 if it starts inside; infinite if it misses."""
    a, b, c = dot(e, e), dot(p, e), dot(p, p) - r * r
    if c <= 0.0:
        return 0.0, inf
    root = b * b - a * c
    if root < 0.0 or b >= 0.0:
        return inf, inf
    # the smaller root without cancellation
    t = c / (-b + sqrt(root))
    return t, (-b + sqrt(root)) / a


@helper
def _slab(x, e, half):
    """Where a ray enters and leaves |x| <= half."""
    if e == 0.0:
        return (-inf, inf) if abs(x) <= half else (inf, -inf)
    t, u = (-half - x) / e, (half - x) / e
    return (t, u) if t < u else (u, t)


@helper
def _box(size, p, e):
    first, last, side = -inf, inf, 0
    for k in range(3):
        t, u = _slab(p[k], e[k], size[k])
        if t > first:
            first, side = t, k
        last = min(last, u)
    sign = -1.0 if e[side] > 0.0 else 1.0
    n = (sign if side == 0 else 0.0, sign if side == 1 else 0.0, sign if side == 2 else 0.0)
    if first > last or last < 0.0:
        return inf, n
    return max(first, 0.0), n


@helper
def _round_slab(r, p, e):
    """Where a ray enters and leaves an endless cylinder around z."""
    a = e[0] * e[0] + e[1] * e[1]
    b = p[0] * e[0] + p[1] * e[1]
    c = p[0] * p[0] + p[1] * p[1] - r * r
    if a < 1e-300:
        return (-inf, inf) if c <= 0.0 else (inf, -inf)
    root = b * b - a * c
    if root < 0.0:
        return inf, -inf
    return (-b - sqrt(root)) / a, (-b + sqrt(root)) / a


@helper
def _cylinder(r, half, p, e):
    t, u = _round_slab(r, p, e)
    v, w = _slab(p[2], e[2], half)
    first, last = max(t, v), min(u, w)
    if first > last or last < 0.0:
        return inf, (0.0, 0.0, 0.0)
    if t > v:
        q = along(p, t, e)
        return max(first, 0.0), (q[0] / r, q[1] / r, 0.0)
    return max(first, 0.0), (0.0, 0.0, -1.0 if e[2] > 0.0 else 1.0)


@helper
def _capsule(r, half, p, e):
    best, n = _cylinder(r, half, p, e)
    if abs(n[2]) > 0.0 and best > 0.0:
        # a cap is inside the ball at that end
        best = inf
    for end in (-half, half):
        a = (p[0], p[1], p[2] - end)
        t, _ = _ball(a, e, r)
        if t < best:
            best, n = t, unit(along(a, t, e), n)
    return best, n
