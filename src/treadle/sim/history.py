"""Rewinding: the last seconds of a simulation, kept as states in a ring, and some states of all before.

States are stored every so often, and wherever something was changed from outside between steps. A time in
between is reached from the state before it by taking the same steps again, which gives the same bits. Older
states are thinned out evenly: only they themselves can be returned to.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

import numpy as np

from treadle.errors import InputError
from treadle.sim.edit import become
from treadle.sim.state import State

if TYPE_CHECKING:
    from types import TracebackType

    from treadle.model.model import Model
    from treadle.sim.simulation import Simulation

__all__ = ["History"]


class History:
    """Keeps the last `seconds` of a simulation, with a state every so many seconds, until it is closed.

    Of what was before, at most `older` states are kept.

    Controllers that are called back have a memory of their own, which no state holds: with such ones
    every step is stored, and `rewind` asks them for nothing.
    """

    def __init__(self, sim: Simulation, seconds: float = 10.0, every: float = 0.05, older: int = 0) -> None:
        for name, value in (("seconds", seconds), ("every", every)):
            if not (isinstance(value, (int, float)) and np.isfinite(value) and value > 0.0):
                raise InputError(f"History: {name} must be a positive number of seconds, not {value!r}")
        if not (isinstance(older, int) and older >= 0):
            raise InputError(f"History: older must be a number of states that is not negative, not {older!r}")
        self._sim = sim
        self.seconds, self.every, self.older = float(seconds), float(every), older
        self._older: list[tuple[State, Model]] = []
        self._states: deque[State] = deque([sim.save()])
        # the machine of each of them
        self._models: deque[Model] = deque([sim.model])
        self._left = self._marks()
        self._since = 0
        sim.observers.append(self)

    @property
    def start(self) -> float:
        """The earliest time to rewind to, in seconds."""
        return max(self._states[0].time, self._sim.time - self.seconds)

    @property
    def first(self) -> float:
        """The earliest time to return to, in seconds."""
        return self._older[0][0].time if self._older else self.start

    def __len__(self) -> int:
        """States that are stored."""
        return len(self._older) + len(self._states)

    def at(self, time: float) -> State:
        """The state that was stored last at or before a time (s), or the first one; for looking at."""
        states = [state for state, _ in self._older] + list(self._states)
        return next((state for state in reversed(states) if state.time <= time + 1e-9), states[0])

    @property
    def states(self) -> list[State]:
        """The stored states of the machine as it is now, oldest first; for looking at."""
        pairs = [*self._older, *zip(self._states, self._models, strict=True)]
        return [state for state, model in pairs if model is self._sim.model]

    def return_to(self, time: float) -> None:
        """Go back to a time (s), or to the state before it where only older ones are kept."""
        sim = self._sim
        if time >= self.start - 0.5 * sim.dt:
            self.rewind(max(0.0, sim.time - time))
            return
        while len(self._older) > 1 and self._older[-1][0].time > time + 1e-9:
            self._older.pop()
        state, model = self._older.pop() if self._older else (self._states[0], self._models[0])
        self._states.clear()
        self._models.clear()
        self._states.append(state)
        self._models.append(model)
        self._resume(state, model)
        self._left, self._since = self._marks(), 0

    def rewind(self, seconds: float) -> None:
        """Go back by a time, to a whole step; what came after is forgotten."""
        if not (isinstance(seconds, (int, float)) and np.isfinite(seconds) and seconds >= 0.0):
            raise InputError(f"rewind: seconds must be a number that is not negative, not {seconds!r}")
        sim = self._sim
        self._note_changes()
        goal = sim.time - float(seconds)
        # half a step allows for the rounding of times
        if goal < self.start - 0.5 * sim.dt:
            raise InputError(
                f"rewind: the history goes back by {sim.time - self.start:g} s, not by {seconds:g} s"
            )
        while len(self._states) > 1 and self._states[-1].time > goal + 1e-9 * self._states[-1].dt:
            self._pop()
        state, model = self._states[-1], self._models[-1]
        self._resume(state, model)
        # recorders have seen these steps
        observers, sim.observers = sim.observers, []
        try:
            sim.step(max(0, round((goal - state.time) / state.dt)))
        finally:
            sim.observers = observers
        self._left, self._since = self._marks(), sim.world.steps - state.steps

    def due(self) -> int:
        """Steps until the next state is stored; before the first of them, changes are noted."""
        self._note_changes()
        return max(1, self._stride() - self._since)

    def advanced(self, count: int) -> None:
        """Store the state if it is time to."""
        self._since += count
        self._left = self._marks()
        if self._since >= self._stride():
            self._store()

    def rebuilt(self) -> None:
        """Store the first state of a changed machine, unless it is one that `rewind` went back to."""
        if self._models[-1] is not self._sim.model:
            self._store()
        self._left = self._marks()

    def close(self) -> None:
        """Forget everything."""
        self._states.clear()
        self._models.clear()
        self._older.clear()
        if self in self._sim.observers:
            self._sim.observers.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _stride(self) -> int:
        """Steps from one state to the next."""
        sim = self._sim
        # no state holds the data of controllers, nor live inputs
        kept = sim.controllers.called_back or sim.controllers.watched or sim.world.inputs.size
        return 1 if kept else max(1, round(self.every / sim.dt))

    def _note_changes(self) -> None:
        """Store a state that was not reached by steps alone, or that forces act on which were not there."""
        if self._marks() != self._left:
            self._store()
            self._left = self._marks()

    def _store(self) -> None:
        now = self._sim.save()
        while self._states and self._states[-1].time >= now.time:
            # time was set back, or the state or the machine changed
            self._pop()
        while self._older and self._older[-1][0].time >= now.time:
            self._older.pop()
        self._states.append(now)
        self._models.append(self._sim.model)
        self._since = 0
        while len(self._states) > 1 and self._states[1].time <= now.time - self.seconds:
            self._retire(self._states.popleft(), self._models.popleft())

    def _retire(self, state: State, model: Model) -> None:
        """Keep a state that is older than the ring; of too many the one goes whose neighbours are nearest."""
        if self.older == 0:
            return
        self._older.append((state, model))
        if len(self._older) > max(self.older, 2):
            times = np.array([old.time for old, _ in self._older])
            del self._older[1 + int(np.argmin(times[2:] - times[:-2]))]

    def _resume(self, state: State, model: Model) -> None:
        """Put the simulation into a stored state, with the machine that it had then."""
        if model is not self._sim.model:
            become(self._sim, model, state)
        self._sim.restore(state)

    def _pop(self) -> None:
        self._states.pop()
        self._models.pop()

    def _marks(self) -> tuple[float | int | bytes, ...]:
        """Everything that steps depend on."""
        sim = self._sim
        vectors = [
            sim.arrays[name].tobytes() for name in ("q", "v", "tau", "dt", "commands", "locked", "inputs")
        ]
        return sim.world.start, sim.world.steps, *vectors, sim.loads.tobytes()
