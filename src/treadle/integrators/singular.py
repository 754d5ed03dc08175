"""Through positions in which the rank of closed loops drops, along the branch that the motion is on.

Near such a position constraints are c = x y: the branch is y = 0, x goes through zero, and another branch
is x = 0. Forces on the level of accelerations follow from  x y'' + 2 x' y' + x'' y = 0: where a stage of a
method is off the loops by a little, y'' is as much larger as x is small, and at x = 0 nothing holds y. On
the loops themselves velocities and accelerations are smooth, past x = 0 too. So a step that comes to such a
position is taken again by a method of order 4 or 6 in short substeps, with every stage projected onto the
loops. Next to the position, where the projection finds nothing but rounding, velocities and accelerations
are interpolated from those a little before it and after it.

The distance x is the square root of the smallest pivot of the loops (see `solvers.closure`), of which only
the magnitude is known. In a step that passes zero it is V-shaped. A step may also start at zero, where rows
do not count that count elsewhere.

Lengths that are rounded make it x y = e: at x = 0 loops cannot be closed, and next to it they close only far
off the branch, y = e / x. There, up to a multiple of the square root of e, loops are open by what they are
open by at the singular position (see `rounded_loops`): with these gaps it is passed as if lengths were exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from treadle.constraints.rows import closure_rows, usual_rank
from treadle.graph import Scalar, entry, iterate, maximum, minimum, sqrt, through_graph, unrolling, where
from treadle.integrators import rk4, rk6
from treadle.integrators.rounded_loops import FARTHEST, Opening, fastest, no_opening, opening
from treadle.integrators.runge_kutta import combine, stage_rates
from treadle.integrators.system import System
from treadle.model.coincidence import nearly_equal_lengths
from treadle.solvers.closure import closure_factor
from treadle.solvers.projection import project

__all__ = ["Passage", "careful_step", "opening_ahead", "passage"]

#: What is found at a state with closed loops: as many numbers as degrees of freedom.
_Found = Callable[[Sequence[Scalar], Sequence[Scalar]], list[Scalar]]

#: How far (of the largest pivot) a position can be from a singular one that a step reaches, in its way |v| h.
_REACH = 4.0

#: The least distance at the middle of a step, of the largest at its ends, at which it does not pass zero.
_STRAIGHT = 0.55

#: Substeps of the method of order 6, and of that of order 4.
_FEW, _MANY = 5, 9


#: Distance from a singular position within which accelerations are limits along the motion, and share of a
#: step; the places beside it, in these distances, and their weights.
_CLOSE, _CLOSE_IN = 1e-3, 0.25
_PLACES, _WEIGHTS = (0.0, -4.0, -2.0, 2.0, 4.0), (0.0, -1.0 / 6.0, 4.0 / 6.0, 4.0 / 6.0, -1.0 / 6.0)


class Passage(NamedTuple):
    """Whether a step passes a singular position or all but does, when (s from its start, which may be before
    or after the step), how far off it starts, and how fast it comes there.
    """

    passes: Any
    time: Scalar
    distance: Scalar
    #: change of the distance in a second
    speed: Scalar
    #: by how much loops stay open next to it
    opening: Opening

    def ends_open(self, dt: Scalar) -> Any:
        """Whether loops stay open at the end of the step."""
        return self.passes & (abs(dt - self.time) < self.opening.zone)


def passage(system: System, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> Passage:
    """The singular position that a step comes to, from the distances on its way q (+) t v."""
    model, nq = system.model, len(q)

    rank, rounded = usual_rank(model), not unrolling() and nearly_equal_lengths(model)

    def factored(position: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """Shares of the rows, and which of them count (1 or 0)."""
        factor = closure_factor(model, position, closure_rows(model, position))  # type: ignore[arg-type]
        counts = [where(x > 0.0, 1.0, 0.0) for x in factor.inverse_pivots]
        return [maximum(x, 0.0) for x in factor.shares], counts

    def distances(values: Sequence[Scalar]) -> list[Scalar]:
        q, v, (h,) = values[:nq], values[nq:-1], values[-1:]
        first, kept = factored(q)
        count = len(kept)
        lost = sum(kept, 0.0) < rank - 0.5
        near = lost | (_least(first, kept) < _looked_at(v, h, rounded))

        def look(values: list[Scalar]) -> tuple[list[Scalar], object]:
            """At the end, then in the middle; rows count that do at the start or at the end."""
            number, end, _, *rest = values
            kept, q, v, h = rest[:count], rest[count : count + nq], rest[count + nq : -1], rest[-1]
            there, counts = factored(system.integrate(q, [(1.0 - 0.5 * number) * h * x for x in v]))
            last = number < 0.5
            kept = [where(last, maximum(a, b), a) for a, b in zip(kept, counts, strict=True)]
            least = _least(there, kept)
            return [number + 1.0, where(last, least, end), least, *kept, *q, *v, h], last

        _, end, middle, *rest = iterate(look, [0.0, 1.0, 1.0, *kept, *q, *v, h], 2, near)
        start = _least(first, rest[:count])
        passes = near & (middle < _STRAIGHT * maximum(start, end))
        # the one of both straight lines of the distance, through zero or not, that has its middle
        beyond = abs(middle - 0.5 * (start + end)) < abs(middle - 0.5 * abs(end - start))
        way = start + where(beyond, -end, end)
        way = where(abs(way) > 1e-30, way, 1e-30)
        time, speed = start / way * h, abs(way) / h
        open_by = opening(system, q, v, h, near) if rounded else no_opening()
        wide = open_by.zone > 0.0
        passes = passes | (wide & (minimum(abs(open_by.time), abs(open_by.time - h)) < open_by.zone))
        time, speed = where(wide, open_by.time, time), where(wide, open_by.speed, speed)
        return [where(passes, 1.0, 0.0), time, start, speed, *open_by.flat()]

    flag, time, distance, speed, *rest = through_graph(distances, [*q, *v, dt])
    return Passage(flag > 0.5, time, distance, speed, Opening.of(rest))


def opening_ahead(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar, distance: Scalar
) -> Opening:
    """By how much loops of rounded lengths are open at the singular position that a step comes to.

    For methods that pass other singular positions as they are. Nothing is computed where the step starts
    far away, by the distance after the last one.
    """
    return opening(system, q, v, dt, distance < _looked_at(v, dt, True))


def _looked_at(v: Sequence[Scalar], dt: Scalar, rounded: bool) -> Scalar:
    """The distance from a singular position within which a step comes to it, or to where loops stay open.

    They do only in machines with lengths that are `rounded`.
    """
    way = _REACH * dt * fastest(v)
    return maximum(way, FARTHEST) if rounded else way


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
    given = {item.name: getattr(system, item.name) for item in fields(system)}
    flat, open_by = time + passing.time, passing.opening.flat()
    reach = minimum(_CLOSE / passing.speed, _CLOSE_IN * dt)
    reach = maximum(reach, passing.opening.noise)
    nothing: list[Scalar] = [0.0] * len(system.accounts(q, v, time))

    def one_substep(values: list[Scalar]) -> tuple[list[Scalar], object]:
        number, time, h, flat, reach = values[:5]
        open_by, state = values[5 : 5 + size], values[5 + size :]
        q, v, gained = state[:nq], state[nq : nq + nv], state[nq + nv :]
        on_loops = _OnLoops(**given, flat=flat, reach=reach, opening=Opening.of(open_by))
        q, v = on_loops.closed(q, v, time + number * h)
        rates = stage_rates(tableau, on_loops, q, v, time + number * h, h, looped=True)
        change = combine(tableau.b, rates, h)
        q = system.integrate(q, change[:nv])
        v = [x + dx for x, dx in zip(v, change[nv : 2 * nv], strict=True)]
        gained = [x + dx for x, dx in zip(gained, change[2 * nv :], strict=True)]
        return [number + 1.0, time, h, flat, reach, *open_by, *q, *v, *gained], number < count - 1.5

    size = len(open_by)
    begin = [0.0, time, dt * (1.0 / count), flat, reach, *open_by, *q, *v, *nothing]
    result = iterate(one_substep, begin, count, passing.passes)[5 + size :]
    return result[:nq], result[nq : nq + nv], result[nq + nv :]


@dataclass(frozen=True)
class _OnLoops(System):
    """A system whose accelerations are those of the nearest state with closed loops.

    Within the time `reach` of that `flat`, at which the motion passes a singular position, these and the
    velocities are limits along the motion: means of those before and after it, of order 4. Loops are closed
    but for the `opening`.
    """

    flat: Scalar = 0.0
    reach: Scalar = 0.0
    opening: Opening = field(kw_only=True)

    def acceleration(
        self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, implicit_damping: Scalar = 0.0
    ) -> list[Scalar]:
        def found(q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
            return System.acceleration(self, q, v, time, implicit_damping)

        return self._limit(q, v, time, found)[len(q) :]

    def closed(
        self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar
    ) -> tuple[list[Scalar], list[Scalar]]:
        """The nearest state with closed loops."""
        values = self._limit(q, v, time, lambda q, v: list(v))
        return values[: len(q)], values[len(q) :]

    def _limit(self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, found: _Found) -> list[Scalar]:
        """The closed position, and what is found there or, near the singular one, beside it."""
        nq, nv, near = len(q), len(v), abs(time - self.flat) < self.reach

        def at_a_place(values: list[Scalar]) -> tuple[list[Scalar], object]:
            number, position, total = values[0], values[1 : 1 + nq], values[1 + nq :]
            away = entry(_PLACES, number) * self.reach
            weight = where(near, entry(_WEIGHTS, number), 1.0)
            gaps = self.opening.gaps_around(time + away - self.flat)
            there, speeds, _ = project(self.model, self.integrate(q, [away * x for x in v]), v, gaps)
            first = number < 0.5
            position = [where(first, x, kept) for x, kept in zip(there, position, strict=True)]
            total = [x + weight * a for x, a in zip(total, found(there, speeds), strict=True)]
            return [number + 1.0, *position, *total], near & (number < len(_PLACES) - 1.5)

        return iterate(at_a_place, [0.0, *q, *[0.0] * nv], len(_PLACES))[1:]


def _least(shares: Sequence[Scalar], kept: Sequence[Scalar]) -> Scalar:
    """Square root of the least share of the rows that count."""
    least: Scalar = 1.0
    for share, keep in zip(shares, kept, strict=True):
        least = where((keep > 0.5) & (share < least), share, least)
    return sqrt(maximum(least, 0.0))
