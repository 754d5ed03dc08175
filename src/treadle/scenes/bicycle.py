"""The benchmark bicycle: a rider without hands on two thin wheels that roll without slipping.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab, "Linearized dynamics equations for the
balance and steer of a bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007), table 1. There z points
down and y to the right; here z points up and y to the left, which turns the sign of the products of
inertia.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from treadle.model import ModelSpec
from treadle.scenes.bars import BLUE, DARK, GREY, ORANGE, RED
from treadle.scenes.rovers.looks import add_tube

__all__ = ["bicycle"]

#: Wheel base and trail (m), tilt of the steering axis (rad).
_BASE, _TRAIL, _TILT = 1.02, 0.08, pi / 10
#: Radii of the wheels (m).
_REAR, _FRONT = 0.3, 0.35
#: Mass (kg), centre (m) and inertia about it (kg m2) where the bicycle stands upright.
_FRAME = (85.0, (0.3, 0.0, 0.9), ((9.2, 0.0, -2.4), (0.0, 11.0, 0.0), (-2.4, 0.0, 2.8)))
_FORK = (4.0, (0.9, 0.0, 0.7), ((0.05892, 0.0, 0.00756), (0.0, 0.06, 0.0), (0.00756, 0.0, 0.00708)))
#: Mass (kg), inertia about a diameter and about the axle (kg m2).
_REAR_WHEEL, _FRONT_WHEEL = (2.0, 0.0603, 0.12), (3.0, 0.1405, 0.28)
#: Where the steering axis has the front wheel's height (m).
_HEAD = (_BASE + _TRAIL - _FRONT * np.tan(_TILT), 0.0, _FRONT)


def bicycle(speed: float = 5.0, lean: float = 0.02) -> ModelSpec:
    """A bicycle that rolls at a speed (m/s), leaning (rad): it balances itself from 4.3 to 6.0 m/s."""
    spec = ModelSpec("bicycle", settings={"dt": 2e-3, "integrator": "rk4"})
    mass, center, inertia = _FRAME
    spec.add_body("frame", mass, center=center, inertia=inertia)
    spec.add_joint("flight", "free", None, "frame")
    mass, center, inertia = _FORK
    spec.add_body("fork", mass, center=np.subtract(center, _HEAD), inertia=inertia)
    axis = (-sin(_TILT), 0.0, cos(_TILT))
    spec.add_joint("steer", "revolute", "frame", "fork", position=_HEAD, axis=axis)
    for name, parent, place, radius, (mass, across, along) in (
        ("rear", "frame", (0.0, 0.0, _REAR), _REAR, _REAR_WHEEL),
        ("front", "fork", np.subtract((_BASE, 0.0, _FRONT), _HEAD), _FRONT, _FRONT_WHEEL),
    ):
        spec.add_body(f"{name}_wheel", mass, inertia=(across, along, across))
        spec.add_joint(f"{name}_hub", "continuous", parent, f"{name}_wheel", position=place, axis=(0, 1, 0))
        spec.add_joint(f"{name}_contact", "rolling_disc", None, f"{name}_wheel", radius=radius)
        _add_wheel(spec, f"{name}_wheel", radius)
    spec.add_keyframe(
        "initial",
        {"flight": (cos(0.5 * lean), sin(0.5 * lean), 0.0, 0.0, 0.0, 0.0, 0.0)},
        velocities={
            "flight": (0.0, 0.0, 0.0, speed, 0.0, 0.0),
            "rear_hub": speed / _REAR,
            "front_hub": speed / _FRONT,
        },
    )
    _add_looks(spec)
    return spec


def _add_wheel(spec: ModelSpec, body: str, radius: float) -> None:
    """A tyre of short cylinders around, and spokes that show how it turns."""
    quarter = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))
    spec.add_shape(f"{body}_hub", body, "cylinder", (0.03, 0.09), rotation=quarter, color=GREY)
    count = 16
    length = 2.0 * radius * sin(pi / count)
    for k in range(count):
        angle = 2.0 * pi * (k + 0.5) / count
        reach = radius * cos(pi / count) - 0.012
        place = (reach * cos(angle), 0.0, reach * sin(angle))
        turned = ((-sin(angle), 0.0, cos(angle)), (0.0, 1.0, 0.0), (-cos(angle), 0.0, -sin(angle)))
        rotation = np.array(turned).T
        spec.add_shape(
            f"{body}_tyre{k}",
            body,
            "box",
            (length, 0.025, 0.024),
            position=place,
            rotation=rotation,
            color=DARK,
        )
    for k in range(4):
        angle = pi * k / 4
        turned = np.array(((cos(angle), 0.0, -sin(angle)), (0.0, 1.0, 0.0), (sin(angle), 0.0, cos(angle))))
        color = RED if k == 0 else GREY
        spec.add_shape(
            f"{body}_spoke{k}", body, "box", (2.0 * radius - 0.04, 0.006, 0.006), rotation=turned, color=color
        )


def _add_looks(spec: ModelSpec) -> None:
    head, up = np.array(_HEAD), np.array((-sin(_TILT), 0.0, cos(_TILT)))
    rear, crank, saddle = np.array((0.0, 0.0, _REAR)), np.array((0.45, 0.0, 0.28)), np.array((0.3, 0.0, 0.88))
    top, bottom = head + 0.52 * up, head + 0.36 * up
    for number, (start, end) in enumerate(
        ((rear, crank), (rear, saddle), (crank, saddle), (crank, bottom), (saddle, top), (bottom, top))
    ):
        add_tube(spec, f"tube{number}", "frame", start, end, 0.018, BLUE)
    spec.add_shape(
        "saddle", "frame", "box", (0.24, 0.14, 0.05), position=np.add(saddle, (0, 0, 0.02)), color=DARK
    )
    shoulder, hip = np.array((0.42, 0.0, 1.42)), np.add(saddle, (0.02, 0.0, 0.08))
    add_tube(spec, "rider_back", "frame", hip, shoulder, 0.11, ORANGE)
    spec.add_shape(
        "rider_head", "frame", "sphere", (0.11,), position=np.add(shoulder, (0.03, 0, 0.22)), color=ORANGE
    )
    for side in (-1.0, 1.0):
        knee, foot = np.array((0.6, 0.12 * side, 0.72)), np.array((0.48, 0.1 * side, 0.3 - 0.08 * side))
        add_tube(spec, f"thigh{side:+.0f}", "frame", np.add(hip, (0, 0.08 * side, 0)), knee, 0.06, ORANGE)
        add_tube(spec, f"shin{side:+.0f}", "frame", knee, foot, 0.045, ORANGE)
    hub = np.array((_BASE, 0.0, _FRONT)) - head
    grip = 0.62 * up
    add_tube(spec, "steerer", "fork", 0.36 * up, grip, 0.016, GREY)
    for side in (-1.0, 1.0):
        add_tube(
            spec,
            f"blade{side:+.0f}",
            "fork",
            np.add(hub, (0, 0.05 * side, 0)),
            np.add(0.36 * up, (0, 0.03 * side, 0)),
            0.012,
            GREY,
        )
    add_tube(
        spec,
        "handlebar",
        "fork",
        np.add(grip, (0.02, -0.28, 0.0)),
        np.add(grip, (0.02, 0.28, 0.0)),
        0.015,
        DARK,
    )
    spec.add_shape(
        "ground", None, "box", (60.0, 6.0, 0.02), position=(28.0, 0.0, -0.011), color=(0.75, 0.77, 0.75, 1.0)
    )
