"""Steps of a run that goes on undisturbed: compared, copied and counted in one call of machine code.

Between two steps a user may set the state, which begins a new run, or joint forces and commands, which do
not. Looking for that array by array in Python takes longer than a step of a small machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from treadle.native.c_types import CPointer, float64, int64
from treadle.native.calling import integers
from treadle.native.entries import entry
from treadle.native.frames import Integers, IntegerTable, Reals, view
from treadle.native.kernels import inner
from treadle.native.pieces import call_of

__all__ = [
    "CONTINUE", "GOES_ON", "LOAD", "NEXT", "REPEATABLE", "STEPS", "STORE", "Continued", "Exchange",
    "RunArrays", "attend", "spans",
]  # fmt: skip

#: Places in `RunArrays.counts`.
GOES_ON, STEPS, REPEATABLE, NEXT = range(4)

#: What is asked for: of an `Exchange`, and of what is `Continued`.
LOAD, STORE, CONTINUE = range(3)


class RunArrays(NamedTuple):
    """What a run log knows in machine code: arrays as pairs of the live one and a copy (see `spans`)."""

    #: whether the state is that of the last step unless it was set, steps so far, whether they would come out
    #: the same, and that at which a sample is due
    counts: Integers
    state: IntegerTable
    #: inputs that Python has to know of when they change, as the choice of the step may, and others
    chosen: IntegerTable
    given: IntegerTable


class Exchange(NamedTuple):
    """What a contact step takes over from the arrays of its world, and hands back."""

    task: Integers  # (2) what is asked for, and a number
    load: IntegerTable  # see `spans`
    store: IntegerTable
    dt: Reals
    clock: Reals
    alive: Reals
    ledger: Reals
    effort: Reals  # see `Scratch`
    span: Reals  # (1) length (s) of the last steps


class Continued(NamedTuple):
    """A run, and what takes its steps."""

    task: Integers
    run: RunArrays
    #: time (s) at which the clock started, steps since then, and steps that are to be taken
    wanted: Reals
    clock: Reals
    alive: Reals
    #: live: of a contact step where its code begins, its context and its `Exchange`; of a fused step zero,
    #: then where its code begins and what that takes (see `Executable.run`)
    port: Integers


_read_exchange, _read_continued = view(Exchange), view(Continued)

_take_steps = call_of(int64(int64, float64, float64, float64, int64))
_run_fused = call_of(int64(int64, int64, int64, int64, int64, int64))


def spans(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """(n, 3) addresses of two arrays and how many numbers they have, for pairs that must not move."""
    found = []
    for a, b in pairs:
        if not (a.flags.c_contiguous and b.flags.c_contiguous and a.itemsize == b.itemsize == 8):
            raise ValueError("arrays of spans must be contiguous, with numbers of eight bytes")
        # in a fraction of the time that `ctypes.data` takes
        found += [a.__array_interface__["data"][0], b.__array_interface__["data"][0], min(a.size, b.size)]
    return np.array(found, dtype=np.int64).reshape(-1, 3)


@entry(int64(CPointer(int64)), nogil=True)
def attend(table: Any) -> int:
    """Do what the `task` of a table asks for; one entry for all, as each takes a moment to load."""
    task = integers(table[0])
    if task[0] == CONTINUE:
        return _continue(_read_continued(table))
    if task[0] == LOAD:
        _load(_read_exchange(table))
    else:
        _store(_read_exchange(table), task[1])
    return 0


@inner()
def _continue(continued):
    """Take steps; how many were taken.

    None are where the state or `chosen` inputs were set; -1 where a sample is due before the last of them.
    """
    run, alive, clock, port = continued.run, continued.alive, continued.clock, continued.port
    start, steps, count = continued.wanted[0], continued.wanted[1], int(continued.wanted[2])
    alive[0], alive[1] = 1.0, 0.0
    counts = run.counts
    if counts[GOES_ON] == 0 or _differ(run.state) or _differ(run.chosen):
        return 0
    if counts[STEPS] + count > counts[NEXT]:
        return -1
    if _differ(run.given):
        _copy(run.given)
        counts[REPEATABLE] = 0
    clock[0], clock[1] = start, steps
    if port[0] != 0:
        exchange = _read_exchange(integers(port[2]))
        _load(exchange)
        taken = _take_steps(port[0], (port[1], exchange.dt[0], start, steps, count))
        _store(exchange, taken)
    else:
        _run_fused(port[1], (port[2], 0, 1, port[3], count, port[4]))
        taken = int(alive[1])
    _copy(run.state)
    counts[STEPS] += taken
    continued.wanted[1] += taken
    return taken


@inner()
def _load(exchange):
    """Before contact steps."""
    _copy(exchange.load)
    exchange.span[0], exchange.effort[2] = exchange.dt[0], 0.0


@inner()
def _store(exchange, taken):
    """After so many of them."""
    _copy(exchange.store)
    exchange.alive[1] += taken
    exchange.clock[1] += taken
    exchange.ledger[0] += exchange.effort[2]


@inner()
def _differ(pairs):
    """Whether any number of any pair differs in any bit."""
    for i in range(len(pairs)):
        a, b = integers(pairs[i, 0]), integers(pairs[i, 1])
        for k in range(pairs[i, 2]):
            if a[k] != b[k]:
                return True
    return False


@inner()
def _copy(pairs):
    """The first of every pair to the second."""
    for i in range(len(pairs)):
        a, b = integers(pairs[i, 0]), integers(pairs[i, 1])
        for k in range(pairs[i, 2]):
            b[k] = a[k]
