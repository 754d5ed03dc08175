"""Sweeps behind an address, so that a kernel calls them without being compiled together with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treadle.native.c_types import CPointer, int64, void
from treadle.native.calling import call
from treadle.native.entries import entry
from treadle.native.frames import Integers, Reals, table, view
from treadle.native.kernels import inner, part
from treadle.solvers.agreement import Agreement, agreed, largest, least, total
from treadle.solvers.row_solver.solve import BOTH, NO_GAIN, YIELDING, solve_rows
from treadle.solvers.sequential.gauss_seidel import ENOUGH, correct, prepare, solve
from treadle.solvers.sequential.row_values import rate
from treadle.solvers.sequential.rows import AT_ONCE, CONJUGATE, IN_TURN, SINGLE, TOGETHER, Rows
from treadle.solvers.sequential.subspace import hold_free, react

__all__ = [
    "Solver", "SolverMemory", "answer", "close_gaps", "find_impact", "find_impulses", "hold_rows",
    "prepare_rows",
]  # fmt: skip

#: Numbers of rows between which a sweep costs less than a solve of the wrong free rows: most often those are
#: free again that were before.
_AT_ONCE, _IN_TURN_FIRST = 6, 15

#: Rows that count as very few, active ones that count as few, and sweeps before islands are solved, with
#: these and with many.
_VERY_FEW, _MORE_SWEEPS, _FEW, _SWEEPS, _FIRST_SWEEPS = 80, 12, 100, 5, 2

#: Rows that count as very many, whose factors may be dear: sweeps at most, how many in one go, and the share
#: of the change that has to be gone after them for sweeps to go on.
_VERY_MANY, _MOST_SWEEPS, _GO, _GONE = 300, 240, 12, 0.2

#: Residual (m/s) from which on impulses tell nothing, and sweeps from no impulses, where all else has failed.
_UNSOLVED, _LAST_SWEEPS = 0.05, 60

#: Rows of a world in which at most one contact collides.
_ONE_CONTACT = 3

#: Change of velocity (m/s) of the first sweep up to which the impulses of many rows are those of before.
_HOLDS = 1e-9

#: Iterations of an island, each of which counts as so many sweeps, and the residual (m/s) from which on a
#: solve counts as unfinished.
_ITERATIONS, _PER_ITERATION, _UNFINISHED = 320, 2, 1e-8

#: What is asked for.
_PREPARE, _SOLVE, _CORRECT, _HOLD, _REACT, _COLLIDE = 0, 1, 2, 3, 4, 5


class Solver(NamedTuple):
    """What a kernel knows of the solver."""

    entry: int
    table: int
    task: Integers  # what is asked for, number of rows, most sweeps; sweeps that were taken
    speed: Reals  # (2) change of velocity (m/s) at which sweeps end, and how well goals are known
    shared: int  # 1: all processes that share a world ask for impulses together


class _Frame(NamedTuple):
    rows: Rows
    z: Reals
    task: Integers
    speed: Reals
    agreement: Agreement


_frame = view(_Frame)


class SolverMemory:
    """The solver of rows, on their arrays."""

    def __init__(self, rows: Rows, z: np.ndarray, agreement: Agreement) -> None:
        task, speed = np.zeros(4, np.int64), np.zeros(2)
        self._kept = _Frame(rows, z, task, speed, agreement)
        self._table = table(self._kept)
        shared = int(agreement.entry != 0)
        self.solver = Solver(_run.address, self._table.ctypes.data, task, speed, shared)


@part()
def prepare_rows(solver, count):
    """Effective masses of the rows, and z of the impulses that they have already."""
    _ask(solver, _PREPARE, count, 0, 0.0)


@part()
def find_impulses(solver, count, limit, speed, blur):
    """Impulses of the rows, from those that they have; the sweeps it took."""
    solver.speed[1] = blur
    return _ask(solver, _SOLVE, count, limit, speed)


@part()
def find_impact(solver, count, limit, speed):
    """Impulses of the rows of an impact, from none; the sweeps it took."""
    solver.speed[1] = 0.0
    return _ask(solver, _COLLIDE, count, limit, speed)


@part()
def close_gaps(solver, count, limit, speed):
    """Split impulses of the rows that close; the sweeps it took."""
    return _ask(solver, _CORRECT, count, limit, speed)


@part()
def hold_rows(solver, count):
    """Find the rows that are at none of their bounds; their number, 0 where there are too many."""
    return _ask(solver, _HOLD, count, 0, 0.0)


@part()
def answer(solver, held):
    """Add to `rows.z_kept` what the rows that were found last do to keep their velocities against it."""
    _ask(solver, _REACT, held, 0, 0.0)


@part()
def _ask(solver, what, count, limit, speed):
    solver.task[0], solver.task[1], solver.task[2], solver.speed[0] = what, count, limit, speed
    call(solver.entry, solver.table)
    return solver.task[3]


@inner()
def _solve(f, count, limit):
    """Impulses by a few sweeps, which is all that most solves take; else by islands (see `row_solver`).

    Returns the sweeps, at least ENOUGH of them where impulses were left that miss their targets. What follows
    what is decided by all rows of the world, of which several processes may have a part each.
    """
    rows, z, speed, blur = f.rows, f.z, f.speed[0], f.speed[1]
    limit, world = int(least(f, float(limit))), int(total(f, float(count)))
    few, way = min(_MORE_SWEEPS if world <= _VERY_FEW else _SWEEPS, limit), TOGETHER
    if world <= _AT_ONCE or (rows.held[2] == 1 and count > _IN_TURN_FIRST):
        way = AT_ONCE
    active = world if world <= _FEW else int(total(f, float(_active(rows, count, z))))
    first, fresh = speed, active > _FEW
    if active > _FEW:
        # among many rows, those that are known well are not content with what others are known to
        blur = 0.0
        few, way, first = min(_FIRST_SWEEPS, limit), IN_TURN, max(speed, _HOLDS)
        for i in range(count):
            fresh = fresh and rows.impulse[i] == 0.0
    taken, last = solve(rows, count, z, few, 0.0, first, way, blur)
    if agreed(f, taken < few):
        return taken
    if taken < few:
        # where others need more, all are swept as often
        solve(rows, count, z, few - taken, 0.0, -1.0, way, blur)
        taken = few
    last, fresh = largest(f, last), agreed(f, fresh)
    while world > _VERY_MANY and taken + _GO <= min(_MOST_SWEEPS, limit):
        more, change = solve(rows, count, z, _GO, 0.0, speed, CONJUGATE, blur)
        if agreed(f, more < _GO):
            return taken + more
        taken, change = taken + _GO, largest(f, change)
        if change > _GONE * last:
            break
        last = change
    if fresh:
        # sweeps favour the rows that come first: redundant ones are to share their load evenly
        for i in range(count):
            rows.impulse[i] = 0.0
    return _solve_islands(f, count, taken, BOTH)


@inner()
def _collide(f, count, limit):
    """Impulses of an impact: of many solutions the one that is the limit of rows that yield."""
    taken = 0
    if total(f, float(count)) <= _ONE_CONTACT:
        taken = _solve(f, count, limit)
        if not _adds_energy(f.rows, count, f.z):
            return taken
        for i in range(count):
            f.rows.impulse[i] = 0.0
    return _solve_islands(f, count, taken, YIELDING)


@inner()
def _solve_islands(f, count, taken, way):
    """Impulses by islands, after sweeps that were taken; these and what islands count as."""
    rows, z, speed, blur = f.rows, f.z, f.speed[0], f.speed[1]
    steps, left = solve_rows(rows, count, z, rows.before, _ITERATIONS, speed, way)
    taken += _PER_ITERATION * steps
    if left <= _UNFINISHED:
        return min(taken, ENOUGH - 1)
    if left <= _UNSOLVED:
        return max(taken, ENOUGH)
    if not _cost(rows, count, z) <= 0.0:
        # impulses that are worse than none: from those, sweeps take energy only
        for i in range(count):
            rows.impulse[i] = min(max(0.0, rows.low[i]), rows.high[i]) if rows.normal[i] < 0 else 0.0
        prepare(rows, count, z)
        more, _ = solve(rows, count, z, _LAST_SWEEPS, 0.0, speed, IN_TURN, blur)
        taken += more
    _limit_energy(rows, count, z)
    return max(taken, ENOUGH)


@inner()
def _active(rows, count, z):
    """Rows that have an impulse or miss their targets without one, and the friction of such contacts.

    There are more than few where it stops counting.
    """
    active, presses = 0, False
    for i in range(count):
        if rows.normal[i] < 0:
            presses = rows.impulse[i] != 0.0
            if not presses:
                moves = rows.velocity[i] + rate(rows.first, rows.place, rows.y, i, z)
                presses = moves < rows.slowest[i] or moves > rows.fastest[i]
        active += int(presses)
        if active > _FEW:
            break
    return active


@inner()
def _limit_energy(rows, count, z):
    """Scale impulses that would add kinetic energy: p u + p A p / 2 is what they do add."""
    first, place, y, linear, square = rows.first, rows.place, rows.y, 0.0, 0.0
    for i in range(count):
        p, rate = rows.impulse[i], 0.0
        for e in range(first[i], first[i + 1]):
            rate += y[e] * z[place[e]]
        linear += p * rows.velocity[i]
        square += p * rate
    if linear + 0.5 * square <= 0.0:
        return
    share = max(-linear / square, 0.0) if square > 0.0 else 0.0
    for i in range(count):
        rows.impulse[i] *= share
    for k in range(rows.places[0]):
        z[k] *= share


@inner()
def _adds_energy(rows, count, z):
    """Whether the impulses of an impact do, but for rounding and what moves surfaces and joints."""
    linear, square = 0.0, 0.0
    for i in range(count):
        target = 0.0 if rows.normal[i] < 0 and rows.low[i] == 0.0 else rows.slowest[i]
        linear += rows.impulse[i] * (rows.velocity[i] - target)
        square += rows.impulse[i] * rate(rows.first, rows.place, rows.y, i, z)
    return linear + 0.5 * square > NO_GAIN * square


@inner()
def _cost(rows, count, z):
    """p (A p / 2 + u - target): what the impulses add to the energy of what rows miss of their targets."""
    first, place, y, total = rows.first, rows.place, rows.y, 0.0
    for i in range(count):
        p = rows.impulse[i]
        if p == 0.0 or rows.low[i] == rows.high[i]:
            continue
        rate = 0.5 * rows.softness[i] * p
        for e in range(first[i], first[i + 1]):
            rate += 0.5 * y[e] * z[place[e]]
        target = rows.slowest[i] if p > 0.0 or rows.kind[i] != SINGLE else rows.fastest[i]
        total += p * (rows.velocity[i] + rate - target)
    return total


@entry(void(CPointer(int64)))
def _run(pointer: Any) -> None:
    f = _frame(pointer)
    rows, z, task, speed = f.rows, f.z, f.task, f.speed[0]
    count, limit = task[1], task[2]
    if task[0] == _PREPARE:
        prepare(rows, count, z)
    elif task[0] == _SOLVE:
        task[3] = _solve(f, count, limit)
    elif task[0] == _COLLIDE:
        task[3] = _collide(f, count, limit)
    elif task[0] == _HOLD:
        task[3] = hold_free(rows, count)
    elif task[0] == _REACT:
        react(rows, count, rows.z_kept)
    else:
        task[3], _ = correct(rows, count, z, limit, 0.0, speed, TOGETHER)
