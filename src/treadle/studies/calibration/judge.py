"""What `quality(thorough=True)` says of a run, beside the true error of that run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treadle.errors import SimulationDiverged
from treadle.integrators import INTEGRATORS
from treadle.sim import Simulation
from treadle.sim.quality import Quality, machine_size
from treadle.sim.quality.places import Places, distances
from treadle.studies.calibration.machines import Machine

__all__ = ["FLOOR", "Judged", "Trial", "draw_trials", "judge"]

#: Errors (of the machine's size) below this count as this: what references and rounding leave.
FLOOR = 1e-8

#: By how much an error may exceed what is stated with "about"; errors (of the size) that are right.
_ABOUT, _RIGHT = 3.0, 1e-3

#: How often the step of a run that diverges is halved.
_HALVINGS = 6

#: How many times smaller the steps of a reference are where no method of high order applies.
_FINER = 64

#: Steps (s) by the order of the method, from least to most; tolerances of methods with error control.
_STEPS = {1: (2e-4, 5e-3), 2: (5e-4, 1e-2), 4: (2e-3, 2e-2), 6: (5e-3, 3e-2)}
_TOLERANCES, _ADAPTIVE_STEP = (1e-9, 1e-4), 0.02


@dataclass(frozen=True)
class Trial:
    """A run of a machine: its method, step, number of steps, and tolerance where it has one."""

    machine: Machine
    integrator: str
    dt: float
    steps: int
    tolerance: float | None = None

    @property
    def options(self) -> dict[str, float]:
        """Options of the integrator."""
        return {} if self.tolerance is None else {"tolerance": self.tolerance}


@dataclass(frozen=True)
class Judged:
    """Verdict on a run, stated and true errors at its end and at its worst (m), and the machine's size (m).

    The errors are those of the part of the run that the verdict speaks for.
    """

    quality: Quality
    size: float
    bar: float
    true: float
    largest_bar: float
    largest_true: float
    #: how often its step was halved: with longer ones it diverged, and said so
    halved: int = 0

    def within(self, factor: float) -> bool:
        """Whether the true error at the end and the bar differ by no more than a factor."""
        return 1.0 / factor <= self._ratio(self.true, self.bar) <= factor

    def largest_within(self, factor: float) -> bool:
        """The same at the worst time."""
        return 1.0 / factor <= self._ratio(self.largest_true, self.largest_bar) <= factor

    @property
    def wrong(self) -> str | None:
        """What is wrong with the verdict: too good for the error, or too bad; None if nothing is."""
        if self.quality.rating == "good" and self._ratio(self.largest_true, self.largest_bar) > _ABOUT:
            return "good though off by more than stated"
        if self.quality.rating == "poor" and self.largest_true <= _RIGHT * self.size:
            return "poor though right"
        return None

    def _ratio(self, true: float, bar: float) -> float:
        floor = FLOOR * self.size
        return max(true, floor) / max(bar, floor)


def draw_trials(machine: Machine, rng: np.random.Generator, count: int) -> list[Trial]:
    """Runs of a machine with random methods and steps."""
    trials = []
    for _ in range(count):
        integrator = str(rng.choice(machine.integrators))
        method = INTEGRATORS[integrator]
        if method.adaptive:
            steps = max(8, round(machine.seconds / _ADAPTIVE_STEP))
            tolerance = float(10.0 ** rng.uniform(*np.log10(_TOLERANCES)))
            trials.append(Trial(machine, integrator, machine.seconds / steps, steps, tolerance))
            continue
        least, most = machine.steps or _STEPS[method.order]
        dt = float(np.exp(rng.uniform(np.log(least), np.log(most))))
        steps = max(8, round(machine.seconds / dt))
        trials.append(Trial(machine, integrator, machine.seconds / steps, steps))
    return trials


def judge(trial: Trial) -> Judged | str:
    """Run it, ask for its quality and compare with the reference; or why that was not possible.

    A run that raises SimulationDiverged has made no claim: its step is halved.
    """
    for halved in range(_HALVINGS):
        sim = trial.machine.simulation(trial.integrator, trial.dt, **trial.options)
        try:
            sim.step(trial.steps)
        except SimulationDiverged:
            trial = replace(trial, dt=0.5 * trial.dt, steps=2 * trial.steps)
            continue
        found = _judged(trial, sim)
        return found if isinstance(found, str) else replace(found, halved=halved)
    return "the run diverged"


def _judged(trial: Trial, sim: Simulation) -> Judged | str:
    """What is said of a run that was made, and what is true."""
    quality = sim.quality(thorough=True)
    if quality.error_growth is None:
        return quality.verdict
    times, bars = (np.array(x) for x in quality.error_growth)
    marks = np.round(times / trial.dt).astype(int)
    own = _frames(trial.machine.simulation(trial.integrator, trial.dt, **trial.options), marks, 1)
    exact = _reference(trial, marks)
    if exact is None or own is None:
        return "the reference diverged"
    errors = distances(own, exact).max(axis=1, initial=0.0)
    return Judged(
        quality=quality,
        size=machine_size(sim.model),
        bar=quality["error bar"] * 1e-3,
        true=float(errors[-1]),
        largest_bar=float(bars.max()),
        largest_true=float(errors.max()),
    )


def _reference(trial: Trial, marks: np.ndarray) -> np.ndarray | None:
    """Points of all frames in the exact run."""
    machine = trial.machine
    if machine.fine is not None:
        fine: dict[str, Any] = dict(machine.fine)
        return _frames(machine.simulation(dt=trial.dt, **fine), marks, 1)
    sim = machine.simulation(trial.integrator, trial.dt / _FINER, **trial.options)
    return _frames(sim, marks, _FINER)


def _frames(sim: Simulation, marks: np.ndarray, per_step: int) -> np.ndarray | None:
    """Points of all frames (marks, frames, 4, 3) after so many steps of the run; None where it diverged."""
    places, rows, before = Places(sim.model), [], 0
    for mark in marks.tolist():
        try:
            sim.step((mark - before) * per_step)
        except SimulationDiverged:
            return None
        before = mark
        rows.append(places.at(sim.q))
    return np.array(rows)
