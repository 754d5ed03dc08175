"""Steps in lockstep: every decision of a step is that of all processes (see `solvers.agreement`).

So the substeps are those of one process with the whole world, and the budgets of a step, too.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from treadle.collision.collide import NOT_FINITE
from treadle.sim.step.advance import take_steps
from treadle.sim.step.contact_step import ContactStep
from treadle.solvers.agreement import Agreement

__all__ = ["Lockstep"]

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Lockstep:
    """Takes steps of the part of a world that a process has; `bodies` are those of all parts."""

    def __init__(self, step: ContactStep, comm: Any, bodies: int) -> None:
        self._step, self._comm = step, comm
        self._values = np.zeros(2)
        self._callback = _CALLBACK(self._combine)
        self._failed: BaseException | None = None
        #: exchanges so far
        self.exchanges = 0
        #: (bodies + 1) of this process's step: 1 where a body is one of this process
        self.counted = np.ones(len(step.model.bodies) + 1, np.int64)
        entry = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert entry is not None
        step.share(Agreement(entry, self._values, self._values.ctypes.data, bodies, self.counted))
        step.take = self

    def __call__(self, table: int, dt: float, start: float, before: float, count: int) -> int:
        """As `take_steps`."""
        done = 0
        while done < count:
            done += take_steps(table, dt, start, before + done, count - done)
            if self._failed is not None:
                raise self._failed
            if done < count:
                # a process that needs room makes it, and takes the step again with the others
                needed = self._needs_room()
                if not any(self._comm.allgather(needed)) or needed:
                    break
        return done

    def _combine(self, _: int | None) -> None:
        """Replace the values by the largest and the sum of all processes."""
        if self._failed is not None:
            return
        try:
            told = self._comm.numbers(self._values)
            self._values[:] = told[:, 0].max(), told[:, 1].sum()
            self.exchanges += 1
        except BaseException as error:  # a kernel cannot raise it: the step ends, and then it is raised
            self._failed = error

    def _needs_room(self) -> bool:
        totals, result = self._step.scratch.totals, self._step.collider.result[0]
        return bool(totals.size[0] > len(totals.at) or (result < 0 and result != NOT_FINITE))
