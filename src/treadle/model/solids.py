"""Principal inertias of uniform solids about their centre (kg m2), for `BodySpec.inertia`."""

from __future__ import annotations

from collections.abc import Callable

from treadle.errors import InputError
from treadle.model.values import real_numbers

__all__ = [
    "SOLIDS", "box_inertia", "capsule_inertia", "cylinder_inertia", "ellipsoid_inertia", "sphere_inertia",
]  # fmt: skip


def box_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Inertia of a box with edges x, y, z (m) along the body's axes."""
    real_numbers("box_inertia", mass=mass, x=x, y=y, z=z)
    return (mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12)


def cylinder_inertia(
    mass: float, radius: float, length: float, axis: str = "z"
) -> tuple[float, float, float]:
    """Inertia of a cylinder with the given radius and length (m) along the body's axis "x", "y" or "z"."""
    real_numbers("cylinder_inertia", mass=mass, radius=radius, length=length)
    if axis not in ("x", "y", "z"):
        raise InputError(f"cylinder_inertia: axis must be 'x', 'y' or 'z', not {axis!r}")
    across = mass * (3 * radius * radius + length * length) / 12
    values = [across, across, across]
    values["xyz".index(axis)] = mass * radius * radius / 2
    return (values[0], values[1], values[2])


def sphere_inertia(mass: float, radius: float) -> tuple[float, float, float]:
    """Inertia of a ball with the given radius (m)."""
    real_numbers("sphere_inertia", mass=mass, radius=radius)
    value = 0.4 * mass * radius * radius
    return (value, value, value)


def capsule_inertia(mass: float, radius: float, length: float) -> tuple[float, float, float]:
    """Of a cylinder of the given radius and length (m) along z between two half balls."""
    if mass == 0.0 or radius == 0.0:
        return (mass * length * length / 12, mass * length * length / 12, 0.0)
    share = length / (length + 4 / 3 * radius)
    tube, ball = mass * share, mass * (1.0 - share)
    along = tube * radius * radius / 2 + 0.4 * ball * radius * radius
    across = tube * (3 * radius * radius + length * length) / 12
    # the half balls' centres of mass lie 3/8 radius beyond the ends of the cylinder
    across += ball * (0.4 * radius * radius + length * length / 4 + 3 / 8 * length * radius)
    return (across, across, along)


def ellipsoid_inertia(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Of an ellipsoid with half axes x, y, z (m) along the body's axes."""
    return (mass * (y * y + z * z) / 5, mass * (x * x + z * z) / 5, mass * (x * x + y * y) / 5)


#: Inertia of a solid by the name of its shape, from its mass and size (see `parts.SHAPE_TYPES`).
SOLIDS: dict[str, Callable[..., tuple[float, float, float]]] = {
    "box": box_inertia,
    "sphere": sphere_inertia,
    "cylinder": cylinder_inertia,
    "capsule": capsule_inertia,
    "ellipsoid": ellipsoid_inertia,
}
