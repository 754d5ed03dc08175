"""The run repeated with finer and coarser steps: how far its states are from the exact ones.

With e(h) the error of steps of h seconds with a method of order p, the runs x(h) and x(h/2) differ by
e(h) - e(h/2) = (1 - 2^-p) e(h), which gives e(h) (Richardson). The run with 2 h shows whether errors do
fall as the order says: |x(2h) - x(h)| / |x(h) - x(h/2)| should be r = 2^p. Where it is not, as with stops,
impacts and motions that the step does not resolve, the run is repeated with h/4, h/8, ... until what the
finest has left, |x(2g) - x(g)| / (r - 1) with its step g, is a small part of |x(h) - x(g)|. Methods under
error control are repeated with a tenth and ten times the tolerance too, which their errors are
proportional to.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.sim.quality.borrowed import borrowed
from treadle.sim.quality.places import distances
from treadle.sim.quality.repetition import Repetition, repeat
from treadle.sim.quality.resolution import Resolution, expected_shrink, jumps

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["Rerun", "rerun"]

#: Instants at which runs are compared.
_SAMPLES = 64

#: Seconds of computing that repeating a run may take.
_BUDGET = 20.0

#: Steps that are repeated whatever they cost.
_LEAST_STEPS = 1

#: Steps whose time is taken.
_PROBE = 20

#: Differences (m, rad) of a run from itself that do not count: code for stops is only used once one is met.
_SAME = 1e-6

#: Differences (m) below this are rounding and tell nothing about the order.
_ROUNDING = 1e-11

#: Finest resolution that is tried, in levels below that of the run; and that which it takes at least to see
#: that errors fall where forces jump, which may hide from one halving of the step and not from the next.
_LEVELS, _LEAST_LEVELS = 4, 3

#: Errors, as parts of the machine's size, beyond which a position says nothing.
_LOST = 0.05

#: Share of an error that may come from what the finest repetition is thought to have left.
_LEFT = 0.35


@dataclass(frozen=True)
class Rerun:
    """Errors of a run over time, as far as `times` reach."""

    #: seconds from the start of the run (samples)
    times: np.ndarray
    #: estimated distance (m) of every frame from where it should be (samples, frames)
    errors: np.ndarray
    #: why the end of the run was not reached, None if it was; and whether finer steps could not go on
    stopped: str | None
    stuck: bool
    #: how errors shrink from one resolution to the next finer one: what the order says, and what was seen
    expected: float
    observed: float | None
    #: whether finer steps do bring the run nearer to the exact one
    settled: bool
    #: kinetic energy, that of gravity and springs, and work (J; samples, 3)
    energies: np.ndarray

    @property
    def final(self) -> np.ndarray:
        """Error of every frame (m) at the end."""
        return self.errors[-1]

    @property
    def largest(self) -> float:
        """Largest error (m) of any frame at any time."""
        return float(self.errors.max(initial=0.0))

    @property
    def shrink(self) -> float:
        """How errors shrink, as far as it is known: friction, stops and jumps lower the order of a method."""
        return self.expected if self.observed is None else min(max(self.observed, 1.5), self.expected)


def rerun(sim: Simulation, start: State, steps: int, end: State, size: float) -> Rerun | str:
    """Repeat `steps` steps from a state with other steps; or why it is of no use.

    `size` (m) is that of the machine, whose frames can be no farther apart than a few of it.
    """
    present = Resolution.of(sim, start.dt)
    affordable = _BUDGET / max(_cost(sim, start, steps), 1e-12)
    count = min(steps, max(_LEAST_STEPS, int(affordable / 3.5)))
    marks = _marks(count)
    stopped = None if count == steps else "repeating all of it would take too long"
    with borrowed(sim) as trial:
        run = repeat(sim, trial, start, present, marks, energies=True)
        if count == steps and not np.allclose(trial.q, end.q, rtol=0.0, atol=_SAME):
            return "the same steps did not come out the same again"
        coarser = repeat(sim, trial, start, present.refined(-1), marks)
        finer = repeat(sim, trial, start, present.refined(1), marks)
        ladder = _Ladder.of(coarser, run, finer, expected_shrink(sim))
        least = _LEAST_LEVELS if jumps(sim) else 1
        stuck = len(finer) < len(run)
        if stuck:
            stopped = f"repeating it with {present.refined(1)} got stuck there"
        spent = 3.5 * count
        for level in range(2, _LEVELS + 1):
            spent += 2.0**level * count
            if (ladder.settled and level > least) or stuck or spent > affordable:
                break
            finer = repeat(sim, trial, start, present.refined(level), marks)
            if len(finer) == len(run):
                ladder = ladder.extended(finer)
    errors = ladder.errors(_LOST * size)
    return Rerun(
        times=(marks * start.dt)[: len(errors)],
        errors=errors,
        stopped=stopped,
        stuck=stuck,
        expected=ladder.expected,
        observed=ladder.observed,
        settled=ladder.settled,
        energies=run.energies,
    )


@dataclass(frozen=True)
class _Ladder:
    """Positions in the run and in finer repetitions of it, and what they say about its error."""

    #: from the run itself to the finest (samples, frames, 4, 3)
    levels: tuple[np.ndarray, ...]
    #: sizes (m) of the last two differences, the one before None if it is not known
    before: tuple[float, float] | None
    last: tuple[float, float]
    #: how much smaller each should be than the one before
    expected: float

    @classmethod
    def of(cls, coarser: Repetition, run: Repetition, finer: Repetition, expected: float) -> _Ladder:
        """The first level, with the coarser one to compare it with, as far as both reach."""
        length = min(len(run), len(finer))
        levels = run.positions[:length], finer.positions[:length]
        wide = None
        if len(coarser) >= length:
            wide = _sizes(distances(coarser.positions[:length], levels[0]))
        return cls(levels, wide, _sizes(distances(*levels)), expected)

    def extended(self, finer: Repetition) -> _Ladder:
        """One level finer."""
        last = _sizes(distances(self.levels[-1], finer.positions))
        return _Ladder((*self.levels, finer.positions), self.last, last, self.expected)

    @property
    def observed(self) -> float | None:
        """By how much the last difference was smaller than the one before."""
        if self.before is None or self.last[0] < _ROUNDING:
            return None
        return self.before[0] / self.last[0]

    @property
    def shrink(self) -> float:
        """The same as far as it can be relied on."""
        return self.expected if self.observed is None else min(max(self.observed, 1.5), self.expected)

    @property
    def settled(self) -> bool:
        """Whether the error is known from what was seen."""
        if max(self.last) < _ROUNDING:
            return True
        if self.before is None:
            return False
        if len(self.levels) == 2:
            # one difference alone tells the error if errors fall as they should
            low, high = 0.5 * (1.0 + self.expected), 1.5 * self.expected
            return all(low * b <= a <= high * b for a, b in zip(self.before, self.last, strict=True))
        known = _sizes(distances(self.levels[0], self.levels[-1]))
        left = [x / (self.shrink - 1.0) for x in self.last]
        return all(b <= _LEFT * (a + b) or b < _ROUNDING for a, b in zip(known, left, strict=True))

    def errors(self, lost: float) -> np.ndarray:
        """Distance (m) of every frame of the run from where it should be (samples, frames).

        Where finer steps do not settle, differences beyond `lost` (m) say as much as anything.
        """
        known = distances(self.levels[0], self.levels[-1])
        if not self.settled and known.max(initial=0.0) > lost:
            return known
        left = distances(self.levels[-2], self.levels[-1]) / (self.shrink - 1.0)
        return known + left


def _sizes(distance: np.ndarray) -> tuple[float, float]:
    """Largest distance of a frame: root mean square over the samples (samples, frames), and at the end."""
    worst = distance.max(axis=1, initial=0.0)
    return float(np.sqrt(np.mean(worst**2))), float(worst[-1])


def _marks(count: int) -> np.ndarray:
    """Steps at which runs are compared: even numbers, which twice the step meets too, and the last."""
    marks = 2 * np.unique(
        np.linspace(0, count // 2, min(max(count // 2, 1), _SAMPLES) + 1).round().astype(int)
    )
    return np.unique(np.append(marks, count))


def _cost(sim: Simulation, start: State, steps: int) -> float:
    """Seconds of computing that a step takes: in the run, or now that all is compiled, what is less."""
    count = min(steps, _PROBE)
    with borrowed(sim) as trial:
        trial.go_to(start)
        before = time.perf_counter()
        trial.try_steps(count)
        probed = (time.perf_counter() - before) / count
    return min(probed, sim.wall_time / max(sim.measured_time, 1e-300) * sim.dt)
