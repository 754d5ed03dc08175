"""Shorten: end a substep where a contact begins or ends, and before anything can tunnel."""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import inner, part
from treadle.sim.step.conservative_advancement import place_bodies, safe_substep
from treadle.sim.step.flow import flow_to
from treadle.sim.step.pair_distance import FIRST
from treadle.sim.step.points import TOUCHING, rate
from treadle.sim.step.solve import SAME_END
from treadle.sim.step.warm_start import copy
from treadle.solvers.agreement import largest, least

__all__ = ["NOTHING", "shorten_at_impact", "shorten_at_separation", "shorten_before_tunnelling"]

#: Lengths of the way of two shapes in a substep within which their distance is looked for.
_FARTHEST = 4.0

#: Share of how far bodies are from the world's origin to which rounding lets a distance be known.
_ROUNDING = 4e-16

#: Shorter substeps than this share of the step are not told from none.
NOTHING = 1e-13


@part()
def shorten_before_tunnelling(context):
    """Shorten the substep to what is safe, once; whether it was."""
    now = context.now[0]
    if now.safe == 1:
        return False
    now.safe = 1
    until = least(context, safe_substep(context))
    if until >= now.h:
        return False
    now.h = until
    return True


@part()
def shorten_at_separation(context):
    """End the substep where the first compliant contact separates; whether it does before the end."""
    now = context.now[0]
    if now.uncut == 1:
        return False
    ends = least(context, now.ends)
    if ends >= now.h * (1.0 - SAME_END):
        return False
    now.h, now.cut, now.apart = max(ends, NOTHING * now.dt), 1, 0
    return True


@part()
def shorten_at_impact(context):
    """End the substep where the first of the pending contacts begins; whether one does before the end."""
    now = context.now[0]
    if now.uncut == 1:
        return False
    own, rebounds = _first_impact(context)
    begins = least(context, own)
    if begins >= now.h * (1.0 - SAME_END):
        return False
    now.rebound = int(largest(context, float(rebounds) if own == begins else 0.0))
    now.h, now.cut, now.apart = max(begins, NOTHING * now.dt), 1, 0
    return True


@part()
def _first_impact(context):
    """When the first of the pending contacts begins, the end of the substep if none does; is it a rebound."""
    now, scratch = context.now[0], context.scratch
    begins, rebounds, flow = now.h, 0, context.flow.active[0]
    a, b = -1, -1
    for c in range(now.found):
        point = scratch.points[c]
        if point.muted == 1 or (point.pending == 0 and flow == 0):
            continue
        last = rate(scratch.twist_end, point)
        end = point.distance + 0.5 * now.h * last
        if end < -1e-12 or point.distance < 0.0 < point.gap or flow == 1:
            change = (last - point.speed) / now.h
            # one that has just ended begins again after its turning point
            early = 0.0
            if point.gap <= TOUCHING and change < 0.0 < point.speed:
                early = min(-point.speed / change, now.h)
            elif point.a == a and point.b == b:
                # the distance of its shapes is known from another point
                continue
            else:
                a, b = point.a, point.b
            meets = _time_of_impact(context, point.a, point.b, early, begins)
            if meets < begins:
                begins = meets
                rebounds = int(context.surfaces[point.surface].restitution > 0.0)
    return begins, rebounds


@inner()
def _time_of_impact(context, a, b, low, high):
    """When two shapes collide, between two times: the zero of their distance.

    By inverse quadratic interpolation where that is safe, else by halves (Chandrupatla, 1997, "A new hybrid
    quadratic/bisection algorithm for finding the zero of a nonlinear function without using derivatives").
    """
    detection, h, reach = context.detection, context.now[0].h, context.scratch.reach
    detection.distance_pair[FIRST], detection.distance_pair[FIRST + 1] = a, b
    detection.distance_result[4] = _FARTHEST * h * (reach[a] + reach[b]) + TOUCHING
    d_high = _distance(context, high)
    if d_high > 0.0:
        return high
    d_low = _distance(context, low)
    if d_low <= 0.0:
        return low
    zero = _ROUNDING * max(_away(detection, a), _away(detection, b))
    # the zero is between the last two of three times: x and y
    x, y, z = high, low, low
    d_x, d_y, d_z = d_high, d_low, d_low
    share = d_x / (d_x - d_y)
    for _ in range(100):
        t = x + share * (y - x)
        d = _distance(context, t)
        if (d > 0.0) == (d_x > 0.0):
            z, d_z = x, d_x
        else:
            z, d_z, y, d_y = y, d_y, x, d_x
        x, d_x = t, d
        if abs(d) <= zero or abs(y - x) <= 1e-15 * h:
            break
        share, phi, xi = 0.5, (d_x - d_y) / (d_z - d_y), (x - y) / (z - y)
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            share = d_x / (d_y - d_x) * d_z / (d_y - d_z)
            share += (z - x) / (y - x) * d_x / (d_z - d_x) * d_y / (d_z - d_y)
    return x if abs(d_x) <= zero or d_x <= 0.0 else y


@part()
def _away(detection, s):
    """How far (m) the body of a shape is from the world's origin, along all axes together."""
    body = detection.bodies[detection.body[s]]
    return abs(body[9]) + abs(body[10]) + abs(body[11])


@inner()
def _distance(context, t):
    """Distance of the two shapes of the distance frame at a time of the substep."""
    now, move, look, flow = context.now[0], context.move, context.look, context.flow
    v, end = context.v, context.scratch.end
    if t == 0.0:
        copy(context.q, look.position, context.nq)
    elif flow.active[0] == 1:
        flow_to(flow, t)
        copy(flow.next_q, look.position, context.nq)
    else:
        copy(context.q, move.q, context.nq)
        for k in range(context.nv):
            move.step[k] = t * v[k] + (0.5 * t * t / now.h) * (end[k] - v[k])
        call(move.entry, move.frame)
        copy(move.position, look.position, context.nq)
    call(look.entry, look.frame)
    place_bodies(look.poses, context.detection.bodies)
    call(context.detection.distance, context.detection.distance_frame)
    return context.detection.distance_result[0]
