"""A primitive against a height field, in the field's own axes.

Every triangle below the shape is tested with the shape's support face, line or point, and every convex edge
of the grid as a segment. A normal counts if it belongs to the triangle, edge or peak that gave it, so that a
wheel that rolls over the seam of two coplanar triangles gets no contact there. The field is solid below, has
no walls at its border, and reaches its `depth` below its lowest point.
"""

from __future__ import annotations

from math import floor

from treadle.collision.ball_on_field import ball_on_edges, ball_on_faces
from treadle.collision.bounds import extent
from treadle.collision.contacts import DATA, GJK, LEAST, MANIFOLD, ROOM, ROUND, TOTAL, flip, put
from treadle.collision.features import edge, face
from treadle.collision.field_grid import (
    ALONG_X,
    ALONG_Y,
    DIAGONAL,
    SMALL,
    grid_point,
    is_inside,
    is_peak,
    is_ridge,
    surface_at,
)
from treadle.collision.kinds import BLOCK, CAPSULE, CYLINDER, ELLIPSOID, KIND, REACH, ROW, SIZE, SPHERE
from treadle.collision.pairs import call_manifold, call_separation, pair
from treadle.collision.settle import settle
from treadle.collision.vectors import (
    along,
    axes_of,
    axis,
    corner,
    cross,
    dot,
    local,
    minus,
    norm,
    position,
    scaled,
    store,
    turned,
    unit,
    world,
)
from treadle.native.calling import reals
from treadle.native.pieces import helper, room

__all__ = ["field_pair", "meet_face", "seen_from", "to_world"]


_EDGES = (ALONG_X, DIAGONAL, ALONG_Y)


@helper
def _misses(p, u, v, w, n):
    """Whether p lies beside the prism over the triangle u, v, w along its normal n, by more than rounding."""
    within = -SMALL * dot(n, n)
    return (
        dot(n, cross(minus(v, u), minus(p, u))) < within
        or dot(n, cross(minus(w, v), minus(p, v))) < within
        or dot(n, cross(minus(u, w), minus(p, w))) < within
    )


@helper
def meet_face(b, u, v, w, margin, depth, number, P, start, desk):
    """The support points of the shape that lie over the triangle u, v, w."""
    n, far = cross(minus(v, u), minus(w, u)), b[REACH] + margin
    height = dot(n, minus(position(b), u))
    if height > 0.0 and height * height > far * far * dot(n, n):
        return
    if b[KIND] == SPHERE and _misses(position(b), u, v, w, n):
        return
    n = unit(n, (0.0, 0.0, 1.0))
    back = scaled(n, -1.0)
    count = 1
    if b[KIND] == SPHERE:
        store(P, 0, along(position(b), -b[SIZE], n))
    else:
        count, _, _ = face(b, back, 4, P)
        if count == 1:
            store(P, 0, edge(b, back, 0.0)[0])
    fresh = desk[TOTAL]
    for k in range(count):
        p = corner(P, k)
        distance = dot(n, minus(p, u))
        if distance > margin or distance < -depth:
            continue
        foot = along(p, -distance, n)
        if (
            dot(n, cross(minus(v, u), minus(foot, u))) >= 0.0
            and dot(n, cross(minus(w, v), minus(foot, v))) >= 0.0
            and dot(n, cross(minus(u, w), minus(foot, w))) >= 0.0
        ):
            put(desk, k, foot, n, distance)
    settle(desk, start, fresh, number, 8)


@helper
def _side(p, u, opposite):
    """The direction at right angles to an edge along u, into the triangle with this third corner."""
    away = minus(opposite, p)
    return unit(along(away, -dot(away, u), u), u)


@helper
def _meet_edge(b, row, heights, field, i, j, steps, margin, number, start, desk):
    """The point of the edge from (i, j) to (i + x, j + y) nearest to the shape, if it is convex.

    The `steps` are those from (i, j) along the edge, and to the third corners of its two triangles.
    """
    (x, y), left, right = steps
    p, q = grid_point(heights, field, i, j), grid_point(heights, field, i + x, j + y)
    u, gap, far = minus(q, p), minus(position(b), p), b[REACH] + margin
    apart = along(gap, -min(max(dot(gap, u) / dot(u, u), 0.0), 1.0), u)
    if dot(apart, apart) > far * far:
        return
    has_left = is_inside(field, i + left[0], j + left[1])
    has_right = is_inside(field, i + right[0], j + right[1])
    toward_left = toward_right = u
    if has_left:
        toward_left = grid_point(heights, field, i + left[0], j + left[1])
    if has_right:
        toward_right = grid_point(heights, field, i + right[0], j + right[1])
    if has_left and has_right and not is_ridge(field, p, q, toward_left, toward_right):
        return
    middle = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]))
    half = 0.5 * norm(u)
    u = scaled(u, 0.5 / half)
    toward_left, toward_right = _side(p, u, toward_left), _side(p, u, toward_right)
    # the edge as a capsule without thickness
    across = unit(cross(u, (0.0, 0.0, 1.0)), (1.0, 0.0, 0.0))
    upward = cross(u, across)
    for k in range(3):
        row[3 * k], row[3 * k + 1], row[3 * k + 2], row[9 + k] = across[k], upward[k], u[k], middle[k]
    row[SIZE], row[SIZE + 1], row[REACH], row[KIND] = 0.0, half, half, CAPSULE
    result = room(8)
    curved = b[KIND] == CYLINDER or b[KIND] == ELLIPSOID
    call_separation(desk[ROUND] if curved else desk[GJK], (row, b, margin, result, desk))
    n = corner(result, 0)
    if result[3] > margin or n[2] <= 0.0:
        return
    if (has_left and dot(n, toward_left) > SMALL) or (has_right and dot(n, toward_right) > SMALL):
        return
    slope = dot(n, u)
    if slope < -SMALL and not is_peak(heights, field, i, j, n):
        return
    if slope > SMALL and not is_peak(heights, field, i + x, j + y, n):
        return
    fresh = desk[TOTAL]
    call_manifold(desk[MANIFOLD], (row, b, result, margin, 1, desk))
    settle(desk, start, fresh, number, 8)


@helper
def seen_from(a, b, row):
    """Write the row of b with its pose in the axes of a."""
    for k in range(ROW):
        row[k] = b[k]
    for j in range(3):
        u = axes_of(a, axis(b, j))
        row[j], row[3 + j], row[6 + j] = u[0], u[1], u[2]
    p = local(a, position(b))
    row[9], row[10], row[11] = p[0], p[1], p[2]


@helper
def to_world(a, start, desk):
    """Points that are in the axes of a, into the world."""
    data = reals(desk[DATA])
    for k in range(start, min(desk[TOTAL], desk[ROOM])):
        i = 10 * k
        p = world(a, (data[i], data[i + 1], data[i + 2]))
        q = world(a, (data[i + 3], data[i + 4], data[i + 5]))
        n = turned(a, (data[i + 6], data[i + 7], data[i + 8]))
        for j in range(3):
            data[i + j], data[i + 3 + j], data[i + 6 + j] = p[j], q[j], n[j]


@helper
def _beside(b, p, dx, dy, top):
    """The square of the distance from the middle of a shape to what lies in and below a cell from p on."""
    x = max(p[0] - b[9], 0.0, b[9] - p[0] - dx)
    y = max(p[1] - b[10], 0.0, b[10] - p[1] - dy)
    z = max(b[11] - top, 0.0)
    return x * x + y * y + z * z


@helper
def _meet_above(b, surface, depth, start, desk):
    """The point of the triangle over a shape whose middle is below the ground, between what else is there.

    Below valleys are points that no triangle has the foot of.
    """
    _, along_x, along_y, height, number = surface
    n = unit((-along_x, -along_y, 1.0), (0.0, 0.0, 1.0))
    lowest = along(position(b), -b[SIZE], n)
    if b[KIND] != SPHERE:
        lowest = edge(b, scaled(n, -1.0), 0.0)[0]
    distance = height * n[2] + dot(n, minus(lowest, position(b)))
    if distance >= -depth:
        put(desk, 0, (b[9], b[10], b[11] - height), n, distance)
        settle(desk, start, start, number, 8)


@helper
def _scan(b, a, block, margin, start, desk):
    """The points of the cells within the margin of the shape, seen from above; whether these are all."""
    row, P = room(18), room(60)
    columns, rows = int(block[0]), int(block[1])
    dx, dy = 2.0 * a[SIZE] / (columns - 1), 2.0 * a[SIZE + 1] / (rows - 1)
    field = (columns, rows, 2, -a[SIZE], -a[SIZE + 1], dx, dy)
    x, y = b[9] + a[SIZE], b[10] + a[SIZE + 1]
    most = 2.0 * (a[SIZE] + a[SIZE + 1]) + abs(x) + abs(y)
    reach_x, reach_y = min(extent(b, 0) + margin, most), min(extent(b, 1) + margin, most)
    low_i, high_i = max(0, floor((x - reach_x) / dx)), min(columns - 1, floor((x + reach_x) / dx) + 1)
    low_j, high_j = max(0, floor((y - reach_y) / dy)), min(rows - 1, floor((y + reach_y) / dy) + 1)
    bottom, data, ball = b[11] - extent(b, 2), reals(desk[DATA]), (position(b), b[SIZE])
    # what has come through within the margin is found, too
    solid = a[SIZE + 2] + margin
    under = surface_at(block, field, position(b))
    if b[KIND] == SPHERE and under[0] and under[3] >= 0.0:
        # triangles whose planes its centre is below are those of other sides of ridges
        solid = b[SIZE]
    for j in range(low_j, high_j + 1):
        for i in range(low_i, high_i + 1):
            if desk[LEAST] != 0 and desk[TOTAL] > start:
                # nothing but what is nearer counts
                margin = min(margin, max(data[9], 0.0))
            number = 5 * (j * columns + i)
            p = grid_point(block, field, i, j)
            if i + 1 < columns and j + 1 < rows:
                q = grid_point(block, field, i + 1, j)
                r = grid_point(block, field, i + 1, j + 1)
                t = grid_point(block, field, i, j + 1)
                # a cell that lies wholly below the shape, or beside the ball around it
                top = max(p[2], q[2], r[2], t[2])
                if top < bottom - margin or _beside(b, p, dx, dy, top) > (b[REACH] + margin) ** 2:
                    continue
                if b[KIND] == SPHERE:
                    ball_on_faces(ball, block, field, i, j, (margin, solid), number, start, desk)
                    ball_on_edges(ball, block, field, i, j, margin, number + 2, start, desk)
                    continue
                meet_face(b, p, q, r, margin, solid, number, P, start, desk)
                meet_face(b, p, r, t, margin, solid, number + 1, P, start, desk)
            elif b[KIND] == SPHERE:
                ball_on_edges(ball, block, field, i, j, margin, number + 2, start, desk)
                continue
            for which in range(3):
                steps = _EDGES[which]
                if is_inside(field, i + steps[0][0], j + steps[0][1]):
                    _meet_edge(b, row, block, field, i, j, steps, margin, number + 2 + which, start, desk)
    if under[0] and under[3] < 0.0 and desk[TOTAL] == start:
        _meet_above(b, under, solid, start, desk)
    return low_i == 0 and low_j == 0 and high_i == columns - 1 and high_j == rows - 1 and margin > most


@pair(GJK, MANIFOLD)
def field_pair(b, a, margin, desk):
    """The points of a convex shape b and the field a within the margin."""
    start = desk[TOTAL]
    block, b_row = reals(int(a[BLOCK])), room(18)
    seen_from(a, b, b_row)
    near = margin
    if desk[LEAST] != 0:
        # the one point that is nearest is looked for in widening circles
        near = min(margin, 0.25 * (a[SIZE] / (block[0] - 1.0) + a[SIZE + 1] / (block[1] - 1.0)))
    while True:
        whole = _scan(b_row, a, block, near, start, desk)
        if whole or near >= margin or desk[TOTAL] > start:
            break
        near = min(2.0 * near, margin)
    to_world(a, start, desk)
    flip(desk, start)
