"""The run repeated with finer and coarser steps: how far its states are from the exact ones.

With e(h) the error of steps of h seconds with a method of order p, the runs x(h) and x(h/2) differ by
e(h) - e(h/2) = (1 - 2^-p) e(h), which gives e(h) (Richardson). The run with 2 h shows whether errors do
fall as the order says: |x(2h) - x(h)| / |x(h) - x(h/2)| should be 2^p. Methods under error control are
repeated with a tenth and ten times the tolerance too, which their errors are proportional to.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.forces.energy import elastic_energy
from treadle.sim.quality.borrowed import Borrowed, borrowed
from treadle.sim.quality.stepping import stepping

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = [
    "Rerun",
    "Resolution",
    "effective_order",
    "expected_shrink",
    "largest_error",
    "rerun",
    "stored_energy",
]

#: Instants at which runs are compared.
_SAMPLES = 64

#: Seconds of computing that repeating a run may take.
_BUDGET = 20.0

#: Steps whose time is taken.
_PROBE = 20

#: Differences (m, rad) of a run from itself that do not count: code for stops is only used once one is met.
_SAME = 1e-6

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
    #: most kinetic energy, and largest drift of the energy (J), seen on the way
    peak_kinetic: float
    peak_drift: float

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
        adaptive = stepping(sim).adaptive
        return cls(sim.dt if dt is None else dt, sim.options["tolerance"] if adaptive else None)

    def refined(self, levels: int) -> Resolution:
        """Finer by so many levels, or coarser."""
        tolerance = None if self.tolerance is None else min(max(self.tolerance * 0.1**levels, 1e-14), 1.0)
        return Resolution(self.dt * 0.5**levels, tolerance, self.per_step * 2.0**levels)


def rerun(sim: Simulation, start: State, steps: int, end: State) -> Rerun | str:
    """Repeat `steps` steps from a state with the same step, half and twice of it; or why it is of no use."""
    present = Resolution.of(sim, start.dt)
    affordable = int(_BUDGET / max(3.5 * _cost(sim, start, steps), 1e-12))
    count = max(1, min(steps, affordable))
    marks = np.unique(np.linspace(0, count, min(count, _SAMPLES) + 1).round().astype(int))
    with borrowed(sim) as trial:
        energies: list[tuple[float, float]] = []
        run = _positions(sim, trial, start, present, marks, energies)
        if count == steps and not np.allclose(trial.q, end.q, rtol=0.0, atol=_SAME):
            return "the same steps did not come out the same again"
        finer = _positions(sim, trial, start, present.refined(1), marks)
        coarser = _positions(sim, trial, start, present.refined(-1), marks[[0, -1]])
    expected = expected_shrink(sim)
    gap = np.linalg.norm(run[: len(finer)] - finer[: len(run)], axis=2)
    observed = None
    if len(coarser) == 2 and len(finer) == len(run) and gap[-1].max(initial=0.0) > _ROUNDING:
        wide = np.linalg.norm(coarser[-1] - run[-1], axis=1).max(initial=0.0)
        observed = float(wide / gap[-1].max())
    shrink = expected if observed is None else min(observed, expected)
    # where finer steps do not settle, the difference says as much as anything
    factor = shrink / (shrink - 1.0) if shrink >= 1.5 else 1.0
    kinetic, balance = np.array(energies).T
    return Rerun(
        times=(marks * start.dt)[: len(gap)],
        errors=gap * factor,
        whole=count == steps and len(gap) == len(marks),
        expected=expected,
        observed=observed,
        peak_kinetic=float(kinetic.max()),
        peak_drift=float(np.abs(balance - balance[0]).max()),
    )


def _cost(sim: Simulation, start: State, steps: int) -> float:
    """Seconds of computing that a step takes: in the run, or now that all is compiled, what is less."""
    count = min(steps, _PROBE)
    with borrowed(sim) as trial:
        trial.go_to(start)
        before = time.perf_counter()
        trial.try_steps(count)
        probed = (time.perf_counter() - before) / count
    return min(probed, sim.wall_time / max(sim.measured_time, 1e-300) * sim.dt)


def largest_error(
    sim: Simulation, start: State, seconds: float, resolution: Resolution, shrink: float
) -> float:
    """Largest error (m) of a frame over a time, from this resolution and the next finer one.

    `shrink` says by how much errors are smaller with the finer one.
    """
    count = max(1, round(seconds / resolution.dt))
    marks = np.unique(np.linspace(0, count, 17).round().astype(int))
    with borrowed(sim) as trial:
        run, finer = (_positions(sim, trial, start, resolution.refined(k), marks) for k in (0, 1))
    if len(run) < len(marks) or len(finer) < len(marks):
        return float("inf")
    return float(np.linalg.norm(run - finer, axis=2).max(initial=0.0)) * shrink / (shrink - 1.0)


def expected_shrink(sim: Simulation) -> float:
    """By how much the errors of a run should be smaller with the next finer resolution."""
    return 10.0 if stepping(sim).adaptive else 2.0 ** effective_order(sim)


def effective_order(sim: Simulation) -> int:
    """Order of the run: controllers, friction and stops act once a step, which is of first order."""
    return 1 if len(sim.controllers) or sim._bounded else stepping(sim).order


def _positions(
    sim: Simulation,
    trial: Borrowed,
    start: State,
    resolution: Resolution,
    marks: Sequence[int] | np.ndarray,
    energies: list[tuple[float, float]] | None = None,
) -> np.ndarray:
    """Origins of all frames (marks, frames, 3) after `marks` of the run's own steps, until it diverges."""
    # setting even the same step would change the rounding of times
    trial.go_to(start, resolution.dt if resolution.dt != start.dt else None, resolution.tolerance)
    rows = []

    def look() -> None:
        rows.append(compiled.frame_poses(sim.model, trial.q)[:, :3, 3])
        if energies is not None:
            work = float(sim._journal.ledger[0, 0]) if before else 0.0
            balance = stored_energy(sim, trial.q, trial.v) - work
            energies.append((compiled.kinetic_energy(sim.model, trial.q, trial.v), balance))

    before = 0
    look()
    for mark in marks[1:]:
        whole, half = divmod((mark - before) * resolution.per_step, 1.0)
        if not (trial.try_steps(int(whole)) and (half == 0.0 or trial.try_half_step())):
            break
        before = mark
        look()
    return np.array(rows)


def stored_energy(sim: Simulation, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic energy, that of gravity and that of springs, force elements and laws, in J."""
    model = sim.model
    springs = float(elastic_energy(model, q.tolist(), sim.laws))  # type: ignore[arg-type]
    return compiled.kinetic_energy(model, q, v) + compiled.potential_energy(model, q) + springs
