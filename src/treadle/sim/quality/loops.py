"""How far loops and couplings are from closed."""

from __future__ import annotations

from treadle.sim.quality.measure import Measure, rate
from treadle.sim.quality.run import Run

__all__ = ["loop_residual", "singular_positions"]

#: Largest gaps that are good and fair, in m or rad.
_GOOD, _FAIR = 1e-9, 1e-5


def loop_residual(run: Run) -> Measure | None:
    """The largest gap that was left in a loop or coupling after any step."""
    if not run.model.closed or run.steps == 0:
        return None
    gap = float(run.sim.arrays["gap"][0, 0])
    rating = rate(gap, _GOOD, _FAIR)
    return Measure(
        "loop residual",
        gap,
        "m, rad",
        "largest gap left in a loop or coupling after any step",
        rating,
        _GOOD,
        "" if rating == "good" else f"a loop or coupling was left open by {gap:.2g} m or rad",
        "try a smaller step, or look for a position in which the machine is locked or stretched out"
        if run.sim.stabilization == "projection"
        else "let stabilization='projection' close it after every step",
    )


def singular_positions(run: Run) -> Measure | None:
    """How often the run passed a position in which constraints become dependent, such as all bars in one
    line.
    """
    if not run.model.closed or run.steps == 0 or not run.sim.arrays["gap"][4, 0]:
        return None
    meaning = "passed, where loops lose rank and could branch off: the run goes on along its own branch"
    return Measure("singular positions", float(run.sim.arrays["gap"][4, 0]), "", meaning)
