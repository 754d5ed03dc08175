"""Time of impact of two moving shapes by conservative advancement (Mirtich, 1996).

A shape moves with a point of its body that has a constant velocity, and turns about it with a constant
angular velocity: a row of `motion` is that point (3), its velocity (3) and the angular velocity (3) in the
world's axes. Along the normal n of the least distance s the gap shrinks no faster than

    (v_A - v_B) . n + |w_A x n| r_A + |w_B x n| r_B,

r the radius of the bounding sphere around the point, so that advancing by s over that speed misses no impact,
however large the step. Against a height field or a mesh, which is not convex, the speed in
any direction is taken.
"""

from __future__ import annotations

from math import cos, inf, sin

from treadle.collision.collide import touch_pair
from treadle.collision.contacts import DATA, TOTAL
from treadle.collision.kinds import HEIGHT_FIELD, KIND, MESH, PLANE, REACH, ROW
from treadle.collision.vectors import (
    along,
    axis,
    corner,
    cross,
    dot,
    minus,
    norm,
    plus,
    position,
    scaled,
    unit,
)
from treadle.native import c_types as types
from treadle.native.calling import reals
from treadle.native.pieces import REALS, WHOLES, at, helper, piece

__all__ = ["time_of_impact"]

_ITERATIONS = 500


@piece(types.float64(REALS, REALS, types.int64, types.int64, types.float64, types.float64, REALS, WHOLES))
def time_of_impact(X, motion, a, b, duration, tolerance, Y, desk):
    """Seconds until shapes a and b are within the tolerance (m), infinite if not within the duration.

    X are the rows of the shapes now; Y is scratch like X, and the desk one that keeps the least distance.
    The distance at the time that is returned is positive and at most the tolerance, unless it is 0.
    """
    t = 0.0
    turn_a, turn_b = at(motion, 9 * a), at(motion, 9 * b)
    row_a, row_b = at(X, ROW * a), at(X, ROW * b)
    hollow = _is_hollow(row_a[KIND]) or _is_hollow(row_b[KIND])
    r_a, r_b = _reach(row_a, turn_a, row_b, turn_b, duration), _reach(row_b, turn_b, row_a, turn_a, duration)
    w_a, w_b = corner(turn_a, 2), corner(turn_b, 2)
    v = minus(corner(turn_a, 1), corner(turn_b, 1))
    fastest = norm(v) + norm(w_a) * r_a + norm(w_b) * r_b
    for _ in range(_ITERATIONS):
        _move(row_a, turn_a, t, at(Y, ROW * a))
        _move(row_b, turn_b, t, at(Y, ROW * b))
        desk[TOTAL] = 0
        touch_pair(Y, a, b, fastest * (duration - t) + tolerance, desk)
        if desk[TOTAL] == 0:
            return inf
        found = reals(desk[DATA])
        s, n = found[9], corner(found, 2)
        if s <= tolerance:
            return t
        speed = fastest
        if not hollow:
            speed = dot(v, n) + norm(cross(w_a, n)) * r_a + norm(cross(w_b, n)) * r_b
        if speed <= 0.0:
            return inf
        # to where half the tolerance is left
        t += (s - 0.5 * tolerance) / speed
        if t > duration:
            return inf
    return t


@helper
def _is_hollow(kind):
    return kind == HEIGHT_FIELD or kind == MESH  # noqa: PLR1714


@helper
def _move(row, motion, t, moved):
    """Write the pose of a shape after t seconds."""
    w = corner(motion, 2)
    speed = norm(w)
    u = unit(w, (0.0, 0.0, 1.0))
    c, s = cos(speed * t), sin(speed * t)
    for j in range(3):
        x = _turned(axis(row, j), u, c, s)
        moved[j], moved[3 + j], moved[6 + j] = x[0], x[1], x[2]
    center = corner(motion, 0)
    p = plus(along(center, t, corner(motion, 1)), _turned(minus(position(row), center), u, c, s))
    moved[9], moved[10], moved[11] = p[0], p[1], p[2]


@helper
def _turned(x, u, c, s):
    """x turned about the unit vector u (Rodrigues)."""
    return plus(along(scaled(x, c), s, cross(u, x)), scaled(u, dot(u, x) * (1.0 - c)))


@helper
def _reach(row, motion, other, other_motion, duration):
    """Radius of the bounding sphere around the point of the motion; for planes, of the part that matters."""
    center, other_center = corner(motion, 0), corner(other_motion, 0)
    if row[KIND] != PLANE:
        return norm(minus(position(row), center)) + row[REACH]
    if norm(corner(motion, 2)) == 0.0:
        return 0.0
    travel = duration * (norm(corner(motion, 1)) + norm(corner(other_motion, 1)))
    far = norm(minus(position(other), other_center)) + other[REACH]
    return norm(minus(other_center, center)) + far + travel
