"""The factors of a machine in arrays, and what they make of rows: half solved, and spread out again.

M = L^T D L has the zeros of the tree: row k of L has entries at the freedoms between k and the base alone.
Loops that are held exactly are rows Y (half solved) with A = Y^T Y = F P F^T; a row y then has the entries
U = P^-1/2 F^-1 Y^T y at the places of the loops, which count negative:

    response of i to j = y_i . y_j - U_i . U_j
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.frames import Integers, Reals
from treadle.native.kernels import inner, kernel, part

__all__ = [
    "Tree", "chain", "half_solve", "half_solve_chain", "join_row", "spread", "tree_pattern",
]  # fmt: skip


class Tree(NamedTuple):
    """Factors of the inertia matrix (nv freedoms), and of what its m held loop rows leave of it.

    The entries of row k of L begin at `start[k]`, that of its parent first, then on towards the base.
    """

    parent: Integers  # (nv) freedom before each in the elimination, -1: none
    start: Integers  # (nv + 1)
    L: Reals  # (entries)
    root: Reals  # (nv) D^-1/2
    loop_first: Integers  # (m + 1) where the entries of the loop rows begin
    loop_place: Integers  # (entries of Y) freedoms
    loop_y: Reals  # (entries of Y)
    under_first: Integers  # (m + 1) where the rows of F (unit, lower-triangular) begin
    under: Integers  # (entries of F) loop rows before
    F: Reals  # (entries of F)
    loop_root: Reals  # (m) P^-1/2; 0 for a row that depends on others
    size: Integers  # (2) nv and m


def tree_pattern(parents: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """`parent` and `start` of a tree."""
    depth = [0] * len(parents)
    for k, parent in enumerate(parents):
        depth[k] = 0 if parent < 0 else depth[parent] + 1
    return np.array(parents, dtype=np.int64), np.concatenate([[0], np.cumsum(depth, dtype=np.int64)])


@kernel()
def chain(tree, rows, i, a, b):
    """Give row i the freedoms from a and from b (-1: from nowhere) to the base as places, the last first."""
    e = rows.first[i]
    while a >= 0 or b >= 0:
        k = max(a, b)
        rows.place[e] = k
        e += 1
        if a == k:
            a = tree.parent[a]
        if b == k:
            b = tree.parent[b]
    rows.loops[i] = rows.first[i + 1] = e


@kernel()
def half_solve(tree, rows, i, work):
    """Entries of row i from its Jacobian, which `work` (nv + m) holds at the row's places and zero else.

    Its places, the last first, must include the way to the base of each of them (see `chain`). Afterwards
    `work` is zero again.
    """
    parent, start, L, root, place, y = tree.parent, tree.start, tree.L, tree.root, rows.place, rows.y
    for e in range(rows.first[i], rows.loops[i]):
        k = place[e]
        x = work[k]
        work[k] = 0.0
        if x != 0.0:
            above, entry = parent[k], start[k]
            while above >= 0:
                work[above] -= L[entry] * x
                above, entry = parent[above], entry + 1
        y[e] = root[k] * x
    rows.first[i + 1] = rows.loops[i]
    if tree.size[1] > 0:
        join_row(tree, rows, i, work)


@part()
def half_solve_chain(tree, place, y, begin, end):
    """Jacobian to entries where they stand, see `half_solve`, along the way of one degree of freedom."""
    start, L, root = tree.start, tree.L, tree.root
    for e in range(begin, end):
        k, x = place[e], y[e]
        y[e] = root[k] * x
        if x == 0.0:
            continue
        entry = start[k] - e - 1
        for m in range(e + 1, end):
            y[m] -= L[entry + m] * x


@inner()
def join_row(tree, rows, i, work):
    """Entries of row i at the places of the held loops."""
    nv, m, begin, end = tree.size[0], tree.size[1], rows.first[i], rows.loops[i]
    place, y, loop_root, loop_place, loop_y = rows.place, rows.y, tree.loop_root, tree.loop_place, tree.loop_y
    under, F = tree.under, tree.F
    for e in range(begin, end):
        work[place[e]] = y[e]
    for k in range(m):
        x = 0.0
        for e in range(tree.loop_first[k], tree.loop_first[k + 1]):
            x += loop_y[e] * work[loop_place[e]]
        for e in range(tree.under_first[k], tree.under_first[k + 1]):
            x -= F[e] * work[nv + under[e]]
        work[nv + k] = x
        if x != 0.0:
            place[end], y[end] = nv + k, loop_root[k] * x
            end += 1
    for e in range(begin, end):
        work[place[e]] = 0.0
    rows.first[i + 1] = end


@kernel()
def spread(tree, z, work, v):
    """v += M^-1 J^T p, from the z of all impulses; z is kept. Loops that are held push as they must."""
    parent, start, L, root = tree.parent, tree.start, tree.L, tree.root
    nv, m = tree.size[0], tree.size[1]
    for k in range(nv):
        work[k] = z[k]
    for k in range(m):
        work[nv + k] = tree.loop_root[k] * z[nv + k]
    for k in range(m - 1, -1, -1):
        force = work[nv + k]
        for e in range(tree.under_first[k], tree.under_first[k + 1]):
            work[nv + tree.under[e]] -= tree.F[e] * force
        for e in range(tree.loop_first[k], tree.loop_first[k + 1]):
            work[tree.loop_place[e]] += tree.loop_y[e] * force
    for k in range(nv):
        x = root[k] * work[k]
        above, entry = parent[k], start[k]
        while above >= 0:
            x -= L[entry] * work[above]
            above, entry = parent[above], entry + 1
        work[k] = x
        v[k] += x
    for k in range(nv + m):
        work[k] = 0.0
