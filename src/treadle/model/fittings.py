"""Deprecated: the attachments of a model are in `treadle.model`."""

from __future__ import annotations

from treadle.lazy import moved_names

_NAMES = "Actuator", "Contact", "Coupling", "Keyframe", "Loop", "Material", "Settings", "Shape", "Wheel"

__getattr__ = moved_names(__name__, {name: f"treadle.model.{name}" for name in _NAMES})
