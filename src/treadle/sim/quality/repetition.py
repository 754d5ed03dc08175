"""One repetition of a run on trial, with a resolution of its own: where every frame was at some instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.dynamics import compiled
from treadle.forces.energy import elastic_energy
from treadle.forces.law import ForceLaw
from treadle.sim.quality.borrowed import Borrowed, borrowed
from treadle.sim.quality.places import Places, distances
from treadle.sim.quality.resolution import Resolution

if TYPE_CHECKING:
    from treadle.model.model import Model
    from treadle.sim.simulation import Simulation
    from treadle.sim.state import State

__all__ = ["Energies", "Repetition", "energies_at", "largest_error", "repeat"]


class Energies(NamedTuple):
    """Kinetic energy, that of gravity and joint springs, and the work of all other forces so far, in J."""

    kinetic: float
    stored: float
    work: float

    @property
    def balance(self) -> float:
        """What an exact run keeps."""
        return self.kinetic + self.stored - self.work


@dataclass(frozen=True)
class Repetition:
    """Points of all frames (m; marks, frames, 4, 3), and energies (J; marks, 3) if they are wanted.

    There are fewer marks than were asked for where the repetition diverged or got stuck.
    """

    positions: np.ndarray
    energies: np.ndarray

    def __len__(self) -> int:
        return len(self.positions)


def repeat(
    sim: Simulation,
    trial: Borrowed,
    start: State,
    resolution: Resolution,
    marks: np.ndarray,
    energies: bool = False,
    change: np.ndarray | None = None,
) -> Repetition:
    """Steps from `start`, seen after `marks` of the run's own steps, until they diverge.

    `change` is added to the velocities at the start.
    """
    # setting even the same step would change the rounding of times
    trial.go_to(start, resolution.dt if resolution.dt != start.dt else None, resolution.tolerance)
    if change is not None:
        trial.v[:] += change
    places, rows = Places(sim.model), []
    seen: list[Energies] = []

    def look() -> None:
        rows.append(places.at(trial.q))
        if energies:
            work = float(sim.run_log.ledger[0, 0]) if before else 0.0
            seen.append(energies_at(sim.model, trial.q, trial.v, work, sim.laws))

    before = 0
    look()
    for mark in marks[1:]:
        whole, half = divmod((mark - before) * resolution.per_step, 1.0)
        if not (trial.try_steps(int(whole)) and (half == 0.0 or trial.try_half_step())):
            break
        before = mark
        look()
    return Repetition(np.array(rows), np.array(seen).reshape(-1, 3))


def largest_error(
    sim: Simulation, start: State, seconds: float, resolution: Resolution, shrink: float
) -> float:
    """Largest error (m) of a frame over a time, from this resolution and the next finer one.

    `shrink` says by how much errors are smaller with the finer one.
    """
    count = max(1, round(seconds / resolution.dt))
    marks = np.unique(np.linspace(0, count, 17).round().astype(int))
    with borrowed(sim) as trial:
        run, finer = (repeat(sim, trial, start, resolution.refined(k), marks) for k in (0, 1))
    if len(run) < len(marks) or len(finer) < len(marks):
        return float("inf")
    gap = float(distances(run.positions, finer.positions).max(initial=0.0))
    return gap * shrink / (shrink - 1.0)


def energies_at(
    model: Model, q: np.ndarray, v: np.ndarray, work: float, laws: Sequence[ForceLaw] = ()
) -> Energies:
    """Energies (J) of a state; springs, force elements and laws that have one store some."""
    springs = float(elastic_energy(model, q.tolist(), laws))  # type: ignore[arg-type]
    return Energies(compiled.kinetic_energy(model, q, v), compiled.potential_energy(model, q) + springs, work)
