"""How far a machine may go in one span without shapes passing through each other.

Contact is found in the middle of a span, where two thin and fast shapes may have passed each other already. A
span is therefore no longer than lets two shapes come closer by their distance and a share of their thickness,

    span <= (distance + share thickness) / speed

with a bound of the speed at which they approach along the normal of their least distance (Mirtich, 1996,
"Impulse-based dynamic simulation of rigid body systems", section 2.3); against meshes, not convex, in any
direction. A height field is solid to its depth: what a point may pass above that is a ridge that stands out
of the line between both ends of its way by half its length times the steepest slope, at most. What is slow or
thick is not looked at, nor are planes, solid however deep.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from treadle.collision.kinds import BOX, CAPSULE, CYLINDER, ELLIPSOID, HEIGHT_FIELD, HULL, MESH, SPHERE
from treadle.collision.shapes import Shapes
from treadle.native.calling import call
from treadle.native.kernels import inner, part
from treadle.sim.step.pair_distance import FIRST
from treadle.sim.step.points import TOUCHING, twists

__all__ = ["depths", "place_bodies", "safe_substep", "steepness", "thicknesses", "through"]

#: Share of the mean thickness of two shapes by which they may come into each other, and the share of that by
#: which they may in any case, however near they are.
_SHARE, _LEAST = 0.25, 0.1

#: Thickness (m) of what has none.
_THINNEST = 1e-5


def thicknesses(shapes: Shapes) -> np.ndarray:
    """(shapes) m: what has to be crossed to pass through each, inf for a plane, which has no other side."""
    size, through = shapes.size, np.full(len(shapes.kind), np.inf)
    for s, kind in enumerate(shapes.kind):
        if kind in (SPHERE, CAPSULE):
            through[s] = 2.0 * size[s, 0]
        elif kind == CYLINDER:
            through[s] = 2.0 * size[s, :2].min()
        elif kind in (BOX, ELLIPSOID, HULL, MESH):
            through[s] = 2.0 * size[s].min()
        elif kind == HEIGHT_FIELD:
            # solid below: what may be missed is a ridge, which is as wide as a cell
            columns, rows = shapes.blocks[s][:2]
            through[s] = 2.0 * min(size[s, 0] / (columns - 1.0), size[s, 1] / (rows - 1.0))
    return np.maximum(through, _THINNEST)


def depths(shapes: Shapes) -> np.ndarray:
    """(shapes) m: how far height fields are solid below their lowest points, inf for all others."""
    solid = np.full(len(shapes.kind), np.inf)
    for s in np.flatnonzero(shapes.kind == HEIGHT_FIELD).tolist():
        solid[s] = shapes.size[s, 2] - np.abs(shapes.blocks[s][2:]).max()
    return solid


def steepness(shapes: Shapes) -> np.ndarray:
    """(shapes): the steepest slope of a height field, as far as it is below 1; 1 for all others."""
    steepest = np.ones(len(shapes.kind))
    for s in np.flatnonzero(shapes.kind == HEIGHT_FIELD).tolist():
        columns, rows = (int(n) for n in shapes.blocks[s][:2])
        heights = shapes.blocks[s][2 : 2 + rows * columns].reshape(rows, columns)
        along_x = np.diff(heights, axis=1) * (columns - 1.0) / (2.0 * shapes.size[s, 0])
        along_y = np.diff(heights, axis=0) * (rows - 1.0) / (2.0 * shapes.size[s, 1])
        # triangles below and above the diagonals of the cells
        below, above = np.hypot(along_x[:-1], along_y[:, 1:]), np.hypot(along_x[1:], along_y[:, :-1])
        steepest[s] = min(max(below.max(), above.max()), 1.0)
    return steepest


@part()
def through(detection, a, b):
    """Mean thickness (m) of two shapes; of one that meets a plane, which it cannot pass, its extent."""
    near, far = detection.thickness[a], detection.thickness[b]
    if max(near, far) == inf:
        return 2.0 * detection.radius[a if far == inf else b]
    return 0.5 * (near + far)


@part()
def safe_substep(context):
    """The longest part of the substep in which no two of the shapes that were found can tunnel."""
    now, detection = context.now[0], context.detection
    points, reach, thickness = context.scratch.points, context.scratch.reach, detection.thickness
    a, b, placed, until = -1, -1, False, now.h
    for c in range(now.found):
        point = points[c]
        if (point.a == a and point.b == b) or point.muted == 1:
            continue
        a, b = point.a, point.b
        # planes have no other side
        near = _SHARE * through(detection, a, b) if max(thickness[a], thickness[b]) < inf else inf
        speed, ridge = reach[a] + reach[b], detection.steepness[a] * detection.steepness[b]
        solid = _SHARE * min(detection.depth[a], detection.depth[b])
        if ridge * speed * until <= near and speed * until <= solid:
            continue
        if not placed:
            _place_start(context)
            placed = True
        detection.distance_pair[FIRST], detection.distance_pair[FIRST + 1] = a, b
        detection.distance_result[4] = speed * until
        call(detection.distance, detection.distance_frame)
        distance = max(detection.distance_result[0], 0.0)
        # what is near is met in the middle, without overlapping there, but in time stepping
        way = distance + (near if now.stepping == 1 else min(near, max(distance, _LEAST * near)))
        if max(detection.kind[a], detection.kind[b]) < HEIGHT_FIELD:
            speed = min(_approach(context, a, b, until, _stopped(context, c)), speed)
        if ridge * speed * until > way:
            until = way / (ridge * speed)
        if speed * until > distance + solid:
            until = (distance + solid) / speed
    return until


@part()
def _stopped(context, c):
    """Whether two shapes touch at a point, from the c-th on: then its row stops what free motion would do."""
    points = context.scratch.points
    a, b = points[c].a, points[c].b
    while c < context.now[0].found and points[c].a == a and points[c].b == b:
        if points[c].gap <= TOUCHING and points[c].speed <= 0.0:
            return True
        c += 1
    return False


@inner()
def _place_start(context):
    """Bodies where they are at the start of the span, and how they move there at its start and end."""
    scratch, look = context.scratch, context.look
    for k in range(context.nq):
        look.position[k] = context.q[k]
    call(look.entry, look.frame)
    place_bodies(look.poses, context.detection.bodies)
    twists(context.body_tree, look.axes, context.v, scratch.twist_end)
    twists(context.body_tree, look.axes, context.free.velocity, scratch.twist_now)


@part()
def place_bodies(poses, bodies):
    """Poses of the bodies behind each other to rows; the first row, the world's, stays."""
    for i in range(1, len(bodies)):
        for j in range(12):
            bodies[i, j] = poses[12 * (i - 1) + j]


@inner()
def _approach(context, a, b, span, stopped):
    """A bound of the speed (m/s) at which two shapes come closer along the normal of their least distance.

    It is that of their motion at the start, and that of the free motion at the end unless rows stop that.

    Seen from the body of the one, which rests behind a plane across that normal, no point of the other
    approaches that plane faster than its middle does and it turns.
    """
    scratch, result = context.scratch, context.detection.distance_result
    n = (result[1], result[2], result[3])
    most = 0.0
    for which in range(1 if stopped else 2):
        twist = scratch.twist_end if which == 0 else scratch.twist_now
        seen = min(_closing(context, a, b, a, twist, n, span), _closing(context, a, b, b, twist, n, span))
        most = max(most, seen)
    return most


@inner()
def _closing(context, a, b, s, twist, n, span):
    """A bound of the speed at which the points of shape s, one of the two, come to the other.

    Its middle goes on as it does, but for the turning of the one about the other. The points turn about the
    middle, but spheres not at all, and what is round not about its own axis.
    """
    detection, poses = context.detection, context.look.poses
    i, j, k = detection.body[a], detection.body[b], detection.body[s]
    w = (twist[j, 0] - twist[i, 0], twist[j, 1] - twist[i, 1], twist[j, 2] - twist[i, 2])
    e, kind = 12 * (k - 1), detection.kind[s]
    placement, c = detection.placement, 12 * s + 9
    x, y, z = placement[c], placement[c + 1], placement[c + 2]
    if k > 0:
        p = _turn(poses, e, placement, c, 1)
        x, y, z = p[0] + poses[e + 9], p[1] + poses[e + 10], p[2] + poses[e + 11]
    u0 = twist[j, 3] - twist[i, 3] + w[1] * z - w[2] * y
    u1 = twist[j, 4] - twist[i, 4] + w[2] * x - w[0] * z
    u2 = twist[j, 5] - twist[i, 5] + w[0] * y - w[1] * x
    pace = sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    turning = sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2)
    middle = min(turning * pace * span - (u0 * n[0] + u1 * n[1] + u2 * n[2]), pace)
    if kind == SPHERE:
        return middle
    if kind in {CAPSULE, CYLINDER} and k > 0:
        d = _turn(poses, e, placement, 12 * s + 2, 3)
        spin = w[0] * d[0] + w[1] * d[1] + w[2] * d[2]
        w = (w[0] - spin * d[0], w[1] - spin * d[1], w[2] - spin * d[2])
    return middle + sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2) * detection.radius[s]


@part()
def _turn(poses, e, placement, c, stride):
    """Three numbers of a placement, so far apart, turned with a body."""
    x, y, z = placement[c], placement[c + stride], placement[c + 2 * stride]
    return (
        poses[e] * x + poses[e + 1] * y + poses[e + 2] * z,
        poses[e + 3] * x + poses[e + 4] * y + poses[e + 5] * z,
        poses[e + 6] * x + poses[e + 7] * y + poses[e + 8] * z,
    )
