"""LandTamer: an amphibious six-wheeled vehicle of 1463 kg that steers by driving its two sides at different speeds."""

from __future__ import annotations

from treadle.model import ModelSpec, box_inertia, cylinder_inertia

__all__ = ["landtamer"]

#: Between axles, half of the track, wheel radius and width, height of the hull (m).
AXLES, HALF_TRACK, RADIUS, WIDTH, HULL = 1.0668, 0.81915, 0.4191, 0.254, 0.82804

MASS = 1462.8342

#: How deep a wheel stands in the ground (m), from which its stiffness follows.
SINKAGE = 0.02

STIFFNESS = MASS * 9.81 / (6.0 * SINKAGE)

WHEELS = ("front", "middle", "rear")


def landtamer(
    model: str = "pacejka", drive: str = "rigid_velocity", speed: float = 0.0, position: tuple = (0.0, 0.0)
) -> ModelSpec:
    """The vehicle level on the ground at z = 0, with a wheel-ground model and drives that follow their commands.

    It starts at a `speed` (m/s), its wheels rolling.
    """
    spec = ModelSpec("landtamer", settings={"dt": 0.04})
    hull = 0.95 * MASS
    inertia = box_inertia(hull, 2.0 * AXLES, 2.0 * HALF_TRACK, HULL)
    spec.add_body("hull", hull, center=(0.0, 0.0, 0.5 * HULL), inertia=inertia)
    spec.add_joint("base", "free", None, "hull")
    for place, x in zip(WHEELS, (AXLES, 0.0, -AXLES), strict=True):
        for side, y in (("left", HALF_TRACK), ("right", -HALF_TRACK)):
            _add_wheel(spec, f"{place}_{side}", (x, y, 0.0), model, drive)
    rates = {wheel.joint: speed / RADIUS for wheel in spec.wheels}
    spec.add_keyframe(
        "initial",
        {"base": (1.0, 0.0, 0.0, 0.0, *position, RADIUS - SINKAGE)},
        velocities={"base": (0.0, 0.0, 0.0, speed, 0.0, 0.0), **rates},
    )
    _add_looks(spec)
    return spec


def _add_wheel(
    spec: ModelSpec, name: str, position: tuple[float, float, float], model: str, drive: str
) -> None:
    mass = 0.05 * MASS / 6.0
    spec.add_body(f"{name}_wheel", mass, inertia=cylinder_inertia(mass, RADIUS, WIDTH, axis="y"))
    spec.add_joint(f"{name}_axle", "continuous", "hull", f"{name}_wheel", position=position, axis=(0, 1, 0))
    parameters = {"stiffness": STIFFNESS, "damping": STIFFNESS / 20.0}
    if model == "linear":
        parameters |= {"grip": 0.1 * STIFFNESS, "side_grip": 0.1 * STIFFNESS}
    spec.add_wheel(name, f"{name}_axle", RADIUS, width=WIDTH, model=model, parameters=parameters)
    options = {} if drive.startswith("rigid") else {"damping": 2000.0}
    spec.add_actuator(name, drive, f"{name}_axle", **options)


def _add_looks(spec: ModelSpec) -> None:
    """Visual shapes: hull, deck, roll bar and treaded wheels."""
    green, dark = (0.24, 0.33, 0.20, 1.0), (0.08, 0.08, 0.08, 1.0)
    spec.add_shape("hull", "hull", "box", (3.0, 1.3, 0.55), position=(0.0, 0.0, 0.18), color=green)
    spec.add_shape("deck", "hull", "box", (1.2, 1.4, 0.5), position=(-0.9, 0.0, 0.68), color=green)
    spec.add_shape("windshield", "hull", "box", (0.05, 1.3, 0.45), position=(0.5, 0.0, 0.72), color=dark)
