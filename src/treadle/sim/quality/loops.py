"""How far loops and couplings are from closed."""

from __future__ import annotations

import numpy as np

from treadle.constraints.rows import row_groups
from treadle.sim.quality.measure import RATINGS, Measure, rate
from treadle.sim.quality.run import Run

__all__ = ["loop_residual", "singular_positions"]

#: Largest gaps that are good and fair: of rows that a step can close, as shares of the smallest loop (at most
#: 1 m or rad), and of rows that rounded numbers let disagree with others, of the largest (at least that).
_GOOD, _FAIR = 1e-9, 1e-5
_GOOD_ROUNDED, _FAIR_ROUNDED = 3e-5, 1e-3


def loop_residual(run: Run) -> Measure | None:
    """The largest gap that was left in a loop or coupling after any step."""
    known = _known(run)
    if known is None:
        return None
    gap, left = known[:2].tolist()
    sizes = [group.scale for group in row_groups(run.model)]
    small, large = min(1.0, *sizes), max(1.0, *sizes)
    closed = rate(left, _GOOD * small, _FAIR * small)
    agreed = rate(gap, _GOOD_ROUNDED * large, _FAIR_ROUNDED * large)
    rating = closed if RATINGS.index(closed) > RATINGS.index(agreed) else agreed
    meaning = "largest gap left in a loop or coupling after any step"
    reason = "" if closed == "good" else f"a loop or coupling was left open by {left:.2g} m or rad"
    advice = (
        "try a smaller step, or look for a position in which the machine is locked or stretched out"
        if run.sim.stabilization == "projection"
        else "let stabilization='projection' close it after every step"
    )
    if closed == "good" and gap > _GOOD * small:
        meaning += ", as far as rounded numbers let redundant constraints agree"
        reason = f"loops are closed to {gap:.2g} m or rad, as far as the rounded numbers of the machine allow"
        advice = "give the positions and axes of the loops' joints with more digits"
    return Measure("loop residual", gap, "m, rad", meaning, rating, _GOOD * small, reason, advice)


def singular_positions(run: Run) -> Measure | None:
    """How often the run passed a position in which constraints become dependent, such as all bars in one
    line.
    """
    known = _known(run)
    if known is None or not known[4]:
        return None
    meaning = "passed, where loops lose rank and could branch off: the run goes on along its own branch"
    return Measure("singular positions", float(known[4]), "", meaning)


def _known(run: Run) -> np.ndarray | None:
    """What is known of loops (see `solvers.stabilization`), None where there are none."""
    if not run.model.closed or run.steps == 0:
        return None
    sim = run.sim
    if sim.contact and sim.contact_step is not None:
        return sim.contact_step.worst_loops
    return sim.arrays["gap"][:, 0]
