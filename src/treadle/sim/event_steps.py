"""Events by taking steps again: where a function changes its sign in a step, up to its zero.

This serves all integrators without dense output, and contact.

The state some seconds into a step is that of a step of that length. What is left of a step after an event
is a step of its own; one function may cross zero several times in a step if its events act on the motion,
else only a change from the start to the end is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError, TreadleError
from treadle.sim.event import Event, Occurrence
from treadle.sim.trial_steps import Start, TrialSteps

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["EventSteps"]

#: Events in one step at most, and the share of a step after which one has passed.
_MOST, _MOMENT = 1000, 1e-6


class EventSteps:
    """Takes the steps of a simulation with events whose integrator has no dense output, or with contact."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._trial = TrialSteps(sim)
        #: whether the action of an event runs just now
        self.acting = False

    def run(self, count: int) -> int:
        """Take steps until they are done or an event ends the run; the number that was taken."""
        sim = self._sim
        if self.acting:
            raise InputError("the action of an event must not step the simulation; it continues by itself")
        done = 0
        while done < count and sim.events.stopped_by is None:
            taken = self._step()
            sim.run_log.after(taken)
            done += taken
        return done

    def _step(self) -> int:
        """One step from event to event; 1 if it was left behind, 0 if the run ended in it."""
        sim, step, start = self._sim, self._sim.dt, self._sim.time
        clock, passed = (sim.world.start, sim.world.steps), 0.0
        before = [self._value(event, start) for event in sim.events]
        for _ in range(_MOST):
            begin, left = self._trial.saved(), step - passed
            self._trial.take(start + passed, left)
            found = self._crossings(begin, before, start + passed, left)
            acting = [after for after, event in found if event.acts]
            if not acting:
                self._log(begin, found, start + passed, left)
                break
            first = min(acting)
            self._trial.restore(begin)
            self._trial.take(start + passed, first)
            present = [(after, event) for after, event in found if after <= first]
            self._log(begin, present, start + passed, first)
            passed += first
            sim.world.start, sim.world.steps = start + passed, 0
            self._act([event for after, event in present if after == first])
            if sim.events.stopped_by is not None:
                return 0
            if (sim.world.start, sim.world.steps, sim.dt) != (start + passed, 0, step):
                # the action went to another state or changed the step: the next one starts here
                return 1
            sim.world.start, sim.world.steps = clock
            if step - passed <= 1e-12 * step:
                break
            before = [self._value(event, start + passed, _MOMENT * step) for event in sim.events]
        else:
            raise TreadleError(
                f"events happened {_MOST} times in one step at t = {start:.9g} s; let an action return True, "
                "which ends the run, when the motion comes to rest"
            )
        sim.world.start, sim.world.steps = clock[0], clock[1] + 1
        sim.measured_time += step
        return 1

    def _crossings(
        self, begin: Start, before: list[float], start: float, span: float
    ) -> list[tuple[float, Event]]:
        """When events happened in the step just taken, seconds after its start, in the order of time."""
        found = []
        for event, old in zip(self._sim.events, before, strict=True):
            new = self._value(event, start + span)
            rising, falling = old < 0.0 <= new, new <= 0.0 < old
            if (rising and event.direction >= 0) or (falling and event.direction <= 0):
                found.append((event, rising))
        with self._trial.without_trace():
            zeros = [(self._zero(event, begin, start, span, rising), event) for event, rising in found]
        return sorted(zeros, key=lambda crossing: crossing[0])

    def _zero(self, event: Event, begin: Start, start: float, span: float, rising: bool) -> float:
        """The time after the start at which a function is on its far side, by bisection."""
        low, high = 0.0, span
        while high - low > 1e-15 * span:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            self._trial.restore(begin)
            self._trial.take(start, middle)
            value = self._value(event, start + middle)
            if (value >= 0.0) if rising else (value <= 0.0):
                high = middle
            else:
                low = middle
        return high

    def _value(self, event: Event, time: float, ahead: float = 0.0) -> float:
        """Of an event's function now, or a moment ahead if the velocity lasts."""
        sim = self._sim
        q, v = sim.q.tolist(), sim.v.tolist()
        if ahead > 0.0:
            q = [x for j in sim.model.joints for x in j.type.integrate(q[j.q], [ahead * x for x in v[j.v]])]
        return float(event.value(sim.model, q, v, time + ahead))

    def _log(self, begin: Start, found: list[tuple[float, Event]], start: float, span: float) -> None:
        """Write events down with the states in which they happened, up to that after `span`."""
        for after, event in found:
            with self._trial.without_trace():
                if after < span:
                    self._trial.restore(begin)
                    self._trial.take(start, after)
                entry = Occurrence(start + after, event.name, self._sim.q.copy(), self._sim.v.copy())
            self._sim.events.log.append(entry)

    def _act(self, events: list[Event]) -> None:
        """Call the actions, at the time of the event."""
        sim, state = self._sim, (self._sim.q.copy(), self._sim.v.copy())
        # contacts can be read at this moment
        sim.run_log.after(0)
        self.acting = True
        try:
            for event in events:
                answer = None if event.action is None else event.action(sim)
                if event.terminal or (isinstance(answer, (bool, np.bool_)) and answer):
                    sim.events.stopped_by = event
        finally:
            self.acting = False
        if not (np.array_equal(sim.q, state[0]) and np.array_equal(sim.v, state[1])):
            # no balance can be drawn across that
            sim.run_log.restart()
            sim.run_log.before()
