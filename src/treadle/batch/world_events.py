"""Events of many worlds: when and where a function of the state crosses zero.

    passed = worlds.watch(td.Event(lambda q, v, t: q["shoulder"], direction=-1))
    worlds.step(1000)
    print(passed.worlds, passed.times)

The functions of all worlds are computed in lanes at the ends of steps. A crossing lies where the line between
the values at both ends of a step is zero: its time is accurate to the square of the step. One there and back
within a step is not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.native.program import Program
from treadle.sim.event import Event
from treadle.sim.moment_program import MeasureKind, moment_program
from treadle.sim.recording.signals.moment import Moment

if TYPE_CHECKING:
    from treadle.batch.batch import Batch

__all__ = ["WorldEvents", "WorldLog"]


class WorldLog:
    """What was seen of an event, in the order of steps: worlds by number, and times (s)."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self._worlds: list[np.ndarray] = []
        self._times: list[np.ndarray] = []

    @property
    def worlds(self) -> np.ndarray:
        """Numbers of the worlds, one per crossing."""
        return np.concatenate([np.zeros(0, int), *self._worlds])

    @property
    def times(self) -> np.ndarray:
        """Times of the crossings."""
        return np.concatenate([np.zeros(0), *self._times])

    def add(self, before: np.ndarray, after: np.ndarray, start: np.ndarray, end: np.ndarray) -> None:
        """Look at the values (worlds) and times at both ends of a step."""
        up, down = (before < 0.0) & (after >= 0.0), (before > 0.0) & (after <= 0.0)
        crossed = {0: up | down, 1: up, -1: down}[self.event.direction]
        if crossed.any():
            worlds = np.flatnonzero(crossed)
            share = before[worlds] / (before[worlds] - after[worlds])
            self._worlds.append(worlds)
            self._times.append(start[worlds] + share * (end[worlds] - start[worlds]))


class WorldEvents:
    """The events that a batch watches."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self.logs: list[WorldLog] = []
        self._before = np.zeros((0, batch.worlds))
        self._start = np.zeros(batch.worlds)

    def watch(self, event: Event) -> WorldLog:
        """Write down an event from now on."""
        if not isinstance(event, Event):
            raise InputError(f"watch takes a td.Event, not {event!r}")
        if event.acts:
            raise InputError(
                f"event {event.name!r} acts, which events of many worlds cannot: leave its action out"
            )
        self.logs.append(WorldLog(event))
        return self.logs[-1]

    def before_steps(self) -> None:
        """Look at the states that steps begin with, whatever was changed since the last ones."""
        if self.logs:
            self._before, self._start = self._values(), self._batch.time

    def after_step(self) -> None:
        """Write down what crossed zero in a step."""
        after, end = self._values(), self._batch.time
        for log, old, new in zip(self.logs, self._before, after, strict=True):
            log.add(old, new, self._start, end)
        self._before, self._start = after, end

    def _values(self) -> np.ndarray:
        """(events, worlds) of the functions now."""
        events = tuple(log.event for log in self.logs)
        found = self._batch.functions.evaluate(("events", events), lambda kind: self._program(events, kind))
        return found["values"][:, : self._batch.worlds].copy()

    def _program(self, events: Sequence[Event], kind: MeasureKind) -> Program:
        def values(moment: Moment, _: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Scalar]]:
            return {
                "values": [event.value(moment.model, moment.q, moment.v, moment.time) for event in events]
            }

        return moment_program(self._batch.world, kind, values, None)
