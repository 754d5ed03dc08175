"""Deprecated: the baselines in maximal coordinates are in `treadle.studies.baselines`."""

from __future__ import annotations

from treadle.lazy import moved_names

__getattr__ = moved_names(
    __name__,
    {
        "Effort": "treadle.studies.baselines.Effort",
        "Simmc": "treadle.studies.baselines.Simmc",
        "Xpbd": "treadle.studies.baselines.Xpbd",
    },
)
