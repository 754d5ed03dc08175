"""Sweeps behind an address, so that a kernel calls them without being compiled together with them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from treadle.native.calling import call
from treadle.native.frames import Integers, Reals, table, view
from treadle.native.kernels import cfunc, inner
from treadle.solvers.sequential.rows import TOGETHER, Rows
from treadle.solvers.sequential.sweep import correct, prepare, solve

__all__ = ["Solver", "SolverMemory", "close_gaps", "find_impulses", "prepare_rows"]

#: What is asked for.
_PREPARE, _SOLVE, _CORRECT = 0, 1, 2


class Solver(NamedTuple):
    """What a kernel knows of the solver."""

    entry: int
    table: int
    task: Integers  # what is asked for, number of rows, most sweeps; sweeps that were taken
    speed: Reals  # (1) change of velocity (m/s) at which sweeps end


class _Frame(NamedTuple):
    rows: Rows
    z: Reals
    task: Integers
    speed: Reals


_frame = view(_Frame)


class SolverMemory:
    """The solver of rows, on their arrays."""

    def __init__(self, rows: Rows, z: np.ndarray) -> None:
        task, speed = np.zeros(4, np.int64), np.zeros(1)
        self._kept = _Frame(rows, z, task, speed)
        self._table = table(self._kept)
        self.solver = Solver(_entry().address, self._table.ctypes.data, task, speed)


@inner()
def prepare_rows(solver, count):
    """Effective masses of the rows, and z of the impulses that they have already."""
    _ask(solver, _PREPARE, count, 0, 0.0)


@inner()
def find_impulses(solver, count, limit, speed):
    """Impulses of the rows, from those that they have; the sweeps it took."""
    return _ask(solver, _SOLVE, count, limit, speed)


@inner()
def close_gaps(solver, count, limit, speed):
    """Split impulses of the rows that close; the sweeps it took."""
    return _ask(solver, _CORRECT, count, limit, speed)


@inner()
def _ask(solver, what, count, limit, speed):
    solver.task[0], solver.task[1], solver.task[2], solver.speed[0] = what, count, limit, speed
    call(solver.entry, solver.table)
    return solver.task[3]


@cache
def _entry() -> Any:
    return cfunc(types.void(types.CPointer(types.int64)), cache=True)(_run)


def _run(pointer: Any) -> None:
    f = _frame(pointer)
    rows, z, task, speed = f.rows, f.z, f.task, f.speed[0]
    count, limit = task[1], task[2]
    if task[0] == _PREPARE:
        prepare(rows, count, z)
    elif task[0] == _SOLVE:
        task[3], _ = solve(rows, count, z, limit, 0.0, speed, TOGETHER)
    else:
        task[3], _ = correct(rows, count, z, limit, 0.0, speed, TOGETHER)
