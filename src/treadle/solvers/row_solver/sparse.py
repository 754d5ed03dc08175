"""Sparse LU factors of large islands: nodes of places by minimum degree, with dense blocks.

Places that the same blocks of rows touch, such as the six of a free body, are one node. Nodes are eliminated
in the order of approximate minimum degree (Amestoy, Davis and Duff (1996)), those of held loops last; what a
node is connected with when it is eliminated is the pattern of its column of L and of its row of U. Both are
panels: the columns of a node, each with its numbers at the places behind it, one after the other. There is no
pivoting, as in `skyline`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.calling import integers, reals
from treadle.native.kernels import inner

__all__ = [
    "SparseFactor",
    "add_blocks",
    "eliminate",
    "factor_panels",
    "lay_out_panels",
    "no_factor",
    "solve_panels",
]


class SparseFactor(NamedTuple):
    """Pattern and numbers of the factors of an island; nodes are in the order of elimination."""

    first: np.ndarray  # (nodes + 1) first place of each node; one entry: there are no factors
    behind: np.ndarray  # (nodes + 1) where the nodes behind each begin
    node: np.ndarray  # nodes behind each, in order
    panel: np.ndarray  # (nodes + 1) where the places behind each begin
    place: np.ndarray  # places behind each, in order
    begin: np.ndarray  # (nodes + 1) where its panel begins
    lower: np.ndarray
    upper: np.ndarray
    square: np.ndarray  # (nodes + 1) where its square on the diagonal begins
    diagonal: np.ndarray
    segment: np.ndarray  # (blocks + 1) where the nodes of each block begin
    owner: np.ndarray  # nodes of the blocks, in order
    pair: np.ndarray  # (blocks + 1) where the pairs of its nodes begin
    offset: np.ndarray  # for every pair, where the places of the later are among those behind the earlier


@inner()
def no_factor():
    """That of an island that has another."""
    none, zero = np.zeros(0), np.zeros(1, np.int64)
    return SparseFactor(
        zero, zero, zero, zero, zero, zero, none, none, zero, none, zero, zero, zero, zero
    )  # fmt: skip


@inner()
def eliminate(touched, local, blocks, n, held):
    """Nodes of the places, and the order of their elimination.

    Returns the node of every place, the nodes in order, and the nodes that each was connected with (where
    they begin, by the order; the nodes).
    """
    of_place, count = _nodes(touched, local, blocks, n, held)
    width, late = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for a in range(n):
        width[of_place[a]] += 1
        late[of_place[a]] = a >= n - held
    begins, members, elements = _cliques(touched, local, blocks, of_place, count)
    order, starts, behind = _minimum_degree(begins, members, elements, width, late)
    return of_place, order, starts, behind


@inner()
def _nodes(touched, local, blocks, n, held):
    """The node of every place: neighbours in the same blocks are one; and how many there are."""
    key, many = np.zeros(n, np.uint64), np.zeros(n, np.int64)
    for b in range(blocks):
        # a hash of the block, the same in every place
        h = np.uint64(b + 1) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        for k in range(touched[b], touched[b + 1]):
            key[local[k]] += h
            many[local[k]] += 1
    of_place, count = np.zeros(n, np.int64), 0
    for a in range(n):
        same = a > 0 and key[a] == key[a - 1] and many[a] == many[a - 1] and a != n - held
        if not same:
            count += 1
        of_place[a] = count - 1
    return of_place, count


@inner()
def _cliques(touched, local, blocks, of_place, count):
    """The nodes of every block, blocks like the one before left out: where they begin, nodes, how many."""
    begins, members = np.zeros(blocks + 1, np.int64), np.zeros(touched[blocks], np.int64)
    mark = np.full(count, -1)
    elements, filled = 0, 0
    for b in range(blocks):
        start = filled
        for k in range(touched[b], touched[b + 1]):
            node = of_place[local[k]]
            if mark[node] != b:
                mark[node] = b
                members[filled] = node
                filled += 1
        same = elements > 0 and filled - start == start - begins[elements - 1]
        if same:
            for k in range(filled - start):
                same &= members[start + k] == members[begins[elements - 1] + k]
        if same:
            filled = start
            continue
        elements += 1
        begins[elements] = filled
    return begins[: elements + 1], members[:filled], elements


@inner()
def _minimum_degree(begins, members, elements, width, late):
    """Nodes in the order of elimination, and what each was connected with then."""
    count = len(width)
    # elements that each node is in: never more than at the start
    room = np.zeros(count + 1, np.int64)
    for k in range(len(members)):
        room[members[k] + 1] += 1
    for i in range(count):
        room[i + 1] = max(room[i + 1], 1) + room[i]
    of_node, many = np.zeros(room[count], np.int64), np.zeros(count, np.int64)
    size = np.zeros(elements + count, np.int64)
    for e in range(elements):
        for k in range(begins[e], begins[e + 1]):
            i = members[k]
            of_node[room[i] + many[i]] = e
            many[i] += 1
            size[e] += width[i]
    ahead, back = np.full(count, -1), np.full(count, -1)
    total = 0
    for i in range(count):
        total += width[i]
    # nodes that come late have a degree above that of all others
    head = np.full(2 * total + 2, -1)
    degree = np.zeros(count, np.int64)
    for i in range(count):
        for k in range(many[i]):
            degree[i] += size[of_node[room[i] + k]] - width[i]
        degree[i] = min(degree[i], total) + (total + 1 if late[i] else 0)
        _enter(head, ahead, back, degree, i)
    alive, gone = np.ones(elements + count, np.bool_), np.zeros(count, np.bool_)
    pool, starts = np.zeros(8 * count + 64, np.int64), np.zeros(count + 1, np.int64)
    at_pool = np.zeros(elements + count, np.int64)
    mark, left = np.full(count, -1), np.zeros(elements + count, np.int64)
    seen, order = np.full(elements + count, -1), np.zeros(count, np.int64)
    least, filled = 0, 0
    for step in range(count):
        while head[least] < 0:
            least += 1
        p = head[least]
        _leave(head, ahead, back, degree, p)
        gone[p], order[step], new = True, p, elements + step
        if len(pool) < filled + count:
            longer = np.zeros(2 * len(pool) + count, np.int64)
            longer[:filled] = pool[:filled]
            pool = longer
        start = filled
        mark[p] = step
        for k in range(room[p], room[p] + many[p]):
            e = of_node[k]
            if not alive[e]:
                continue
            alive[e] = False
            begin, end = (begins[e], begins[e + 1]) if e < elements else (at_pool[e], at_pool[e] + left[e])
            for m in range(begin, end):
                i = members[m] if e < elements else pool[m]
                if mark[i] != step and not gone[i]:
                    mark[i] = step
                    pool[filled] = i
                    size[new] += width[i]
                    filled += 1
        starts[step + 1] = filled
        # `left` is the number of nodes of an element that is on its own
        at_pool[new], left[new] = start, filled - start
        _renew(of_node, room, many, alive, pool, start, filled, size, seen, width, new)
        for m in range(start, filled):
            i = pool[m]
            _leave(head, ahead, back, degree, i)
            found = size[new] - width[i]
            for k in range(room[i], room[i] + many[i]):
                e = of_node[k]
                if e != new:
                    found += seen[e]
            degree[i] = min(found, total) + (total + 1 if late[i] else 0)
            _enter(head, ahead, back, degree, i)
            least = min(least, degree[i])
        for m in range(start, filled):
            i = pool[m]
            for k in range(room[i], room[i] + many[i]):
                seen[of_node[k]] = -1
    return order, starts, pool[:filled]


@inner()
def _renew(of_node, room, many, alive, pool, start, filled, size, seen, width, new):
    """Give the nodes of a new element that in place of those it took in; `seen`: what others have besides."""
    for m in range(start, filled):
        i, kept = pool[m], room[pool[m]]
        for k in range(room[i], room[i] + many[i]):
            e = of_node[k]
            if alive[e]:
                if seen[e] < 0:
                    seen[e] = size[e]
                seen[e] -= width[i]
                of_node[kept] = e
                kept += 1
        of_node[kept] = new
        many[i] = kept + 1 - room[i]
    for m in range(start, filled):
        i, kept = pool[m], room[pool[m]]
        for k in range(room[i], room[i] + many[i]):
            e = of_node[k]
            # an element all of whose nodes are in the new one tells nothing
            if e != new and seen[e] <= 0:
                continue
            of_node[kept] = e
            kept += 1
        many[i] = kept - room[i]


@inner()
def _enter(head, ahead, back, degree, i):
    """Put a node into the list of its degree."""
    old = head[degree[i]]
    ahead[i], back[i] = old, -1
    if old >= 0:
        back[old] = i
    head[degree[i]] = i


@inner()
def _leave(head, ahead, back, degree, i):
    if back[i] >= 0:
        ahead[back[i]] = ahead[i]
    else:
        head[degree[i]] = ahead[i]
    if ahead[i] >= 0:
        back[ahead[i]] = back[i]


@inner()
def lay_out_panels(of_place, order, starts, behind, touched, local, blocks):
    """The factor for this order, and the new number of every place."""
    n, count = len(of_place), len(order)
    at, width = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for k in range(count):
        at[order[k]] = k
    for a in range(n):
        width[at[of_place[a]]] += 1
    first = np.zeros(count + 1, np.int64)
    for k in range(count):
        first[k + 1] = first[k] + width[k]
    fill, to = first.copy(), np.zeros(n, np.int64)
    for a in range(n):
        k = at[of_place[a]]
        to[a] = fill[k]
        fill[k] += 1
    node = np.zeros(len(behind), np.int64)
    panel, begin, square = (
        np.zeros(count + 1, np.int64),
        np.zeros(count + 1, np.int64),
        np.zeros(count + 1, np.int64),
    )
    for k in range(count):
        for m in range(starts[k], starts[k + 1]):
            node[m] = at[behind[m]]
        node[starts[k] : starts[k + 1]].sort()
        tall = 0
        for m in range(starts[k], starts[k + 1]):
            tall += width[node[m]]
        panel[k + 1] = panel[k] + tall
        begin[k + 1] = begin[k] + tall * width[k]
        square[k + 1] = square[k] + width[k] * width[k]
    place = np.zeros(panel[count], np.int64)
    for k in range(count):
        e = panel[k]
        for m in range(starts[k], starts[k + 1]):
            for a in range(first[node[m]], first[node[m] + 1]):
                place[e] = a
                e += 1
    segment, owner, pair, offset = _pairs(of_place, at, first, starts, node, touched, local, blocks)
    return SparseFactor(
        first, starts, node, panel, place, begin, np.zeros(begin[count]), np.zeros(begin[count]), square,
        np.zeros(square[count]), segment, owner, pair, offset,
    ), to  # fmt: skip


@inner()
def _pairs(of_place, at, first, starts, node, touched, local, blocks):
    """The nodes of every block in order, and where the later of two are behind the earlier."""
    segment, pair = np.zeros(blocks + 1, np.int64), np.zeros(blocks + 1, np.int64)
    owner = np.zeros(touched[blocks], np.int64)
    mark = np.full(len(at), -1)
    for b in range(blocks):
        filled = segment[b]
        for k in range(touched[b], touched[b + 1]):
            i = at[of_place[local[k]]]
            if mark[i] != b:
                mark[i] = b
                owner[filled] = i
                filled += 1
        owner[segment[b] : filled].sort()
        segment[b + 1] = filled
        m = filled - segment[b]
        pair[b + 1] = pair[b] + m * (m - 1) // 2
    offset = np.zeros(pair[blocks], np.int64)
    for b in range(blocks):
        e = pair[b]
        for s in range(segment[b], segment[b + 1]):
            k, tall = starts[owner[s]], 0
            for t in range(s + 1, segment[b + 1]):
                while node[k] != owner[t]:
                    tall += first[node[k] + 1] - first[node[k]]
                    k += 1
                offset[e] = tall
                e += 1
    return segment, owner[: segment[blocks]].copy(), pair, offset


@inner()
def add_blocks(factor, island, symmetric):
    """S + Y^T G Y into squares and panels."""
    factor.lower[:], factor.upper[:], factor.diagonal[:] = 0.0, 0.0, 0.0
    nodes = len(factor.first) - 1
    for k in range(nodes):
        wide = factor.first[k + 1] - factor.first[k]
        for c in range(wide):
            factor.diagonal[factor.square[k] + (wide + 1) * c] = island.sign[factor.first[k] + c]
    rows, touched, entry, square = island.rows, island.touched, island.entry, island.square
    most = 0
    for b in range(island.sizes[1]):
        most = max(most, entry[b + 1] - entry[b])
    scratch = np.zeros(most)
    y, G, scaled = reals(island.y.ctypes.data), reals(island.G.ctypes.data), reals(scratch.ctypes.data)
    upper, lower = reals(factor.upper.ctypes.data), reals(factor.lower.ctypes.data)
    for b in range(island.sizes[1]):
        m, e0, g0 = rows[b + 1] - rows[b], entry[b], square[b]
        wide = touched[b + 1] - touched[b]
        empty = True
        for s in range(m * m):
            empty &= G[g0 + s] == 0.0
        if empty:
            continue
        # above the diagonal: rows of Y^T G with Y; below: of Y^T G^T
        for turned in range(1 if symmetric else 2):
            for s in range(m):
                for k in range(wide):
                    scaled[s * wide + k] = 0.0
                for t in range(m):
                    g = G[g0 + m * t + s] if turned == 0 else G[g0 + m * s + t]
                    if g != 0.0:
                        for k in range(wide):
                            scaled[s * wide + k] += g * y[e0 + t * wide + k]
            _add_side(factor, b, upper if turned == 0 else lower, turned, y, e0, scaled, m, wide)
    scratch[0] = 0.0


@inner()
def _add_side(factor, b, side, turned, y, e0, scaled, m, wide):
    """Add the products of a block to one side: rows of `scaled` with those of y."""
    first, segment, owner = factor.first, factor.segment, factor.owner
    diagonal, offset = reals(factor.diagonal.ctypes.data), integers(factor.offset.ctypes.data)
    e, c0 = factor.pair[b], 0
    for s in range(segment[b], segment[b + 1]):
        p = owner[s]
        w = first[p + 1] - first[p]
        tall, begin, corner = factor.panel[p + 1] - factor.panel[p], factor.begin[p], factor.square[p]
        for c in range(w):
            for r in range(m):
                f = scaled[r * wide + c0 + c]
                if f == 0.0:
                    continue
                if turned == 0:
                    # row c of the square from its diagonal on
                    for k in range(c, w):
                        diagonal[corner + w * c + k] += f * y[e0 + r * wide + c0 + k]
                else:
                    for k in range(c + 1, w):
                        diagonal[corner + w * k + c] += f * y[e0 + r * wide + c0 + k]
                k0 = c0 + w
                for t in range(s + 1, segment[b + 1]):
                    q = owner[t]
                    long = first[q + 1] - first[q]
                    to = begin + tall * c + offset[e + t - s - 1]
                    for k in range(long):
                        side[to + k] += f * y[e0 + r * wide + k0 + k]
                    k0 += long
        e += segment[b + 1] - s - 1
        c0 += w


@inner()
def factor_panels(factor, symmetric):
    """Matrix to factors, in place: L has a unit diagonal, squares keep inverse pivots on theirs."""
    first, behind, node, panel, begin, square = (
        factor.first, factor.behind, factor.node, factor.panel, factor.begin, factor.square
    )  # fmt: skip
    lower, upper, diagonal = (
        reals(factor.lower.ctypes.data), reals(factor.upper.ctypes.data), reals(factor.diagonal.ctypes.data)
    )  # fmt: skip
    nodes = len(factor.first) - 1
    longest = 0
    for p in range(nodes):
        longest = max(longest, panel[p + 1] - panel[p])
    memory = np.zeros(longest + 1)
    work = reals(memory.ctypes.data)
    for p in range(nodes):
        w, tall, corner, u = first[p + 1] - first[p], panel[p + 1] - panel[p], square[p], begin[p]
        _factor_square(diagonal, corner, w, symmetric)
        # rows of U: L^-1 times those of the matrix
        for c in range(w):
            for d in range(c):
                f = diagonal[corner + w * c + d]
                for k in range(tall):
                    upper[u + tall * c + k] -= f * upper[u + tall * d + k]
        if symmetric:
            for c in range(w):
                f = diagonal[corner + (w + 1) * c]
                for k in range(tall):
                    lower[u + tall * c + k] = f * upper[u + tall * c + k]
        else:
            for c in range(w):
                for d in range(c):
                    f = diagonal[corner + w * d + c]
                    for k in range(tall):
                        lower[u + tall * c + k] -= f * lower[u + tall * d + k]
                f = diagonal[corner + (w + 1) * c]
                for k in range(tall):
                    lower[u + tall * c + k] *= f
        # what is behind loses the products of both
        o = 0
        for m in range(behind[p], behind[p + 1]):
            _update(factor, p, m, o, work, 0)
            if not symmetric:
                _update(factor, p, m, o, work, 1)
            o += first[node[m] + 1] - first[node[m]]
    memory[0] = 0.0


@inner()
def _factor_square(diagonal, corner, w, symmetric):
    """LU factors of a square in place, with inverse pivots."""
    for c in range(w):
        pivot = diagonal[corner + (w + 1) * c]
        inverse = 1.0 / pivot if pivot != 0.0 else 0.0
        diagonal[corner + (w + 1) * c] = inverse
        for r in range(c + 1, w):
            below = diagonal[corner + w * c + r] if symmetric else diagonal[corner + w * r + c]
            f = below * inverse
            diagonal[corner + w * r + c] = f
            for k in range(r if symmetric else c + 1, w):
                diagonal[corner + w * r + k] -= f * diagonal[corner + w * c + k]


@inner()
def _update(factor, p, m, o, work, turned):
    """Take what node p gives from the rows (turned: columns) of the node m behind it, from its square on.

    `o` are the places behind p before those of that node.
    """
    first, behind, node, panel = (
        integers(factor.first.ctypes.data), integers(factor.behind.ctypes.data),
        integers(factor.node.ctypes.data), integers(factor.panel.ctypes.data),
    )  # fmt: skip
    lower, upper, diagonal = (
        reals(factor.lower.ctypes.data), reals(factor.upper.ctypes.data), reals(factor.diagonal.ctypes.data)
    )  # fmt: skip
    near, far = (lower, upper) if turned == 0 else (upper, lower)
    side, j, u, last = far, node[m], factor.begin[p], behind[p + 1]
    w, wide, tall = first[p + 1] - first[p], first[j + 1] - first[j], panel[p + 1] - panel[p]
    corner, ahead, rest = factor.square[j], panel[j + 1] - panel[j], tall - o
    for a in range(wide):
        for k in range(rest):
            work[k] = 0.0
        for c in range(w):
            f = near[u + tall * c + o + a]
            if f != 0.0:
                for k in range(rest):
                    work[k] += f * far[u + tall * c + o + k]
        if turned == 0:
            for k in range(a, wide):
                diagonal[corner + wide * a + k] -= work[k]
        else:
            for k in range(a + 1, wide):
                diagonal[corner + wide * k + a] -= work[k]
        # the nodes behind p are all among those behind j
        k, e, to = wide, behind[j], factor.begin[j] + ahead * a
        for s in range(m + 1, last):
            i = node[s]
            while node[e] != i:
                to += first[node[e] + 1] - first[node[e]]
                e += 1
            long = first[i + 1] - first[i]
            for r in range(long):
                side[to + r] -= work[k + r]
            k += long


@inner()
def solve_panels(factor, x):
    """Solve in place of x (places in the order of elimination)."""
    first, panel, place, begin, square = factor.first, factor.panel, factor.place, factor.begin, factor.square
    lower, upper, diagonal = (
        reals(factor.lower.ctypes.data), reals(factor.upper.ctypes.data), reals(factor.diagonal.ctypes.data)
    )  # fmt: skip
    nodes = len(first) - 1
    for p in range(nodes):
        a, w, tall, u, corner = (
            first[p],
            first[p + 1] - first[p],
            panel[p + 1] - panel[p],
            begin[p],
            square[p],
        )
        for c in range(w):
            for d in range(c):
                x[a + c] -= diagonal[corner + w * c + d] * x[a + d]
        for c in range(w):
            f = x[a + c]
            for k in range(tall):
                x[place[panel[p] + k]] -= lower[u + tall * c + k] * f
    for p in range(nodes - 1, -1, -1):
        a, w, tall, u, corner = (
            first[p],
            first[p + 1] - first[p],
            panel[p + 1] - panel[p],
            begin[p],
            square[p],
        )
        for c in range(w - 1, -1, -1):
            total = x[a + c]
            for k in range(tall):
                total -= upper[u + tall * c + k] * x[place[panel[p] + k]]
            for d in range(c + 1, w):
                total -= diagonal[corner + w * c + d] * x[a + d]
            x[a + c] = total * diagonal[corner + (w + 1) * c]
