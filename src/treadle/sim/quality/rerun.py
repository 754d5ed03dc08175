"""The run repeated with finer and coarser steps: how far its states are from the exact ones.

With e(h) the error of steps of h seconds with a method of order p, the runs x(h) and x(h/2) differ by
e(h) - e(h/2) = (1 - 2^-p) e(h), which gives e(h) (Richardson). The run with 2 h shows whether errors do
fall as the order says: |x(2h) - x(h)| / |x(h) - x(h/2)| should be 2^p. Methods under error control are
repeated with a tenth and ten times the tolerance too, which their errors are proportional to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.integrators import INTEGRATORS
from treadle.sim.quality.borrowed import Borrowed, borrowed

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["Rerun", "Resolution", "effective_order", "final_error", "rerun"]

#: Instants at which runs are compared.
_SAMPLES = 64

#: Seconds of computing that repeating a run may take.
_BUDGET = 20.0

#: Differences (m) below this are rounding and tell nothing about the order.
_ROUNDING = 1e-11


@dataclass(frozen=True)
class Rerun:
    """Errors of a run over time."""

    #: seconds from the start of the run (samples)
    times: np.ndarray
    #: estimated distance (m) of every frame from where it should be (samples, frames)
    errors: np.ndarray
    #: whether the end of the run was reached within the time allowed for this
    whole: bool
    #: how errors shrink from one resolution to the next finer one: what the order says, and what was seen
    expected: float
    observed: float | None
    peak_kinetic: float

    @property
    def final(self) -> np.ndarray:
        """Error of every frame (m) at the end."""
        return self.errors[-1]

    @property
    def settled(self) -> bool:
        """Whether finer steps do bring the run nearer to the exact one."""
        return self.observed is None or self.observed > min(2.0, 0.5 * (1.0 + self.expected))


@dataclass(frozen=True)
class Resolution:
    """Size of the steps, or the tolerance of a method under error control."""

    dt: float
    tolerance: float | None = None
    #: steps of this size in one of the run's
    per_step: float = 1.0

    @classmethod
    def of(cls, sim: Simulation, dt: float | None = None) -> Resolution:
        """That of a simulation, with its own step or another."""
        adaptive = INTEGRATORS[sim.integrator].adaptive
        return cls(sim.dt if dt is None else dt, sim.options["tolerance"] if adaptive else None)

    def refined(self, levels: int) -> Resolution:
        """Finer by so many levels, or coarser."""
        tolerance = None if self.tolerance is None else min(max(self.tolerance * 0.1**levels, 1e-14), 1.0)
        return Resolution(self.dt * 0.5**levels, tolerance, self.per_step * 2.0**levels)


def rerun(sim: Simulation, start: State, steps: int, end: State) -> Rerun | str:
    """Repeat `steps` steps from a state with the same step, half and twice of it; or why it is of no use."""
    present = Resolution.of(sim, start.dt)
    cost = sim.wall_time / max(sim.measured_time, 1e-300) * sim.dt
    affordable = int(_BUDGET / max(3.5 * cost, 1e-12))
    count = max(1, min(steps, affordable))
    marks = np.unique(np.linspace(0, count, min(count, _SAMPLES) + 1).round().astype(int))
    with borrowed(sim) as trial:
        peaks: list[float] = []
        run = _positions(sim, trial, start, present, marks, peaks)
        if count == steps and not (np.array_equal(trial.q, end.q) and np.array_equal(trial.v, end.v)):
            return "the same steps did not come out the same again"
        finer = _positions(sim, trial, start, present.refined(1), marks)
        coarser = _positions(sim, trial, start, present.refined(-1), marks[[0, -1]])
    expected = 10.0 if present.tolerance is not None else 2.0 ** effective_order(sim)
    gap = np.linalg.norm(run[: len(finer)] - finer[: len(run)], axis=2)
    observed = None
    if len(coarser) == 2 and len(finer) == len(run) and gap[-1].max(initial=0.0) > _ROUNDING:
        wide = np.linalg.norm(coarser[-1] - run[-1], axis=1).max(initial=0.0)
        observed = float(wide / gap[-1].max())
    shrink = expected if observed is None else min(max(observed, 1.5), expected)
    return Rerun(
        times=(marks * start.dt)[: len(gap)],
        errors=gap * (shrink / (shrink - 1.0)),
        whole=count == steps and len(gap) == len(marks),
        expected=expected,
        observed=observed,
        peak_kinetic=max(peaks, default=0.0),
    )


def final_error(sim: Simulation, start: State, seconds: float, resolution: Resolution) -> float:
    """Largest error (m) of a frame after a time, from this resolution and the next finer one."""
    count = max(1, round(seconds / resolution.dt))
    ends = []
    with borrowed(sim) as trial:
        for levels in (0, 1):
            finer = resolution.refined(levels)
            trial.go_to(start, finer.dt, finer.tolerance)
            if not trial.try_steps(round(count * finer.per_step / resolution.per_step)):
                return float("inf")
            ends.append(compiled.frame_poses(sim.model, trial.q)[:, :3, 3])
    shrink = 10.0 if resolution.tolerance is not None else 2.0 ** effective_order(sim)
    gap = np.linalg.norm(ends[0] - ends[1], axis=1).max(initial=0.0)
    return float(gap) * shrink / (shrink - 1.0)


def effective_order(sim: Simulation) -> int:
    """Order of the run: controllers hold their forces over a step, which is of first order."""
    return 1 if len(sim.controllers) else INTEGRATORS[sim.integrator].order


def _positions(
    sim: Simulation,
    trial: Borrowed,
    start: State,
    resolution: Resolution,
    marks: Sequence[int] | np.ndarray,
    peaks: list[float] | None = None,
) -> np.ndarray:
    """Origins of all frames (marks, frames, 3) after `marks` of the run's own steps, until it diverges."""
    # setting even the same step would change the rounding of times
    trial.go_to(start, resolution.dt if resolution.per_step != 1.0 else None, resolution.tolerance)
    rows = [compiled.frame_poses(sim.model, trial.q)[:, :3, 3]]
    before = 0
    for mark in marks[1:]:
        whole, half = divmod((mark - before) * resolution.per_step, 1.0)
        if not (trial.try_steps(int(whole)) and (half == 0.0 or trial.try_half_step())):
            break
        before = mark
        rows.append(compiled.frame_poses(sim.model, trial.q)[:, :3, 3])
        if peaks is not None:
            peaks.append(compiled.kinetic_energy(sim.model, trial.q, trial.v))
    return np.array(rows)
