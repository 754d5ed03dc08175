"""A primitive against a height field, in the field's own axes.

Every triangle below the shape is met by the shape's foremost face, line or point; every convex edge of the
grid is met as a segment. A normal counts if it belongs to the triangle, edge or peak that gave it, so that a
wheel that rolls over the seam of two coplanar triangles feels nothing. The field is solid below, has no walls
at its border, and reaches its `depth` below its lowest point.
"""

from __future__ import annotations

from math import floor

import numpy as np

from treadle.collision.bounds import extent
from treadle.collision.contacts import CONTACTS, put
from treadle.collision.features import edge, face
from treadle.collision.kinds import CAPSULE
from treadle.collision.manifold import manifold
from treadle.collision.separation import separation
from treadle.collision.vectors import (
    along,
    cross,
    dot,
    local,
    minus,
    norm,
    plus,
    position,
    scaled,
    store,
    unit,
    world,
)
from treadle.native.signatures import ARRAY, INT, INTEGERS, MATRIX, REAL, VECTOR, kernel

__all__ = ["field_contacts"]

#: Sines of angles below this do not make an edge convex or a normal foreign.
_SMALL = 1e-9
#: Neighbours of a grid point, around it.
_AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
#: Edges that start at a grid point: the step along each, and those to the third corners of its triangles.
_EDGES = ((1, 0, (1, 1), (0, -1)), (1, 1, (1, 0), (0, 1)), (0, 1, (1, 1), (-1, 0)))


@kernel()
def _point(heights, field, i, j):
    """Grid point (i, j); a field is (columns, rows, place of its first height, lowest x, lowest y, steps)."""
    columns, _, first, x, y, dx, dy = field
    return (x + i * dx, y + j * dy, heights[first + j * columns + i])


@kernel()
def _inside(field, i, j):
    return 0 <= i < field[0] and 0 <= j < field[1]


@kernel()
def _is_peak(heights, field, i, j, n):
    """Whether n belongs to grid point (i, j): no edge from there leads towards it."""
    p = _point(heights, field, i, j)
    for x, y in _AROUND:
        if _inside(field, i + x, j + y):
            q = _point(heights, field, i + x, j + y)
            if dot(n, minus(q, p)) > _SMALL * norm(minus(q, p)):
                return False
    return True


@kernel((CONTACTS, INT, INT, INT))
def _settle(out, start, fresh, number):
    """Name the points from `fresh` on, and drop those that a neighbour in the grid has given before."""
    kept = fresh
    for k in range(fresh, min(out.total[0], len(out.data))):
        row = out.data[k]
        twin = False
        for m in range(start, kept):
            other = out.data[m]
            apart = abs(row[0] - other[0]) + abs(row[1] - other[1]) + abs(row[2] - other[2])
            if apart < 1e-9 and row[6] * other[6] + row[7] * other[7] + row[8] * other[8] > 1.0 - 1e-9:
                twin = True
        if not twin:
            for m in range(10):
                out.data[kept, m] = row[m]
            out.feature[kept] = number + out.feature[k] % 8
            kept += 1
    if out.total[0] <= len(out.data):
        out.total[0] = kept


@kernel((INT, MATRIX, MATRIX, VECTOR, VECTOR, VECTOR, REAL, REAL, INT, MATRIX, INT, CONTACTS))
def _meet_face(kind, X, S, u, v, w, margin, depth, number, P, start, out):
    """The foremost points of the shape (row 1) that lie over the triangle u, v, w."""
    n = unit(cross(minus(v, u), minus(w, u)), (0.0, 0.0, 1.0))
    back = scaled(n, -1.0)
    count, _, _ = face(kind, X, S, 1, back, 4, P)
    if count == 1:
        store(P, 0, edge(kind, X, S, 1, back, 0.0)[0])
    fresh = out.total[0]
    for k in range(count):
        p = (P[k, 0], P[k, 1], P[k, 2])
        distance = dot(n, minus(p, u))
        if distance > margin or distance < -depth:
            continue
        foot = along(p, -distance, n)
        if (
            dot(n, cross(minus(v, u), minus(foot, u))) >= 0.0
            and dot(n, cross(minus(w, v), minus(foot, v))) >= 0.0
            and dot(n, cross(minus(u, w), minus(foot, w))) >= 0.0
        ):
            put(out, k, foot, n, distance)
    _settle(out, start, fresh, 8 * number)


@kernel()
def _side(p, u, opposite):
    """The direction at right angles to an edge along u, into the triangle with this third corner."""
    away = minus(opposite, p)
    return unit(along(away, -dot(away, u), u), u)


@kernel()
def _meet_edge(kind, X, S, heights, field, i, j, x, y, left, right, margin, number, start, out):
    """The point of the edge from (i, j) to (i + x, j + y) nearest to the shape (row 1), if it is convex.

    `left` and `right` are the steps from (i, j) to the third corners of its triangles.
    """
    p, q = _point(heights, field, i, j), _point(heights, field, i + x, j + y)
    middle = (0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]))
    u = minus(q, p)
    half = 0.5 * norm(u)
    u = scaled(u, 0.5 / half)
    gap = minus(position(X, 1), middle)
    t = min(max(dot(gap, u), -half), half)
    if norm(along(gap, -t, u)) > S[2, 0] + margin:
        return
    has_left = _inside(field, i + left[0], j + left[1])
    has_right = _inside(field, i + right[0], j + right[1])
    toward_left = toward_right = u
    if has_left:
        toward_left = _side(p, u, _point(heights, field, i + left[0], j + left[1]))
    if has_right:
        toward_right = _side(p, u, _point(heights, field, i + right[0], j + right[1]))
    if has_left and has_right:
        # both sides fall away from a ridge: their sum points down
        bisector = plus(toward_left, toward_right)
        if norm(bisector) < _SMALL or bisector[2] >= 0.0:
            return
    # the edge as a capsule without thickness (row 0)
    across = unit(cross(u, (0.0, 0.0, 1.0)), (1.0, 0.0, 0.0))
    upward = cross(u, across)
    for k in range(3):
        X[0, 3 * k], X[0, 3 * k + 1], X[0, 3 * k + 2], X[0, 9 + k] = across[k], upward[k], u[k], middle[k]
    S[0, 0], S[0, 1] = 0.0, half
    n, s = separation(CAPSULE, kind, X, S, 0, 1)
    if s > margin or n[2] <= 0.0:
        return
    if (has_left and dot(n, toward_left) > _SMALL) or (has_right and dot(n, toward_right) > _SMALL):
        return
    slope = dot(n, u)
    if slope < -_SMALL and not _is_peak(heights, field, i, j, n):
        return
    if slope > _SMALL and not _is_peak(heights, field, i + x, j + y, n):
        return
    fresh = out.total[0]
    manifold(CAPSULE, kind, X, S, 0, 1, n, s, margin, True, out)
    _settle(out, start, fresh, 8 * number)


@kernel()
def _relative_pose(X, a, b, Y, row):
    """Write the pose of b in the axes of a."""
    for i in range(3):
        for j in range(3):
            Y[row, 3 * i + j] = X[a, i] * X[b, j] + X[a, 3 + i] * X[b, 3 + j] + X[a, 6 + i] * X[b, 6 + j]
    store(Y[:, 9:], row, local(X, a, position(X, b)))


@kernel()
def _extent(kind, X, S, i):
    """Half the length along axis i of the box around the shape in row 1."""
    x, y, z = X[1, 3 * i], X[1, 3 * i + 1], X[1, 3 * i + 2]
    return extent(kind, S[1, 0], S[1, 1], S[1, 2], x, y, z)


@kernel()
def _to_world(X, a, start, out):
    """Points that are in the axes of a, into the world."""
    for k in range(start, min(out.total[0], len(out.data))):
        row = out.data[k]
        p, q = world(X, a, (row[0], row[1], row[2])), world(X, a, (row[3], row[4], row[5]))
        n = minus(world(X, a, (row[6], row[7], row[8])), position(X, a))
        for i in range(3):
            row[i], row[3 + i], row[6 + i] = p[i], q[i], n[i]


@kernel((INT, MATRIX, MATRIX, ARRAY, INTEGERS, ARRAY, INT, INT, REAL, CONTACTS))
def field_contacts(kind, X, sizes, radius, grid, heights, a, b, margin, out):
    """The points of the field a and the primitive b within the margin; normals point out of the field."""
    start = out.total[0]
    Y, S, P = np.zeros((2, 12)), np.zeros((3, 3)), np.empty((20, 3))
    _relative_pose(X, a, b, Y, 1)
    for k in range(3):
        S[1, k] = sizes[b, k]
    S[2, 0] = radius[b]
    columns, rows = grid[a, 0], grid[a, 1]
    dx, dy = 2.0 * sizes[a, 0] / (columns - 1), 2.0 * sizes[a, 1] / (rows - 1)
    field = (columns, rows, grid[a, 2], -sizes[a, 0], -sizes[a, 1], dx, dy)
    reach_x = min(_extent(kind, Y, S, 0) + margin, 4.0 * sizes[a, 0])
    reach_y = min(_extent(kind, Y, S, 1) + margin, 4.0 * sizes[a, 1])
    low_i = max(0, floor((Y[1, 9] - reach_x + sizes[a, 0]) / dx))
    high_i = min(columns - 1, floor((Y[1, 9] + reach_x + sizes[a, 0]) / dx) + 1)
    low_j = max(0, floor((Y[1, 10] - reach_y + sizes[a, 1]) / dy))
    high_j = min(rows - 1, floor((Y[1, 10] + reach_y + sizes[a, 1]) / dy) + 1)
    bottom = Y[1, 11] - _extent(kind, Y, S, 2) - margin
    for j in range(low_j, high_j + 1):
        for i in range(low_i, high_i + 1):
            number = 5 * (j * columns + i)
            p = _point(heights, field, i, j)
            if i + 1 < columns and j + 1 < rows:
                q = _point(heights, field, i + 1, j)
                r = _point(heights, field, i + 1, j + 1)
                t = _point(heights, field, i, j + 1)
                # a cell that lies wholly below the shape
                if max(p[2], q[2], r[2], t[2]) < bottom:
                    continue
                _meet_face(kind, Y, S, p, q, r, margin, sizes[a, 2], number, P, start, out)
                _meet_face(kind, Y, S, p, r, t, margin, sizes[a, 2], number + 1, P, start, out)
            for which in range(3):
                x, y, left, right = _EDGES[which]
                if _inside(field, i + x, j + y):
                    _meet_edge(
                        kind,
                        Y,
                        S,
                        heights,
                        field,
                        i,
                        j,
                        x,
                        y,
                        left,
                        right,
                        margin,
                        number + 2 + which,
                        start,
                        out,
                    )
    _to_world(X, a, start, out)
