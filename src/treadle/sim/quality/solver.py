"""The integrator's own solver: rounds per step, and what it left unsolved."""

from __future__ import annotations

from treadle.sim.quality.measure import Measure, rate
from treadle.sim.quality.run import Run

__all__ = ["solver_residual", "solver_rounds"]

#: Largest relative changes in the last round that are good and fair.
_GOOD, _FAIR = 1e-8, 1e-4


def solver_rounds(run: Run) -> Measure | None:
    """Rounds of Newton's method, or substeps tried, per step."""
    if not run.method.iterates or run.steps == 0:
        return None
    what = "substeps tried" if run.method.adaptive else "rounds of Newton's method"
    return Measure("solver rounds", run.rounds / run.steps, "", f"{what} per step, on average")


def solver_residual(run: Run) -> Measure | None:
    """The worst that the solver left over in any step."""
    if not run.method.iterates or run.steps == 0:
        return None
    left = run.sim.effort[1]
    if run.method.adaptive:
        part = left / run.sim.dt
        rating = rate(part, 1e-9, 1e-6)
        return Measure(
            "solver residual",
            left,
            "s",
            "longest part of a step that was left out when substeps became too small",
            rating,
            1e-9 * run.sim.dt,
            "" if rating == "good" else f"error control left out up to {left:.2g} s of a step",
            "loosen the tolerance, or look for a force that jumps or is extremely stiff",
        )
    rating = rate(left, _GOOD, _FAIR)
    return Measure(
        "solver residual",
        left,
        "1",
        "largest relative change in the last round of Newton's method in any step",
        rating,
        _GOOD,
        "" if rating == "good" else f"Newton's method still changed by {left:.2g} when it stopped",
        f"try a step smaller than dt = {run.sim.dt:g} s, or look for a force law that jumps",
    )
