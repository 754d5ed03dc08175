"""What contact did over a step, summed per pair of shapes: impulses, their moments, work.

The pairs are found again by a hash table, so that a point costs the same however many others there are.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from treadle.native.frames import IntegerList, Integers, IntegerTable, Reals, RealTable
from treadle.native.kernels import part
from treadle.sim.step.points import RIGID
from treadle.sim.step.touch_zones import TouchZones, add_to_zones
from treadle.solvers.sequential.gauss_seidel import ENOUGH
from treadle.solvers.stabilization import CLOSED

__all__ = ["LOOPS", "SUMS", "WORST", "PairTotals", "add_totals", "clear_totals", "make_totals"]

#: Numbers per pair: impulse on the second shape (N s), its moment about the world's origin (N m s), work (J).
SUMS = 7

#: `PairTotals.worst` at the start of a run, and where in it that of loops begins.
WORST = (0.0, 0.0, 0.0, 0.0, 0.0, *CLOSED)
LOOPS = 5

#: Share of a cone within which friction sticks, and inverse effective mass (1/kg) below which a row is
#: skipped.
_INSIDE, _IMMOVABLE = 1.0 - 1e-6, 1e-14


class PairTotals(NamedTuple):
    """Scratch for a number of pairs; more were met where `size` is beyond it."""

    size: Integers  # (1) pairs of this step
    pair: IntegerTable  # (n, 2) their shapes
    sums: RealTable  # (n, SUMS)
    slot: IntegerList  # (a power of two) 0: empty, else the number of a pair and 1
    at: IntegerList  # (n) where in `slot` each pair stands
    #: of the run: deepest overlap of rigid bodies (m), fastest slip where friction holds (m/s), solves,
    #: those that ended before their impulses stood still, the way (m) of the fastest slip of each substep,
    #: and what is known of loops (see `solvers.stabilization`)
    worst: Reals  # (10)
    zones: TouchZones


def make_totals(pairs: int, zones: TouchZones) -> PairTotals:
    """Scratch for so many pairs, and for zones of touch sensors."""
    slots = 1 << (2 * pairs).bit_length()
    return PairTotals(
        np.zeros(1, np.int64), np.zeros((pairs, 2), np.int64), np.zeros((pairs, SUMS)),
        np.zeros(slots, np.int64), np.zeros(pairs, np.int64), np.array(WORST), zones,
    )  # fmt: skip


@part()
def clear_totals(totals):
    """Begin a step."""
    for i in range(min(totals.size[0], len(totals.at))):
        totals.slot[totals.at[i]] = 0
    totals.size[0] = 0
    for i in range(len(totals.zones.impulse)):
        totals.zones.impulse[i] = 0.0


@part()
def add_totals(context):
    """Add what the rows of the points did while the velocity went from its start to its end.

    The work of constant forces is impulse times mean velocity, and the sum of it is returned. A compliant
    contact moves the machine by Q - P h / 2 less than that, against what all other forces accelerate it with.
    Of worlds whose work nobody counts (see `Prediction.accounted`), impulses are all that is added.
    """
    if len(context.free.push) == 0:
        _add_impulses(context)
        return 0.0
    now, rows, soft, totals = context.now[0], context.rows, context.soft, context.scratch.totals
    before, after, worst, done = context.free.twist, context.scratch.twist_end, totals.worst, 0.0
    slip = 0.0
    for c in range(now.found):
        point = context.scratch.points[c]
        if point.row < 0:
            continue
        surface = context.surfaces[point.surface]
        f, g = _impulse(rows, point, surface)
        u, w = _relative(before, point), _relative(after, point)
        work = 0.5 * (
            f[0] * (u[3] + w[3]) + f[1] * (u[4] + w[4]) + f[2] * (u[5] + w[5])
            + g[0] * (u[0] + w[0]) + g[1] * (u[1] + w[1]) + g[2] * (u[2] + w[2])
        )  # fmt: skip
        done += work
        if point.spring >= 0:
            work -= soft.b[point.spring] * (0.5 * now.h * rows.impulse[point.row] - soft.Q[point.spring])
        elif now.h > 0.0 and point.spring == RIGID:
            worst[0] = max(worst[0], -point.end)
        slip = max(slip, _slip(rows, point, surface, w))
        _add(totals, point, f, g, work)
        if len(totals.zones.impulse) > 0:
            add_to_zones(totals.zones, context.detection.bodies, point, rows.impulse[point.row])
    worst[1] = max(worst[1], slip)
    worst[2] += 1.0
    worst[4] += slip * now.h
    if now.sweeps >= ENOUGH:
        worst[3] += 1.0
    return done


@part()
def _add_impulses(context):
    """Add the impulses of the points alone."""
    rows, totals = context.rows, context.scratch.totals
    for c in range(context.now[0].found):
        point = context.scratch.points[c]
        if point.row >= 0:
            f, g = _impulse(rows, point, context.surfaces[point.surface])
            _add(totals, point, f, g, 0.0)
            if len(totals.zones.impulse) > 0:
                add_to_zones(totals.zones, context.detection.bodies, point, rows.impulse[point.row])


@part()
def _impulse(rows, point, surface):
    """Impulse (N s) and moment (N m s) on the second body at the point."""
    n = (point.nx, point.ny, point.nz)
    t = (point.tx, point.ty, point.tz)
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    p, k = rows.impulse[point.row], point.row + 1
    f0, f1, f2 = p * n[0], p * n[1], p * n[2]
    g0, g1, g2 = 0.0, 0.0, 0.0
    if surface.friction > 0.0 or surface.across > 0.0:
        a, b = rows.impulse[k], rows.impulse[k + 1]
        f0, f1, f2 = f0 + a * t[0] + b * s[0], f1 + a * t[1] + b * s[1], f2 + a * t[2] + b * s[2]
        k += 2
    if surface.rolling > 0.0:
        a, b = rows.impulse[k], rows.impulse[k + 1]
        g0, g1, g2 = a * t[0] + b * s[0], a * t[1] + b * s[1], a * t[2] + b * s[2]
        k += 2
    if surface.spinning > 0.0:
        a = rows.impulse[k]
        g0, g1, g2 = g0 + a * n[0], g1 + a * n[1], g2 + a * n[2]
    return (f0, f1, f2), (g0, g1, g2)


@part()
def _add(totals, point, f, g, work):
    """Add the impulse, its moment about the world's origin and the work to those of the pair."""
    i = _place(totals, point.a, point.b)
    if i >= 0:
        total, x, y, z = totals.sums[i], point.x, point.y, point.z
        total[0], total[1], total[2] = total[0] + f[0], total[1] + f[1], total[2] + f[2]
        total[3] += y * f[2] - z * f[1] + g[0]
        total[4] += z * f[0] - x * f[2] + g[1]
        total[5] += x * f[1] - y * f[0] + g[2]
        total[6] += work


@part()
def _relative(twist, point):
    """Velocity of the second body relative to the first: angular, then linear at the point."""
    a, b = point.body_a, point.body_b
    x, y, z = point.x, point.y, point.z
    w0, w1, w2 = twist[b, 0] - twist[a, 0], twist[b, 1] - twist[a, 1], twist[b, 2] - twist[a, 2]
    return (
        w0, w1, w2,
        twist[b, 3] - twist[a, 3] + w1 * z - w2 * y,
        twist[b, 4] - twist[a, 4] + w2 * x - w0 * z,
        twist[b, 5] - twist[a, 5] + w0 * y - w1 * x,
    )  # fmt: skip


@part()
def _slip(rows, point, surface, w):
    """Speed across the normal, beyond the target, where friction would stick; zero where it slides."""
    impulse, target, r = rows.impulse, rows.slowest, point.row
    if max(surface.friction, surface.across) <= 0.0 or impulse[r] <= 0.0:
        return 0.0
    if rows.own[r + 1] + rows.own[r + 2] <= _IMMOVABLE:
        return 0.0
    along = impulse[r + 1] / surface.friction if surface.friction > 0.0 else inf
    across = impulse[r + 2] / surface.across if surface.across > 0.0 else inf
    if along * along + across * across >= (_INSIDE * impulse[r]) ** 2:
        return 0.0
    n, t = (point.nx, point.ny, point.nz), (point.tx, point.ty, point.tz)
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    slip_t = w[3] * t[0] + w[4] * t[1] + w[5] * t[2] - target[r + 1]
    slip_s = w[3] * s[0] + w[4] * s[1] + w[5] * s[2] - target[r + 2]
    return sqrt(slip_t * slip_t + slip_s * slip_s)


@part()
def _place(totals, a, b):
    """The number of a pair of shapes, a new one if it was not met yet; -1 where there is no scratch."""
    mask = len(totals.slot) - 1
    k = (a * 0x9E3779B1 + b * 0x85EBCA6B) & mask
    while totals.slot[k] > 0:
        i = totals.slot[k] - 1
        if totals.pair[i, 0] == a and totals.pair[i, 1] == b:
            return i
        k = (k + 1) & mask
    i = totals.size[0]
    totals.size[0] += 1
    if i >= len(totals.at):
        return -1
    totals.slot[k], totals.at[i] = i + 1, k
    totals.pair[i, 0], totals.pair[i, 1] = a, b
    for j in range(SUMS):
        totals.sums[i, j] = 0.0
    return i
