"""What machines on wheels are built of: wheels with drives, and a start on level ground."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.model import ModelSpec, cylinder_inertia

__all__ = ["add_wheel", "start_level"]


def add_wheel(
    spec: ModelSpec,
    name: str,
    parent: str,
    position: tuple[float, float, float],
    radius: float,
    width: float,
    mass: float,
    model: str = "linear",
    parameters: Mapping[str, float] | None = None,
    drive: str | None = None,
    **options: Any,
) -> None:
    """A wheel with its axle along y: body NAME_wheel, joint NAME_axle and, if it is driven, actuator NAME."""
    body, axle = f"{name}_wheel", f"{name}_axle"
    spec.add_body(body, mass, inertia=cylinder_inertia(mass, radius, width, axis="y"))
    spec.add_joint(axle, "continuous", parent, body, position=position, axis=(0.0, 1.0, 0.0))
    spec.add_wheel(name, axle, radius, width=width, model=model, parameters=dict(parameters or {}))
    if drive is not None:
        spec.add_actuator(name, drive, axle, **options)


def start_level(spec: ModelSpec, height: float, speed: float = 0.0) -> None:
    """Begin with the base level at a height (m), rolling forward at a speed (m/s)."""
    rates = {wheel.joint: speed / wheel.radius for wheel in spec.wheels}
    spec.add_keyframe(
        "initial",
        {"base": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height)},
        velocities={"base": (0.0, 0.0, 0.0, speed, 0.0, 0.0), **rates},
    )
