"""What an integrator is: a step over generic scalars, and what it needs besides q and v."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from treadle.graph import Scalar
from treadle.model.model import Model

if TYPE_CHECKING:
    from treadle.integrators.tableau import Tableau

__all__ = ["Advance", "Method"]


class Advance(NamedTuple):
    """The state after a step.

    `memory` is what the method keeps for the next step; `effort` says what the step took: rounds of its
    solver (or steps tried), and what was left over at the end (a relative change, or seconds). `work` (J)
    is that of stops and friction, if the method asked for them; `entry` what the system's account gained,
    if the method keeps it. `rows` are the impulses of the bounded rows (see `constraints.bounded`), in
    their order. `ajar` is 1 where it ends so near a singular position that loops stay open by rounding, as
    they are; `gaps`, if any, are what they are to be open by at the end.
    """

    q: list[Scalar]
    v: list[Scalar]
    memory: Sequence[Scalar] = ()
    effort: Sequence[Scalar] = (0.0, 0.0)
    work: Scalar = 0.0
    entry: Sequence[Scalar] = ()
    rows: Sequence[Scalar] = ()
    ajar: Scalar = 0.0
    gaps: Sequence[Scalar] = ()


def _nothing(model: Model) -> int:
    return 0


@dataclass(frozen=True)
class Method:
    """One integrator: `step(system, q, v, time, dt)` returns an `Advance`."""

    step: Callable[..., Advance]
    order: int
    about: str
    #: names of its options, with their defaults
    options: Mapping[str, float] = field(default_factory=dict)
    #: numbers that it keeps from one step to the next; all zero means a fresh start
    memory: Callable[[Model], int] = _nothing
    #: whether a step takes an unknown number of rounds, which `effort` counts
    iterates: bool = False
    #: what it holds of closed loops by itself: accelerations (if all of its own come from the system), or the
    #: velocities or positions at the end of a step; nothing, if it knows none
    loops: Literal["accelerations", "velocities", "positions"] | None = None
    #: whether it asks for stops and friction between its kick and its drift; else they act after the step
    arrests: bool = False
    #: the coefficients of a method that subdivides its steps under error control, made when asked for
    tableau: Callable[[], Tableau] | None = None

    #: whether it moves a machine between contacts; else the midpoint rule of contact substeps does
    flows: bool = True

    @property
    def adaptive(self) -> bool:
        return self.tableau is not None
