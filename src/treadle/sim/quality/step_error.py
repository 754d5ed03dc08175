"""Error of one step, by step doubling: once as it is, and once as two of half the size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.sim.quality.measure import Measure, length_text, rate
from treadle.sim.quality.repetition import largest_error
from treadle.sim.quality.resolution import Resolution, expected_shrink
from treadle.sim.quality.run import Run

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["next_step_error", "step_error"]

#: Largest errors of a step that are good and fair, as parts of the machine's size.
_GOOD, _FAIR = 1e-4, 1e-2


def step_error(run: Run) -> Measure:
    """Estimated error of the step that comes next, at the worst link or frame."""
    error = next_step_error(run.sim)
    rating = rate(error, _GOOD * run.size, _FAIR * run.size)
    quantity = length_text(error) if error > 0.0 else "rounding"
    return Measure(
        "step error",
        error * 1e3,
        "mm",
        "estimated error of one step from here, at the worst link",
        rating,
        _GOOD * run.size * 1e3,
        f"one step is accurate to {quantity}" if rating == "good" else f"one step is off by about {quantity}",
        run.finer(error / (_GOOD * run.size), within_run=False),
    )


def next_step_error(sim: Simulation) -> float:
    """Error (m) of the next step at the worst frame."""
    return largest_error(sim, sim.save(), sim.dt, Resolution.of(sim), expected_shrink(sim))
