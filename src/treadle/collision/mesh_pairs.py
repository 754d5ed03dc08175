"""A convex shape against a mesh of triangles, in the mesh's own axes.

The triangles whose boxes are near are found through a tree; each is a hull of three corners for `gjk`. A
normal counts if it is that of the triangle, or if no triangle around the edge or corner that gave it reaches
further along it, so that seams of a flat face give no contact of their own. Where another normal is the
shortest way out of a triangle, the points of the shape below it count along the triangle's own. A closed mesh
is solid: what would leave it inward does not count. An open one is a surface with two sides.
"""

from __future__ import annotations

from treadle.collision.bounds import extent
from treadle.collision.contacts import DATA, FEATURES, GJK, LEAST, MANIFOLD, ROOM, TOTAL, flip
from treadle.collision.features import edge
from treadle.collision.field_pairs import meet_face, seen_from, to_world
from treadle.collision.kinds import BLOCK, HULL, KIND, REACH
from treadle.collision.pairs import call_manifold, call_separation, pair, state
from treadle.collision.settle import settle
from treadle.collision.vectors import (
    corner,
    cross,
    dot,
    minus,
    norm,
    plus,
    position,
    scaled,
    store,
)
from treadle.native.calling import integers, reals
from treadle.native.pieces import address, at, helper, room

__all__ = ["mesh_pair"]

#: A normal within this of the triangle's (1 - cosine) is the triangle's.
_SQUARE = 1e-6
#: A corner reaches further if it does by more than this share of its distance.
_FURTHER = 1e-7
#: Contact points of one triangle have fewer names than this.
_NAMES = 1 << 22


@pair(GJK, MANIFOLD)
def mesh_pair(b, a, margin, desk):
    """The points of a convex shape b and the mesh a within the margin; see `blocks.mesh_block`."""
    start = desk[TOTAL]
    block, shape, triangle, hull = reals(int(a[BLOCK])), room(18), room(18), room(30)
    seen_from(a, b, shape)
    _prepare(triangle, hull)
    parts = at(block, 3 + 3 * int(block[0]))
    triangles, nodes, rings = at(block, int(parts[0])), at(block, int(parts[1])), at(block, int(parts[2]))
    solid = parts[3] != 0.0
    x, y, z = extent(shape, 0), extent(shape, 1), extent(shape, 2)
    stack = room(64)
    stack[0] = 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node = at(nodes, 8 * int(stack[depth]))
        near = margin
        if desk[LEAST] != 0 and desk[TOTAL] > 0:
            near = min(margin, max(reals(desk[DATA])[9], 0.0))
        if not (
            shape[9] - x - near <= node[3]
            and node[0] <= shape[9] + x + near
            and shape[10] - y - near <= node[4]
            and node[1] <= shape[10] + y + near
            and shape[11] - z - near <= node[5]
            and node[2] <= shape[11] + z + near
        ):
            continue
        if node[7] == 0.0:
            stack[depth], stack[depth + 1] = node[6], node[6] + 1.0
            depth += 2
        else:
            for k in range(int(node[6]), int(node[6] + node[7])):
                row = at(triangles, 12 * k)
                _meet(block, row, k, rings, solid, shape, triangle, hull, near, start, desk)
    to_world(a, start, desk)
    flip(desk, start)


@helper
def _prepare(triangle, hull):
    """A hull of three corners with two faces, as `blocks.hull_block`, without its corners."""
    for k in range(18):
        triangle[k] = 0.0
    triangle[0] = triangle[4] = triangle[8] = 1.0
    triangle[KIND], triangle[BLOCK] = HULL, address(hull)
    hull[0], hull[1], hull[2], hull[12], hull[13] = 3.0, 2.0, 14.0, 0.0, 0.0
    hull[17], hull[18], hull[22], hull[23] = 24.0, 3.0, 27.0, 3.0
    hull[24], hull[25], hull[26], hull[27], hull[28], hull[29] = 0.0, 1.0, 2.0, 0.0, 2.0, 1.0


@helper
def _meet(block, row, number, rings, solid, shape, triangle, hull, margin, start, desk):
    """The points of one triangle."""
    p, q, r = corner(block, int(row[0]) + 1), corner(block, int(row[1]) + 1), corner(block, int(row[2]) + 1)
    m = (row[9], row[10], row[11])
    center = scaled(plus(plus(p, q), r), 1.0 / 3.0)
    reach = max(norm(minus(p, center)), norm(minus(q, center)), norm(minus(r, center)))
    if norm(minus(position(shape), center)) > shape[REACH] + reach + margin:
        return
    turned = not solid and dot(m, minus(position(shape), p)) < 0.0
    if turned:
        m = scaled(m, -1.0)
    triangle[9], triangle[10], triangle[11], triangle[REACH] = center[0], center[1], center[2], reach
    store(hull, 1, minus(p, center))
    store(hull, 2, minus(q, center))
    store(hull, 3, minus(r, center))
    hull[14], hull[15], hull[16] = row[9], row[10], row[11]
    hull[19], hull[20], hull[21] = -row[9], -row[10], -row[11]
    result = room(8)
    call_separation(desk[GJK], (triangle, shape, margin, result, desk))
    s = result[3]
    if s > margin:
        return
    n = corner(result, 0)
    slope = dot(n, m)
    fresh = desk[TOTAL]
    if slope > 1.0 - _SQUARE:
        # along the triangle's own normal, if that proves to be the distance
        square = room(8)
        state(square, m, dot(m, minus(edge(shape, scaled(m, -1.0), 0.0)[0], p)))
        if call_manifold(desk[MANIFOLD], (triangle, shape, square, margin, 0, desk)) == 0:
            call_manifold(desk[MANIFOLD], (triangle, shape, result, margin, 1, desk))
        _drop_seams(p, q, r, row, fresh, desk)
        settle(desk, start, fresh, number, _NAMES)
    elif slope > 0.0 or (slope == 0.0 and not solid):
        if _is_foremost(block, row, rings, n):
            call_manifold(desk[MANIFOLD], (triangle, shape, result, margin, 1, desk))
            settle(desk, start, fresh, number, _NAMES)
        elif s < 0.0:
            P = room(60)
            if turned:
                q, r = r, q
            meet_face(shape, p, q, r, margin, 0.5 * shape[REACH], number, P, start, desk)


@helper
def _is_foremost(block, row, rings, n):
    """Whether no triangle around the support corner or edge of a triangle reaches further along n."""
    best, second = 0, -1
    for k in range(1, 3):
        if dot(n, minus(_corner(block, row, k), _corner(block, row, best))) > 0.0:
            best = k
    p = _corner(block, row, best)
    for k in range(3):
        if k != best:
            u = minus(_corner(block, row, k), p)
            if dot(n, u) > -_FURTHER * norm(u):
                second = k
    if second < 0:
        i = int(row[best])
        for k in range(int(rings[i]), int(rings[i + 1])):
            u = minus(corner(block, int(rings[k]) + 1), p)
            if dot(n, u) > _FURTHER * norm(u):
                return False
        return True
    # edge k goes from corner k to the next
    k = best if second == (best + 1) % 3 else second
    if row[3 + k] < 0.0:
        return True
    u = minus(corner(block, int(row[3 + k]) + 1), p)
    return dot(n, u) <= _FURTHER * norm(u)


@helper
def _corner(block, row, k):
    return corner(block, int(row[k]) + 1)


@helper
def _drop_seams(p, q, r, row, fresh, desk):
    """Drop the points where a face of the shape crosses an edge between coplanar triangles."""
    if desk[LEAST] != 0:
        return
    data, features = reals(desk[DATA]), integers(desk[FEATURES])
    kept = fresh
    for k in range(fresh, min(desk[TOTAL], desk[ROOM])):
        # cut by a side of the triangle, see `manifold`
        if (features[k] // 1024) % 2 == 1 and features[k] % 1024 >= 32:
            x = (data[10 * k], data[10 * k + 1], data[10 * k + 2])
            sharp = (
                (row[6] != 0.0 and _on_edge(x, p, q))
                or (row[7] != 0.0 and _on_edge(x, q, r))
                or (row[8] != 0.0 and _on_edge(x, r, p))
            )
            if not sharp:
                continue
        for m in range(10):
            data[10 * kept + m] = data[10 * k + m]
        features[kept] = features[k]
        kept += 1
    if desk[TOTAL] <= desk[ROOM]:
        desk[TOTAL] = kept


@helper
def _on_edge(x, p, q):
    u = minus(q, p)
    length = norm(u)
    return norm(cross(minus(x, p), u)) <= 1e-8 * length * (1.0 + length)
