"""Where rays cross the surfaces of primitives, in the primitive's own axes.

A function returns the distance of the first crossing ahead of the ray's origin, infinite if there is none; a
ray that starts inside sees the surface from within.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

from treadle.native.kernels import inner

__all__ = [
    "BOX", "CAPSULE", "CYLINDER", "ELLIPSOID", "GROUND", "PLANE", "TRIANGLE", "crossing", "normal_at",
    "primitive",
]  # fmt: skip

TRIANGLE, PLANE, BOX, ELLIPSOID, CYLINDER, CAPSULE, GROUND = range(7)

_KINDS = {
    "plane": PLANE,
    "box": BOX,
    "sphere": ELLIPSOID,
    "ellipsoid": ELLIPSOID,
    "cylinder": CYLINDER,
    "capsule": CAPSULE,
}


def primitive(type: str, size: Sequence[float]) -> tuple[int, tuple[float, float, float]]:
    """Kind of a shape, and its half lengths, half axes, or radius and half length."""
    given = tuple(float(x) for x in size)
    match type:
        case "plane":
            sizes = (0.0, 0.0, 0.0)
        case "sphere":
            sizes = (given[0], given[0], given[0])
        case "capsule" | "cylinder":
            sizes = (given[0], 0.5 * given[1], 0.0)
        case "box":
            sizes = (0.5 * given[0], 0.5 * given[1], 0.5 * given[2])
        case _:
            sizes = (given[0], given[1], given[2])
    return _KINDS[type], sizes


@inner()
def crossing(kind, a, b, c, ox, oy, oz, dx, dy, dz):
    """Distance to a primitive; a, b, c are half lengths, half axes, or radius and half length."""
    if kind == PLANE:
        t = -oz / dz if dz != 0.0 else -1.0
        return t if t > 0.0 else inf
    if kind == BOX:
        return _box(a, b, c, ox, oy, oz, dx, dy, dz)
    if kind == ELLIPSOID:
        return _ball(ox / a, oy / b, oz / c, dx / a, dy / b, dz / c)
    if kind == CYLINDER:
        return _cylinder(a, b, ox, oy, oz, dx, dy, dz)
    return _capsule(a, b, ox, oy, oz, dx, dy, dz)


@inner()
def normal_at(kind, a, b, c, x, y, z):
    """The outward normal of a primitive at a point of its surface, not of unit length."""
    if kind == BOX:
        u, v, w = abs(x) / a, abs(y) / b, abs(z) / c
        if u >= v and u >= w:
            return x, 0.0, 0.0
        if v >= w:
            return 0.0, y, 0.0
        return 0.0, 0.0, z
    if kind == ELLIPSOID:
        return x / (a * a), y / (b * b), z / (c * c)
    if kind == CYLINDER:
        side = abs(sqrt(x * x + y * y) - a)
        return (0.0, 0.0, z) if abs(abs(z) - b) < side else (x, y, 0.0)
    if kind == CAPSULE:
        return x, y, z - min(max(z, -b), b)
    return 0.0, 0.0, 1.0


@inner()
def _first(t, u):
    """The first of two crossings t <= u that lies ahead."""
    return t if t > 0.0 else (u if u > 0.0 else inf)


@inner()
def _roots(a, b, c):
    """Both roots of a t^2 + 2 b t + c in order, without cancellation; (inf, -inf) if there is none."""
    root = b * b - a * c
    if root < 0.0 or a == 0.0:
        return inf, -inf
    q = -b - sqrt(root) if b > 0.0 else -b + sqrt(root)
    if q == 0.0:
        return 0.0, 0.0
    t, u = q / a, c / q
    return (t, u) if t < u else (u, t)


@inner()
def _ball(ox, oy, oz, dx, dy, dz):
    """The unit sphere; the direction may have any length."""
    t, u = _roots(
        dx * dx + dy * dy + dz * dz,
        ox * dx + oy * dy + oz * dz,
        ox * ox + oy * oy + oz * oz - 1.0,
    )
    return _first(t, u)


@inner()
def _slab(o, d, half):
    if d == 0.0:
        return (-inf, inf) if abs(o) <= half else (inf, -inf)
    t, u = (-half - o) / d, (half - o) / d
    return (t, u) if t < u else (u, t)


@inner()
def _box(a, b, c, ox, oy, oz, dx, dy, dz):
    t0, u0 = _slab(ox, dx, a)
    t1, u1 = _slab(oy, dy, b)
    t2, u2 = _slab(oz, dz, c)
    t, u = max(t0, t1, t2), min(u0, u1, u2)
    return inf if t > u else _first(t, u)


@inner()
def _cylinder(r, half, ox, oy, oz, dx, dy, dz):
    c = ox * ox + oy * oy - r * r
    if dx == 0.0 and dy == 0.0:
        t0, u0 = (-inf, inf) if c <= 0.0 else (inf, -inf)
    else:
        t0, u0 = _roots(dx * dx + dy * dy, ox * dx + oy * dy, c)
    t1, u1 = _slab(oz, dz, half)
    t, u = max(t0, t1), min(u0, u1)
    return inf if t > u else _first(t, u)


@inner()
def _capsule(r, half, ox, oy, oz, dx, dy, dz):
    """The crossings of side and ends that lie on the surface of the union."""
    best = inf
    if dx != 0.0 or dy != 0.0:
        t, u = _roots(dx * dx + dy * dy, ox * dx + oy * dy, ox * ox + oy * oy - r * r)
        if t <= u:
            if t > 0.0 and abs(oz + t * dz) <= half:
                best = t
            elif u > 0.0 and abs(oz + u * dz) <= half:
                best = u
    for end in (-half, half):
        z = oz - end
        t, u = _roots(1.0, ox * dx + oy * dy + z * dz, ox * ox + oy * oy + z * z - r * r)
        if t <= u:
            if 0.0 < t < best and (z + t * dz) * end >= 0.0:
                best = t
            if 0.0 < u < best and (z + u * dz) * end >= 0.0:
                best = u
    return best
