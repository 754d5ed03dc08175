"""Switches: conditions in force laws that change only between substeps of an error-controlled method.

    def floor(q, v, t):
        depth = -q["height"]
        return {"height": td.where(td.switch(depth), 1e5 * depth, 0.0)}

A jump inside a substep spoils its error estimate, and the step is cut into ever smaller pieces. A switch
keeps its value over a substep; where its argument changes sign, the crossing is located, the substep ends
there, and the value flips. With other methods `switch(x)` is simply x > 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from treadle.forces.law import ForceLaw, law_force
from treadle.graph import Graph, Scalar
from treadle.model.model import Model

__all__ = ["locked", "switch", "switch_count", "switch_values"]


class _Lock:
    """Modes in the order in which laws ask for them, and what they asked."""

    def __init__(self, modes: Sequence[Scalar] | None) -> None:
        self.modes = modes
        self.arguments: list[Scalar] = []


_active: ContextVar[_Lock | None] = ContextVar("switches", default=None)


def switch(x: Scalar) -> Any:
    """The condition x > 0, constant over a substep with integrators that locate its changes."""
    lock = _active.get()
    if lock is None:
        return x > 0.0
    lock.arguments.append(x)
    # without modes the laws are only asked for the arguments
    if lock.modes is None:
        return x > 0.0
    # laws are asked many times, always for all of their switches
    return lock.modes[(len(lock.arguments) - 1) % len(lock.modes)] > 0.5


@contextmanager
def locked(modes: Sequence[Scalar] | None) -> Iterator[list[Scalar]]:
    """Switches take the modes in turn (1 or 0; all as they are with None); gives their arguments."""
    lock = _Lock(modes)
    token = _active.set(lock)
    try:
        yield lock.arguments
    finally:
        _active.reset(token)


def switch_values(
    model: Model,
    laws: Sequence[ForceLaw],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    modes: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    """Arguments of all switches in the laws, in order."""
    with locked(modes) as arguments:
        for law in laws:
            law_force(model, law, q, v, time)
    return list(arguments)


def switch_count(model: Model, laws: Sequence[ForceLaw]) -> int:
    """Number of switches in the laws."""
    graph = Graph()
    return len(switch_values(model, laws, graph.inputs(model.nq), graph.inputs(model.nv), graph.input()))
