"""Steps under error control that look out for sign changes, and stop after the substep that has one.

A function is compared at the start of a substep, at its end and at three points inside (on the cubic
interpolant), so that of two crossings in one substep at least those further apart than a quarter of it
are seen. Where exactly it crosses is for the caller to find, on the dense output of that substep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from treadle.graph import Scalar, equal, iterate, maximum, where
from treadle.integrators.dense import cubic_terms, inside
from treadle.integrators.error_control import LIMIT, Attempt, attempt, first_substep, unfinished
from treadle.integrators.system import System
from treadle.integrators.tableau import Tableau

__all__ = ["EARLY", "POINTS", "Watch", "Watched", "watched_step"]

#: Points of a substep at which functions are compared, as shares of it.
POINTS = (0.25, 0.5, 0.75, 1.0)

#: Where the sign right after the start of a substep is taken.
EARLY = 2.0**-16

#: q, v, time -> a scalar for every function.
Functions = Callable[[Sequence[Scalar], Sequence[Scalar], Scalar], Sequence[Scalar]]


@dataclass(frozen=True)
class Watch:
    """Events with their directions (+1, -1 or 0 for both), then switches with their modes (1 or 0).

    Of an event that just happened (`fired` is 1) counts the side on which it is right after the start; one
    that was turned back counts as being on the side that it came from (2 or -2), whatever its value.
    """

    functions: Functions
    directions: Sequence[int]
    fired: Sequence[Scalar]
    modes: Sequence[Scalar] = ()


@dataclass(frozen=True)
class Watched:
    """The state where the step ended or stopped, and the last substep: its start, length and state there."""

    q: list[Scalar]
    v: list[Scalar]
    #: seconds of the step that are done
    done: Scalar
    stopped: Scalar
    h: Scalar
    tried: Scalar
    fired: list[Scalar]
    begin: Scalar
    span: Scalar
    q_begin: list[Scalar]
    v_begin: list[Scalar]
    #: what the account gained, without the substep after which it stopped
    entry: list[Scalar]


def watched_step(
    tableau: Tableau,
    order: int,
    system: System,
    watch: Watch,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    done: Scalar,
    every: Scalar,
) -> Watched:
    """What is left of a step of dt seconds after `done` of them; if `every` is 1, its next substep only."""
    nq, nv, events = len(q), len(v), len(watch.directions)
    nothing: list[Scalar] = [0.0] * len(system.accounts(q, v, time))
    sizes = [7, events, nq + nv, nq + nv, len(nothing)]

    def substep(values: list[Scalar]) -> tuple[list[Scalar], object]:
        (done, h, tried, _, jumps, begin, span), fired, state, old_state, entry = _split(values, sizes)
        q, v = state[:nq], state[nq:]
        now = attempt(tableau, order, system, q, v, time + done, dt - done, h, jumps)
        crossed = _crossed(system, watch, q, v, time + done, now, fired)
        # what is left of a step that stopped at its very end is nothing
        some = now.h > 0.0
        stopped = where(now.accept & some, maximum(crossed, every), 0.0)
        reached = where(now.accept, where(now.last, dt, done + now.h), done)
        spent = [now.h_next, where(some, tried + 1.0, tried), stopped, now.jumps]
        # of the substep after which it stops, the caller knows how much counts
        gained = [where(stopped > 0.5, x, x + dx) for x, dx in zip(entry, now.gain, strict=True)]
        after = [reached, *spent, done, now.h, *[0.0] * events, *now.q, *now.v, *state, *gained]
        before = [done, *spent, begin, span, *fired, *state, *old_state, *entry]
        kept = [where(now.accept, new, old) for new, old in zip(after, before, strict=True)]
        return kept, unfinished(reached, dt, now.h_next) & (stopped < 0.5)

    first = first_substep(system.memory[0], dt)
    start = [done, first, 0.0, 0.0, 0.0, done, 0.0, *watch.fired, *q, *v, *q, *v, *nothing]
    numbers, fired, state, old_state, entry = _split(iterate(substep, start, LIMIT), sizes)
    reached, h, tried, stopped, _, begin, span = numbers
    return Watched(
        state[:nq], state[nq:], reached, stopped, h, tried, fired, begin, span,
        old_state[:nq], old_state[nq:], entry,
    )  # fmt: skip


def _split(values: Sequence[Scalar], sizes: Sequence[int]) -> list[list[Scalar]]:
    """The values in groups of these sizes."""
    ends = [0, *accumulate(sizes)]
    return [list(values[a:b]) for a, b in pairwise(ends)]


def _crossed(
    system: System,
    watch: Watch,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    now: Attempt,
    fired: Sequence[Scalar],
) -> Scalar:
    """1 if a function changes its sign in a substep, in a direction that counts, else 0."""
    nv, events = len(v), len(watch.directions)
    terms = cubic_terms(now.change, now.first, now.end, now.h)

    def values(x: float) -> Sequence[Scalar]:
        if x == 1.0:
            return watch.functions(now.q, now.v, time + now.h)
        moved = inside(terms, x)
        velocity = [a + b for a, b in zip(v, moved[nv:], strict=True)]
        return watch.functions(system.integrate(q, moved[:nv]), velocity, time + x * now.h)

    at_start, early = watch.functions(q, v, time), values(EARLY)
    before = [
        where(abs(flag) > 1.5, flag, where((flag > 0.5) | equal(a, 0.0), b, a))
        for flag, a, b in zip(fired, at_start[:events], early[:events], strict=True)
    ]
    found: Scalar = 0.0
    for x in (EARLY, *POINTS):
        after = early if x == EARLY else values(x)
        for mode, argument in zip(watch.modes, after[events:], strict=True):
            # on the side where the mode would be another one
            found = where(mode > 0.5, where(argument > 0.0, found, 1.0), where(argument > 0.0, 1.0, found))
        if x == EARLY:
            continue
        for number, direction in enumerate(watch.directions):
            a, b = before[number], after[number]
            if direction >= 0:
                found = where((a < 0.0) & (b >= 0.0), 1.0, found)
            if direction <= 0:
                found = where((a > 0.0) & (b <= 0.0), 1.0, found)
        before = list(after[:events])
    return found
