"""Zoe: a rover of 198 kg on two axles that turn and roll freely, steered by driving its four wheels.

Dimensions and masses as in the simulations of Seegmiller and Kelly. The axles weigh next to nothing.
"""

from __future__ import annotations

from treadle.model import ModelSpec, box_inertia
from treadle.scenes.rovers.build import add_wheel, start_level
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["zoe"]

#: Between the axles, between the wheels of an axle, from the body down to the axles, wheels (m).
LENGTH, TRACK, DROP, RADIUS, WIDTH = 1.91, 1.64, 0.119, 0.325, 0.07

MASS = 198.0

#: How deep a wheel stands in the ground (m), from which its stiffness follows.
SINKAGE = 0.02

STIFFNESS = MASS * 9.81 / (4.0 * SINKAGE)


def zoe(model: str = "linear", drive: str = "rigid_velocity", speed: float = 0.0) -> ModelSpec:
    """The rover level on the ground at z = 0, at a `speed` (m/s); every wheel has a drive of its name."""
    spec = ModelSpec("zoe", settings={"dt": 0.04})
    body = 0.9 * MASS
    spec.add_body("body", body, center=(0.0, 0.0, 0.25), inertia=box_inertia(body, LENGTH, 1.0, 0.5))
    spec.add_joint("base", "free", None, "body")
    parameters = {"stiffness": STIFFNESS, "damping": STIFFNESS / 20.0}
    if model == "linear":
        parameters |= {"grip": 0.1 * STIFFNESS, "side_grip": 0.1 * STIFFNESS}
    elif model != "pacejka":
        parameters = {"damping": STIFFNESS / 20.0}
    options = {} if drive.startswith("rigid") else {"damping": 500.0}
    for end, x in (("front", 0.5 * LENGTH), ("rear", -0.5 * LENGTH)):
        axle = f"{end}_axle"
        spec.add_body(axle)
        stops = {"lower": -0.6, "upper": 0.6}
        if end == "rear":
            # only the rear axle rolls: the front one carries the body upright
            spec.add_body("rear_pivot")
            spec.add_joint("rear_steering", "revolute", "body", "rear_pivot", position=(x, 0, 0), **stops)
            spec.add_joint("rear_roll", "revolute", "rear_pivot", axle, axis=(1, 0, 0), lower=-0.5, upper=0.5)
        else:
            spec.add_joint("front_steering", "revolute", "body", axle, position=(x, 0, 0), **stops)
        for side, y in (("left", 0.5 * TRACK), ("right", -0.5 * TRACK)):
            name, place = f"{end}_{side}", (0.0, y, -DROP)
            add_wheel(
                spec, name, axle, place, RADIUS, WIDTH, 0.025 * MASS, model, parameters, drive, **options
            )
            add_wheel_looks(spec, f"{name}_wheel", RADIUS, WIDTH, cleats=24)
    _add_looks(spec)
    start_level(spec, RADIUS + DROP - SINKAGE, speed)
    return spec


def _add_looks(spec: ModelSpec) -> None:
    """A box under a large solar panel, a mast, and axles of tubes."""
    white, dark, panel = (0.88, 0.88, 0.86, 1.0), (0.2, 0.2, 0.22, 1.0), (0.08, 0.12, 0.32, 1.0)
    spec.add_shape("hull", "body", "box", (1.5, 0.7, 0.3), position=(0, 0, 0.2), color=white)
    spec.add_shape("panel", "body", "box", (2.1, 1.5, 0.03), position=(0, 0, 0.5), color=panel)
    for k in range(5):
        x = -0.84 + 0.42 * k
        spec.add_shape(
            f"row_{k}", "body", "box", (0.38, 1.44, 0.005), position=(x, 0, 0.518), color=(0.15, 0.22, 0.5, 1)
        )
    add_tube(spec, "mast", "body", (0.8, 0.0, 0.5), (0.8, 0.0, 1.35), 0.03, dark)
    spec.add_shape("cameras", "body", "box", (0.08, 0.35, 0.1), position=(0.82, 0, 1.38), color=dark)
    add_tube(spec, "spine", "body", (0.5 * LENGTH, 0, 0), (-0.5 * LENGTH, 0, 0), 0.04, dark)
    add_tube(spec, "pivot", "rear_pivot", (0, 0, -0.06), (0, 0, 0.06), 0.05, dark)
    for end in ("front", "rear"):
        axle = f"{end}_axle"
        for side, y in (("left", 0.5 * TRACK), ("right", -0.5 * TRACK)):
            inner = 0.9 * y
            add_tube(spec, f"{axle}_{side}_arm", axle, (0, 0, 0), (0, inner, -DROP), 0.03, white)
