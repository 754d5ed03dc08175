"""Sequential impulses in generalized coordinates (SIMGC) over arrays, for rows whose number varies.

A row is a direction in which impulses act: a loop, a motor, a stop, dry friction, a contact. It is kept half
solved: with M = L^T D L and y = D^-1/2 L^-T J^T the response of row i to an impulse of row j is y_i . y_j,
and with z = sum of y_j p_j carried along, the velocity of a row is J v + y . z. So one visit to a row costs
two short products. Loops that are held exactly add places with the opposite sign (see `tree`). Importing this
package imports Numba.

    count = 0
    for every row:                                    (in a Numba kernel)
        place, work = the freedoms it moves, J        chain(...), work[k] = J_k
        half_solve(...)                               tree.py
        rows.slowest[i] = ...                         what it wants
        count += 1
    prepare(rows, count, z)                           effective masses, warm start
    sweeps, change = solve(rows, count, z, limit, tolerance, speed, way)
    spread(...)                                       v += M^-1 J^T p
"""

from __future__ import annotations

from treadle.solvers.sequential.gauss_seidel import correct, prepare, solve
from treadle.solvers.sequential.rows import (
    AT_ONCE,
    CONJUGATE,
    IN_TURN,
    PAIR,
    SECOND,
    SINGLE,
    TOGETHER,
    Rows,
    empty_rows,
)
from treadle.solvers.sequential.tree import Tree, chain, half_solve, spread

__all__ = [
    "AT_ONCE", "CONJUGATE", "IN_TURN", "PAIR", "SECOND", "SINGLE", "TOGETHER", "Rows", "Tree", "chain",
    "correct", "empty_rows", "half_solve", "prepare", "solve", "spread",
]  # fmt: skip
