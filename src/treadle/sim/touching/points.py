"""Contact points in the middle of a span: where they are, how they move, what they are made of."""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.native.kernels import inner

__all__ = ["POINT", "SURFACE", "fastest", "rate", "read_points", "twists"]

#: A contact point: its shapes and bodies (0: the world), where it is, and how the bodies meet there.
POINT = np.dtype(
    [
        ("a", np.int64), ("b", np.int64), ("body_a", np.int64), ("body_b", np.int64), ("feature", np.int64),
        ("x", np.float64), ("y", np.float64), ("z", np.float64),
        ("nx", np.float64), ("ny", np.float64), ("nz", np.float64),
        ("distance", np.float64),  # in the middle of the span
        ("gap", np.float64),  # at its start
        ("speed", np.float64),  # rate of the distance at the start
        ("free", np.float64),  # rate at the end without contact
        ("surface", np.int64),  # what contact of its two materials is like, see SURFACE
        ("row", np.int64),  # first of its rows, -1: it takes no force
        ("rows", np.int64),
        ("awaited", np.int64),  # 1: it would begin a contact in the span
        ("known", np.int64),  # its place among the points whose forces are kept
        ("end", np.float64),  # distance at the end of the span
        ("spring", np.int64),  # its place among the contacts with stiffness, -1: it has none
    ],
    align=True,
)  # fmt: skip

#: What contact of two materials is like.
SURFACE = np.dtype(
    [
        ("stiffness", np.float64),  # N/m^exponent, inf: rigid
        ("damping", np.float64),  # N s/m, nan: from the restitution
        ("restitution", np.float64),
        ("friction", np.float64),
        ("rolling", np.float64),  # m
        ("spinning", np.float64),  # m
        ("law", np.int64),  # place of a law that is not linear, -1: a spring and damper
        ("exponent", np.float64),
        ("per_mass", np.int64),  # 1: stiffness and damping are per kg of the mass that the contact moves
    ],
    align=True,
)  # fmt: skip


@inner()
def twists(above, first, axes, v, twist):
    """Velocity of every body (angular, then linear at the world's origin) when the machine moves with v.

    Row 0 is the world. `first` (bodies + 2) are the first freedoms of the bodies, `above` what carries them.
    """
    for i in range(1, len(twist)):
        for j in range(6):
            twist[i, j] = twist[above[i], j]
        for k in range(first[i], first[i + 1]):
            for j in range(6):
                twist[i, j] += axes[6 * k + j] * v[k]


@inner()
def rate(twist, point):
    """Rate of the distance at a contact point."""
    x, y, z = point.x, point.y, point.z
    a, b = point.body_a, point.body_b
    w0, w1, w2 = twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2]
    return (
        point.nx * (twist[b, 3] - twist[a, 3] + w1 * z - w2 * y)
        + point.ny * (twist[b, 4] - twist[a, 4] + w2 * x - w0 * z)
        + point.nz * (twist[b, 5] - twist[a, 5] + w0 * y - w1 * x)
    )


@inner()
def read_points(data, pairs, feature, count, body, material, surface_of, twist, free, span, points):
    """Take over what collision detection found."""
    for c in range(count):
        point = points[c]
        point.a, point.b, point.feature = pairs[c, 0], pairs[c, 1], feature[c]
        point.body_a, point.body_b = body[point.a], body[point.b]
        point.x = 0.5 * (data[c, 0] + data[c, 3])
        point.y = 0.5 * (data[c, 1] + data[c, 4])
        point.z = 0.5 * (data[c, 2] + data[c, 5])
        point.nx, point.ny, point.nz = data[c, 6], data[c, 7], data[c, 8]
        point.distance = data[c, 9]
        point.speed, point.free = rate(twist, point), rate(free, point)
        point.gap = point.distance - 0.5 * span * point.speed
        point.surface = surface_of[material[point.a], material[point.b]]
        point.row, point.rows, point.awaited, point.known, point.spring = -1, 0, 0, -1, -1


@inner()
def fastest(body, radius, X, twist):
    """A bound of the speeds of all shapes' points."""
    most = 0.0
    for s in range(len(body)):
        w = twist[body[s]]
        if body[s] > 0:
            x, y, z = X[s, 9], X[s, 10], X[s, 11]
            u = w[3] + w[1] * z - w[2] * y
            v = w[4] + w[2] * x - w[0] * z
            q = w[5] + w[0] * y - w[1] * x
            spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
            most = max(most, sqrt(u * u + v * v + q * q) + spin * radius[s])
    return most
