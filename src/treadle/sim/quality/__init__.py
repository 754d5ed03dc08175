"""How far a run can be trusted: measures of it, and a verdict in words.

A measure is a function of the run that returns a `Measure`, several, or None where it does not apply. A
new one is its file and a line in MEASURES.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.errors import InputError
from treadle.sim.quality import (
    contact,
    energy,
    error_bar,
    forces,
    largest_step,
    loops,
    momentum,
    solver,
    speed,
    step_error,
)
from treadle.sim.quality.measure import Measure, Quality, Rating
from treadle.sim.quality.rerun import Rerun
from treadle.sim.quality.run import Run
from treadle.sim.quality.size import machine_size
from treadle.sim.quality.verdict import verdict

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["MEASURES", "Measure", "Quality", "Rating", "Run", "machine_size", "measure"]

#: Every measure, in the order of the table.
MEASURES: list[Callable[[Run], Measure | Iterable[Measure] | None]] = [
    speed.time,
    energy.energy,
    energy.work,
    energy.energy_drift,
    energy.kinetic_energy,
    momentum.linear_momentum,
    momentum.angular_momentum,
    step_error.step_error,
    error_bar.error_bar,
    error_bar.frame_error_bars,
    error_bar.largest_error,
    error_bar.trusted_time,
    largest_step.largest_step,
    forces.force_step,
    solver.solver_rounds,
    solver.solver_residual,
    loops.loop_residual,
    loops.singular_positions,
    contact.rigid_overlap,
    contact.friction_creep,
    contact.contact_effort,
    speed.real_time_factor,
]


def measure(sim: Simulation, thorough: bool = False, keep: float | None = None) -> Quality:
    """Measure the run from where its state was last set to now."""
    run = Run(sim, thorough, _check_keep(keep))
    found: list[Measure] = []
    for function in MEASURES:
        result = function(run)
        if result is not None:
            found += [result] if isinstance(result, Measure) else list(result)
    rating, text = verdict(run, found)
    return Quality(tuple(found), rating, text, _error_growth(run))


def _error_growth(run: Run) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    again = run.rerun
    if not isinstance(again, Rerun):
        return None
    return tuple(again.times.tolist()), tuple(again.errors.max(axis=1, initial=0.0).tolist())


def _check_keep(keep: Any) -> float | None:
    if keep is None:
        return None
    try:
        value = float(keep)
    except (TypeError, ValueError):
        value = float("nan")
    if not (np.isfinite(value) and value > 0.0):
        raise InputError(f"quality: keep must be a positive number of metres, not {keep!r}")
    return value
