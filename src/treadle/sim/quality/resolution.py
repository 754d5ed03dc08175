"""How finely time is resolved: the size of the steps, or the tolerance of a method under error control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treadle.sim.quality.stepping import stepping

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Resolution", "effective_order", "expected_shrink", "jumps"]


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
        """Finer by so many levels, or coarser: half the step, and a tenth of the tolerance."""
        tolerance = None if self.tolerance is None else min(max(self.tolerance * 0.1**levels, 1e-14), 1.0)
        return Resolution(self.dt * 0.5**levels, tolerance, self.per_step * 2.0**levels)

    def __str__(self) -> str:
        return f"dt = {self.dt:g} s" if self.tolerance is None else f"tolerance = {self.tolerance:g}"


def expected_shrink(sim: Simulation) -> float:
    """By how much the errors of a run should be smaller with the next finer resolution."""
    return 10.0 if stepping(sim).adaptive else 2.0 ** effective_order(sim)


def effective_order(sim: Simulation) -> int:
    """Order of the run: controllers, friction and stops act once a step, which is of first order."""
    return 1 if len(sim.controllers) or sim.stepper.bounded else stepping(sim).order


def jumps(sim: Simulation) -> bool:
    """Whether forces may jump on the way: contact, joint limits, friction, wheels that lift off."""
    return bool(sim.contact or sim.stepper.bounded or sim.model.wheels)
