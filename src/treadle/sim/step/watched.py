"""The part of a step that looks out for events and switches: up to its end, or to a substep with a crossing.

The step stops after such a substep, and nothing more is done until it is told to go on. The modes of switches
and the forces that controllers command are fixed at the start of a step and held where it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treadle.forces.switch import locked, switch_values
from treadle.graph import Scalar, equal, where
from treadle.integrators.method import Advance, Method
from treadle.model.model import Model
from treadle.sim.event import Event

if TYPE_CHECKING:
    from treadle.integrators.system import System

__all__ = [
    "CONTINUED",
    "FRESH",
    "STOPPED",
    "WATCHED",
    "Part",
    "Pause",
    "held_force",
    "watched_part",
    "watched_sizes",
]

#: Where a step is: at its start, stopped after a substep (nothing is done), or on its way again.
FRESH, STOPPED, CONTINUED = 0.0, 1.0, 2.0

#: Arrays of a watched step that others do not have.
WATCHED = ("pause", "modes", "held")

Values = Mapping[str, Sequence[Scalar]]


class Pause:
    """Places in the array "pause": where a step is, and the last substep.

    `done` are the seconds of the step that are over. Of the last substep: when in the step it began, its
    length, and the state there. The state of actuators is that at `counted` seconds, where q was `origin`.
    """

    STATUS, EVERY, DONE, BEGIN, SPAN, COUNTED = range(6)

    def __init__(self, model: Model) -> None:
        nq, nv = model.nq, model.nv
        self.begin = slice(6, 6 + nq + nv)
        self.origin = slice(self.begin.stop, self.begin.stop + nq)
        self.size = self.origin.stop


class Part(NamedTuple):
    """What was done of a step."""

    after: Advance
    #: whether it stopped before its end, and whether it had stopped before and did nothing
    stopped: Any
    idle: Any
    #: positions from which the state of actuators moves on, and the seconds from there to the end
    origin: Sequence[Scalar]
    span: Scalar
    results: dict[str, Sequence[Scalar]]


def watched_sizes(model: Model, events: Sequence[Event], switches: int, controlled: bool) -> dict[str, int]:
    """Sizes of the arrays that a watched step has besides, or longer than others."""
    held = model.nv if controlled else 0
    return {
        "clock": 2,
        "memory": 1 + len(events),
        "pause": Pause(model).size,
        "modes": switches,
        "held": held,
    }


def held_force(values: Values, commanded: Sequence[Scalar]) -> list[Scalar]:
    """The controllers' forces: those of now at the start of a step, those of its start on the way."""
    fresh = equal(values["pause"][Pause.STATUS], FRESH)
    return [where(fresh, new, old) for new, old in zip(commanded, values["held"], strict=True)]


def watched_part(
    method: Method,
    system: System,
    events: Sequence[Event],
    values: Values,
    time: Scalar,
    dt: Scalar,
    held: Sequence[Scalar] = (),
) -> Part:
    """The step from where it is to its end, or to the end of a substep in which something crosses zero.

    Of the memory the first number is the next substep, the others say which events happened just now.
    """
    from treadle.integrators.watch import Watch, watched_step

    assert method.tableau is not None
    model, laws = system.model, system.laws
    q, v, pause, places = values["q"], values["v"], values["pause"], Pause(model)
    status, every, done = pause[Pause.STATUS], pause[Pause.EVERY], pause[Pause.DONE]
    fresh, idle = equal(status, FRESH), equal(status, STOPPED)
    modes = [
        where(fresh, where(x > 0.0, 1.0, 0.0), old)
        for x, old in zip(switch_values(model, laws, q, v, time), values.get("modes", ()), strict=True)
    ]

    def functions(q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> list[Scalar]:
        found = [event.value(model, q, v, time) for event in events]
        return found + (switch_values(model, laws, q, v, time, modes) if modes else [])

    watch = Watch(functions, [event.direction for event in events], values["memory"][1:], modes)
    with locked(modes or None):
        # one that is stopped has nothing left to do
        begun = where(idle, dt, where(fresh, 0.0, done))
        now = watched_step(method.tableau(), method.order - 1, system, watch, q, v, time, dt, begun, every)
    stopped = now.stopped > 0.5
    origin = [where(fresh, x, old) for x, old in zip(q, pause[places.origin], strict=True)]
    counted = where(fresh, 0.0, pause[Pause.COUNTED])
    status = where(stopped, STOPPED, FRESH)
    after = [status, every, now.done, now.begin, now.span, counted, *now.q_begin, *now.v_begin, *origin]
    left = where(stopped, 0.0, dt - now.done)
    return Part(
        Advance(now.q, now.v, [now.h, *now.fired], [now.tried, left], entry=now.entry),
        stopped,
        idle,
        origin,
        dt - counted,
        {"pause": after, "modes": modes, "held": held},
    )
