"""The largest step, or tolerance, that keeps a requested error over the whole run."""

from __future__ import annotations

import math

from treadle.sim.quality.measure import Measure
from treadle.sim.quality.repetition import largest_error
from treadle.sim.quality.rerun import Rerun
from treadle.sim.quality.resolution import Resolution
from treadle.sim.quality.run import Run

__all__ = ["largest_step"]

#: Trials with other steps at most.
_TRIALS = 5

#: Steps that a trial may take at most.
_MOST_STEPS = 2_000_000


def largest_step(run: Run) -> Measure | None:
    """From e ~ h^p or e ~ tolerance, tried out and corrected until e is between keep / 2 and keep."""
    if run.keep is None:
        return None
    keeps = f"that keeps the error below {run.keep * 1e3:.3g} mm"
    present = Resolution.of(run.sim)
    name, unit = ("largest step", "s") if present.tolerance is None else ("largest tolerance", "1")
    again = run.rerun
    if not isinstance(again, Rerun):
        return Measure(name, float("nan"), unit, f"{keeps}: not known, for {again}")
    best = _search(run, present, again)
    value = float("nan") if best is None else best.dt if best.tolerance is None else best.tolerance
    span = f"over {again.times[-1]:.3g} s"
    meaning = f"{keeps} {span}" if best is not None else f"{keeps} {span}: none was found"
    return Measure(name, value, unit, meaning)


def _search(run: Run, present: Resolution, again: Rerun) -> Resolution | None:
    """The coarsest resolution tried whose error was not above `keep`."""
    assert run.keep is not None
    error, seconds = again.largest, float(again.times[-1])
    exponent = 1.0 if present.tolerance is not None else 1.0 / math.log2(again.shrink)
    best = present if error <= run.keep else None
    trial = present
    for _ in range(_TRIALS):
        if 0.5 * run.keep <= error <= run.keep or error == 0.0:
            break
        # aim a little below the mark, and not too far at once where the step grows
        factor = min((0.8 * run.keep / error) ** exponent, 4.0 if present.tolerance is None else 1e3)
        trial = _scaled(trial, factor if math.isfinite(error) else 0.3, seconds)
        if seconds / trial.dt > _MOST_STEPS:
            break
        error = largest_error(run.sim, run.start, seconds, trial, again.shrink)
        if error <= run.keep and (best is None or _coarseness(trial) > _coarseness(best)):
            best = trial
    return best


def _scaled(resolution: Resolution, factor: float, seconds: float) -> Resolution:
    """Coarser by a factor, with a whole number of steps in the run."""
    if resolution.tolerance is not None:
        return Resolution(resolution.dt, min(max(resolution.tolerance * factor, 1e-14), 1.0))
    return Resolution(seconds / max(1, math.ceil(seconds / (resolution.dt * factor))))


def _coarseness(resolution: Resolution) -> float:
    return resolution.dt if resolution.tolerance is None else resolution.tolerance
