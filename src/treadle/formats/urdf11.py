"""URDF 1.1 (quaternions, capsules) rewritten as URDF 1.0, which is what yourdfpy reads."""

from __future__ import annotations

from typing import Any

from treadle.formats.urdf_write_shapes import angles, numbers
from treadle.model.values import rotation_matrix

__all__ = ["is_capsule", "to_urdf10"]

_MARK = "is_capsule"


def to_urdf10(root: Any) -> None:
    """Replace quaternions by angles, and capsules by cylinders marked for `is_capsule`."""
    for origin in root.iter("origin"):
        quaternion = origin.attrib.pop("quat_xyzw", None)
        if quaternion is not None:
            x, y, z, w = (float(word) for word in quaternion.split())
            origin.set("rpy", numbers(angles(rotation_matrix((w, x, y, z)))))
    for capsule in root.iter("capsule"):
        capsule.tag = "cylinder"
        capsule.set(_MARK, "yes")


def is_capsule(shape: Any) -> bool:
    """Whether the cylinder of an element <visual> or <collision> was a capsule."""
    return shape.find("geometry")[0].get(_MARK) is not None
