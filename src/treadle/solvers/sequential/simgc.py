"""Deprecated: `Simgc` is in `treadle.studies.baselines`."""

from __future__ import annotations

from treadle.lazy import moved_names

__getattr__ = moved_names(__name__, {"Simgc": "treadle.studies.baselines.Simgc"})
