"""Machines in maximal coordinates: every body has six freedoms, and joints are constraints between bodies.

These are the methods of game engines and of computer graphics, here as baselines that Treadle's own
generalized coordinates are compared with: `Simmc` (sequential impulses) and `Xpbd` (extended
position-based dynamics). Importing this package imports Numba.
"""

from __future__ import annotations

from treadle.solvers.maximal.simmc import Simmc
from treadle.solvers.maximal.simulation import Effort
from treadle.solvers.maximal.xpbd import Xpbd

__all__ = ["Effort", "Simmc", "Xpbd"]
