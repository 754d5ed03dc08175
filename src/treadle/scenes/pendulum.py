"""A double pendulum: two uniform rods that swing in the x-z plane."""

from __future__ import annotations

from treadle.model import ModelSpec, cylinder_inertia

__all__ = ["pendulum"]

_RADIUS = 0.02


def pendulum(length: float = 1.0, mass: float = 1.0, damping: float = 0.0) -> ModelSpec:
    """Two rods of the same length (m) and mass (kg) each, hanging at rest; damping in N m s/rad."""
    spec = ModelSpec("pendulum")
    rod = {
        "mass": mass,
        "center": (0.0, 0.0, -length / 2),
        "inertia": cylinder_inertia(mass, _RADIUS, length),
    }
    spec.add_body("upper", **rod)
    spec.add_body("lower", **rod)
    hinge = {"axis": (0.0, 1.0, 0.0), "damping": damping}
    spec.add_joint("shoulder", "revolute", None, "upper", **hinge)
    spec.add_joint("elbow", "revolute", "upper", "lower", position=(0.0, 0.0, -length), **hinge)
    spec.add_frame("tip", "lower", position=(0.0, 0.0, -length))
    return spec
