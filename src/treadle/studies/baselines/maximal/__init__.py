"""Maximal coordinates: every body has six degrees of freedom, and joints are constraints between bodies.

These are the methods of game engines and of computer graphics: `Simmc` (sequential impulses) and `Xpbd`
(extended position-based dynamics). Importing this package imports Numba.
"""

from __future__ import annotations

from treadle.studies.baselines.maximal.simmc import Simmc
from treadle.studies.baselines.maximal.xpbd import Xpbd

__all__ = ["Simmc", "Xpbd"]
