"""Published methods that Treadle's own solvers are compared with, on the same machines.

`Simgc` has sequential impulses in generalized coordinates, as published with `way=IN_TURN`; `Simmc`
(sequential impulses) and `Xpbd` (extended position-based dynamics) have maximal ones. Using one of them
imports Numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.lazy import lazy_names

if TYPE_CHECKING:
    from treadle.studies.baselines.effort import Effort
    from treadle.studies.baselines.maximal import Simmc, Xpbd
    from treadle.studies.baselines.point_contact import PointContact
    from treadle.studies.baselines.simgc import Simgc

__all__ = ["Effort", "PointContact", "Simgc", "Simmc", "Xpbd"]

__getattr__ = lazy_names(
    __name__,
    {
        "treadle.studies.baselines.effort": ("Effort",),
        "treadle.studies.baselines.maximal": ("Simmc", "Xpbd"),
        "treadle.studies.baselines.point_contact": ("PointContact",),
        "treadle.studies.baselines.simgc": ("Simgc",),
    },
)
