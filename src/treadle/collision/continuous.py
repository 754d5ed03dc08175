"""When two moving shapes first touch: conservative advancement (Mirtich, 1996).

A shape moves with a point of its body that has a constant velocity, and turns about it with a constant
angular velocity: a row of `motion` is that point (3), its velocity (3) and the angular velocity (3) in the
world's axes. Along the normal n of the least distance s the gap shrinks no faster than

    (v_A - v_B) . n + |w_A x n| r_A + |w_B x n| r_B,

r the radius of the ball around the point that holds the shape, so that nothing is missed by advancing by s
over that speed, however large the step. Against a height field, which is not convex, the speed in any
direction is taken.
"""

from __future__ import annotations

from math import cos, inf, sin

from treadle.collision.kinds import HEIGHT_FIELD, PLANE
from treadle.collision.narrowphase import touch
from treadle.collision.vectors import along, cross, dot, minus, norm, plus, position, scaled, store, unit
from treadle.native.signatures import kernel

__all__ = ["move", "time_of_impact"]

_ITERATIONS = 500


@kernel()
def time_of_impact(shapes, X, motion, a, b, duration, tolerance, Y, out):
    """Seconds until shapes a and b are within the tolerance (m), infinite if not within the duration.

    X are their poses now; Y is scratch like X, `out` room for contact points: it holds those at the impact.
    The distance at the time that is returned is positive and at most the tolerance, unless it is 0.
    """
    t = 0.0
    for _ in range(_ITERATIONS):
        move(X, motion, a, t, Y)
        move(X, motion, b, t, Y)
        r_a, r_b = _reach(shapes, X, motion, a, b, duration), _reach(shapes, X, motion, b, a, duration)
        w_a, w_b = _turning(motion, a), _turning(motion, b)
        v = minus(_velocity(motion, a), _velocity(motion, b))
        fastest = norm(v) + norm(w_a) * r_a + norm(w_b) * r_b
        out.total[0] = 0
        touch(shapes, Y, a, b, fastest * (duration - t) + tolerance, out)
        if out.total[0] == 0:
            return inf
        s, n = inf, (0.0, 0.0, 1.0)
        for k in range(min(out.total[0], len(out.data))):
            if out.data[k, 9] < s:
                s = out.data[k, 9]
                n = (out.data[k, 6], out.data[k, 7], out.data[k, 8])
        if s <= tolerance:
            return t
        speed = fastest
        if shapes.kind[a] != HEIGHT_FIELD and shapes.kind[b] != HEIGHT_FIELD:
            speed = dot(v, n) + norm(cross(w_a, n)) * r_a + norm(cross(w_b, n)) * r_b
        if speed <= 0.0:
            return inf
        # to where half the tolerance is left
        t += (s - 0.5 * tolerance) / speed
        if t > duration:
            return inf
    return t


@kernel()
def move(X, motion, s, t, Y):
    """Write where shape s is after t seconds."""
    w = _turning(motion, s)
    speed = norm(w)
    u = unit(w, (0.0, 0.0, 1.0))
    c, sine = cos(speed * t), sin(speed * t)
    for j in range(3):
        x = (X[s, j], X[s, 3 + j], X[s, 6 + j])
        y = _turned(x, u, c, sine)
        Y[s, j], Y[s, 3 + j], Y[s, 6 + j] = y[0], y[1], y[2]
    center = _center(motion, s)
    arm = _turned(minus(position(X, s), center), u, c, sine)
    store(Y[:, 9:], s, plus(along(center, t, _velocity(motion, s)), arm))


@kernel()
def _turned(x, u, c, s):
    """x turned about the unit vector u (Rodrigues)."""
    return plus(along(scaled(x, c), s, cross(u, x)), scaled(u, dot(u, x) * (1.0 - c)))


@kernel()
def _center(motion, s):
    return (motion[s, 0], motion[s, 1], motion[s, 2])


@kernel()
def _velocity(motion, s):
    return (motion[s, 3], motion[s, 4], motion[s, 5])


@kernel()
def _turning(motion, s):
    return (motion[s, 6], motion[s, 7], motion[s, 8])


@kernel()
def _reach(shapes, X, motion, s, other, duration):
    """Radius of the ball around the turning point that holds the shape, or the part of it that matters."""
    arm = norm(minus(position(X, s), _center(motion, s)))
    if shapes.kind[s] != PLANE:
        return arm + shapes.radius[s]
    if norm(_turning(motion, s)) == 0.0:
        return 0.0
    travel = duration * (norm(_velocity(motion, s)) + norm(_velocity(motion, other)))
    far = norm(minus(position(X, other), _center(motion, other))) + shapes.radius[other]
    return norm(minus(_center(motion, other), _center(motion, s))) + far + travel
