"""Where functions of the state cross zero inside a substep, on its dense output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from treadle.forces.law import ForceLaw
from treadle.forces.switch import switch_values
from treadle.integrators.watch import EARLY, POINTS
from treadle.model.model import Model
from treadle.numerics.root import bracketed_root
from treadle.sim.event import Event, crosses
from treadle.sim.interpolant import Interpolant

__all__ = ["SAME", "Crossing", "crossings", "first_crossing"]

#: Crossings closer than this, in seconds, happen at the same time.
SAME = 1e-12

#: Seconds after the start of a substep -> a value.
Values = Callable[[float], float]


class Crossing(NamedTuple):
    """A zero crossing: seconds after the start of the substep, and which event or switch."""

    after: float
    event: int | None = None
    switch: int | None = None


def crossings(
    model: Model,
    motion: Interpolant,
    events: Sequence[Event],
    fired: Sequence[float],
    laws: Sequence[ForceLaw],
    modes: Sequence[float],
) -> list[Crossing]:
    """All crossings in a substep in the order of time: of events in their directions, and of switches."""
    found = []
    for number, event in enumerate(events):

        def value(s: float, event: Event = event) -> float:
            q, v = motion.after(s)
            return float(event.value(model, q.tolist(), v.tolist(), motion.start + s))

        found += [
            Crossing(s, event=number) for s in _event_crossings(value, motion.span, event, fired[number])
        ]
    for number, mode in enumerate(modes):

        def argument(s: float, number: int = number) -> float:
            q, v = motion.after(s)
            return float(switch_values(model, laws, q.tolist(), v.tolist(), motion.start + s, modes)[number])  # type: ignore[arg-type]

        s = _switch_crossing(argument, motion.span, mode > 0.5)
        found += [] if s is None else [Crossing(s, switch=number)]
    return sorted(found, key=lambda crossing: crossing.after)


def _event_crossings(value: Values, span: float, event: Event, fired: float) -> list[float]:
    times = [0.0, *[x * span for x in POINTS]]
    values = [value(s) for s in times]
    if abs(fired) > 1.5:
        times[0], values[0] = _left_again(value, times[1], fired), fired
    elif fired or values[0] == 0.0:
        times[0] = EARLY * span
        values[0] = value(times[0])
    found = []
    for s, t, a, b in zip(times, times[1:], values, values[1:], strict=False):
        if crosses(event, a, b):
            found.append(first_crossing(lambda x, rising=a < 0.0: value(x) if rising else -value(x), s, t))
    return found


def _left_again(value: Values, before: float, side: float) -> float:
    """A time before the given one at which a value that was turned back is on its side; 0 if none is."""
    while before > 1e-15:
        before *= 0.25
        if value(before) * side > 0.0:
            return before
    return 0.0


def _switch_crossing(argument: Values, span: float, mode: bool) -> float | None:
    """The first time at which a switch has to flip."""
    before = 0.0
    for x in (EARLY, *POINTS):
        after = x * span
        if (argument(after) > 0.0) != mode:
            if (argument(before) > 0.0) != mode:
                return before
            return first_crossing(lambda s: -argument(s) if mode else argument(s), before, after)
        before = after
    return None


def first_crossing(value: Values, before: float, after: float) -> float:
    """The time, to rounding, at which a value that was negative is so no longer."""
    if value(before) >= 0.0:
        return before
    root = bracketed_root(value, before, after, 1e-16)
    # the zero is found up to rounding: take the first point on the far side
    step = max(2.0**-53 * after, 1e-18)
    while root < after and value(root) < 0.0:
        root, step = min(root + step, after), 2.0 * step
    return root
