"""Kernels that cast rays into a scene of bodies with trees of triangles and primitives, planes and ground.

Rays come in groups, one per instant; bodies have a pose at every instant. For each instant a tree over the
bodies is built, and a ray that comes near a body is followed in that body's axes down the body's own tree.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Annotated, NamedTuple

import numpy as np

from treadle.collision.ray_primitives import GROUND, TRIANGLE, crossing, normal_at
from treadle.native.c_types import CPointer, int64, void
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, IntegerTable, RealList, RealTable, Shaped, view
from treadle.native.kernels import inner, part
from treadle.sensors.rays.bvh import build_tree
from treadle.sensors.rays.ground import ground_crossing, ground_normal

__all__ = ["Geometry", "Poses", "cast", "hit_normals", "normal_of", "turned"]

#: Barycentric coordinates may be this much outside a triangle, so that no ray slips through an edge.
_EDGE = 1e-12

_DEPTH = 192


class Geometry(NamedTuple):
    """What can be hit, in body axes; body 0 is the world."""

    #: (nodes, 8) trees of all bodies one after the other, see `bvh`; children and items count over all
    nodes: RealTable
    #: (bodies,) root of each body's tree, -1 for a body without
    roots: IntegerList
    #: (items, 11): kind, then a corner and two edges of a triangle, or the place of a solid; last the surface
    items: RealTable
    #: (solids, 15): rotation by rows and position in the body, three sizes
    solids: RealTable
    #: (planes, 2): item and body of planes without end, which are in no tree
    planes: IntegerTable
    #: elevation grid (0, 0) without one, its first point and spacing, its pyramid; its item is the last one
    heights: RealTable
    frame: RealList
    highest: RealList
    table: IntegerTable


#: Poses (instants, bodies, 12): rotation by rows and position of every body.
Poses = Annotated[np.ndarray, Shaped(np.float64, 3)]


class Rays(NamedTuple):
    """What the kernel that casts rays takes, see `cast`."""

    geometry: Geometry
    poses: Poses
    starts: IntegerList
    origins: RealTable
    directions: RealTable
    limits: RealList
    skipped: IntegerList
    any_hit: int
    distance: RealList
    item: IntegerList
    body: IntegerList


def cast(geometry: Geometry, *rays: np.ndarray | bool) -> None:
    """Write distance (inf: none), item and body (-1) of the first hit of every ray within its limit.

    Takes what `Rays` has. Poses (instants, bodies, 12); rays of instant k are starts[k] to starts[k + 1];
    unit directions (n, 3); `skipped` (bodies,) tells which bodies rays pass through; with `any_hit` any hit
    will do.
    """
    cast_rays(Rays(geometry, *rays))  # type: ignore[arg-type]


_rays = view(Rays)


@entry(void(CPointer(int64)), nogil=True)
def cast_rays(address):
    """The kernel of `cast`, which takes the table of Rays."""
    rays = _rays(address)
    geometry, poses, starts, skipped, any_hit = (
        rays.geometry, rays.poses, rays.starts, rays.skipped, rays.any_hit != 0,
    )  # fmt: skip
    origins, directions, limits = rays.origins, rays.directions, rays.limits
    distance, item, body = rays.distance, rays.item, rays.body
    bodies = len(geometry.roots)
    low, high = np.empty((bodies, 3)), np.empty((bodies, 3))
    present, order = np.empty(bodies, dtype=np.int64), np.empty(bodies, dtype=np.int64)
    top = np.empty((2 * bodies + 2, 8))
    stack, far = np.empty(_DEPTH, dtype=np.int64), np.empty(_DEPTH)
    for k in range(len(starts) - 1):
        count = 0
        for b in range(bodies):
            if geometry.roots[b] >= 0 and skipped[b] == 0:
                _world_box(geometry.nodes, geometry.roots[b], poses[k, b], low, high, count)
                present[count] = b
                count += 1
        if count > 0:
            build_tree(low[:count], high[:count], 1, top, order)
        for i in range(starts[k], starts[k + 1]):
            t, s, b = limits[i], -1, -1
            o = (origins[i, 0], origins[i, 1], origins[i, 2])
            d = (directions[i, 0], directions[i, 1], directions[i, 2])
            if count > 0:
                t, s, b = _through_bodies(
                    geometry, poses, k, top, order, present, o, d, t, any_hit, stack, far
                )
            if s < 0 or not any_hit:
                t, s, b = _through_rest(geometry, poses, k, o, d, t, s, b, skipped)
            distance[i], item[i], body[i] = t if s >= 0 else inf, s, b


@inner()
def _world_box(nodes, root, X, low, high, place):
    """The box in the world around the box of a body."""
    for r in range(3):
        middle, half = X[9 + r], 0.0
        for c in range(3):
            a, b = nodes[root, c], nodes[root, 3 + c]
            middle += X[3 * r + c] * 0.5 * (a + b)
            half += abs(X[3 * r + c]) * 0.5 * (b - a)
        pad = 1e-9 * (1.0 + abs(middle) + half)
        low[place, r], high[place, r] = middle - half - pad, middle + half + pad


@part()
def _through_bodies(geometry, poses, instant, top, order, present, o, d, limit, any_hit, stack, far):
    """The first hit of the bodies' trees: the tree over the bodies is walked from near to far."""
    best, item, body = limit, -1, -1
    ox, oy, oz = o[0], o[1], o[2]
    ix, iy, iz = _inverse(d[0]), _inverse(d[1]), _inverse(d[2])
    depth = 0
    t = _entry(top, 0, ox, oy, oz, ix, iy, iz, best)
    if t < inf:
        stack[0], far[0] = 0, t
        depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if far[depth] > best:
            continue
        first = int(top[node, 6])
        if top[node, 7] == 0.0:
            t, u = (
                _entry(top, first, ox, oy, oz, ix, iy, iz, best),
                _entry(top, first + 1, ox, oy, oz, ix, iy, iz, best),
            )
            near = 0 if t <= u else 1
            t, u = (t, u) if t <= u else (u, t)
            if u < inf:
                stack[depth], far[depth] = first + 1 - near, u
                depth += 1
            if t < inf:
                stack[depth], far[depth] = first + near, t
                depth += 1
            continue
        b = present[order[first]]
        t, s = _through_tree(geometry, b, poses, instant, o, d, best, any_hit, stack, far, depth)
        if s >= 0:
            best, item, body = t, s, b
            if any_hit:
                break
    return best, item, body


@part()
def _through_tree(geometry, b, poses, instant, o, d, best, any_hit, stack, far, base):
    """The first hit of one body's tree, in the body's axes."""
    nodes, items, solids = geometry.nodes, geometry.items, geometry.solids
    ox, oy, oz, dx, dy, dz = _into_body(poses, instant, b, o, d)
    ix, iy, iz = _inverse(dx), _inverse(dy), _inverse(dz)
    found, depth, node = -1, base, geometry.roots[b]
    while True:
        first = int(nodes[node, 6])
        count = int(nodes[node, 7])
        if count == 0:
            t = _entry(nodes, first, ox, oy, oz, ix, iy, iz, best)
            u = _entry(nodes, first + 1, ox, oy, oz, ix, iy, iz, best)
            if t <= u:
                near, other = first, first + 1
            else:
                near, other, t, u = first + 1, first, u, t
            if t < inf:
                if u < inf:
                    stack[depth], far[depth] = other, u
                    depth += 1
                node = near
                continue
        else:
            for k in range(first, first + count):
                t = _item(items, solids, k, ox, oy, oz, dx, dy, dz)
                if 0.0 < t < best:
                    best, found = t, k
                    if any_hit:
                        return best, found
        # back to what was put off, if it still can be nearer
        node = -1
        while depth > base:
            depth -= 1
            if far[depth] <= best:
                node = stack[depth]
                break
        if node < 0:
            return best, found


@part()
def _into_body(poses, k, b, o, d):
    """Origin and direction of a ray in the axes of a body."""
    gx, gy, gz = o[0] - poses[k, b, 9], o[1] - poses[k, b, 10], o[2] - poses[k, b, 11]
    a0, a1, a2 = poses[k, b, 0], poses[k, b, 1], poses[k, b, 2]
    b0, b1, b2 = poses[k, b, 3], poses[k, b, 4], poses[k, b, 5]
    c0, c1, c2 = poses[k, b, 6], poses[k, b, 7], poses[k, b, 8]
    return (
        a0 * gx + b0 * gy + c0 * gz,
        a1 * gx + b1 * gy + c1 * gz,
        a2 * gx + b2 * gy + c2 * gz,
        a0 * d[0] + b0 * d[1] + c0 * d[2],
        a1 * d[0] + b1 * d[1] + c1 * d[2],
        a2 * d[0] + b2 * d[1] + c2 * d[2],
    )


@inner()
def _inverse(x):
    """1 / x, and a number too large to matter for 0."""
    return 1.0 / x if abs(x) > 1e-300 else 1e300


@part()
def _entry(nodes, k, ox, oy, oz, ix, iy, iz, best):
    """Where a ray enters a box, inf if it misses it or enters beyond the best."""
    # the near side is the low one where the ray goes up
    x, y, z = (0 if ix > 0.0 else 3), (1 if iy > 0.0 else 4), (2 if iz > 0.0 else 5)
    t0, u0 = (nodes[k, x] - ox) * ix, (nodes[k, 3 - x] - ox) * ix
    t1, u1 = (nodes[k, y] - oy) * iy, (nodes[k, 5 - y] - oy) * iy
    t2, u2 = (nodes[k, z] - oz) * iz, (nodes[k, 7 - z] - oz) * iz
    enter = max(t0, t1, t2, 0.0)
    leave = min(u0, u1, u2, best)
    return enter if enter <= leave else inf


@part()
def _item(items, solids, k, ox, oy, oz, dx, dy, dz):
    """Distance to a triangle (Moller and Trumbore, 1997) or a solid."""
    if items[k, 0] != TRIANGLE:
        return _solid(items, solids, k, ox, oy, oz, dx, dy, dz)
    ux, uy, uz = items[k, 4], items[k, 5], items[k, 6]
    vx, vy, vz = items[k, 7], items[k, 8], items[k, 9]
    hx, hy, hz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    inverse = 1.0 / (ux * hx + uy * hy + uz * hz)
    sx, sy, sz = ox - items[k, 1], oy - items[k, 2], oz - items[k, 3]
    a = (sx * hx + sy * hy + sz * hz) * inverse
    if not -_EDGE <= a <= 1.0 + _EDGE:
        return inf
    qx, qy, qz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    b = (dx * qx + dy * qy + dz * qz) * inverse
    if not (b >= -_EDGE and a + b <= 1.0 + _EDGE):
        return inf
    return (vx * qx + vy * qy + vz * qz) * inverse


@inner()
def _solid(items, solids, k, ox, oy, oz, dx, dy, dz):
    """Distance to a primitive, in its own axes."""
    r = int(items[k, 1])
    x, y, z = _into(solids, r, ox, oy, oz)
    return crossing(
        int(items[k, 0]),
        solids[r, 12],
        solids[r, 13],
        solids[r, 14],
        x,
        y,
        z,
        solids[r, 0] * dx + solids[r, 3] * dy + solids[r, 6] * dz,
        solids[r, 1] * dx + solids[r, 4] * dy + solids[r, 7] * dz,
        solids[r, 2] * dx + solids[r, 5] * dy + solids[r, 8] * dz,
    )


@part()
def _through_rest(geometry, poses, instant, o, d, best, item, body, skipped):
    """Planes without end and the ground, where they are nearer than what was found."""
    for p in range(len(geometry.planes)):
        k, b = geometry.planes[p, 0], geometry.planes[p, 1]
        if skipped[b] == 0:
            ox, oy, oz, dx, dy, dz = _into_body(poses, instant, b, o, d)
            t = _solid(geometry.items, geometry.solids, k, ox, oy, oz, dx, dy, dz)
            if t < best:
                best, item, body = t, k, b
    if len(geometry.heights) > 0 and skipped[0] == 0:
        t = ground_crossing(
            geometry.heights, geometry.frame, geometry.highest, geometry.table,
            o[0], o[1], o[2], d[0], d[1], d[2], best,
        )  # fmt: skip
        if 0.0 < t < best:
            best, item, body = t, len(geometry.items) - 1, 0
    return best, item, body


class Hit(NamedTuple):
    """What the kernel of normals takes, see `hit_normals`."""

    geometry: Geometry
    poses: Poses
    starts: IntegerList
    origins: RealTable
    directions: RealTable
    distance: RealList
    item: IntegerList
    body: IntegerList
    normals: RealTable


def hit_normals(geometry: Geometry, *hit: np.ndarray) -> None:
    """Unit normals (n, 3) in the world where rays hit, on the side they come from; zero without a hit.

    Takes what `Hit` has.
    """
    normals_of_hits(Hit(geometry, *hit))


_hit = view(Hit)


@entry(void(CPointer(int64)), nogil=True)
def normals_of_hits(address):
    """The kernel of `hit_normals`, which takes the table of a Hit."""
    hit = _hit(address)
    geometry, poses, starts, origins, directions = (
        hit.geometry, hit.poses, hit.starts, hit.origins, hit.directions,
    )  # fmt: skip
    distance, item, body, normals = hit.distance, hit.item, hit.body, hit.normals
    for g in range(len(starts) - 1):
        X = poses[g]
        for i in range(starts[g], starts[g + 1]):
            if item[i] < 0:
                normals[i, 0], normals[i, 1], normals[i, 2] = 0.0, 0.0, 0.0
                continue
            dx, dy, dz, t = directions[i, 0], directions[i, 1], directions[i, 2], distance[i]
            px, py, pz = origins[i, 0] + t * dx, origins[i, 1] + t * dy, origins[i, 2] + t * dz
            nx, ny, nz = normal_of(geometry, X, body[i], item[i], px, py, pz)
            size = sqrt(nx * nx + ny * ny + nz * nz)
            scale = (-1.0 if nx * dx + ny * dy + nz * dz > 0.0 else 1.0) / max(size, 1e-300)
            normals[i, 0], normals[i, 1], normals[i, 2] = scale * nx, scale * ny, scale * nz


@part()
def normal_of(geometry, X, b, k, px, py, pz):
    """The normal of an item of body b at a point, both in world axes, not of unit length; X are the poses."""
    items = geometry.items
    if items[k, 0] == TRIANGLE:
        ux, uy, uz = items[k, 4], items[k, 5], items[k, 6]
        vx, vy, vz = items[k, 7], items[k, 8], items[k, 9]
        return turned(X, b, uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
    if items[k, 0] == GROUND:
        return ground_normal(geometry.heights, geometry.frame, px, py)
    solids, r = geometry.solids, int(items[k, 1])
    x, y, z = _into(X, b, px, py, pz)
    x, y, z = _into(solids, r, x, y, z)
    nx, ny, nz = normal_at(int(items[k, 0]), solids[r, 12], solids[r, 13], solids[r, 14], x, y, z)
    nx, ny, nz = turned(solids, r, nx, ny, nz)
    return turned(X, b, nx, ny, nz)


@inner()
def _into(X, b, x, y, z):
    """A point in the axes of a row of poses."""
    x, y, z = x - X[b, 9], y - X[b, 10], z - X[b, 11]
    return (
        X[b, 0] * x + X[b, 3] * y + X[b, 6] * z,
        X[b, 1] * x + X[b, 4] * y + X[b, 7] * z,
        X[b, 2] * x + X[b, 5] * y + X[b, 8] * z,
    )


@inner()
def turned(X, b, x, y, z):
    """A direction out of the axes of a row of poses."""
    return (
        X[b, 0] * x + X[b, 1] * y + X[b, 2] * z,
        X[b, 3] * x + X[b, 4] * y + X[b, 5] * z,
        X[b, 6] * x + X[b, 7] * y + X[b, 8] * z,
    )
