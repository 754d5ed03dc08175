"""Events: moments at which a function of the state crosses zero.

    def height(q, v, t):
        return q["ball"]

    def bounce(sim):
        sim.v[:] *= -0.8

    sim = td.Simulation(model, integrator="dopri5", events=[td.Event(height, direction=-1, action=bounce)])

The function has the form of a force law (see `treadle.forces.law`) but returns one number; it is traced
into the step and watched in machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from treadle.errors import InputError
from treadle.forces.law import Named
from treadle.graph import Expr, Graph, Scalar
from treadle.model.model import Model

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Event", "Events", "Occurrence", "crosses"]

#: Positions and velocities by joint name, time (s) -> a number that crosses zero.
EventFunction = Callable[[Named, Named, Scalar], Any]


@dataclass(frozen=True)
class Event:
    """A zero crossing of `function(q, v, t)`: upward (direction +1), downward (-1) or both (0).

    At the time of the crossing `action(sim)` is called, which may change the state and the forces; a
    `terminal` event, or an action that returns True, ends the run there. Without either the event is
    only written down. The name is that of the function unless it is given.
    """

    function: EventFunction
    direction: int = 0
    terminal: bool = False
    action: Callable[[Simulation], Any] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"an event needs a function of (q, v, t), not {self.function!r}")
        if self.direction not in (-1, 0, 1):
            raise InputError(f"the direction of an event is -1, 0 or 1, not {self.direction!r}")
        if self.action is not None and not callable(self.action):
            raise InputError(f"the action of an event is a function of the simulation, not {self.action!r}")
        if not self.name:
            object.__setattr__(self, "name", getattr(self.function, "__name__", "event"))

    @property
    def acts(self) -> bool:
        """Whether it does more than being written down."""
        return self.terminal or self.action is not None

    def value(self, model: Model, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> Any:
        """The function at a state."""
        return self.function(Named(model, q, positions=True), Named(model, v, positions=False), time)


def crosses(event: Event, before: float, after: float) -> bool:
    """Whether the function of an event crosses zero in its direction between two values."""
    rising, falling = before < 0.0 <= after, after <= 0.0 < before
    return (rising and event.direction >= 0) or (falling and event.direction <= 0)


class Occurrence(NamedTuple):
    """An event that happened, with the state at that time, before its action."""

    time: float
    name: str
    q: np.ndarray
    v: np.ndarray


class Events(Sequence[Event]):
    """The events of a simulation, and the `log` of those that happened, in the order of time."""

    def __init__(self, model: Model, events: Sequence[Event]) -> None:
        self._all = tuple(events)
        self.log: list[Occurrence] = []
        #: the one that ended the last run, if any
        self.stopped_by: Event | None = None
        #: whether they are neither written down nor act
        self.muted = False
        #: whether the action of an event runs just now
        self.acting = False
        for event in self._all:
            if not isinstance(event, Event):
                raise InputError(f"events are made with td.Event(function), not {type(event).__name__}")
            _check_function(model, event)
        names = [event.name for event in self._all]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two events have the name {name!r}: give them different ones with name=...")

    def check_idle(self) -> None:
        """InputError while the action of an event runs."""
        if self.acting:
            raise InputError("the action of an event must not step the simulation, which continues by itself")

    def act(self, sim: Simulation, events: Sequence[Event]) -> bool:
        """Call the actions of events that happen now; whether they changed the positions or velocities."""
        q, v = sim.q.copy(), sim.v.copy()
        self.acting = True
        try:
            for event in events:
                result = None if event.action is None else event.action(sim)
                if event.terminal or (isinstance(result, (bool, np.bool_)) and result):
                    self.stopped_by = event
        finally:
            self.acting = False
        return not (np.array_equal(sim.q, q) and np.array_equal(sim.v, v))

    def times(self, name: str) -> list[float]:
        """When an event happened."""
        return [entry.time for entry in self.log if entry.name == name]

    def forget_after(self, time: float) -> None:
        """Drop from the log what happened later."""
        while not self.muted and self.log and self.log[-1].time > time:
            self.log.pop()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Steps without events, which leave no trace here."""
        before, self.muted = (self.muted, self.stopped_by), True
        try:
            yield
        finally:
            self.muted, self.stopped_by = before

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return self._all[index]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _check_function(model: Model, event: Event) -> None:
    """That a function can be traced and gives one number."""
    graph = Graph()
    given = event.value(model, graph.inputs(model.nq), graph.inputs(model.nv), graph.input())
    if isinstance(given, bool) or not isinstance(given, (Expr, float, int)):
        raise InputError(
            f"the function of event {event.name!r} must return one number, not {type(given).__name__}"
        )
