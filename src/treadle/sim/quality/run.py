"""What the measures look at: an undisturbed run of a simulation, from its start to now."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treadle.sim.quality.borrowed import borrowed
from treadle.sim.quality.repetition import energies_at, repeat
from treadle.sim.quality.rerun import Rerun, rerun
from treadle.sim.quality.resolution import Resolution, effective_order
from treadle.sim.quality.size import machine_size
from treadle.sim.quality.stepping import stepping

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["FEW_STEPS", "Run"]

#: Fewer steps than this say nothing about a drift.
FEW_STEPS = 100

#: A step so many times smaller costs more than a better method.
_TOO_SMALL = 50.0

#: The most that a tolerance is divided by at once: errors may be infinite.
_TIGHTEST = 1e6

#: Looks at the first part of the run, which it is repeated for.
_LOOKS = 16


class Run:
    """A run and what several measures ask about it, each computed once and only if it is asked for.

    `thorough` says whether the run may be repeated with other steps; `keep` is the error (m) that the
    largest step is asked for.
    """

    def __init__(self, sim: Simulation, thorough: bool, keep: float | None) -> None:
        self.sim = sim
        self.model = sim.model
        self.method = stepping(sim)
        self.thorough = thorough or keep is not None
        self.keep = keep
        journal = sim.run_log
        self.now = sim.save()
        begun = journal.goes_on()
        self.start = journal.start if begun and journal.start is not None else self.now
        #: steps since the start, and whether they would come out the same again
        self.steps = journal.steps if begun else 0
        self.repeatable = journal.repeatable and not sim.controllers.called_back
        self.ledger = journal.ledger[:, 0].copy() if begun else np.zeros(len(journal.ledger))
        #: states on the way
        self.samples = tuple(journal.samples) if begun else ()
        self.rounds = sim.effort[0] - journal.rounds if begun else 0.0

    @property
    def duration(self) -> float:
        """Simulated seconds since the start."""
        return self.now.time - self.start.time

    @property
    def early(self) -> bool:
        """Whether there were too few steps to judge a drift."""
        return self.steps < FEW_STEPS

    @cached_property
    def size(self) -> float:
        """A length (m) of the machine to judge errors by."""
        return machine_size(self.model)

    @cached_property
    def energies(self) -> np.ndarray:
        """Kinetic energy, that of gravity and springs, and work (J; 3) at the start, on the way, and now."""
        laws = self.sim.laws
        start = energies_at(self.model, self.start.q, self.start.v, 0.0, laws)
        now = energies_at(self.model, self.now.q, self.now.v, float(self.ledger[0]), laws)
        between = [
            energies_at(self.model, np.frombuffer(s.q).copy(), np.frombuffer(s.v).copy(), s.work, laws)
            for s in self.samples
        ]
        repeated = self.rerun.energies if isinstance(self.rerun, Rerun) else self._first_part()
        return np.array([start, *between, *repeated, now])

    @cached_property
    def energy_drift(self) -> float:
        """Change of the energy (J) since the start beyond the work."""
        return float(self._balance[-1] - self._balance[0])

    @property
    def worst_drift(self) -> float:
        """The same where it was largest (J), as far as it was seen."""
        return float(np.abs(self._balance - self._balance[0]).max())

    @property
    def peak_kinetic(self) -> float:
        """The most kinetic energy (J) that the machine had, as far as it was seen."""
        return max(float(self.energies[:, 0].max()), self._floor)

    @cached_property
    def energy_scale(self) -> float:
        """Energy (J) that moved through the machine: the most kinetic energy, or what was exchanged."""
        stored, work = (float(np.ptp(self.energies[:, k])) for k in (1, 2))
        return max(self.peak_kinetic, stored, work)

    @property
    def _balance(self) -> np.ndarray:
        return self.energies[:, 0] + self.energies[:, 1] - self.energies[:, 2]

    @property
    def _floor(self) -> float:
        """Energy (J) that is rounding beside what the machine has."""
        # places of what touches are found up to a tolerance, beside which a machine at rest has no energy
        rounding = 1e-9 if self.sim.contact else 1e-12
        return rounding * max(abs(float(self.energies[-1, :2].sum())), 1e-12)

    @cached_property
    def rerun(self) -> Rerun | str:
        """The run repeated with other steps, or why it was not."""
        if not self.thorough:
            return "not asked for"
        if not self.repeatable:
            return "forces or steps were changed during the run, or a controller was called back in Python"
        if self.steps < 1:
            return "there are no steps yet"
        if not self.model.frames:
            return "there are no links"
        return rerun(self.sim, self.start, self.steps, self.now, self.size)

    @cached_property
    def parting_rate(self) -> float | None:
        """Rate (1/s) at which neighbouring runs part exponentially; None where they do not."""
        from treadle.sim.quality.chaos import parting_rate

        return parting_rate(self)

    def finer(self, excess: float, within_run: bool = True) -> str:
        """What to change for an error of the run, or of a step, that is `excess` times too large."""
        sim = self.sim
        if self.method.adaptive:
            tighter = sim.options["tolerance"] / min(max(excess, 2.0), _TIGHTEST)
            return f"try tolerance = {_rounded(tighter):g}"
        order = float(effective_order(sim))
        if isinstance(self.rerun, Rerun):
            order = math.log2(self.rerun.shrink)
        order += 0.0 if within_run else 1.0
        factor = max(excess, 1.5) ** (1.0 / order)
        # no method helps against what acts only once a step, and none is asked beside contact
        once = effective_order(sim) < self.method.order or sim.stepper.bounded or len(sim.controllers) > 0
        once = once or sim.contact
        better = "" if once or self.method.order >= 4 else "integrator = 'rk4'"
        if better and factor > _TOO_SMALL:
            # a step that is itself far off is too long for any method
            return f"try {better}" if within_run else f"try {better} with dt = {_rounded(sim.dt / 10.0):g} s"
        smaller = f"dt = {_rounded(sim.dt / min(factor, _TOO_SMALL)):g} s"
        return " or ".join(["try " + smaller, better] if better else ["try " + smaller])

    def _first_part(self) -> np.ndarray:
        """Energies (J; looks, 3) in the first steps, which are repeated; of later ones there are samples."""
        if not self.repeatable or self.steps < 2:
            return np.zeros((0, 3))
        count = min(self.steps, 2 * self.sim.run_log.piece)
        marks = np.unique(np.linspace(0, count, _LOOKS + 1).round().astype(int))
        with borrowed(self.sim) as trial:
            resolution = Resolution.of(self.sim, self.start.dt)
            return repeat(self.sim, trial, self.start, resolution, marks, energies=True).energies


def _rounded(value: float) -> float:
    """The number with one digit that is just below: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(x * power for x in (1.0, 2.0, 5.0) if x * power <= value * (1.0 + 1e-9))
