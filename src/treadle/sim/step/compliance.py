"""Compliance: what rows of compliant contacts are over a substep.

A spring and damper that starts at depth d and rate r, and ends at rate r', gives over a substep

    P = h K d + h (D/2 + h K/3) r + h (D/2 + h K/6) r'        for a force of others that is constant,
    P = h K d + h (D/2 + h K/4) r + h (D/2 + h K/4) r'        by the midpoint rule,

up to higher powers of h: a row with the regularization R = dr'/dP and a target. Where the substep resolves
every contact of an island, and there are many, its rows follow the midpoint rule, which keeps energy and is
stable for any stiffness, and nothing else is needed. The same holds for contacts that *yield*: they are
damped and resolved, so that nothing is gained by ending a substep where one begins; h is then the time that
is left. Elsewhere contacts that act on each other have the exact propagator (`contact.linear_contact`), which
takes the force of all others to be constant; the targets of their rows move until rows and propagator agree.
Laws that are not linear have their impulse given.

Contacts with an impedance d follow a reference acceleration, as MuJoCo's do (Todorov 2014): with the distance
r of the surfaces and its rate v, the inverse effective mass A and the force f,

    dv/dt + R f = -b v - k r,    R = A (1 - d)/d,    k = K d(r)/d_max^2,    b = D/d_max.

The midpoint rule makes it a row with the regularization R/c, c = 1 + h b/2 + h^2 k/4, that nothing else has
to agree with, and that needs no substep of its own where it begins or ends. Friction of these contacts yields
a little too, much less than MuJoCo's: the points of a foot are redundant, and their targets contradict each
other by what the midpoint rule leaves, which would fill their cones with forces that balance each other.
"""

from __future__ import annotations

from math import inf, isnan, sqrt

import numpy as np

from treadle.contact.restitution import damping_of
from treadle.contact.soft import ALONE
from treadle.native.kernels import inner, part
from treadle.sim.step.points import REFERENCE
from treadle.sim.step.row_algebra import inverse_mass, row_velocity
from treadle.solvers.row_solver.solve import find_root

__all__ = [
    "add_compliant",
    "carry_alone",
    "follow_propagator",
    "follow_reference",
    "misses_rates",
    "regularize",
    "surface_yields",
]

#: Contacts that act on each other up to which they always have the propagator, and at most.
_FEW, _MOST = 4, 48

#: Angle (rad) and decay of a contact in a substep up to which this resolves it.
_RESOLVED = 2.0

#: Angle (rad) up to which contacts yield, and their least damping ratio.
_SMOOTH, _DAMPED = 0.6, 0.5

#: Share of a substep that a contact lasts which begins in it, at least.
_LEAST = 1e-3

#: Velocity (m/s) by which rows and propagator may disagree, and share of the velocity that a contact changes.
_SAME, _SHARE = 1e-13, 1e-13

#: Share of its inverse effective mass by which friction beside a reference acceleration yields to an impulse.
_CREEP = 1e-4

#: Velocity (m/s) by which the rounding of impulses may move contacts that the propagator leaves at rest.
_ROUNDED = 1e-15


@part()
def add_compliant(context, point, surface, touches):
    """Stiffness and damping of a compliant contact, and where it starts from; whether it can be a row.

    One that does not touch yet can only if it yields.
    """
    now, soft, rows = context.now[0], context.soft, context.rows
    mass = 1.0 / inverse_mass(rows, point.row)
    K, D, i = surface.stiffness, surface.damping, now.springs
    if surface.per_mass == 1:
        K, D = K * mass, D * mass
    if isnan(D):
        D = damping_of(surface.restitution, K, mass)
    yields = surface.law < 0 and _yields(K / mass, D / mass, now.h)
    if not (touches or yields):
        return False
    soft.row[i], soft.law[i], soft.K[i], soft.D[i] = point.row, surface.law, K, D
    soft.yields[i], soft.touches[i] = int(yields), 0.0
    soft.delta_start[i], soft.rate_start[i] = -point.gap if yields else max(-point.gap, 0.0), -point.speed
    if not touches:
        soft.touches[i] = _first_touch(point.gap, point.speed, (point.free - point.speed) / now.h, now.h)
    e = 4 * i
    soft.settings[e], soft.settings[e + 1] = surface.exponent, surface.restitution
    soft.settings[e + 2], soft.settings[e + 3] = -point.speed, mass
    point.spring = i
    now.springs += 1
    return True


@part()
def follow_reference(context, point, surface, touches):
    """Let the normal row of a point follow its reference acceleration, from when it touches."""
    h, rows, r = context.now[0].h, context.rows, point.row
    lasts, gap, speed = h, point.gap, point.speed
    if not touches:
        begins = _first_touch(gap, speed, (point.free - speed) / h, h)
        lasts, gap, speed = h - begins, 0.0, speed + begins * (point.free - speed) / h
    share, most = _impedance(surface, max(-gap, 0.0)), surface.most_impedance
    stiffness, damping = surface.stiffness * share / (most * most), surface.damping / most
    scale = 1.0 + lasts * (0.5 * damping + 0.25 * lasts * stiffness)
    rows.softness[r] = inverse_mass(rows, r) * (1.0 - share) / (share * scale)
    rows.slowest[r] = ((2.0 - scale) * speed - lasts * stiffness * gap) / scale
    for i in range(r + 1, r + point.rows):
        rows.softness[i] = _CREEP * inverse_mass(rows, i)
    point.spring = REFERENCE


@part()
def _impedance(surface, depth):
    """Share of the reference acceleration that a contact reaches at a depth (m)."""
    least, most, power, middle = surface.impedance, surface.most_impedance, surface.power, surface.midpoint
    x = depth / surface.width
    if x >= 1.0:
        return most
    if power == 1.0:
        y = x
    elif x <= middle:
        y = middle * _raised(x / middle, power)
    else:
        y = 1.0 - (1.0 - middle) * _raised((1.0 - x) / (1.0 - middle), power)
    return least + y * (most - least)


@part()
def _raised(x, power):
    """x to a power, which is 2 as a rule."""
    return x * x if power == 2.0 else x**power


@part()
def surface_yields(surface, h):
    """Whether contacts of a surface yield, whatever mass they move."""
    return surface.per_mass == 1 and surface.law < 0 and _yields(surface.stiffness, surface.damping, h)


@part()
def _yields(stiffness, damping, h):
    """Whether a contact is damped, and resolved by the substep; both per kg of its mass."""
    frequency = sqrt(stiffness)
    return frequency * h <= _SMOOTH and damping * h <= _RESOLVED and damping >= 2.0 * _DAMPED * frequency


@part()
def _first_touch(gap, speed, acceleration, h):
    """When a gap closes that is closed after h: the first zero of gap + speed t + acceleration t^2 / 2."""
    root = sqrt(max(speed * speed - 2.0 * acceleration * gap, 0.0))
    # the stable one of the two formulas
    time = 2.0 * gap / (root - speed) if speed < 0.0 or acceleration < 0.0 else h
    return min(max(time, 0.0), h)


@inner()
def regularize(context):
    """Regularization, target and bounds of the rows of compliant contacts; which have the propagator."""
    now, rows, soft, h = context.now[0], context.rows, context.soft, context.now[0].h
    _group(context)
    for i in range(now.springs):
        r = soft.row[i]
        now.joint += soft.group[i] >= 0
        soft.given[i] = 0
        if soft.law[i] >= 0:
            _give(context, i, rows.impulse[r])
            continue
        K, D, depth, rate = soft.K[i], soft.D[i], soft.delta_start[i], soft.rate_start[i]
        late, lasts = K / 6.0 if soft.group[i] >= 0 else K / 4.0, h
        if soft.touches[i] > 0.0:
            # by the motion without contact it begins later, and faster
            lasts, depth = max(h - soft.touches[i], _LEAST * h), 0.0
            rate -= soft.touches[i] * (rows.velocity[r] + rate) / h
        slope = lasts * (0.5 * D + lasts * late)
        start = lasts * K * depth + lasts * (0.5 * D + lasts * (0.5 * K - late)) * rate
        rows.softness[r], rows.slowest[r] = 1.0 / slope, start / slope


@inner()
def follow_propagator(context, alone):
    """Whether the rows have the propagator's impulses; if not, they get them, and targets that keep them.

    Rows that are `alone` were not solved before: they always get them.
    """
    now, rows, soft = context.now[0], context.rows, context.soft
    if not alone and _same(context):
        return True
    now.fixed = 0
    for i in range(now.springs):
        if soft.group[i] < 0:
            continue
        r, P = soft.row[i], soft.P[i]
        soft.given[i] = 0
        if soft.law[i] >= 0 or P <= 0.0:
            # a damper may pull where a contact is about to end; a row may not
            _give(context, i, P)
        else:
            rows.impulse[r], rows.low[r], rows.high[r] = P, 0.0, inf
            rows.slowest[r] = P * rows.softness[r] - soft.rate[i]
    return False


@inner()
def misses_rates(context):
    """Whether impulses of the propagator lead to other velocities than its own, by their rounding.

    A stiff contact at rest has a large impulse and no velocity, which its row then has to find.
    """
    now, rows, soft, z = context.now[0], context.rows, context.soft, context.scratch.z
    for i in range(now.springs):
        r = soft.row[i]
        if soft.given[i] == 0 and abs(rows.velocity[r] + row_velocity(rows, r, z) + soft.rate[i]) > _ROUNDED:
            return True
    return False


@inner()
def _same(context):
    """Whether rows and propagator agree."""
    now, rows, soft = context.now[0], context.rows, context.soft
    for i in range(now.springs):
        if soft.group[i] >= 0:
            P, own = soft.P[i], soft.A[now.springs * i + i]
            if abs(P - rows.impulse[soft.row[i]]) * own > _SAME + _SHARE * abs(P) * own:
                return False
    return True


@inner()
def _give(context, i, impulse):
    """Let the row of a contact have an impulse, whatever the others do."""
    rows, r = context.rows, context.soft.row[i]
    rows.impulse[r] = rows.low[r] = rows.high[r] = impulse
    context.soft.given[i] = 1
    context.now[0].fixed += 1


@inner()
def carry_alone(context):
    """Depths, rates and impulses at the end of contacts whose rows follow the midpoint rule."""
    now, rows, soft, h = context.now[0], context.rows, context.soft, context.now[0].h
    n, traced = now.springs, len(context.scratch.trace.kept) > 0
    soft.size[0] = n
    for i in range(n):
        if soft.group[i] >= 0:
            continue
        r = soft.row[i]
        P, rate = rows.impulse[r], -rows.velocity[r] - row_velocity(rows, r, context.scratch.z)
        soft.P[i], soft.Q[i], soft.rate[i] = P, 0.5 * h * P, rate
        soft.delta[i] = soft.delta_start[i] + 0.5 * h * (soft.rate_start[i] + rate)
        soft.peak[i] = max(soft.delta_start[i], soft.delta[i])
        soft.force[i] = P / h
        soft.b[i] = (rate - soft.rate_start[i] + rows.own[r] * P) / h
        if traced:
            for j in range(n):
                soft.A[n * i + j] = soft.A[n * j + i] = 0.0
            soft.A[n * i + i] = rows.own[r]


@inner()
def _group(context):
    """Number the islands of the compliant contacts; those that need no propagator are ALONE."""
    now, rows, soft, n = context.now[0], context.rows, context.soft, context.now[0].springs
    left, linear = n, True
    for i in range(n):
        soft.group[i] = ALONE if soft.yields[i] == 1 else 0
        left -= soft.yields[i]
        linear = linear and soft.law[i] < 0
    if left <= _FEW or not linear:
        # contacts with a law that is not linear are advanced with all others
        return
    root = np.arange(rows.places[0])
    for i in range(now.rows):
        first, last = rows.first[i], rows.first[i + 1]
        if first < last:
            a = find_root(root, rows.place[first])
            for e in range(first + 1, last):
                b = find_root(root, rows.place[e])
                root[b] = a
    size, fast = np.zeros(rows.places[0], np.int64), np.zeros(rows.places[0])
    for i in range(n):
        if soft.group[i] == ALONE:
            continue
        r = soft.row[i]
        first = rows.first[r]
        k = find_root(root, rows.place[first]) if first < rows.first[r + 1] else 0
        soft.group[i] = k
        size[k] += 1
        own = inverse_mass(rows, r)
        fast[k] = max(fast[k], now.h * max((soft.K[i] * own) ** 0.5, soft.D[i] * own))
    for i in range(n):
        k = soft.group[i]
        if k < 0:
            continue
        if size[k] > _MOST or (size[k] > _FEW and fast[k] <= _RESOLVED):
            soft.group[i] = ALONE
