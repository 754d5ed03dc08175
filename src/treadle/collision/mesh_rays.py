"""A ray against the triangles of a mesh (Moller and Trumbore, 1997)."""

from __future__ import annotations

from math import inf

from treadle.collision.vectors import cross, dot, minus, unit
from treadle.native.signatures import kernel

__all__ = ["mesh_ray"]


@kernel()
def mesh_ray(points, triangles, p, e, limit):
    """Where the ray p + t e first meets a triangle, from either side, and the normal against the ray."""
    best, normal = inf, (0.0, 0.0, 0.0)
    for k in range(len(triangles)):
        i, j, m = triangles[k]
        a = (points[i, 0], points[i, 1], points[i, 2])
        u = (points[j, 0] - a[0], points[j, 1] - a[1], points[j, 2] - a[2])
        v = (points[m, 0] - a[0], points[m, 1] - a[1], points[m, 2] - a[2])
        h = cross(e, v)
        determinant = dot(u, h)
        if determinant == 0.0:
            continue
        s = minus(p, a)
        x = dot(s, h) / determinant
        q = cross(s, u)
        y = dot(e, q) / determinant
        t = dot(v, q) / determinant
        if x >= 0.0 and y >= 0.0 and x + y <= 1.0 and 0.0 <= t < best and t <= limit:
            best = t
            n = unit(cross(u, v), normal)
            normal = n if dot(n, e) < 0.0 else (-n[0], -n[1], -n[2])
    return best, normal
