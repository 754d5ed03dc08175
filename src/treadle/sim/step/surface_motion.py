"""Surface motion: belts, turntables and discs, whose surfaces move though their shapes do not.

The surface of a shape has a twist in the shape's own axes: `surface_velocity` v and `surface_rotation` w. At
a contact point, r from the shape's origin, its material moves by R (v + w x r) relative to its body. Friction
holds where the materials move alike: its rows want V_B - V_A = s_A - s_B instead of zero.
"""

from __future__ import annotations

import numpy as np

from treadle.collision.shapes import Shapes
from treadle.model.model import Model
from treadle.native.kernels import part

__all__ = ["moves", "relative_surface_rotation", "relative_surface_velocity", "surface_motions"]


def surface_motions(model: Model, names: list[str], shapes: Shapes) -> np.ndarray:
    """(shapes, 6) angular (rad/s) and linear (m/s) velocity of surfaces in the axes of their shapes.

    A mesh is placed by its middle: the linear velocity is the one there.
    """
    given = {shape.name: shape for shape in model.shapes}
    result = np.zeros((len(shapes.kind), 6))
    for number, name in enumerate(names[: len(result)]):
        if name in given:
            turn = np.array(given[name].surface_rotation)
            velocity = given[name].surface_velocity + np.cross(turn, shapes.middle[number])
            result[number, :3], result[number, 3:] = turn, velocity
    return result


@part()
def moves(detection, point):
    """Whether the surface of either shape moves."""
    a, b, size, motion = 6 * point.a, 6 * point.b, 0.0, detection.motion
    for k in range(6):
        size += abs(motion[a + k]) + abs(motion[b + k])
    return size > 0.0


@part()
def relative_surface_velocity(detection, point):
    """Velocity (m/s) of B's surface less that of A's at the point, relative to their bodies, in the world."""
    a = _surface_velocity(detection, point.a, point)
    b = _surface_velocity(detection, point.b, point)
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


@part()
def relative_surface_rotation(detection, point):
    """Rotation (rad/s) of B's surface less that of A's, relative to their bodies, in the world."""
    a = _in_world(detection, point.a, 6 * point.a)
    b = _in_world(detection, point.b, 6 * point.b)
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


@part()
def _in_world(detection, s, k):
    """Three numbers of `motion` from k on, a vector in the axes of a shape, in the world's."""
    motion = detection.motion
    return _turned(detection, s, motion[k], motion[k + 1], motion[k + 2])


@part()
def _surface_velocity(detection, s, point):
    """R (v + w x r) of a shape, with the rotation R and the origin of the shape in the world."""
    X, body, e, m, motion = detection.bodies, detection.body[s], 12 * s, 6 * s, detection.motion
    place = detection.placement
    # from the world into the body, then into the shape
    d0, d1, d2 = point.x - X[body, 9], point.y - X[body, 10], point.z - X[body, 11]
    x = X[body, 0] * d0 + X[body, 3] * d1 + X[body, 6] * d2 - place[e + 9]
    y = X[body, 1] * d0 + X[body, 4] * d1 + X[body, 7] * d2 - place[e + 10]
    z = X[body, 2] * d0 + X[body, 5] * d1 + X[body, 8] * d2 - place[e + 11]
    r0 = place[e] * x + place[e + 3] * y + place[e + 6] * z
    r1 = place[e + 1] * x + place[e + 4] * y + place[e + 7] * z
    r2 = place[e + 2] * x + place[e + 5] * y + place[e + 8] * z
    w0, w1, w2 = motion[m], motion[m + 1], motion[m + 2]
    v0 = motion[m + 3] + w1 * r2 - w2 * r1
    v1 = motion[m + 4] + w2 * r0 - w0 * r2
    v2 = motion[m + 5] + w0 * r1 - w1 * r0
    return _turned(detection, s, v0, v1, v2)


@part()
def _turned(detection, s, v0, v1, v2):
    """A vector in the axes of a shape, in the world's."""
    X, body, e, place = detection.bodies, detection.body[s], 12 * s, detection.placement
    x = place[e] * v0 + place[e + 1] * v1 + place[e + 2] * v2
    y = place[e + 3] * v0 + place[e + 4] * v1 + place[e + 5] * v2
    z = place[e + 6] * v0 + place[e + 7] * v1 + place[e + 8] * v2
    return (
        X[body, 0] * x + X[body, 1] * y + X[body, 2] * z,
        X[body, 3] * x + X[body, 4] * y + X[body, 5] * z,
        X[body, 6] * x + X[body, 7] * y + X[body, 8] * z,
    )
