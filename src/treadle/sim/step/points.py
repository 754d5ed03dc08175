"""Contact points in the middle of a substep: where they are, how they move, what they are made of."""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.native.kernels import part
from treadle.sim.step.tangent_basis import along
from treadle.sim.step.terrain_shapes import UNDER_WHEEL

__all__ = [
    "POINT", "REFERENCE", "RIGID", "SURFACE", "TOUCHING", "fastest", "rate", "read_point",
    "relative_rotation", "relative_velocity", "twists",
]  # fmt: skip

#: Distance (m) below which two surfaces touch. Differences of gaps below it are no reason for the corners of
#: a face to carry different loads.
TOUCHING = 1e-10

#: What is not among the compliant contacts: rigid, or a row with a reference acceleration.
RIGID, REFERENCE = -1, -2

#: A contact point: its shapes and bodies (0: the world), where it is, and how the bodies meet there.
POINT = np.dtype(
    [
        ("a", np.int64), ("b", np.int64), ("body_a", np.int64), ("body_b", np.int64), ("feature", np.int64),
        ("x", np.float64), ("y", np.float64), ("z", np.float64),
        ("nx", np.float64), ("ny", np.float64), ("nz", np.float64),
        ("distance", np.float64),  # in the middle of the substep
        ("gap", np.float64),  # at its start
        ("speed", np.float64),  # rate of the distance at the start
        ("free", np.float64),  # rate at the end without contact
        ("surface", np.int64),  # what contact of its two materials is like, see SURFACE
        ("row", np.int64),  # first of its rows, -1: it takes no force
        ("rows", np.int64),
        ("idle", np.int64),  # 1: it is left out, for it stays apart
        ("pending", np.int64),  # 1: it would begin a contact in the substep
        ("known", np.int64),  # its place among the points whose forces are kept
        ("bow", np.float64),  # what its distance changes in half of the substep as bodies turn
        ("end", np.float64),  # distance at the end of the substep
        ("rolls", np.int64),  # 1: its surfaces rolled on each other before
        ("spring", np.int64),  # its place among the compliant contacts, RIGID or REFERENCE
        ("muted", np.int64),  # 1: it is under a wheel, and does not touch
        ("asleep", np.int64),  # its place among the points of bodies that sleep, from 1 on; 0: it is awake
        ("tx", np.float64), ("ty", np.float64), ("tz", np.float64),  # across the normal, see `grain`
    ],
    align=True,
)  # fmt: skip

#: What contact of two materials is like.
SURFACE = np.dtype(
    [
        ("stiffness", np.float64),  # N/m^exponent, inf: rigid
        ("damping", np.float64),  # N s/m, nan: from the restitution
        ("restitution", np.float64),
        ("friction", np.float64),  # along the direction
        ("across", np.float64),  # friction across it
        ("rolling", np.float64),  # m
        ("spinning", np.float64),  # m
        ("law", np.int64),  # place of a law that is not linear, -1: a spring and damper
        ("exponent", np.float64),
        ("per_mass", np.int64),  # 1: stiffness and damping are per kg of the mass that the contact moves
        # share of the reference acceleration that a contact reaches at no depth, and at the width (m) or
        # deeper, with the midpoint and power of the curve between them; 0: none, it is a spring and damper
        ("impedance", np.float64), ("most_impedance", np.float64), ("width", np.float64),
        ("midpoint", np.float64), ("power", np.float64),
        ("owner", np.int64),  # kind of the shape that the direction is fixed in
        ("dx", np.float64), ("dy", np.float64), ("dz", np.float64),  # the direction, in that shape's axes
    ],
    align=True,
)  # fmt: skip


@part()
def twists(body_tree, axes, v, twist):
    """Velocity of every body (angular, then linear at the world's origin) when the machine moves with v.

    Row 0 is the world, which rests.
    """
    above, first = body_tree.above, body_tree.first
    for i in range(1, len(twist)):
        a = above[i]
        w0, w1, w2 = twist[a, 0], twist[a, 1], twist[a, 2]
        u0, u1, u2 = twist[a, 3], twist[a, 4], twist[a, 5]
        for k in range(first[i], first[i + 1]):
            e, speed = 6 * k, v[k]
            w0, w1, w2 = w0 + axes[e] * speed, w1 + axes[e + 1] * speed, w2 + axes[e + 2] * speed
            u0, u1, u2 = u0 + axes[e + 3] * speed, u1 + axes[e + 4] * speed, u2 + axes[e + 5] * speed
        twist[i, 0], twist[i, 1], twist[i, 2] = w0, w1, w2
        twist[i, 3], twist[i, 4], twist[i, 5] = u0, u1, u2


@part()
def rate(twist, point):
    """Rate of the distance at a contact point."""
    u = relative_velocity(twist, point)
    return point.nx * u[0] + point.ny * u[1] + point.nz * u[2]


@part()
def relative_velocity(twist, point):
    """Velocity of B relative to A at a contact point."""
    x, y, z = point.x, point.y, point.z
    a, b = point.body_a, point.body_b
    w0, w1, w2 = relative_rotation(twist, point)
    return (
        twist[b, 3] - twist[a, 3] + w1 * z - w2 * y,
        twist[b, 4] - twist[a, 4] + w2 * x - w0 * z,
        twist[b, 5] - twist[a, 5] + w0 * y - w1 * x,
    )


@part()
def relative_rotation(twist, point):
    """Angular velocity of B relative to A."""
    a, b = point.body_a, point.body_b
    return twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2]


@part()
def read_point(context, c):
    """Take over a point that collision detection found."""
    now, detection, free, point = context.now[0], context.detection, context.free, context.scratch.points[c]
    data, pairs, e = detection.data, detection.pairs, 10 * c
    point.a, point.b, point.feature = pairs[2 * c], pairs[2 * c + 1], detection.feature[c]
    point.body_a, point.body_b = detection.body[point.a], detection.body[point.b]
    context.scratch.laid[point.body_a] += 1
    context.scratch.laid[point.body_b] += 1
    point.x = 0.5 * (data[e] + data[e + 3])
    point.y = 0.5 * (data[e + 1] + data[e + 4])
    point.z = 0.5 * (data[e + 2] + data[e + 5])
    point.nx, point.ny, point.nz = data[e + 6], data[e + 7], data[e + 8]
    point.distance = data[e + 9]
    point.speed, point.free = rate(free.twist, point), rate(free.twist_free, point)
    point.gap = point.distance - 0.5 * now.h * point.speed
    material = detection.material
    point.surface = detection.surface_of[material[point.a], material[point.b]]
    surface = context.surfaces[point.surface]
    owner = point.a if material[point.a] == surface.owner else point.b
    point.tx, point.ty, point.tz = along((point.nx, point.ny, point.nz), surface, detection, owner)
    point.row, point.rows, point.pending, point.known, point.spring = -1, 0, 0, -1, RIGID
    point.asleep = 0
    point.idle, point.bow, point.muted = (
        0,
        0.0,
        int(detection.role[point.a] + detection.role[point.b] == UNDER_WHEEL),
    )


@part()
def fastest(context, poses, twist, free):
    """A bound of the speeds of all shapes' points, by either of two motions; `reach` gets that of each."""
    detection, reach, counted = context.detection, context.scratch.reach, context.agreement.counted
    most, body, radius, placement = 0.0, detection.body, detection.radius, detection.placement
    for s in range(len(reach)):
        b, reach[s] = body[s], 0.0
        if b > 0 and counted[b] == 1:
            X, c = 12 * (b - 1), 12 * s + 9
            x = _turned(poses, X, placement, c) + poses[X + 9]
            y = _turned(poses, X + 3, placement, c) + poses[X + 10]
            z = _turned(poses, X + 6, placement, c) + poses[X + 11]
            u, w = _squares(twist, b, x, y, z)
            u_free, w_free = _squares(free, b, x, y, z)
            reach[s] = sqrt(max(u, u_free)) + sqrt(max(w, w_free)) * radius[s]
            most = max(most, reach[s])
    return most


@part()
def _turned(poses, row, placement, c):
    return poses[row] * placement[c] + poses[row + 1] * placement[c + 1] + poses[row + 2] * placement[c + 2]


@part()
def _squares(twist, b, x, y, z):
    """Squares of the speed of a point of a body, and of its angular velocity."""
    w0, w1, w2 = twist[b, 0], twist[b, 1], twist[b, 2]
    u = twist[b, 3] + w1 * z - w2 * y
    v = twist[b, 4] + w2 * x - w0 * z
    w = twist[b, 5] + w0 * y - w1 * x
    return u * u + v * v + w * w, w0 * w0 + w1 * w1 + w2 * w2
