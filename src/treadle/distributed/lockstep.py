"""Steps in lockstep: where a contact of one process begins or ends a substep, it ends in all of them.

So the substeps are those of one process with the whole world, and the budgets of a step, too.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from treadle.collision.collide import NOT_FINITE
from treadle.sim.step.advance import (
    EVENTS,
    EVENTS_PER_BODY,
    FEW_EVENTS,
    IMPACT_SPEED,
    NEAR_EVENT,
    REBOUNDS_PER_BODY,
    STOPS,
    SUBSTEPS,
)
from treadle.sim.step.contact_step import ContactStep
from treadle.sim.step.lockstep import begin_step, drive_step, end_step, take_substep
from treadle.sim.step.shorten import NOTHING
from treadle.sim.step.substep import find_substep
from treadle.sim.step.warm_start import FEWEST_SWEEPS

__all__ = ["Lockstep"]

#: Lengths on which processes try to agree; then the substep ends where it ends, with no contact cutting it.
_ROUNDS = 20

#: What a process says of its part: it goes on, it needs room for contacts, it cannot go on.
_GOOD, _ROOM, _LOST = 0, 1, 2


class _Told(NamedTuple):
    """What a process found of a substep."""

    state: int
    h: float
    cut: int
    rebound: int
    spent: bool


class Lockstep:
    """Takes steps of the part of a world that a process has; `bodies` are those of all parts."""

    def __init__(self, step: ContactStep, comm: Any, bodies: int) -> None:
        self._step, self._comm, self._bodies = step, comm, bodies
        #: substeps so far, and how often processes tried to agree on one
        self.substeps, self.rounds = 0, 0
        self._lost = False

    def __call__(self, table: int, dt: float, time: float, count: int) -> int:
        """As `take_steps`."""
        done = 0
        while done < count and not self._lost:
            begin_step(table, dt, time + done * dt)
            state, whole = self._substeps(table, dt, time + done * dt)
            if not end_step(table, int(whole)) and whole:
                state, whole = self._state(), False
            worst = max(self._comm.allgather(state))
            if worst == _GOOD:
                drive_step(table)
                done += 1
                continue
            if whole:
                self._back()
            # a process that needs room makes it, and takes the step again with the others
            self._lost = worst == _LOST
            if state == _ROOM:
                break
        return done

    def _substeps(self, table: int, dt: float, time: float) -> tuple[int, bool]:
        """Substeps until the step is over or a process cannot go on: state of this one, and which."""
        now, bodies = self._step.now[0], self._bodies
        budget, most = EVENTS + EVENTS_PER_BODY * bodies, REBOUNDS_PER_BODY * bodies
        left, ahead, events, rebounds, substeps, spent = dt, dt, 0, 0, 0, False
        while left > NOTHING * dt:
            uncut = events >= budget or rebounds >= most or spent
            asked = {
                "elapsed": dt - left,
                "time": time + dt - left,
                "uncut": int(uncut),
                "safe": int(substeps >= SUBSTEPS * (budget + rebounds)),
                "impact_speed": inf if uncut else IMPACT_SPEED,
                "stop_within": dt if (events + rebounds + 1) * bodies <= STOPS else 0.0,
            }
            told = self._agree(table, min(left, ahead), asked)
            if max(each.state for each in told) > _GOOD:
                return told[self._comm.rank].state, False
            take_substep(table)
            h = told[0].h
            self._step.scratch.effort[0] += 1
            self._step.scratch.effort[2] += now["work"]
            left -= h
            cut, rebound = max(x.cut for x in told), max(x.rebound for x in told)
            ahead = _look_ahead(cut, h, dt, events + rebounds, left)
            rebounds, events, substeps = rebounds + rebound, events + cut - rebound, substeps + 1
            spent = any(x.spent for x in told)
            self.substeps += 1
        return _GOOD, True

    def _agree(self, table: int, h: float, asked: dict[str, Any]) -> list[_Told]:
        """Try lengths until all processes have found the same."""
        told, tried = self._tried(table, h, asked), 1
        while True:
            all_told = self._comm.allgather(told)
            self.rounds += 1
            shortest = min(each.h for each in all_told)
            if max(each.state for each in all_told) > _GOOD or all(x.h == shortest for x in all_told):
                return all_told
            if told.h > shortest:
                tried += 1
                if tried > _ROUNDS:
                    asked = asked | {"uncut": 1, "impact_speed": inf, "safe": 1}
                told = self._tried(table, shortest, asked)

    def _tried(self, table: int, h: float, asked: dict[str, Any]) -> _Told:
        now = self._step.now[0]
        now["h"] = h
        for name, value in asked.items():
            now[name] = value
        find_substep(table)
        state = _GOOD if now["h"] >= 0.0 else self._state()
        spent = bool(now["sweeps_left"] == FEWEST_SWEEPS)
        return _Told(state, float(now["h"]), int(now["cut"]), int(now["rebound"]), spent)

    def _state(self) -> int:
        """Why a substep or step was not taken."""
        step = self._step
        full = step.scratch.totals.size[0] > len(step.scratch.totals.at)
        crowded = step.collider.result[0] < 0 and step.collider.result[0] != NOT_FINITE
        return _ROOM if full or crowded else _LOST

    def _back(self) -> None:
        """To where the step began: another process has to take it again."""
        context = self._step
        context.position[:], context.velocity[:] = context.scratch.q_start, context.scratch.v_start


def _look_ahead(cut: int, h: float, dt: float, events: int, left: float) -> float:
    """As `advance` has it."""
    if not cut:
        return 4.0 * h if events > FEW_EVENTS else left
    return 2.0 * h if events > FEW_EVENTS else max(4.0 * h, NEAR_EVENT * dt)
