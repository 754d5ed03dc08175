"""How loops stay closed from step to step. A new way is an entry of STABILIZATIONS.

A method that satisfies loops on the level of accelerations leaves them open by its own error, which adds up.

    projection    the end of every step is brought back onto the loops (see `solvers.projection`)
    baumgarte     a feedback pulls them shut: d2c/dt2 + 2/T dc/dt + c/T^2 = 0, with a time constant T
    none          they are left to drift, for comparison
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from treadle.graph import Scalar, maximum, where
from treadle.model.model import Model

__all__ = ["CLOSED", "STABILIZATIONS", "Stabilization", "closing_time", "largest_residual", "opened"]

#: Time constant of the feedback in steps, unless it is given; below 1.5 not every method is stable.
STEPS = 5.0

#: What is known of loops before the first step: largest gap, that of rows that can be closed, distances from
#: a singular position after two steps (that are no minimum), passages.
CLOSED = (0.0, 0.0, 0.0, -1.0, 0.0)

#: Distance from a singular position (see `solvers.closure`) below which one may have been passed.
_SINGULAR = 0.2

#: Position, velocity, and at its end: the gap, the residual left of rows that can be closed, and the distance
#: from a singular position.
Ended: TypeAlias = tuple[list[Scalar], list[Scalar], list[Scalar]]


@dataclass(frozen=True)
class Stabilization:
    """What happens to a state (model, q, v, gaps to leave) at the end of a step, and whether a feedback acts
    in it.
    """

    about: str
    finish: Callable[[Model, Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], Ended]
    feedback: bool = False
    #: whether every step starts and ends with closed loops
    projects: bool = False


def closing_time(given: Scalar, dt: Scalar) -> Scalar:
    """The feedback's time constant (s): the one that is given or, where that is zero, some steps."""
    return where(given > 0.0, given, STEPS * dt)


def _projected(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], gaps: Sequence[Scalar]) -> Ended:
    """The nearest state on the loops."""
    from treadle.solvers.projection import project

    return project(model, q, v, gaps)


def _left(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], gaps: Sequence[Scalar]) -> Ended:
    """The state as it is, and how far its loops are open."""
    gap = largest_residual(model, q)
    return list(q), list(v), [gap, gap, 1.0]


def largest_residual(model: Model, q: Sequence[Scalar]) -> Scalar:
    """How far the loops and couplings are open at most (m, sines of angles)."""
    from treadle.constraints.rows import residuals

    worst: Scalar = 0.0
    for c in residuals(model, q):
        worst = maximum(worst, abs(c))
    return worst


def opened(before: Sequence[Scalar], gap: Sequence[Scalar]) -> list[Scalar]:
    """What is known of loops (see `CLOSED`) after a step that ended with such a gap (see `Ended`).

    A singular position is passed where the distance has a minimum that is small beside its change from step
    to step.
    """
    worst, most, last, earlier, count = before
    passed = (last < _SINGULAR) & (last <= earlier) & (last < gap[2]) & (earlier + gap[2] > 3.0 * last)
    counted = where(passed, count + 1.0, count)
    return [maximum(worst, gap[0]), maximum(most, gap[1]), gap[2], last, counted]


#: Every way by name.
STABILIZATIONS: dict[str, Stabilization] = {
    "projection": Stabilization("projected after every step: closed to rounding", _projected, projects=True),
    "baumgarte": Stabilization("pulled shut by a feedback, with a time constant", _left, feedback=True),
    "none": Stabilization("left to drift, for comparison", _left),
}
