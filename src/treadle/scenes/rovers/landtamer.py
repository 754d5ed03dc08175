"""LandTamer: an amphibious vehicle on six wheels, which steers by driving its two sides at different speeds.

Dimensions and masses as in the simulations of Seegmiller and Kelly (2013).
"""

from __future__ import annotations

from treadle.model import ModelSpec, box_inertia, cylinder_inertia, rpy
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["landtamer"]

#: Between axles, half of the track, wheel radius and width, height of the hull (m).
AXLES, HALF_TRACK, RADIUS, WIDTH, HULL = 1.0668, 0.81915, 0.4191, 0.254, 0.82804

MASS = 1462.8342

#: How deep a wheel stands in the ground (m), from which its stiffness follows.
SINKAGE = 0.02

STIFFNESS = MASS * 9.81 / (6.0 * SINKAGE)

WHEELS = ("front", "middle", "rear")


def landtamer(
    model: str = "pacejka",
    drive: str = "rigid_velocity",
    speed: float = 0.0,
    position: tuple[float, float] = (0.0, 0.0),
    center: float = 0.0,
) -> ModelSpec:
    """The vehicle level on the ground at z = 0; every wheel has a drive of its name that follows its command.

    It starts at a `speed` (m/s), its wheels rolling; `center` (m) is how far the hull's centre of mass lies
    before its middle.
    """
    spec = ModelSpec("landtamer", settings={"dt": 0.04})
    hull = 0.95 * MASS
    inertia = box_inertia(hull, 2.0 * AXLES, 2.0 * HALF_TRACK, HULL)
    spec.add_body("hull", hull, center=(center, 0.0, 0.5 * HULL), inertia=inertia)
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
    """A boat-shaped hull with an open deck, seats, a roll bar and lugged wheels."""
    green, dark, seat = (0.24, 0.33, 0.20, 1.0), (0.08, 0.08, 0.08, 1.0), (0.25, 0.24, 0.22, 1.0)
    spec.add_shape("keel", "hull", "box", (2.5, 1.24, 0.34), position=(-0.05, 0.0, 0.02), color=green)
    bow = rpy(0.0, -0.62, 0.0)
    spec.add_shape(
        "bow", "hull", "box", (0.75, 1.24, 0.3), position=(1.4, 0.0, 0.17), rotation=bow, color=green
    )
    for side, y in (("left", 0.75), ("right", -0.75)):
        spec.add_shape(f"{side}_deck", "hull", "box", (3.0, 0.36, 0.1), position=(0.0, y, 0.5), color=green)
        spec.add_shape(
            f"{side}_wall", "hull", "box", (2.9, 0.06, 0.5), position=(0.0, 0.6 * y / 0.75, 0.3), color=green
        )
        for place, x in (("front", 0.35), ("rear", -0.45)):
            y_seat = 0.3 if side == "left" else -0.3
            spec.add_shape(
                f"{place}_{side}_seat",
                "hull",
                "box",
                (0.45, 0.45, 0.12),
                position=(x, y_seat, 0.42),
                color=seat,
            )
            spec.add_shape(
                f"{place}_{side}_back",
                "hull",
                "box",
                (0.1, 0.45, 0.45),
                position=(x - 0.24, y_seat, 0.68),
                color=seat,
            )
        for name, x in (("bar", -0.75), ("frame", 0.75)):
            add_tube(spec, f"{side}_{name}", "hull", (x, y * 0.8, 0.5), (x - 0.1, y * 0.72, 1.25), 0.03, dark)
        add_tube(spec, f"{side}_rail", "hull", (-0.85, y * 0.72, 1.25), (0.65, y * 0.72, 1.25), 0.03, dark)
    for name, x in (("rear", -0.85), ("front", 0.65)):
        add_tube(spec, f"{name}_hoop", "hull", (x, 0.54, 1.25), (x, -0.54, 1.25), 0.03, dark)
    spec.add_shape("console", "hull", "box", (0.16, 0.9, 0.3), position=(0.85, 0.0, 0.6), color=dark)
    for wheel in spec.wheels:
        add_wheel_looks(spec, f"{wheel.name}_wheel", RADIUS, WIDTH)
