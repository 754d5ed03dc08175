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
_END = 0.7


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
def convective_rates(detection, twist, rates, point, span):
    """h/2 du/dt at a point: along the world's axes (m/s), then of the angular velocity about them (rad/s).

    It is linear in the angle by which bodies turn, and left out where that is more than 1. Last comes what
    it may be wrong by (m/s): its size times that angle.
    """
    a, b, x, y, z = point.body_a, point.body_b, point.x, point.y, point.z
    wa0, wa1, wa2 = twist[a, 0], twist[a, 1], twist[a, 2]
    wb0, wb1, wb2 = twist[b, 0], twist[b, 1], twist[b, 2]
    w0, w1, w2 = wb0 - wa0, wb1 - wa1, wb2 - wa2
    angle = 0.25 * span * span * max(wa0 * wa0 + wa1 * wa1 + wa2 * wa2, wb0 * wb0 + wb1 * wb1 + wb2 * wb2)
    scale = 0.5 * span * max(1.0 - angle, 0.0)
    c0, c1, c2 = rates[b, 0] - rates[a, 0], rates[b, 1] - rates[a, 1], rates[b, 2] - rates[a, 2]
    ra, rb = _bend_at(detection, point.a, point), _bend_at(detection, point.b, point)
    share = _share(ra, rb)
    # what wanders: the middle of a circle that rolls, a corner, or both
    down, up = max(ra, 0.0), max(rb, 0.0)
    xa, ya, za = x - down * point.nx, y - down * point.ny, z - down * point.nz
    xb, yb, zb = x + up * point.nx, y + up * point.ny, z + up * point.nz
    v0 = share * (twist[b, 3] + wb1 * zb - wb2 * yb) + (1.0 - share) * (twist[a, 3] + wa1 * za - wa2 * ya)
    v1 = share * (twist[b, 4] + wb2 * xb - wb0 * zb) + (1.0 - share) * (twist[a, 4] + wa2 * xa - wa0 * za)
    v2 = share * (twist[b, 5] + wb0 * yb - wb1 * xb) + (1.0 - share) * (twist[a, 5] + wa0 * ya - wa1 * xa)
    d0 = scale * (rates[b, 3] - rates[a, 3] + c1 * z - c2 * y + w1 * v2 - w2 * v1)
    d1 = scale * (rates[b, 4] - rates[a, 4] + c2 * x - c0 * z + w2 * v0 - w0 * v2)
    d2 = scale * (rates[b, 5] - rates[a, 5] + c0 * y - c1 * x + w0 * v1 - w1 * v0)
    target_error = sqrt(angle * (d0 * d0 + d1 * d1 + d2 * d2))
    return d0, d1, d2, scale * c0, scale * c1, scale * c2, target_error


@part()
def _bend_at(detection, s, point):
    """The bend of a shape at a point: the ends of a cylinder are not round."""
    if detection.kind[s] == CYLINDER:
        X, body, e = detection.bodies, detection.body[s], 12 * s
        x, y, z = detection.placement[e + 2], detection.placement[e + 5], detection.placement[e + 8]
        deep = (
            point.nx * (X[body, 0] * x + X[body, 1] * y + X[body, 2] * z)
            + point.ny * (X[body, 3] * x + X[body, 4] * y + X[body, 5] * z)
            + point.nz * (X[body, 6] * x + X[body, 7] * y + X[body, 8] * z)
        )
        if abs(deep) > _END:
            return _ANGULAR
    return detection.bend[s]


@part()
def _share(ra, rb):
    """How far the contact of two shapes follows the second one."""
    if ra > 0.0 and rb > 0.0:
        return ra / (ra + rb)
    if ra == rb:
        return 0.5
    if ra > 0.0 or rb > 0.0:
        return 1.0 if rb > 0.0 else 0.0
    return 1.0 if ra < 0.0 else 0.0
