"""Islands: rows that are connected through the places they move, gathered into compact blocks.

A block is one bounded row, or a contact: its normal row and the rows of its friction cones, in units in which
every cone is round with slope one (impulse p = mu q, velocity mu u). Rows that allow a range of velocities
become two one-sided rows. The places of an island are ordered for small skylines (Cuthill and McKee (1969),
reversed), or from the leaves of the tree to its base where that is smaller; those of large islands that are
not long and narrow by minimum degree (`sparse`).
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from treadle.native.calling import integers, reals
from treadle.native.kernels import inner
from treadle.solvers.row_solver.skyline import factor, solve_factored
from treadle.solvers.row_solver.sparse import (
    SparseFactor,
    add_blocks,
    eliminate,
    factor_panels,
    lay_out_panels,
    no_factor,
    solve_panels,
)
from treadle.solvers.row_solver.table import PAIR

__all__ = [
    "BOUNDED", "DEAF", "FIRST", "NORMAL", "ONLY", "OTHER", "Island", "assemble", "evaluate", "gather",
    "impulse_effect", "natural_residual", "project", "rates", "solve_places", "write_back",
]  # fmt: skip

#: Inverse effective mass (1/kg, 1/(kg m2)) below which a row is skipped.
DEAF = 1e-14

#: Impulse (N s, N m s) from which on a bound is none.
_NO_BOUND = 1e20

#: Places of an island up to which their order is kept, and how much longer than the blocks are wide the rows
#: of its skyline may be on average.
_SMALL, _WIDE = 48, 1.0

#: Multiplications of a skyline's factorization from which on islands have sparse factors.
_MUCH = 500_000

#: Roles of the rows of a block: a bounded row; the normal of a contact; both rows of a friction cone; the
#: only row of one.
BOUNDED, NORMAL, FIRST, OTHER, ONLY = 0, 1, 2, 3, 4


class Island(NamedTuple):
    """One island: blocks of rows, in the order of the table, over places in the order of elimination."""

    sizes: np.ndarray  # (3) places n, blocks, rows
    place: np.ndarray  # (n) places in the table
    sign: np.ndarray  # (n) 1, or -1 for held loops
    rows: np.ndarray  # (blocks + 1) first row of each block
    touched: np.ndarray  # (blocks + 1) where the places of each block begin
    entry: np.ndarray  # (blocks + 1) where its entries begin, row after row
    square: np.ndarray  # (blocks + 1) where its matrix of rows by rows begins
    local: np.ndarray  # places of the blocks
    y: np.ndarray  # entries of the blocks
    role: np.ndarray  # (rows) BOUNDED, NORMAL, FIRST, OTHER or ONLY, as what follows
    source: np.ndarray  # row in the table
    share: np.ndarray  # impulse in the table per impulse here
    velocity: np.ndarray  # without impulses of this island's free rows
    target: np.ndarray
    low: np.ndarray
    high: np.ndarray
    softness: np.ndarray
    own: np.ndarray  # inverse effective mass
    scale: np.ndarray  # own + softness, the largest of a cone
    p: np.ndarray  # impulses
    G: np.ndarray  # matrices of the blocks, -dp/du
    start: np.ndarray  # (n + 1) skyline of S + Y^T G Y, as what follows
    reach: np.ndarray  # (n)
    lower: np.ndarray
    upper: np.ndarray
    diagonal: np.ndarray  # (n)
    sparse: SparseFactor  # in place of the skyline


@inner()
def gather(rows, own, members, begin, end, order, held, base, at):
    """The island of the rows members[begin:end], over the places `order`, `held` loops last.

    `base` (places) is zero and is left so; `at` (places) is scratch.
    """
    kind, normal, share, first, loops, place, y = (
        rows.kind, rows.normal, rows.share, rows.first, rows.loops, rows.place, rows.y
    )  # fmt: skip
    low, high, slowest, fastest, impulse = rows.low, rows.high, rows.slowest, rows.fastest, rows.impulse
    room = 2 * (end - begin)
    role, source = np.zeros(room, np.int64), np.zeros(room, np.int64)
    numbers = np.zeros((9, room))
    factors, target, lows, highs, p = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    block_rows = np.zeros(room + 1, np.int64)
    blocks, count = 0, 0
    k = begin
    while k < end:
        i = members[k]
        last = k + 1
        while last < end and normal[members[last]] == i:
            last += 1
        live = own[i] > DEAF and low[i] < high[i]
        if not live:
            impulse[i] = min(max(0.0, low[i]), high[i])
            _push(first, loops, place, y, base, i, impulse[i])
        rubs = False
        if live or impulse[i] > 0.0:
            for m in range(k + 1, last):
                rubs |= own[members[m]] > DEAF and share[members[m]] > 0.0
        if rubs:
            role[count], source[count], factors[count] = NORMAL, i, 1.0
            target[count], p[count] = slowest[i], impulse[i]
            lows[count], highs[count] = (0.0, inf) if live else (impulse[i], impulse[i])
            if not live:
                # its impulse is a row of the block, though one that does not change
                _push(first, loops, place, y, base, i, -impulse[i])
            count += 1
            for m in range(k + 1, last):
                j = members[m]
                if own[j] <= DEAF or share[j] <= 0.0:
                    continue
                role[count] = ONLY
                if kind[j] == PAIR and own[j + 1] > DEAF and share[j + 1] > 0.0:
                    role[count] = FIRST
                elif count > 0 and role[count - 1] == FIRST:
                    role[count] = OTHER
                source[count], factors[count], target[count] = j, share[j], share[j] * slowest[j]
                lows[count], highs[count], p[count] = -inf, inf, impulse[j] / share[j]
                count += 1
            blocks += 1
            block_rows[blocks] = count
        elif live:
            equal = slowest[i] == fastest[i]
            for side in range(2):
                goal = slowest[i] if side == 0 else -fastest[i]
                if goal == -inf or (equal and side == 1):
                    continue
                role[count], source[count], factors[count], target[count] = BOUNDED, i, 1.0 - 2.0 * side, goal
                if equal:
                    lows[count], highs[count], p[count] = _bound(low[i]), _bound(high[i]), impulse[i]
                elif side == 0:
                    lows[count], highs[count], p[count] = 0.0, _bound(max(high[i], 0.0)), max(impulse[i], 0.0)
                else:
                    lows[count], highs[count], p[count] = (
                        0.0,
                        _bound(max(-low[i], 0.0)),
                        max(-impulse[i], 0.0),
                    )
                count += 1
                blocks += 1
                block_rows[blocks] = count
        for m in range(k + 1, last):
            impulse[members[m]] = 0.0
        k = last
    return _lay_out(
        rows, own, order, held, base, at, role[:count], source[:count], numbers[:, :count].copy(),
        block_rows[: blocks + 1],
    )  # fmt: skip


@inner()
def _bound(value):
    """A bound, infinite where it is none in practice."""
    return value if abs(value) < _NO_BOUND else (inf if value > 0.0 else -inf)


@inner()
def _lay_out(rows, own, order, held, base, at, role, source, numbers, block_rows):
    """The entries of the blocks, the order of the places and the skyline."""
    first, place, y = rows.first, rows.place, rows.y
    factors, target, lows, highs, p = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    velocity, soft, owns, scale = numbers[5], numbers[6], numbers[7], numbers[8]
    count, blocks, n = len(role), len(block_rows) - 1, len(order)
    touched, entry = np.zeros(blocks + 1, np.int64), np.zeros(blocks + 1, np.int64)
    square = np.zeros(blocks + 1, np.int64)
    entries = 0
    for r in range(count):
        i = source[r]
        entries += first[i + 1] - first[i]
        total = rows.velocity[i]
        for e in range(first[i], first[i + 1]):
            total += y[e] * base[place[e]]
        velocity[r], soft[r] = factors[r] * total, factors[r] ** 2 * rows.softness[i]
        owns[r] = factors[r] ** 2 * own[i]
        scale[r] = max(owns[r] + soft[r], DEAF)
        if role[r] == OTHER:
            scale[r] = scale[r - 1] = max(scale[r], scale[r - 1])
    for a in range(n):
        base[order[a]] = 0.0
        at[order[a]] = a
    local, mark = np.zeros(entries, np.int64), np.full(n, -1)
    for b in range(blocks):
        k = touched[b]
        for r in range(block_rows[b], block_rows[b + 1]):
            i = source[r]
            for e in range(first[i], first[i + 1]):
                a = at[place[e]]
                if mark[a] != b:
                    mark[a] = b
                    local[k] = a
                    k += 1
        touched[b + 1] = k
        m = block_rows[b + 1] - block_rows[b]
        entry[b + 1] = entry[b] + m * (k - touched[b])
        square[b + 1] = square[b] + m * m
    start, reach = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    if (
        n > _SMALL
        and _skyline(touched, local, blocks, start, reach, n) > _WIDE * touched[blocks] / blocks * n
    ):
        order = _by_levels(order, held, touched, local, blocks, at)
        _skyline(touched, local, blocks, start, reach, n)
    sparse, work = no_factor(), 0
    for a in range(n):
        work += (a - reach[a]) ** 2
    if n > _SMALL and work > _MUCH:
        of_place, nodes, starts, behind = eliminate(touched, local, blocks, n, held)
        sparse, to = lay_out_panels(of_place, nodes, starts, behind, touched, local, blocks)
        order = _renumber(order, to, local, touched[blocks], at)
    values = np.zeros(entry[blocks])
    for b in range(blocks):
        k0, width = touched[b], touched[b + 1] - touched[b]
        _sort(local, k0, k0 + width)
        for k in range(k0, k0 + width):
            mark[local[k]] = k - k0
        for r in range(block_rows[b], block_rows[b + 1]):
            i, e0 = source[r], entry[b] + (r - block_rows[b]) * width
            for e in range(first[i], first[i + 1]):
                values[e0 + mark[at[place[e]]]] += factors[r] * y[e]
    if len(sparse.first) > 1:
        start[:] = 0
    elif n > 0:
        _skyline(touched, local, blocks, start, reach, n)
    sign = np.ones(n)
    sign[n - held :] = -1.0
    return Island(
        np.array([n, blocks, count]), order, sign, block_rows, touched, entry, square, local, values,
        role, source, factors, velocity, target, lows, highs, soft, owns, scale, p, np.zeros(square[blocks]),
        start, reach, np.zeros(start[n]), np.zeros(start[n]), np.zeros(n), sparse,
    )  # fmt: skip


@inner()
def _sort(values, begin, end):
    """Sort a few integers in place; most are in order."""
    for k in range(begin + 1, end):
        value, j = values[k], k - 1
        while j >= begin and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@inner()
def _by_levels(order, held, touched, local, blocks, at):
    """The places in an order of small skylines: by levels from one end of the island to the other, reversed.

    `local` and `at` follow; held loops stay last.
    """
    n = len(order)
    many = np.zeros(n + 1, np.int64)
    for k in range(touched[blocks]):
        many[local[k] + 1] += 1
    for a in range(n):
        many[a + 1] += many[a]
    blocks_of, fill = np.zeros(many[n], np.int64), many.copy()
    for b in range(blocks):
        for k in range(touched[b], touched[b + 1]):
            blocks_of[fill[local[k]]] = b
            fill[local[k]] += 1
    levels, seed = np.zeros(n, np.int64), 0
    seen, done = np.zeros(n, np.bool_), np.zeros(blocks, np.bool_)
    for _ in range(2):
        seen[:], done[:] = False, False
        filled, head = 0, 0
        for root in range(-1, n):
            # an island may fall apart where what connects it does not move
            a = seed if root < 0 else root
            if not seen[a]:
                seen[a], levels[filled] = True, a
                filled += 1
            while head < filled:
                a = levels[head]
                head += 1
                for k in range(many[a], many[a + 1]):
                    b = blocks_of[k]
                    if done[b]:
                        continue
                    done[b] = True
                    for e in range(touched[b], touched[b + 1]):
                        if not seen[local[e]]:
                            seen[local[e]], levels[filled] = True, local[e]
                            filled += 1
        seed = levels[n - 1]
    to = np.zeros(n, np.int64)
    k, h = 0, n - held
    for a in range(n - 1, -1, -1):
        old = levels[a]
        if old < n - held:
            to[old] = k
            k += 1
        else:
            to[old] = h
            h += 1
    return _renumber(order, to, local, touched[blocks], at)


@inner()
def _renumber(order, to, local, entries, at):
    """The places with new numbers; `local` and `at` follow."""
    new = np.zeros(len(order), np.int64)
    for a in range(len(order)):
        new[to[a]] = order[a]
    for k in range(entries):
        local[k] = to[local[k]]
    for a in range(len(new)):
        at[new[a]] = a
    return new


@inner()
def _skyline(touched, local, blocks, start, reach, n):
    """Fill `start` and `reach`; the number of entries."""
    for a in range(n):
        reach[a] = a
    for b in range(blocks):
        least = n
        for k in range(touched[b], touched[b + 1]):
            least = min(least, local[k])
        for k in range(touched[b], touched[b + 1]):
            reach[local[k]] = min(reach[local[k]], least)
    for a in range(n):
        start[a + 1] = start[a] + a - reach[a]
    return start[n]


@inner()
def _push(first, loops, place, y, z, i, impulse):
    """z after an impulse of a row."""
    if impulse != 0.0:
        for e in range(first[i], loops[i]):
            z[place[e]] += y[e] * impulse
        for e in range(loops[i], first[i + 1]):
            z[place[e]] -= y[e] * impulse


@inner()
def rates(island, z, out):
    """Y z: what velocities of the places are along the rows."""
    # pointers: indices of arrays might be negative, which costs more than the product
    y, local = reals(island.y.ctypes.data), integers(island.local.ctypes.data)
    touched, entry, rows = island.touched, island.entry, island.rows
    z, out = reals(z.ctypes.data), reals(out.ctypes.data)
    for b in range(island.sizes[1]):
        k0, k1, e = touched[b], touched[b + 1], entry[b]
        r = rows[b]
        if rows[b + 1] == r + 3:
            # the three rows of a contact at once
            width = k1 - k0
            t0, t1, t2 = 0.0, 0.0, 0.0
            for k in range(width):
                value = z[local[k0 + k]]
                t0 += y[e + k] * value
                t1 += y[e + width + k] * value
                t2 += y[e + 2 * width + k] * value
            out[r], out[r + 1], out[r + 2] = t0, t1, t2
            continue
        for r in range(rows[b], rows[b + 1]):
            total = 0.0
            for k in range(k0, k1):
                total += y[e + k - k0] * z[local[k]]
            e += k1 - k0
            out[r] = total


@inner()
def impulse_effect(island, p, z, signed):
    """z = S Y^T p, or without the signature."""
    y, local = reals(island.y.ctypes.data), integers(island.local.ctypes.data)
    touched, entry, rows = island.touched, island.entry, island.rows
    z, p, n = reals(z.ctypes.data), reals(p.ctypes.data), island.sizes[0]
    for a in range(n):
        z[a] = 0.0
    for b in range(island.sizes[1]):
        k0, k1, e = touched[b], touched[b + 1], entry[b]
        r = rows[b]
        if rows[b + 1] == r + 3:
            width, p0, p1, p2 = k1 - k0, p[r], p[r + 1], p[r + 2]
            for k in range(width):
                z[local[k0 + k]] += y[e + k] * p0 + y[e + width + k] * p1 + y[e + 2 * width + k] * p2
            continue
        for r in range(rows[b], rows[b + 1]):
            if p[r] != 0.0:
                for k in range(k0, k1):
                    z[local[k]] += y[e + k - k0] * p[r]
            e += k1 - k0
    if signed:
        for a in range(n):
            z[a] *= island.sign[a]


@inner()
def assemble(island, symmetric):
    """Factor S + Y^T G Y."""
    if len(island.sparse.first) > 1:
        add_blocks(island.sparse, island, symmetric)
        factor_panels(island.sparse, symmetric)
        return
    n, blocks = island.sizes[0], island.sizes[1]
    island.lower[:], island.upper[:] = 0.0, 0.0
    start, reach = integers(island.start.ctypes.data), integers(island.reach.ctypes.data)
    lower, upper = reals(island.lower.ctypes.data), reals(island.upper.ctypes.data)
    diagonal, y = reals(island.diagonal.ctypes.data), reals(island.y.ctypes.data)
    local, G = integers(island.local.ctypes.data), reals(island.G.ctypes.data)
    rows, touched, entry, square = island.rows, island.touched, island.entry, island.square
    most = 0
    for a in range(n):
        diagonal[a] = island.sign[a]
    for b in range(blocks):
        most = max(most, entry[b + 1] - entry[b])
    scratch = np.zeros(2 * most)
    scaled = reals(scratch.ctypes.data)
    line = reals(scratch.ctypes.data + 8 * most)
    band = (start, reach, diagonal)
    for b in range(blocks):
        m, k0 = rows[b + 1] - rows[b], touched[b]
        width, e0, g0 = touched[b + 1] - k0, entry[b], square[b]
        block = (y, e0, m, width, local, k0)
        empty = True
        for s in range(m * m):
            empty &= G[g0 + s] == 0.0
        if not empty:
            _add_block(block, G, g0, 1, band, upper, scaled, line)
            if not symmetric:
                _add_block(block, G, g0, 0, band, lower, scaled, line)
    factor(start, reach, lower, upper, diagonal, n, symmetric)
    # what the pointers point to is kept until here
    scratch[0] = 0.0


@inner()
def _add_block(block, G, g0, turned, band, side, scaled, line):
    """Add Y^T G Y of a block above the diagonal (`turned` 1, with the diagonal) or below it (0)."""
    y, e0, m, width, local, k0 = block
    start, reach, diagonal = band
    for s in range(m):
        for k in range(width):
            scaled[s * width + k] = 0.0
        for t in range(m):
            g = G[g0 + m * s + t] if turned == 1 else G[g0 + m * t + s]
            if g != 0.0:
                for k in range(width):
                    scaled[s * width + k] += g * y[e0 + t * width + k]
    for k in range(width):
        a = local[k0 + k]
        if m == 3:
            f0, f1, f2 = scaled[k], scaled[width + k], scaled[2 * width + k]
            for c in range(k + 1):
                line[c] = y[e0 + c] * f0 + y[e0 + width + c] * f1 + y[e0 + 2 * width + c] * f2
        else:
            for c in range(k + 1):
                line[c] = 0.0
            for s in range(m):
                f = scaled[s * width + k]
                for c in range(k + 1):
                    line[c] += y[e0 + s * width + c] * f
        offset = start[a] - reach[a]
        for c in range(k):
            side[offset + local[k0 + c]] += line[c]
        if turned == 1:
            diagonal[a] += line[k]


@inner()
def solve_places(island, x):
    """Solve (S + Y^T G Y) x = x in place, after `assemble`."""
    if len(island.sparse.first) > 1:
        solve_panels(island.sparse, x)
        return
    solve_factored(
        integers(island.start.ctypes.data), integers(island.reach.ctypes.data),
        reals(island.lower.ctypes.data), reals(island.upper.ctypes.data),
        reals(island.diagonal.ctypes.data), island.sizes[0], reals(x.ctypes.data),
    )  # fmt: skip


@inner()
def project(island, p):
    """Bring impulses into their bounds and cones."""
    role, low, high = island.role, island.low, island.high
    radius = 0.0
    for r in range(island.sizes[2]):
        if role[r] == BOUNDED or role[r] == NORMAL:
            p[r] = min(max(p[r], low[r]), high[r])
            radius = p[r]
        elif role[r] == FIRST:
            length = sqrt(p[r] * p[r] + p[r + 1] * p[r + 1])
            if length > radius:
                p[r] *= radius / length
                p[r + 1] *= radius / length
        elif role[r] == ONLY:
            p[r] = min(max(p[r], -radius), radius)


@inner()
def natural_residual(island, p, u, out):
    """Residual (m/s) of the natural map of bounds and Coulomb cones; the largest and the sum of squares.

    u are the velocities of the rows with the impulses p, softness times impulse included.
    """
    role, target, scale, share = island.role, island.target, island.scale, island.share
    radius, worst, total = 0.0, 0.0, 0.0
    for r in range(island.sizes[2]):
        if role[r] == OTHER:
            continue
        w = p[r] + (target[r] - u[r]) / scale[r]
        if role[r] == BOUNDED or role[r] == NORMAL:
            best = min(max(w, island.low[r]), island.high[r])
            radius = p[r]
        elif role[r] == ONLY:
            best = min(max(w, -radius), radius)
        else:
            other = p[r + 1] + (target[r + 1] - u[r + 1]) / scale[r]
            length = sqrt(w * w + other * other)
            shrink = radius / length if length > radius else 1.0
            best = w * shrink
            out[r + 1] = (p[r + 1] - other * shrink) * scale[r] / share[r + 1]
            worst, total = max(worst, abs(out[r + 1])), total + out[r + 1] ** 2
        out[r] = (p[r] - best) * scale[r] / abs(share[r])
        worst, total = max(worst, abs(out[r])), total + out[r] ** 2
    # comparisons pass over what is not a number, sums do not
    return (worst, total) if total < inf else (inf, inf)


@inner()
def evaluate(island, p, z, u, r):
    """Velocities of the rows with impulses p, and their natural residual."""
    impulse_effect(island, p, z, True)
    rates(island, z, u)
    for k in range(island.sizes[2]):
        u[k] += island.velocity[k] + island.softness[k] * p[k]
    return natural_residual(island, p, u, r)


@inner()
def write_back(island, impulse):
    """Impulses of the table from those of the island."""
    for r in range(island.sizes[2]):
        impulse[island.source[r]] = 0.0
    for r in range(island.sizes[2]):
        impulse[island.source[r]] += island.share[r] * island.p[r]
