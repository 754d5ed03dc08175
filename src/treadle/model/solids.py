"""Principal inertias of uniform solids about their centre (kg m2), for `BodySpec.inertia`."""

from __future__ import annotations

__all__ = ["box_inertia", "cylinder_inertia", "sphere_inertia"]


def box_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Of a box with edges x, y, z (m) along the body's axes."""
    return (mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12)


def cylinder_inertia(
    mass: float, radius: float, length: float, axis: str = "z"
) -> tuple[float, float, float]:
    """Of a cylinder with the given radius and length (m) along the body's axis "x", "y" or "z"."""
    across = mass * (3 * radius * radius + length * length) / 12
    values = [across, across, across]
    values["xyz".index(axis)] = mass * radius * radius / 2
    return (values[0], values[1], values[2])


def sphere_inertia(mass: float, radius: float) -> tuple[float, float, float]:
    """Of a ball with the given radius (m)."""
    value = 0.4 * mass * radius * radius
    return (value, value, value)
