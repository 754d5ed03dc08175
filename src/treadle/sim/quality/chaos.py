"""Whether neighbouring runs part exponentially, which is what chaos means.

The run is repeated from a start whose velocities are a little different, with the same steps. Of the distance
d(t) between the two the logarithm is fitted, from where it can be told from rounding to where it is no
longer small: by a + b t for d ~ e^(b t), and by a + n log t for d ~ t^n, as where phases drift apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treadle.sim.quality.borrowed import borrowed
from treadle.sim.quality.places import distances
from treadle.sim.quality.repetition import repeat
from treadle.sim.quality.resolution import Resolution

if TYPE_CHECKING:
    from treadle.sim.quality.run import Run

__all__ = ["fitted_rate", "parting_rate"]

#: Change of the velocities, of the largest, at the start; with contact, whose places have a tolerance.
_NUDGE, _NUDGE_CONTACT = 1e-9, 1e-7

#: Distances, of the machine's size, that are no longer small, and those that may be rounding.
_SMALL, _ROUNDING = 1e-2, 1e-13

#: Instants at which the two are compared, and as many of them as the fit needs.
_SAMPLES, _ENOUGH = 64, 16

#: By how much the distance has to grow in the second half of the fit, as a logarithm: a power of the time
#: below 4 grows by less.
_GROWTH = float(np.log(20.0))


def parting_rate(run: Run) -> float | None:
    """Rate (1/s) at which neighbouring runs part exponentially; None where they do not.

    A machine with one degree of freedom and forces that do not depend on the time has a plane of states, in
    which no two motions can cross: it has no chaos, whatever its steps do.
    """
    if _autonomous(run) and _mobility(run) <= 1:
        return None
    count = run.steps
    while True:
        marks = np.unique(np.linspace(0, count, min(count, _SAMPLES) + 1).round().astype(int))
        distance = _distances(run, marks) / run.size
        small = _small(distance)
        if small >= min(_ENOUGH, len(marks)) or count <= _SAMPLES or small < 2:
            break
        # it was over soon: look there more closely
        count = int(marks[small])
    return fitted_rate(marks[:small] * run.start.dt, distance[:small])


def fitted_rate(times: np.ndarray, distance: np.ndarray) -> float | None:
    """The rate b where d ~ e^(b t) fits better than any power of t, and over a large growth; else None."""
    seen = (distance > _ROUNDING) & (times > 0.0)
    t, y = times[seen], np.log(distance[seen])
    if len(t) < _ENOUGH // 2:
        return None
    exponential, power = (np.polyfit(x, y, 1, full=True) for x in (t, np.log(t)))
    half = t >= 0.5 * (t[0] + t[-1])
    rate = float(np.polyfit(t[half], y[half], 1)[0]) if half.sum() > 2 else 0.0
    grown = rate * float(t[-1] - t[half][0])
    better = float(exponential[1].sum()) < float(power[1].sum())
    return float(exponential[0][0]) if better and grown > _GROWTH else None


def _distances(run: Run, marks: np.ndarray) -> np.ndarray:
    """Largest distance (m; marks) of a frame from where it is in the neighbouring run."""
    sim = run.sim
    resolution = Resolution.of(sim, run.start.dt)
    nudge = _NUDGE_CONTACT if sim.contact else _NUDGE
    speed = max(float(np.abs(run.now.v).max(initial=0.0)), float(np.abs(run.start.v).max(initial=0.0)), 1e-3)
    change = np.random.default_rng(0).uniform(-1.0, 1.0, sim.model.nv) * nudge * speed
    with borrowed(sim) as trial:
        own = repeat(sim, trial, run.start, resolution, marks)
        near = repeat(sim, trial, run.start, resolution, marks, change=change)
    length = min(len(own), len(near))
    return distances(own.positions[:length], near.positions[:length]).max(axis=1, initial=0.0)


def _small(distance: np.ndarray) -> int:
    """How many of the distances come before the first that is no longer small."""
    large = np.flatnonzero(distance > _SMALL)
    return int(large[0]) if large.size else len(distance)


def _autonomous(run: Run) -> bool:
    """Whether forces depend on positions and velocities alone."""
    sim = run.sim
    return not (sim.laws or len(sim.controllers) or sim.motions or len(run.start.drives))


def _mobility(run: Run) -> int:
    """Degrees of freedom that loops and locks leave, at the start or now."""
    model, locked = run.model, run.now.locked > 0.0 if len(run.now.locked) else np.zeros(run.model.nv, bool)
    if not model.closed:
        return model.nv - int(locked.sum())
    from treadle.solvers.assembly import mobility_at

    return min(mobility_at(model, state.q, locked) for state in (run.start, run.now))
