"""Through positions in which the rank of closed loops drops, along the branch that the motion is on.

Near such a position constraints are c = x y: the branch is y = 0, x goes through zero, and another branch
is x = 0. Forces on the level of accelerations follow from  x y'' + 2 x' y' + x'' y = 0: where a stage of a
method is off the loops by a little, y'' is as much larger as x is small, and at x = 0 nothing holds y. On
the loops themselves the accelerations are smooth, past x = 0 too. So a step that comes to such a position
is taken again by a method of order 4 in short substeps, with every stage projected onto the loops, and so
that no stage is at the position itself.

The distance x is the square root of the smallest pivot of the loops (see `solvers.closure`), of which only
the magnitude is known. In a step that passes zero it is V-shaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any, NamedTuple

from treadle.constraints.rows import closure_rows
from treadle.graph import Scalar, clip, iterate, maximum, minimum, sqrt, through_graph, where
from treadle.integrators import rk4, rk6
from treadle.integrators.runge_kutta import combine, stage_rates
from treadle.integrators.system import System
from treadle.integrators.tableau import Tableau
from treadle.solvers.closure import closure_factor
from treadle.solvers.projection import project

__all__ = ["Passage", "careful_step", "passage"]

#: How far (of the largest pivot) a position can be from a singular one that a step reaches, in its way |v| h.
_REACH = 4.0

#: The least distance at the middle of a step, of the largest at its ends, at which it does not pass zero.
_STRAIGHT = 0.55

#: Substeps before and after the one that passes the position, of the method of order 6 and of that of order
#: 4.
_FEW, _MANY = 2, 4


class Passage(NamedTuple):
    """Whether a step passes a singular position, when (s from its start), and how far off it starts."""

    passes: Any
    time: Scalar
    distance: Scalar


def passage(system: System, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> Passage:
    """The singular position that a step comes to, from the distances on its way q (+) t v."""
    model, nq = system.model, len(q)

    def shares(position: Sequence[Scalar]) -> list[Scalar]:
        rows = closure_rows(model, position)  # type: ignore[arg-type]
        return [maximum(x, 0.0) for x in closure_factor(model, position, rows).shares]

    def distances(values: Sequence[Scalar]) -> list[Scalar]:
        q, v, (h,) = values[:nq], values[nq:-1], values[-1:]
        rows = closure_rows(model, q)  # type: ignore[arg-type]
        factor = closure_factor(model, q, rows)
        kept = [x > 0.0 for x in factor.inverse_pivots]
        start = _least(factor.shares, kept)
        fastest: Scalar = 0.0
        for x in v:
            fastest = maximum(fastest, abs(x))
        near = start < _REACH * h * fastest

        def look(values: list[Scalar]) -> tuple[list[Scalar], object]:
            number, _, last, *rest = values
            q, v, h = rest[:nq], rest[nq:-1], rest[-1]
            there = _least(shares(system.integrate(q, [0.5 * (number + 1.0) * h * x for x in v])), kept)
            return [number + 1.0, last, there, *rest], number < 0.5

        _, middle, end, *_ = iterate(look, [0.0, start, start, *q, *v, h], 2, near)
        passes = near & (middle < _STRAIGHT * maximum(start, end))
        return [where(passes, 1.0, 0.0), clip(start / maximum(start + end, 1e-30), 0.0, 1.0) * h, start]

    flag, time, start = through_graph(distances, [*q, *v, dt])
    return Passage(flag > 0.5, time, start)


def careful_step(
    system: System,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    passing: Passage,
    order: int = 4,
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Position, velocity and gain of the account after a step that passes a singular position.

    Where it does not pass one they are those at the start. The method is of order 4, or of order 6 for
    those above.
    """
    nq, nv = len(q), len(v)
    tableau = rk6.TABLEAU if order > 4 else rk4.TABLEAU
    count = _FEW if order > 4 else _MANY
    substep = dt * (1.0 / (2 * count + 1))
    before, after = _through(passing.time, dt, substep, _widest(tableau))
    on_loops = _OnLoops(**{item.name: getattr(system, item.name) for item in fields(system)})
    nothing: list[Scalar] = [0.0] * len(system.accounts(q, v, time))

    def one_substep(values: list[Scalar]) -> tuple[list[Scalar], object]:
        number, before, after, time, dt = values[:5]
        q, v, gained = values[5 : 5 + nq], values[5 + nq : 5 + nq + nv], values[5 + nq + nv :]
        begin, h = _interval(count, number, before, after, dt)
        q, v, _ = project(system.model, q, v)
        rates = stage_rates(tableau, on_loops, q, v, time + begin, h, looped=True)
        change = combine(tableau.b, rates, h)
        q = system.integrate(q, change[:nv])
        v = [x + dx for x, dx in zip(v, change[nv : 2 * nv], strict=True)]
        gained = [x + dx for x, dx in zip(gained, change[2 * nv :], strict=True)]
        return [number + 1.0, before, after, time, dt, *q, *v, *gained], number < 2.0 * count - 0.5

    begin = [0.0, before, after, time, dt, *q, *v, *nothing]
    result = iterate(one_substep, begin, 2 * count + 1, passing.passes)[5:]
    return result[:nq], result[nq : nq + nv], result[nq + nv :]


def _through(time: Scalar, dt: Scalar, substep: Scalar, place: float) -> tuple[Scalar, Scalar]:
    """Start and end of a substep that has a time far from its stages: at this place, or in its first gap.

    States at the start of the step and at projected stages near its end are no trouble.
    """
    early = time < place * substep
    low = time < 1.3 * (1.0 - place) * substep
    before = where(early, 0.0, minimum(time - place * substep, dt - substep))
    return before, where(early, where(low, substep, time * (1.0 / place)), before + substep)


class _OnLoops(System):
    """A system whose accelerations are those of the nearest state with closed loops."""

    def acceleration(
        self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, implicit_damping: Scalar = 0.0
    ) -> list[Scalar]:
        q, v, _ = project(self.model, q, v)
        return super().acceleration(q, v, time, implicit_damping)


def _widest(tableau: Tableau) -> float:
    """The middle of the widest gap between the nodes of a method."""
    nodes = sorted({0.0, *tableau.c[: tableau.stages], 1.0})
    width, start = max((b - a, a) for a, b in pairwise(nodes))
    return start + 0.5 * width


def _interval(count: int, part: Scalar, before: Scalar, after: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
    """Start and length (s) of a substep: `count` before the passage, one through it, as many after."""
    share = 1.0 / count
    early, late = part < count - 0.5, part > count + 0.5
    begin = where(late, after + (part - count - 1.0) * share * (dt - after), before)
    length = where(late, share * (dt - after), after - before)
    return where(early, part * share * before, begin), where(early, share * before, length)


def _least(shares: Sequence[Scalar], kept: Sequence[Any]) -> Scalar:
    """Square root of the least share of the rows that are kept."""
    least: Scalar = 1.0
    for share, keep in zip(shares, kept, strict=True):
        least = where(keep & (share < least), share, least)
    return sqrt(maximum(least, 0.0))
