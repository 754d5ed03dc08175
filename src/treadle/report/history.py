"""What a run did, sampled on the way for the plots of its report."""

from __future__ import annotations

from typing import Self

import numpy as np

from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.forces.energy import elastic_energy
from treadle.sim import Simulation
from treadle.sim.ledger import floats
from treadle.sim.quality.momentum import momenta
from treadle.sim.quality.step_error import next_step_error

__all__ = ["History"]

#: Samples of a run, and those of them at which the error of a step is measured.
_SAMPLES, _ERRORS = 800, 80


class History:
    """Samples of a simulation over the next `steps` steps, within a `with` block.

    After it, `columns` has an array per quantity with a row per sample: "time" (s), "q", "v", "kinetic",
    "gravity", "springs" and "work" (J), "rounds" of the integrator's solver so far, and for a machine that
    floats "momentum" and "impulse" (6 each: angular about the centre of mass, linear). `errors` are pairs
    of time (s) and error of the next step (m).
    """

    def __init__(self, sim: Simulation, steps: int) -> None:
        self.sim = sim
        self._stride = max(1, -(-steps // _SAMPLES))
        self._every = max(1, -(-steps // (self._stride * _ERRORS)))
        self._since = 0
        self._rows: list[dict[str, np.ndarray | float]] = []
        self.errors: list[tuple[float, float]] = []

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The samples, an array per quantity."""
        return {name: np.array([row[name] for row in self._rows]) for name in self._rows[0]}

    def due(self) -> int:
        """Steps until the next sample."""
        return max(1, self._stride - self._since)

    def advanced(self, count: int) -> None:
        """Sample if it is time to."""
        self._since += count
        if self._since >= self._stride:
            self._sample()

    def rebuilt(self) -> None:
        """Changes of the machine are of no concern here: runs that are reported have none."""

    def __enter__(self) -> Self:
        self._sample()
        self.sim.observers.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.sim.observers.remove(self)
        if self._since:
            self._sample()

    def _sample(self) -> None:
        sim, model = self.sim, self.sim.model
        self._since = 0
        q, v, ledger = sim.q.copy(), sim.v.copy(), sim.run_log.ledger[:, 0].copy()
        row = {
            "time": sim.time,
            "q": q,
            "v": v,
            "kinetic": kinetic_energy(model, q, v),
            "gravity": potential_energy(model, q),
            "springs": float(elastic_energy(model, q.tolist(), sim.laws)),  # type: ignore[arg-type]
            "work": float(ledger[0]),
            "rounds": sim.effort[0],
        }
        if floats(model):
            row |= {"momentum": momenta(model, q, v), "impulse": ledger[1:]}
        if len(self._rows) % self._every == 0:
            self.errors.append((sim.time, next_step_error(sim)))
        self._rows.append(row)
