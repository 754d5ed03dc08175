"""Rigid rows as the limit of rows that yield: what Coulomb's law leaves open is decided once for all.

Rigid contacts with friction may have many solutions. A box that is pushed against a wall may press on the
floor as hard as its friction at the wall holds it down, and is stopped the more by it: no velocity says which
of these impulses it is. Contacts that yield a little to all their impulses, across them as well as along
them, have one solution, in which friction only resists motion that there is; it is a continuous function of
the state. From there the rows yield less and less to what their impulses change, each time solved to
rounding, until they meet their targets. The sequence is fixed: what it leads to depends neither on the order
of the rows nor on the rows of other islands.
"""

from __future__ import annotations

from math import inf

import numpy as np

from treadle.native.kernels import inner
from treadle.solvers.row_solver.island import FIRST, evaluate, impulse_effect, project, rates
from treadle.solvers.row_solver.proximal import solve_round

__all__ = ["energy_gain", "rebounds", "scale_rebounds", "yielding"]

#: Yields relative to the inverse effective mass: those of the first round, of each one relative to the one
#: before, and the least.
_FIRST, _LESS, _LEAST = 0.1, 0.1, 1e-5

#: Rounds that are always taken, and at most, Newton steps of one, and the share of the imbalance left by it.
#: A number of rounds that depended on the residual would show in impulses that redundant rows share.
_ALWAYS, _ROUNDS, _STEPS, _SOLVED = 5, 12, 20, 1e-15

#: Share of the residual down to which a round has to bring it for another one, where it is small enough; and
#: yield of the last one: what rounding leaves of velocities is a rounding over the yield.
_WORTH, _LAST = 0.1, 1e-2


@inner()
def yielding(island, limit, tolerance):
    """At most `limit` steps from no impulses; the steps taken, and the residual left (m/s).

    The island keeps the best impulses.
    """
    n, blocks, count = island.sizes[0], island.sizes[1], island.sizes[2]
    many = np.zeros((6, count))
    p0, p, u, du, r, trial = many[0], many[1], many[2], many[3], many[4], many[5]
    z, dz, pull = np.zeros(n), np.zeros(n), np.zeros(n)
    give = np.full(blocks, _FIRST)
    project(island, p0)
    best, taken, last = inf, 0, False
    for turn in range(1, _ROUNDS + 1):
        most = min(_STEPS, limit - taken)
        steps, _ = solve_round(island, give, p0, z, u, p, dz, du, pull, trial, most, _SOLVED)
        taken += steps
        worst, _ = evaluate(island, p, pull, du, r)
        slow = not worst < _WORTH * best
        if worst < best:
            best = worst
            island.p[:] = p
        if last or taken >= limit:
            break
        last = best <= tolerance and turn >= _ALWAYS and slow
        p0[:] = island.p if last else p
        for b in range(blocks):
            give[b] = _LAST if last else max(_LESS * give[b], _LEAST)
    return taken, best


@inner()
def energy_gain(island):
    """Energy that the impulses of an impact add, relative to that of the velocities they change.

    Surfaces and joints that are moved from outside are where it is measured from: what they do is no gain.
    """
    n, count = island.sizes[0], island.sizes[2]
    z, changed, linear, square = np.zeros(n), np.zeros(count), 0.0, 0.0
    impulse_effect(island, island.p, z, True)
    rates(island, z, changed)
    for r in range(count):
        target = 0.0 if _may_rebound(island, r) else island.target[r]
        linear += island.p[r] * (island.velocity[r] - target)
        square += island.p[r] * changed[r]
    return 0.5 + linear / square if square > 0.0 else 0.0


@inner()
def scale_rebounds(island, wanted, share):
    """Let normals separate with this share of the velocities that were wanted."""
    for r in range(island.sizes[2]):
        if _may_rebound(island, r):
            island.target[r] = share * wanted[r]


@inner()
def rebounds(island, slowest):
    """Velocities of the table's normals from those of the island."""
    for r in range(island.sizes[2]):
        if _may_rebound(island, r):
            slowest[island.source[r]] = island.target[r]


@inner()
def _may_rebound(island, r):
    """Whether a row is the normal of a contact."""
    return island.low[r] == 0.0 and island.role[r] < FIRST and island.share[r] == 1.0
