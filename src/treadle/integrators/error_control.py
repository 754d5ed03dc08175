"""Steps under error control: as many substeps as the tolerance asks for.

The estimated error of a substep of h seconds may be `tolerance` h, so that over a second no more than
the tolerance adds up, in metres, radians and their rates (relative, for rates above one). The next
substep follows from the error of the last; it is kept in the `memory`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from treadle.graph import Scalar, iterate, logical_not, maximum, minimum, sqrt, where
from treadle.integrators.method import Advance
from treadle.integrators.runge_kutta import combine, stage_rates
from treadle.integrators.system import System
from treadle.integrators.tableau import Tableau

__all__ = ["LIMIT", "Attempt", "attempt", "controlled_step", "first_substep", "unfinished"]

#: Substeps after which a step gives up.
LIMIT = 1_000_000

#: Error of the rates by rounding, relative to their mean: of a tree; of loops, over the square of their
#: distance from a singular position; and at most.
_ROUNDING, _ROUNDING_LOOPS, _MOST_ROUNDING = 6e-14, 3e-15, 1e-11

#: The substep (s) in which a jump of the accelerations is passed, and how many of them in a step.
_JUMP, _MOST_JUMPS = 1e-8, 200.0

#: The longest substep (s) past a singular position, over the fourth root of the tolerance.
_PASSAGE = 1.0

#: Where the search for a first substep begins, in seconds.
_FIRST = 1e-4


def controlled_step(
    tableau: Callable[[], Tableau],
    order: int,
    system: System,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
) -> Advance:
    """One step of dt seconds in substeps; `memory` is the substep to try first."""
    coefficients = tableau()
    nq, nv = len(q), len(v)

    nothing: list[Scalar] = [0.0] * len(system.accounts(q, v, time))

    def substep(values: list[Scalar]) -> tuple[list[Scalar], object]:
        (done, h, tried, jumps, ajar), q, v, entry = (
            values[:5],
            values[5 : 5 + nq],
            values[5 + nq :][:nv],
            values[5 + nq + nv :],
        )
        now = attempt(coefficients, order, system, q, v, time + done, dt - done, h, jumps)
        after = [*now.q, *now.v, *[x + dx for x, dx in zip(entry, now.gain, strict=True)]]
        kept = [where(now.accept, new, old) for new, old in zip(after, [*q, *v, *entry], strict=True)]
        reached = where(now.accept, where(now.last, dt, done + now.h), done)
        after = [reached, now.h_next, tried + 1.0, now.jumps, where(now.accept, now.ajar, ajar), *kept]
        return after, unfinished(reached, dt, now.h_next)

    start = [0.0, first_substep(system.memory[0], dt), 0.0, 0.0, 0.0, *q, *v, *nothing]
    done, h, tried, _, ajar, *state = iterate(substep, start, LIMIT)
    if not system.model.closed:
        ajar = 0.0
    spent = [tried, dt - done]
    return Advance(state[:nq], state[nq : nq + nv], [h], spent, entry=state[nq + nv :], ajar=ajar)


class Attempt(NamedTuple):
    """A substep that was tried: where it leads, and whether it is good enough."""

    q: list[Scalar]
    v: list[Scalar]
    #: its length, and that of the next, in seconds
    h: Scalar
    h_next: Scalar
    accept: Any
    #: jumps of the accelerations that were passed in this step
    jumps: Scalar
    #: whether it is the last of the step
    last: Any
    #: rates of (delta, v) at the first and the last stage, and their change
    first: list[Scalar]
    end: list[Scalar]
    change: list[Scalar]
    #: what the system's account gains
    gain: list[Scalar]
    #: 1 if it ends with loops open by rounding, at a singular position
    ajar: Scalar = 0.0


def attempt(
    tableau: Tableau,
    order: int,
    system: System,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    left: Scalar,
    h: Scalar,
    jumps: Scalar = 0.0,
) -> Attempt:
    """A substep of h seconds, or of those that are left if they are fewer.

    No substep across a jump of the accelerations is short enough for any tolerance. Closed loops have them
    where they are all but singular, and a row that depends on others begins or ends to count: there a very
    short substep is taken as it is. `jumps` counts them.
    """
    nv = len(v)
    last = left <= h * 1.0001
    h_now = where(last, left, h)
    every = stage_rates(tableau, system, q, v, time, h_now)
    rates = [rate[: 2 * nv] for rate in every]
    change, gain = combine(tableau.b, rates, h_now), combine(tableau.b, [r[2 * nv :] for r in every], h_now)
    new_v = [x + dx for x, dx in zip(v, change[nv:], strict=True)]
    scale = [*[1.0] * nv, *[1.0 + maximum(abs(a), abs(b)) for a, b in zip(v, new_v, strict=True)]]
    tolerance = system.options["tolerance"]
    # what rounding of the rates leaves in the estimate is no error of the substep
    now = _through(system, q, v, time, h_now, left) if system.model.closed and system.projected else None
    rounding = _ROUNDING if now is None else _rounding(now.distance)
    noise = rounding * math.hypot(*tableau.errors[0]) / tolerance
    noise = noise * sqrt(_mean_square(rates[0], [1.0] * len(rates[0])))
    scale = [size + noise for size in scale]
    estimate = _error(tableau, rates, scale)
    error = estimate / tolerance
    # what is not a number counts as very large
    error = where(error < 1e10, maximum(error, 1e-10), 1e10)
    accept: Any = error <= 1.0
    factor = minimum(maximum(0.9 * error ** (-1.0 / order), 0.2), 6.0)
    if system.model.closed:
        jump = (error > 1.0) & (estimate < 1e6) & (h_now < _JUMP) & (jumps < _MOST_JUMPS)
        accept, factor, jumps = jump | accept, where(jump, 3.0, factor), where(jump, jumps + 1.0, jumps)
    new_q = system.integrate(q, change[:nv])
    if now is not None:
        own = [*new_q, *new_v, *change, *gain]
        values = [where(now.taken, x, y) for x, y in zip(now.values, own, strict=True)]
        nq = len(new_q)
        new_q, new_v, rest = values[:nq], values[nq : nq + nv], values[nq + nv :]
        change, gain = rest[: 2 * nv], rest[2 * nv :]
        accept = now.taken | (accept & logical_not(now.passes))
        h_now = where(now.taken, now.h, h_now)
        last = (now.taken & (left <= h_now * 1.0001)) | (logical_not(now.taken) & last)
        factor = where(now.passes, where(now.taken, 1.5, 0.9 * now.longest / h_now), factor)
    # a substep cut short at the end says little about the next
    h_next = where(accept & last, maximum(h, h_now * factor), h_now * factor)
    ajar: Scalar = 0.0 if now is None else where(now.taken & now.ajar, 1.0, 0.0)
    return Attempt(new_q, new_v, h_now, h_next, accept, jumps, last, rates[0], rates[-1], change, gain, ajar)


class _Through(NamedTuple):
    """A substep of h seconds past a singular position: whether there is one, and whether it can be taken."""

    passes: Any
    taken: Any
    h: Scalar
    longest: Scalar
    #: how far the substep starts from it (see `singular`), and whether it ends with open loops
    distance: Scalar
    ajar: Any
    #: position, velocity, tangent step, change of the velocity, gain of the account
    values: list[Scalar]


def _through(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, h: Scalar, left: Scalar
) -> _Through:
    """The substep past a singular position that lies within it, or a little ahead (see `singular`).

    Its error is of the order h^4: it may be as long as fits the tolerance. A substep that is longer is
    tried again shorter, and one that is shorter is made longer: errors grow on the way to the position.
    """
    from treadle.integrators.singular import careful_step, passage

    longest = _PASSAGE * system.options["tolerance"] ** 0.25
    ahead = maximum(h, minimum(left, longest))
    passing = passage(system, q, v, ahead)
    taken = passing.passes & (ahead <= longest)
    new_q, new_v, gain = careful_step(system, q, v, time, ahead, passing._replace(passes=taken))
    way = [x for j in system.model.joints for x in j.type.difference(q[j.q], new_q[j.q])]
    speeds = [b - a for a, b in zip(v, new_v, strict=True)]
    values = [*new_q, *new_v, *way, *speeds, *gain]
    ajar = passing.ends_open(ahead)
    return _Through(passing.passes, taken, ahead, longest, passing.distance, ajar, values)


def _rounding(distance: Scalar) -> Scalar:
    """Error of the rates by rounding: the forces of loops magnify that of the position near singular ones."""
    return minimum(_ROUNDING + _ROUNDING_LOOPS / maximum(distance * distance, 1e-30), _MOST_ROUNDING)


def first_substep(known: Scalar, dt: Scalar) -> Scalar:
    """The substep to try first: the one that is known from before, if any."""
    return where(known > 0.0, known, minimum(dt, _FIRST))


def unfinished(done: Scalar, dt: Scalar, h: Scalar) -> Any:
    """Whether a step continues: there is time left, and the substeps have not become vanishingly small."""
    return (done < dt) & (h > 1e-13 * dt)


def _error(tableau: Tableau, rates: Sequence[Sequence[Scalar]], scale: Sequence[Scalar]) -> Scalar:
    """Error of a substep per second of it, as a mean over the state, each relative to its scale.

    Of two estimates e5 and e3 it is e5^2 / sqrt(e5^2 + e3^2 / 100) (Hairer, Norsett, Wanner, II.10), three
    times: alone it is too small for the long substeps of tolerances above 1e-7.
    """
    squares = [_mean_square(combine(weights, rates, 1.0), scale) for weights in tableau.errors]
    if len(squares) == 1:
        return sqrt(squares[0])
    return 3.0 * squares[0] / sqrt(maximum(squares[0] + 0.01 * squares[1], 1e-60))


def _mean_square(values: Sequence[Scalar], scale: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for value, size in zip(values, scale, strict=True):
        part = value / size
        total = total + part * part
    return total * (1.0 / max(len(values), 1))
