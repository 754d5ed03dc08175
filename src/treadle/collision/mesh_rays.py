"""A ray against a hull, face by face, and against the triangles of a mesh, down its tree."""

from __future__ import annotations

from math import inf

from treadle.collision.vectors import corner, cross, dot, minus
from treadle.native.pieces import at, helper, room

__all__ = ["hull_ray", "mesh_ray"]


@helper
def hull_ray(block, p, e):
    """Where the ray p + t e enters a hull, and the normal there."""
    first, last, normal = 0.0, inf, (0.0, 0.0, 1.0)
    faces = at(block, int(block[2]))
    for k in range(int(block[1])):
        face = at(faces, 5 * k)
        n = (face[0], face[1], face[2])
        height = dot(n, minus(p, corner(block, int(block[int(face[3])]) + 1)))
        speed = dot(n, e)
        if speed == 0.0:
            if height > 0.0:
                return inf, normal
        elif speed < 0.0:
            if -height / speed > first:
                first, normal = -height / speed, n
        else:
            last = min(last, -height / speed)
    return (first if first <= last else inf), normal


@helper
def mesh_ray(block, p, e, limit):
    """Where the ray p + t e first meets a triangle, from either side, and the normal against the ray."""
    best, normal = inf, (0.0, 0.0, 0.0)
    parts = at(block, 3 + 3 * int(block[0]))
    triangles, nodes = at(block, int(parts[0])), at(block, int(parts[1]))
    stack = room(64)
    stack[0] = 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node = at(nodes, 8 * int(stack[depth]))
        if not _crosses(node, p, e, min(best, limit)):
            continue
        if node[7] == 0.0:
            stack[depth], stack[depth + 1] = node[6], node[6] + 1.0
            depth += 2
        else:
            for k in range(int(node[6]), int(node[6] + node[7])):
                row = at(triangles, 12 * k)
                t = _triangle(block, row, p, e)
                if t < best and t <= limit:
                    best, normal = t, (row[9], row[10], row[11])
    return best, normal if dot(normal, e) < 0.0 else (-normal[0], -normal[1], -normal[2])


@helper
def _crosses(node, p, e, limit):
    """Whether a ray meets a box within the limit."""
    first, last = 0.0, limit
    for k in range(3):
        if e[k] == 0.0:
            if not node[k] <= p[k] <= node[3 + k]:
                return False
        else:
            t, u = (node[k] - p[k]) / e[k], (node[3 + k] - p[k]) / e[k]
            first, last = max(first, min(t, u)), min(last, max(t, u))
    # a little more, so that rounding hides no triangle
    return first <= last + 1e-9 * (1.0 + abs(last))


@helper
def _triangle(block, row, p, e):
    """Moller and Trumbore (1997)."""
    a = corner(block, int(row[0]) + 1)
    u, v = minus(corner(block, int(row[1]) + 1), a), minus(corner(block, int(row[2]) + 1), a)
    h = cross(e, v)
    determinant = dot(u, h)
    if determinant == 0.0:
        return inf
    s = minus(p, a)
    x = dot(s, h) / determinant
    q = cross(s, u)
    y = dot(e, q) / determinant
    t = dot(v, q) / determinant
    return t if x >= 0.0 and y >= 0.0 and x + y <= 1.0 and t >= 0.0 else inf
