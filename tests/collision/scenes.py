"""Small scenes for the tests of whole colliders."""

from __future__ import annotations

import numpy as np

import treadle as td


def free_bodies(*shapes, ground=True, name="scene"):
    """A machine of bodies that fly freely, each (type, size); shape i is "s<i>" on the body "b<i>"."""
    spec = td.ModelSpec(name)
    if ground:
        spec.add_shape("ground", None, "plane", role="collision")
    for i, (kind, size) in enumerate(shapes):
        spec.add_body(f"b{i}", mass=1.0, type="sphere", size=(0.1,))
        spec.add_joint(f"j{i}", "free", None, f"b{i}")
        file = "given.stl" if kind == "mesh" else None
        spec.add_shape(f"s{i}", f"b{i}", kind, size, role="collision", file=file)
    return spec.compile()


def at(*places):
    """Positions q of free bodies, each at a place (3) or a quaternion and a place (7)."""
    return np.concatenate([np.asarray(p, float) if len(p) == 7 else [1, 0, 0, 0, *p] for p in places])
