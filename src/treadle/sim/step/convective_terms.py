"""How the velocity at a contact changes while bodies turn, so that what sticks does not creep.

Friction holds where the velocity u of B relative to A across the normal is zero at the end of a span, but its
rows are those of the middle:

    u(q', v') = J(q_M) v' + h/2 du/dt,    du/dt = dV_B/dt - dV_A/dt + (w_B - w_A) x dx/dt

with the velocities V of the bodies at the contact point x, which change though v stays, and the way that the
point takes itself. Without these terms, what lies on a turntable creeps outwards by w^2 r h / 2.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from treadle.collision.kinds import CAPSULE, CYLINDER, ELLIPSOID, HEIGHT_FIELD, PLANE, SPHERE
from treadle.collision.shapes import Shapes
from treadle.native.kernels import part

__all__ = ["curvatures", "convective_rates"]

#: Bends of what has corners, and of what is flat however far one goes.
_ANGULAR, _FLAT = 0.0, -1.0

#: Cosine of the angle between a normal and the axis of a cylinder from which on it is that of an end.
_END = 0.9987


def curvatures(shapes: Shapes) -> np.ndarray:
    """(shapes) m: radius of what rolls; 0: it has corners, -1: it is flat."""
    result = np.full(len(shapes.kind), _ANGULAR)
    for s, kind in enumerate(shapes.kind):
        if kind in (SPHERE, CAPSULE, CYLINDER):
            result[s] = shapes.size[s, 0]
        elif kind == ELLIPSOID:
            result[s] = shapes.size[s].mean()
        elif kind in (PLANE, HEIGHT_FIELD):
            result[s] = _FLAT
    return result


@part()
def convective_rates(detection, twist, rates, point, span, turned):
    """h/2 du/dt at a point: along the world's axes (m/s), then of the angular velocity about them (rad/s).

    It is linear in the angle by which bodies turn, and left out where that is more than 1. Last comes what
    it may be wrong by (m/s), its size times that angle, and how large it could be (m/s). `turned` is what the
    surface of B rotates more than that of A, relative to their bodies (rad/s).
    """
    a, b, x, y, z = point.body_a, point.body_b, point.x, point.y, point.z
    wa0, wa1, wa2 = twist[a, 0], twist[a, 1], twist[a, 2]
    wb0, wb1, wb2 = twist[b, 0], twist[b, 1], twist[b, 2]
    w0, w1, w2 = wb0 - wa0, wb1 - wa1, wb2 - wa2
    angle = 0.25 * span * span * max(wa0 * wa0 + wa1 * wa1 + wa2 * wa2, wb0 * wb0 + wb1 * wb1 + wb2 * wb2)
    scale = 0.5 * span * max(1.0 - angle, 0.0)
    c0, c1, c2 = rates[b, 0] - rates[a, 0], rates[b, 1] - rates[a, 1], rates[b, 2] - rates[a, 2]
    v = _contact_velocity(detection, twist, point)
    w0, w1, w2 = w0 + turned[0], w1 + turned[1], w2 + turned[2]
    d0 = scale * (rates[b, 3] - rates[a, 3] + c1 * z - c2 * y + w1 * v[2] - w2 * v[1])
    d1 = scale * (rates[b, 4] - rates[a, 4] + c2 * x - c0 * z + w2 * v[0] - w0 * v[2])
    d2 = scale * (rates[b, 5] - rates[a, 5] + c0 * y - c1 * x + w0 * v[1] - w1 * v[0])
    target_error = sqrt(angle * (d0 * d0 + d1 * d1 + d2 * d2))
    most = scale * sqrt((w0 * w0 + w1 * w1 + w2 * w2) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]))
    return d0, d1, d2, scale * c0, scale * c1, scale * c2, target_error, most


@part()
def _contact_velocity(detection, twist, point):
    """Velocity (m/s) with which the contact point wanders, in the world."""
    ra, rb = _bend_at(detection, point.a, point), _bend_at(detection, point.b, point)
    n = (point.nx, point.ny, point.nz)
    if rb > 0.0 >= ra:
        return _wander(detection, twist, point, point.b, point.body_a, (-n[0], -n[1], -n[2]), rb)
    if ra > 0.0 >= rb:
        return _wander(detection, twist, point, point.a, point.body_b, n, ra)
    share = _share(ra, rb)
    # what wanders: the middles of two circles that roll on each other, or a corner, or both
    va = _velocity_at(twist, point.body_a, point, -max(ra, 0.0))
    vb = _velocity_at(twist, point.body_b, point, max(rb, 0.0))
    rest = 1.0 - share
    return share * vb[0] + rest * va[0], share * vb[1] + rest * va[1], share * vb[2] + rest * va[2]


@part()
def _velocity_at(twist, body, point, along):
    """Velocity of a point of a body, so far along the normal from the contact point."""
    x, y, z = point.x + along * point.nx, point.y + along * point.ny, point.z + along * point.nz
    w0, w1, w2 = twist[body, 0], twist[body, 1], twist[body, 2]
    return (
        twist[body, 3] + w1 * z - w2 * y,
        twist[body, 4] + w2 * x - w0 * z,
        twist[body, 5] + w0 * y - w1 * x,
    )


@part()
def _wander(detection, twist, point, s, other, m, r):
    """Velocity of the contact point of a round shape with what is flat: of its support point along m.

    m turns with the other body. In the axes of its own body the support point moves with dX = DX(m) m'.
    """
    body = detection.body[s]
    v = _velocity_at(twist, body, point, 0.0)
    w0, w1, w2 = (
        twist[other, 0] - twist[body, 0],
        twist[other, 1] - twist[body, 1],
        twist[other, 2] - twist[body, 2],
    )
    dm = (w1 * m[2] - w2 * m[1], w2 * m[0] - w0 * m[2], w0 * m[1] - w1 * m[0])
    if detection.kind[s] == CYLINDER:
        u = _axis(detection, s, 2)
        k, dk = m[0] * u[0] + m[1] * u[1] + m[2] * u[2], dm[0] * u[0] + dm[1] * u[1] + dm[2] * u[2]
        flat = 1.0 - k * k
        f, g = r / sqrt(flat), k * dk / flat
        return (
            v[0] + f * (dm[0] - dk * u[0] + g * (m[0] - k * u[0])),
            v[1] + f * (dm[1] - dk * u[1] + g * (m[1] - k * u[1])),
            v[2] + f * (dm[2] - dk * u[2] + g * (m[2] - k * u[2])),
        )
    if detection.kind[s] == ELLIPSOID:
        return _wander_ellipsoid(detection, s, v, m, dm)
    return v[0] + r * dm[0], v[1] + r * dm[1], v[2] + r * dm[2]


@part()
def _wander_ellipsoid(detection, s, v, m, dm):
    """The same for an ellipsoid: X_i = a_i^2 m_i / L along its axes, L^2 = sum of a_i^2 m_i^2."""
    size, e = detection.size, 3 * s
    x, y, z = _axis(detection, s, 0), _axis(detection, s, 1), _axis(detection, s, 2)
    a, b, c = size[e] * size[e], size[e + 1] * size[e + 1], size[e + 2] * size[e + 2]
    m0, m1, m2 = _dot(m, x), _dot(m, y), _dot(m, z)
    d0, d1, d2 = _dot(dm, x), _dot(dm, y), _dot(dm, z)
    square = a * m0 * m0 + b * m1 * m1 + c * m2 * m2
    change = (a * m0 * d0 + b * m1 * d1 + c * m2 * d2) / square
    length = sqrt(square)
    f, g, h = (
        a * (d0 - change * m0) / length,
        b * (d1 - change * m1) / length,
        c * (d2 - change * m2) / length,
    )
    return (
        v[0] + f * x[0] + g * y[0] + h * z[0],
        v[1] + f * x[1] + g * y[1] + h * z[1],
        v[2] + f * x[2] + g * y[2] + h * z[2],
    )


@part()
def _axis(detection, s, k):
    """An axis of a shape in the world."""
    X, body, e = detection.bodies, detection.body[s], 12 * s + k
    x, y, z = detection.placement[e], detection.placement[e + 3], detection.placement[e + 6]
    return (
        X[body, 0] * x + X[body, 1] * y + X[body, 2] * z,
        X[body, 3] * x + X[body, 4] * y + X[body, 5] * z,
        X[body, 6] * x + X[body, 7] * y + X[body, 8] * z,
    )


@part()
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part()
def _bend_at(detection, s, point):
    """The bend of a shape at a point: the ends of a cylinder are not round, their rims are."""
    if detection.kind[s] == CYLINDER:
        u = _axis(detection, s, 2)
        if abs(point.nx * u[0] + point.ny * u[1] + point.nz * u[2]) > _END:
            return _ANGULAR
    return detection.bend[s]


@part()
def _share(ra, rb):
    """How far the contact of two shapes follows the second one."""
    if ra > 0.0 and rb > 0.0:
        return ra / (ra + rb)
    if ra == rb:
        return 0.5
    return 1.0 if ra < 0.0 else 0.0
