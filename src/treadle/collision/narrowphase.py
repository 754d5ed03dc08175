"""The contact points of one pair of shapes."""

from __future__ import annotations

from math import sqrt

from treadle.collision.contacts import flip
from treadle.collision.convex import convex_convex
from treadle.collision.field_pairs import field_contacts
from treadle.collision.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HEIGHT_FIELD, PLANE, SPHERE
from treadle.collision.plane_pairs import (
    plane_box,
    plane_capsule,
    plane_cylinder,
    plane_ellipsoid,
    plane_sphere,
)
from treadle.collision.sphere_pairs import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from treadle.native.signatures import kernel

__all__ = ["touch"]


@kernel()
def touch(shapes, X, a, b, margin, out):
    """Append the points of shapes a and b that come within the margin of each other."""
    start = out.total[0]
    kind = shapes.kind
    swapped = kind[a] > kind[b]
    if swapped:
        a, b = b, a
    if kind[b] < HEIGHT_FIELD:
        _primitives(kind[a], kind[b], X, shapes.size, shapes.radius, a, b, margin, out)
    elif kind[b] == HEIGHT_FIELD and PLANE < kind[a] < HEIGHT_FIELD:
        field_contacts(kind[a], X, shapes.size, shapes.radius, shapes.grid, shapes.heights, b, a, margin, out)
        flip(out, start)
    if swapped:
        flip(out, start)
        a, b = b, a
    for i in range(start, min(out.total[0], out.data.shape[0])):
        out.pairs[i, 0], out.pairs[i, 1] = a, b


@kernel()
def _primitives(first, second, X, S, radius, a, b, margin, out):
    if first == PLANE:
        if second == SPHERE:
            plane_sphere(X, S, a, b, margin, out)
        elif second == CAPSULE:
            plane_capsule(X, S, a, b, margin, out)
        elif second == BOX:
            plane_box(X, S, a, b, margin, out)
        elif second == CYLINDER:
            plane_cylinder(X, S, a, b, margin, out)
        elif second == ELLIPSOID:
            plane_ellipsoid(X, S, a, b, margin, out)
        return
    if first == SPHERE and second == SPHERE:
        sphere_sphere(X, S, a, b, margin, out)
        return
    x, y, z = X[b, 9] - X[a, 9], X[b, 10] - X[a, 10], X[b, 11] - X[a, 11]
    if sqrt(x * x + y * y + z * z) - radius[a] - radius[b] > margin:
        return
    if first == SPHERE and second == CAPSULE:
        sphere_capsule(X, S, a, b, margin, out)
    elif first == SPHERE and second == BOX:
        sphere_box(X, S, a, b, margin, out)
    elif first == SPHERE and second == CYLINDER:
        sphere_cylinder(X, S, a, b, margin, out)
    else:
        convex_convex(first, second, X, S, a, b, margin, out)
