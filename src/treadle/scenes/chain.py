"""A hanging chain of equal links that swings in the x-z plane, for tests of size and of conservation."""

from __future__ import annotations

from treadle.errors import InputError
from treadle.model import ModelSpec, cylinder_inertia

__all__ = ["chain"]

_LENGTH, _RADIUS, _MASS = 0.1, 0.01, 0.1


def chain(links: int = 10, damping: float = 0.0) -> ModelSpec:
    """Cylinders of 0.1 m and 0.1 kg on revolute joints about y; damping in N m s/rad."""
    if not isinstance(links, int) or isinstance(links, bool) or links < 1:
        raise InputError(f"a chain needs a whole number of links, at least 1, not {links!r}")
    spec = ModelSpec(f"chain of {links}")
    for index in range(1, links + 1):
        parent = f"link{index - 1}" if index > 1 else None
        spec.add_body(
            f"link{index}",
            mass=_MASS,
            center=(0.0, 0.0, -_LENGTH / 2),
            inertia=cylinder_inertia(_MASS, _RADIUS, _LENGTH),
        )
        spec.add_joint(
            f"joint{index}",
            "revolute",
            parent,
            f"link{index}",
            position=(0.0, 0.0, -_LENGTH if parent else 0.0),
            axis=(0.0, 1.0, 0.0),
            damping=damping,
        )
    spec.add_frame("tip", f"link{links}", position=(0.0, 0.0, -_LENGTH))
    return spec
