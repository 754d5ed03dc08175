"""Rocky 7: a six-wheeled rover with rocker arms, bogies and a differential, steered at the front wheels.

Geometry after Tarokh and McDermott (2005); masses and contact stiffness as simulated by Seegmiller and
Kelly. Rockers, bogies and steering forks weigh next to nothing: their mass is in the body and in the wheels.
"""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

from treadle.graph import atan2, sqrt
from treadle.model import ModelSpec, box_inertia, cylinder_inertia
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["ackermann", "rocky7"]

#: Body above the reference (m), in front of it, half track, to the steering axis, above the front axle.
K1, K2, K3, K4, K5 = 0.105, 0.12075, 0.20, 0.288, 0.125
#: Rocker to bogie, back and down; bogie to its wheels, fore or aft, and down.
K6X, K6Z, K7, K8 = 0.16 * sin(radians(49.0)), 0.16 * cos(radians(49.0)), 0.069, 0.02
RADIUS, WIDTH = 0.065, 0.08

BODY_MASS, WHEEL_MASS = 11.0, 0.5

#: How deep a wheel stands in the ground (m), from which its stiffness follows.
SINKAGE = 0.02

_Y, _Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_METAL, _DARK, _PANEL = (0.78, 0.77, 0.72, 1.0), (0.20, 0.20, 0.22, 1.0), (0.10, 0.16, 0.38, 1.0)


def rocky7(
    model: str = "linear", drive: str = "rigid_velocity", speed: float = 0.0, position: tuple = (0.0, 0.0)
) -> ModelSpec:
    """The rover level on the ground at z = 0; wheels and steering have drives that follow their commands.

    It starts at a `speed` (m/s), its wheels rolling.
    """
    spec = ModelSpec("rocky7", settings={"dt": 0.04})
    inertia = box_inertia(BODY_MASS, 0.40, 0.26, 0.16)
    spec.add_body("body", BODY_MASS, center=(0.18, 0.0, 0.155), inertia=inertia)
    spec.add_joint("base", "free", None, "body")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _add_side(spec, side, sign, model, drive)
    spec.add_coupling("differential", "right_rocker_pivot", "left_rocker_pivot", (0.0, -1.0))
    height = RADIUS + K8 + K6Z - K1 - SINKAGE
    rates = {wheel.joint: speed / RADIUS for wheel in spec.wheels}
    spec.add_keyframe(
        "initial",
        {"base": (1.0, 0.0, 0.0, 0.0, *position, height)},
        velocities={"base": (0.0, 0.0, 0.0, speed, 0.0, 0.0), **rates},
    )
    _add_looks(spec)
    return spec


def ackermann(speed: Any, curvature: Any) -> list[Any]:
    """Commands of the actuators for a speed (m/s) and a curvature (1/m, to the left), over any scalar."""
    found, length = [], K4 + K6X
    for side in (K3, -K3):
        inner = 1.0 - curvature * side
        front = sqrt(inner * inner + curvature * curvature * (length * length))
        found += [speed * share / RADIUS for share in (front, inner, inner)]
        found.append(atan2(curvature * length, inner))
    return found


def _add_side(spec: ModelSpec, side: str, sign: float, model: str, drive: str) -> None:
    """Rocker, steering fork and bogie of one side with its three wheels."""
    rocker, fork, bogie = f"{side}_rocker", f"{side}_fork", f"{side}_bogie"
    for name in (rocker, fork, bogie):
        spec.add_body(name)
    pivot = (K2, sign * K3, K1)
    spec.add_joint(f"{side}_rocker_pivot", "revolute", "body", rocker, position=pivot, axis=_Y)
    spec.add_joint(f"{side}_steering", "revolute", rocker, fork, position=(K4, 0.0, 0.0), axis=_Z)
    _add_wheel(spec, f"{side}_front", fork, (0.0, 0.0, -K5), model, drive)
    spec.add_joint(f"{side}_bogie_pivot", "revolute", rocker, bogie, position=(-K6X, 0.0, -K6Z), axis=_Y)
    _add_wheel(spec, f"{side}_middle", bogie, (K7, 0.0, -K8), model, drive)
    _add_wheel(spec, f"{side}_rear", bogie, (-K7, 0.0, -K8), model, drive)
    rigid = drive.startswith("rigid")
    options = {} if rigid else {"stiffness": 50.0, "damping": 5.0}
    kind = "rigid_position" if rigid else "position"
    limits = {"lower": -radians(60.0), "upper": radians(60.0)}
    spec.add_actuator(f"{side}_steering", kind, f"{side}_steering", **limits, **options)


def _add_wheel(
    spec: ModelSpec, name: str, parent: str, position: tuple[float, float, float], model: str, drive: str
) -> None:
    inertia = cylinder_inertia(WHEEL_MASS, RADIUS, WIDTH, axis="y")
    spec.add_body(f"{name}_wheel", WHEEL_MASS, inertia=inertia)
    spec.add_joint(f"{name}_axle", "continuous", parent, f"{name}_wheel", position=position, axis=_Y)
    stiffness = (BODY_MASS + 6.0 * WHEEL_MASS) * 9.81 / (6.0 * SINKAGE)
    parameters = {"stiffness": stiffness, "damping": stiffness / 20.0}
    if model in ("ishigami", "ishigami_direct", "bekker"):
        parameters = {"damping": stiffness / 20.0}
    if model == "linear":
        parameters |= {"grip": 0.1 * stiffness, "side_grip": 0.1 * stiffness}
    spec.add_wheel(name, f"{name}_axle", RADIUS, width=WIDTH, model=model, parameters=parameters)
    options = {} if drive.startswith("rigid") else {"damping": 5.0}
    spec.add_actuator(name, drive, f"{name}_axle", **options)


def _add_looks(spec: ModelSpec) -> None:
    """A box body with a solar panel and a mast, tubes for rockers and bogies, cleated wheels."""
    spec.add_shape("chassis", "body", "box", (0.40, 0.26, 0.14), position=(0.18, 0.0, 0.155), color=_METAL)
    spec.add_shape("panel", "body", "box", (0.46, 0.44, 0.012), position=(0.15, 0.0, 0.235), color=_PANEL)
    add_tube(spec, "mast", "body", (0.34, -0.1, 0.2), (0.34, -0.1, 0.48), 0.012, _DARK)
    spec.add_shape("camera", "body", "box", (0.04, 0.12, 0.04), position=(0.35, -0.1, 0.49), color=_DARK)
    spec.add_shape("antenna", "body", "cylinder", (0.05, 0.02), position=(0.05, 0.1, 0.27), color=_METAL)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        rocker, fork, bogie = f"{side}_rocker", f"{side}_fork", f"{side}_bogie"
        inside = -sign * 0.055
        add_tube(
            spec, f"{side}_pivot", rocker, (0.0, inside, 0.0), (0.0, inside - sign * 0.03, 0.0), 0.02, _DARK
        )
        add_tube(spec, f"{side}_arm", rocker, (0.0, inside, 0.0), (K4, inside, 0.0), 0.011, _METAL)
        add_tube(spec, f"{side}_drop", rocker, (0.0, inside, 0.0), (-K6X, inside, -K6Z), 0.011, _METAL)
        add_tube(spec, f"{side}_yoke", fork, (0.0, inside, 0.015), (0.0, inside, -K5), 0.009, _DARK)
        for end in (K7, -K7):
            name = f"{bogie}_{'front' if end > 0.0 else 'rear'}"
            add_tube(spec, name, bogie, (0.0, inside, 0.0), (end, inside, -K8), 0.009, _METAL)
        for place in ("front", "middle", "rear"):
            add_wheel_looks(spec, f"{side}_{place}_wheel", RADIUS, WIDTH, cleats=20, tyre=_DARK, hub=_METAL)
