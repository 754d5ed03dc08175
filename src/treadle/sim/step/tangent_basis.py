"""Directions across the normal of a contact point, along which friction acts."""

from __future__ import annotations

from math import sqrt

from treadle.native.kernels import part

__all__ = ["across", "along"]

#: Sine of the angle to the normal below which a direction in a surface is not told.
_NORMAL = 1e-9

#: Component along x from which on a normal is steep; no angle that people draw has this cosine.
_STEEP = 0.7347213


@part()
def along(n, surface, detection, shape):
    """The unit vector across n that is nearest to a surface's direction, which is fixed in a shape.

    Any one where friction is the same all around, or where the direction is that of the normal.
    """
    if surface.friction == surface.across:
        return across(n)
    body, X = detection.body[shape], detection.bodies
    u = _turned(detection.placement, 12 * shape, surface)
    x = X[body, 0] * u[0] + X[body, 1] * u[1] + X[body, 2] * u[2]
    y = X[body, 3] * u[0] + X[body, 4] * u[1] + X[body, 5] * u[2]
    z = X[body, 6] * u[0] + X[body, 7] * u[1] + X[body, 8] * u[2]
    deep = x * n[0] + y * n[1] + z * n[2]
    x, y, z = x - deep * n[0], y - deep * n[1], z - deep * n[2]
    length = sqrt(x * x + y * y + z * z)
    if length < _NORMAL:
        return across(n)
    return (x / length, y / length, z / length)


@part()
def _turned(placement, e, surface):
    """The direction in the axes of the shape's body."""
    x, y, z = surface.dx, surface.dy, surface.dz
    return (
        placement[e] * x + placement[e + 1] * y + placement[e + 2] * z,
        placement[e + 3] * x + placement[e + 4] * y + placement[e + 5] * z,
        placement[e + 6] * x + placement[e + 7] * y + placement[e + 8] * z,
    )


@part()
def across(n):
    """A unit vector across a unit vector, and nearly the same for nearly the same one.

    Friction that is kept for the next substep belongs to this direction: normals that differ by rounding
    alone, such as those of boxes that lie on each other, may not choose between axes.
    """
    t = (0.0, -n[2], n[1]) if abs(n[0]) < _STEEP else (n[2], 0.0, -n[0])
    scale = 1.0 / sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    return (scale * t[0], scale * t[1], scale * t[2])
