"""Contact: how far rigid bodies overlap, whether friction holds, how much work the solver had."""

from __future__ import annotations

import numpy as np

from treadle.sim.quality.measure import Measure, length_text, rate
from treadle.sim.quality.overlap import start_overlap
from treadle.sim.quality.run import Run

__all__ = ["contact_effort", "friction_creep", "rigid_overlap"]

#: Largest overlaps, and ways of points that friction holds, good and fair, as shares of the machine's size.
_GOOD, _FAIR = 1e-6, 1e-3

#: Largest shares of solves that used up their sweeps, good and fair: never poor by itself, for what such
#: solves leave over is measured as overlap, creep and errors.
_SOLVED, _MOSTLY = 0.0, 1.0


def rigid_overlap(run: Run) -> Measure | None:
    """How deep bodies without stiffness were in each other, at the start or after any part of a step."""
    worst = _worst(run)
    if worst is None or np.isfinite(run.sim.contact_step.surfaces["stiffness"]).all():  # type: ignore[union-attr]
        return None
    depth = max(float(worst[0]), 0.0)
    limits = _GOOD * run.size, _FAIR * run.size
    reason = f"rigid bodies overlapped by up to {length_text(depth)}"
    meaning = "deepest that rigid bodies were in each other, at the start or after any part of a step"
    advice = _smaller(run)
    if rate(depth, *limits) != "good":
        begun = start_overlap(run)
        if begun is not None and begun.depth > limits[0]:
            depth = max(depth, begun.depth)
            reason = f"{begun.first!r} and {begun.second!r} began {length_text(begun.depth)} in each other"
            advice = f"start with {begun.first!r} and {begun.second!r} apart"
    return _judged("rigid overlap", depth, "m", meaning, limits, reason, advice)


def friction_creep(run: Run) -> Measure | None:
    """How far points moved that friction should have held: of every part of a step, the fastest of them."""
    worst = _worst(run)
    if worst is None:
        return None
    creep, speed = float(worst[4]), float(worst[1])
    limits = _GOOD * run.size, _FAIR * run.size
    reason = f"points that friction should hold crept by {length_text(creep)}, at up to {speed:.2g} m/s"
    meaning = f"way of points across their normals while friction held them, at up to {speed:.2g} m/s"
    return _judged("friction creep", creep, "m", meaning, limits, reason, _smaller(run))


def contact_effort(run: Run) -> Measure | None:
    """The share of solves that took as many sweeps as they may."""
    worst = _worst(run)
    if worst is None:
        return None
    solves, unfinished = worst[2:4].tolist()
    share = unfinished / max(solves, 1.0)
    reason = f"{100.0 * share:.2g} % of the solves for contact used up their sweeps"
    meaning = "share of the solves for contact forces that used up their sweeps"
    advice = "look for bodies whose masses differ by more than a factor of 1000, or that are wedged in"
    return _judged("unfinished solves", share, "1", meaning, (_SOLVED, _MOSTLY), reason, advice)


def _worst(run: Run) -> np.ndarray | None:
    """What the contact of the run was like at worst, None where there was none."""
    contact_step = run.sim.contact_step
    return None if contact_step is None or run.steps == 0 else contact_step.scratch.totals.worst


def _judged(
    name: str, value: float, unit: str, meaning: str, limits: tuple[float, float], reason: str, advice: str
) -> Measure:
    rating = rate(value, *limits)
    return Measure(name, value, unit, meaning, rating, limits[0], "" if rating == "good" else reason, advice)


def _smaller(run: Run) -> str:
    return f"try a step smaller than dt = {run.sim.dt:g} s"
