"""What the measures look at: an undisturbed run of a simulation, from its start to now."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.model.model import WORLD, Model
from treadle.sim.quality.borrowed import borrowed
from treadle.sim.quality.rerun import Rerun, effective_order, rerun, stored_energy
from treadle.sim.quality.stepping import stepping
from treadle.spatial import Vec3

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["FEW_STEPS", "Run", "machine_size"]

#: Fewer steps than this say nothing about a drift.
FEW_STEPS = 100

#: A step so many times smaller costs more than a better method.
_TOO_SMALL = 50.0

#: Steps into the future in which kinetic energy is looked for.
_AHEAD = 100


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
        journal = sim._journal
        self.now = sim.save()
        begun = journal.goes_on()
        self.start = journal.start if begun and journal.start is not None else self.now
        #: steps since the start, and whether they would come out the same again
        self.steps = journal.steps if begun else 0
        self.repeatable = journal.repeatable and not sim.controllers.called_back
        self.ledger = journal.ledger[:, 0].copy() if begun else np.zeros(len(journal.ledger))
        #: work that went in and came back out (J), as far as it was seen between calls
        self.swing = journal.most - journal.least if begun else 0.0
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
    def energy_drift(self) -> float:
        """Change of the energy (J) since the start beyond the work."""
        before = stored_energy(self.sim, self.start.q, self.start.v)
        after = stored_energy(self.sim, self.now.q, self.now.v)
        return after - before - float(self.ledger[0])

    @cached_property
    def energy_scale(self) -> float:
        """Energy (J) that moves through the machine: the most kinetic energy seen, or what was exchanged."""
        start, now = (self.kinetic(state.q, state.v) for state in (self.start, self.now))
        lifted = compiled.potential_energy(self.model, self.now.q) - compiled.potential_energy(
            self.model, self.start.q
        )
        seen = self.rerun.peak_kinetic if isinstance(self.rerun, Rerun) else self._kinetic_ahead()
        # places of what touches are found up to a tolerance, beside which a machine at rest has no energy
        rounding = 1e-9 if self.sim.contact else 1e-12
        floor = rounding * max(abs(stored_energy(self.sim, self.now.q, self.now.v)), 1e-12)
        return max(start, now, abs(lifted), self.swing, seen, floor)

    @cached_property
    def rerun(self) -> Rerun | str:
        """The run repeated with other steps, or why it was not."""
        if not self.thorough:
            return "not asked for"
        if not self.repeatable:
            return "forces or steps were changed on the way, or a controller in Python was asked"
        if self.steps < 1:
            return "there are no steps yet"
        if not self.model.frames:
            return "there are no links"
        return rerun(self.sim, self.start, self.steps, self.now)

    def finer(self, excess: float, within_run: bool = True) -> str:
        """What to change for an error of the run, or of a step, that is `excess` times too large."""
        sim = self.sim
        if self.method.adaptive:
            return f"try tolerance = {_rounded(sim.options['tolerance'] / max(excess, 2.0)):g}"
        order = float(effective_order(sim))
        if isinstance(self.rerun, Rerun):
            order = math.log2(self.rerun.shrink)
        order += 0.0 if within_run else 1.0
        factor = max(excess, 1.5) ** (1.0 / order)
        # no method helps against what acts only once a step, and none is asked beside contact
        once = effective_order(sim) < self.method.order or sim._bounded or len(sim.controllers) > 0
        once = once or sim.contact
        better = "" if once or self.method.order >= 4 else "integrator = 'rk4'"
        if better and factor > _TOO_SMALL:
            # a step that is itself far off is too long for any method
            return f"try {better}" if within_run else f"try {better} with dt = {_rounded(sim.dt / 10.0):g} s"
        smaller = f"dt = {_rounded(sim.dt / min(factor, _TOO_SMALL)):g} s"
        return " or ".join(["try " + smaller, better] if better else ["try " + smaller])

    def kinetic(self, q: np.ndarray, v: np.ndarray) -> float:
        """Kinetic energy in J."""
        return compiled.kinetic_energy(self.model, q, v)

    def _kinetic_ahead(self) -> float:
        """The most kinetic energy in the near future: a pendulum may have none at the moment."""
        with borrowed(self.sim) as sim:
            count = max(1, min(_AHEAD, self.steps) // 5)
            peak = 0.0
            for _ in range(5):
                if not sim.try_steps(count):
                    break
                peak = max(peak, self.kinetic(sim.q, sim.v))
        return peak


def _rounded(value: float) -> float:
    """The number with one digit that is just below: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(x * power for x in (1.0, 2.0, 5.0) if x * power <= value * (1.0 + 1e-9))


def machine_size(model: Model) -> float:
    """How far the machine reaches from its first joint, all links stretched out, in m; at least 1 mm."""
    reach: list[float] = []
    far = 1e-3
    for body in model.bodies:
        step = 0.0 if body.parent == WORLD else reach[body.parent] + _norm(body.placement.translation)
        reach.append(step)
        mass = float(body.inertia.mass)
        if mass > 0.0:
            trace = sum(float(row[k]) for k, row in enumerate(body.inertia.rotational.to_rows()))  # type: ignore[arg-type]
            # of a body's mass about its origin, in each direction
            far = max(far, step + math.sqrt(max(trace, 0.0) / (2.0 * mass)))
    for frame in model.frames:
        if frame.body != WORLD:
            far = max(far, reach[frame.body] + _norm(frame.placement.translation))
    return far


def _norm(vector: Vec3) -> float:
    return math.hypot(*(float(x) for x in vector))  # type: ignore[arg-type]
