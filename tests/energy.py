"""The energy of a machine, for tests."""

import numpy as np

from treadle.dynamics import compiled
from treadle.forces.energy import elastic_energy
from treadle.model.model import Model

__all__ = ["stored_energy"]


def stored_energy(model: Model, q: np.ndarray, v: np.ndarray) -> float:
    """Kinetic energy, that of gravity and that of springs and force elements, in J."""
    springs = float(elastic_energy(model, q.tolist()))
    return compiled.kinetic_energy(model, q, v) + compiled.potential_energy(model, q) + springs
