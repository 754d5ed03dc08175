"""A small cart for tests: a body on four wheels, the front ones steered where it is asked for."""

from typing import Any

import treadle as td

MASS, WHEEL_MASS, RADIUS = 40.0, 2.5, 0.2
FRONT, REAR, TRACK = 0.6, 0.4, 0.5
TOTAL = MASS + 4 * WHEEL_MASS

__all__ = ["FRONT", "RADIUS", "REAR", "TOTAL", "TRACK", "WHEEL_INERTIA", "cart"]

WHEEL_INERTIA = 0.5 * WHEEL_MASS * RADIUS**2


def cart(
    drive: str = "rigid_velocity",
    steered: bool = False,
    model: str = "linear",
    parameters: dict[str, float] | None = None,
    height: float = RADIUS,
    speed: float = 0.0,
    center: float = 0.1,
    track: float = TRACK,
    **options: Any,
) -> td.Model:
    """The cart level, its wheels' lowest points at z = height - RADIUS; `options` are those of the drives."""
    spec = td.ModelSpec("cart")
    inertia = td.box_inertia(MASS, 1.0, 0.5, 0.3)
    # the centre of mass lies over the middle of the axles if FRONT = REAR
    spec.add_body("body", MASS, center=(0.0, 0.0, center), inertia=inertia)
    spec.add_joint("base", "free", None, "body")
    for end, x in (("front", FRONT), ("rear", -REAR)):
        for side, y in (("left", 0.5 * track), ("right", -0.5 * track)):
            name, parent, position = f"{end}_{side}", "body", (x, y, 0.0)
            if steered and end == "front":
                spec.add_body(f"{name}_fork")
                spec.add_joint(f"{name}_steering", "revolute", "body", f"{name}_fork", position=position)
                spec.add_actuator(f"{name}_steering", "rigid_position", f"{name}_steering")
                parent, position = f"{name}_fork", (0.0, 0.0, 0.0)
            spec.add_body(name, WHEEL_MASS, inertia=td.cylinder_inertia(WHEEL_MASS, RADIUS, 0.08, axis="y"))
            spec.add_joint(f"{name}_axle", "continuous", parent, name, position=position, axis=(0, 1, 0))
            spec.add_wheel(name, f"{name}_axle", RADIUS, width=0.08, model=model, parameters=parameters or {})
            if drive:
                spec.add_actuator(name, drive, f"{name}_axle", **options)
    rates = {wheel.joint: speed / RADIUS for wheel in spec.wheels}
    spec.add_keyframe(
        "initial",
        {"base": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height)},
        velocities={"base": (0.0, 0.0, 0.0, speed, 0.0, 0.0), **rates},
    )
    return spec.compile()
