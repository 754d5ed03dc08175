"""Contact: how far rigid bodies overlap, whether friction holds, how much work the solver had."""

from __future__ import annotations

import numpy as np

from treadle.sim.quality.measure import Measure, length_text, rate
from treadle.sim.quality.run import Run

__all__ = ["contact_effort", "friction_creep", "rigid_overlap"]

#: Largest overlaps that are good and fair, as shares of the machine's size.
_GOOD, _FAIR = 1e-6, 1e-3

#: Largest speeds (m/s) of points that friction holds, good and fair.
_STILL, _SLOW = 1e-9, 1e-5


def rigid_overlap(run: Run) -> Measure | None:
    """How deep bodies without stiffness were in each other after any part of a step."""
    touching = run.sim._touched
    if touching is None or run.steps == 0 or np.isfinite(touching.surfaces["stiffness"]).all():
        return None
    depth, good = max(float(touching.room.tally.worst[0]), 0.0), _GOOD * run.size
    rating = rate(depth, good, _FAIR * run.size)
    return Measure(
        "rigid overlap",
        depth,
        "m",
        "deepest that rigid bodies were in each other after any part of a step",
        rating,
        good,
        "" if rating == "good" else f"rigid bodies overlapped by up to {length_text(depth)}",
        f"try a step smaller than dt = {run.sim.dt:g} s, or start with the bodies apart",
    )


def friction_creep(run: Run) -> Measure | None:
    """How fast points moved that friction should have held."""
    touching = run.sim._touched
    if touching is None or run.steps == 0:
        return None
    creep = float(touching.room.tally.worst[1])
    rating = rate(creep, _STILL, _SLOW)
    return Measure(
        "friction creep",
        creep,
        "m/s",
        "fastest that a point moved across its normal while friction held it",
        rating,
        _STILL,
        "" if rating == "good" else f"points that friction should hold crept with up to {creep:.2g} m/s",
        f"try a step smaller than dt = {run.sim.dt:g} s",
    )


def contact_effort(run: Run) -> Measure | None:
    """The share of solves that took as many sweeps as they may."""
    touching = run.sim._touched
    if touching is None or run.steps == 0:
        return None
    solves, unfinished = touching.room.tally.worst[2:].tolist()
    share = unfinished / max(solves, 1.0)
    rating = rate(share, 0.0, 0.01)
    return Measure(
        "unfinished solves",
        share,
        "1",
        "share of the solves for contact forces that used up their sweeps",
        rating,
        0.0,
        "" if rating == "good" else f"{100.0 * share:.2g} % of the solves for contact used up their sweeps",
        "look for bodies whose masses differ by more than a factor of 1000, or that are wedged in",
    )
