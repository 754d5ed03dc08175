"""A four-wheeled buggy with springs and dampers at every wheel, driven at the rear and steered at the front.

Wheelbase, tracks, weights, wheel rates and travel are usual ones of the SAE Baja class; each wheel goes up
and down on a straight line, as if its arms were long.
"""

from __future__ import annotations

from itertools import pairwise
from math import radians, sqrt

from treadle.model import ModelSpec, box_inertia
from treadle.scenes.rovers.build import add_wheel, start_level
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["minibaja"]

WHEELBASE, FRONT_TRACK, REAR_TRACK = 1.778, 1.397, 1.270
RADIUS, WIDTH = 0.292, 0.203

#: With a driver (kg); share of the front axle; height of the centre of mass (m).
MASS, FRONT_SHARE, HEIGHT = 267.0, 142.0 / 267.0, 0.635

#: Of each wheel and of its upright (kg).
WHEEL_MASS, UPRIGHT_MASS = 9.0, 4.0

#: Wheel rates (N/m) and travel up and down (m), front and rear.
RATES, UP, DOWN = (4800.0, 7600.0), (0.152, 0.178), (0.102, 0.127)

DAMPING_RATIO = 0.35

TYRE = {"stiffness": 9e4, "damping": 1.5e3}


def minibaja(model: str = "pacejka", speed: float = 0.0) -> ModelSpec:
    """The buggy at a `speed` (m/s); rear wheels hold their rate up to 180 N m, front ones their steering."""
    spec = ModelSpec("minibaja", settings={"dt": 0.01})
    sprung = MASS - 4.0 * (WHEEL_MASS + UPRIGHT_MASS)
    # the origin is at the level of the axles, over the middle of the wheelbase
    middle = WHEELBASE * (FRONT_SHARE - 0.5) * MASS / sprung
    spec.add_body(
        "frame",
        sprung,
        center=(middle, 0.0, (HEIGHT - RADIUS) * MASS / sprung),
        inertia=box_inertia(sprung, 1.9, 0.8, 0.9),
    )
    spec.add_joint("base", "free", None, "frame")
    for end, place in (("front", 0), ("rear", 1)):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            _add_corner(spec, f"{end}_{side}", place, sign, model)
    _add_looks(spec)
    start_level(spec, RADIUS - MASS * 9.81 / 4.0 / TYRE["stiffness"], speed)
    return spec


def _add_corner(spec: ModelSpec, name: str, place: int, sign: float, model: str) -> None:
    """Upright on a spring and damper, the steering in front, and the wheel."""
    share = FRONT_SHARE if place == 0 else 1.0 - FRONT_SHARE
    load = (0.5 * MASS * share - WHEEL_MASS - UPRIGHT_MASS) * 9.81
    rate = RATES[place]
    x = (0.5 - place) * WHEELBASE
    y = 0.5 * sign * (FRONT_TRACK, REAR_TRACK)[place]
    upright = f"{name}_upright"
    mass = UPRIGHT_MASS if place else 0.5 * UPRIGHT_MASS
    spec.add_body(upright, mass, inertia=box_inertia(mass, 0.1, 0.1, 0.25))
    spec.add_joint(
        f"{name}_suspension",
        "prismatic",
        "frame",
        upright,
        position=(x, y, 0.0),
        axis=(0, 0, 1),
        stiffness=rate,
        # at zero the spring carries its load
        reference=-load / rate,
        damping=2.0 * DAMPING_RATIO * sqrt(rate * load / 9.81),
        lower=-DOWN[place],
        upper=UP[place],
        limit_stiffness=2e5,
        limit_damping=2e3,
    )
    options = {} if model not in ("linear", "pacejka", "viscous") else TYRE
    holder = upright
    if place == 0:
        holder = f"{name}_knuckle"
        spec.add_body(holder, 0.5 * UPRIGHT_MASS, inertia=box_inertia(0.5 * UPRIGHT_MASS, 0.1, 0.1, 0.2))
        spec.add_joint(f"{name}_steering", "revolute", upright, holder)
        limits = {"lower": -radians(35.0), "upper": radians(35.0)}
        spec.add_actuator(f"{name}_steering", "rigid_position", f"{name}_steering", **limits)
    drive = {} if place == 0 else {"drive": "rigid_velocity", "effort": 180.0}
    add_wheel(spec, name, holder, (0.0, 0.0, 0.0), RADIUS, WIDTH, WHEEL_MASS, model, options, **drive)
    add_wheel_looks(spec, f"{name}_wheel", RADIUS, WIDTH, cleats=20)
    steel = (0.55, 0.56, 0.58, 1.0)
    inner = y - 0.75 * sign * abs(y)
    add_tube(spec, f"{name}_arm", upright, (0.0, -0.08 * sign, 0.0), (0.0, inner - y, 0.04), 0.018, steel)
    add_tube(
        spec,
        f"{name}_strut",
        upright,
        (0.0, -0.12 * sign, 0.05),
        (0.0, 0.6 * (inner - y), 0.42),
        0.028,
        (0.8, 0.7, 0.1, 1),
    )
    if place == 0:
        add_tube(
            spec, f"{name}_kingpin", holder, (0, -0.06 * sign, -0.1), (0, -0.06 * sign, 0.1), 0.02, steel
        )


def _add_looks(spec: ModelSpec) -> None:
    """A cage of tubes, floor, nose, seat and engine."""
    red, dark, grey = (0.75, 0.12, 0.10, 1.0), (0.12, 0.12, 0.13, 1.0), (0.5, 0.5, 0.52, 1.0)
    spec.add_shape("floor", "frame", "box", (1.7, 0.55, 0.06), position=(0.0, 0.0, 0.03), color=dark)
    spec.add_shape("nose", "frame", "box", (0.35, 0.45, 0.32), position=(0.85, 0.0, 0.22), color=red)
    spec.add_shape("seat", "frame", "box", (0.4, 0.45, 0.12), position=(-0.1, 0.0, 0.16), color=dark)
    spec.add_shape("back", "frame", "box", (0.12, 0.45, 0.55), position=(-0.32, 0.0, 0.45), color=dark)
    spec.add_shape("engine", "frame", "box", (0.4, 0.4, 0.38), position=(-0.72, 0.0, 0.25), color=grey)
    for side, y in (("left", 0.36), ("right", -0.36)):
        corners = [
            (0.75, y, 0.1),
            (0.6, y, 0.5),
            (0.25, 0.8 * y, 1.15),
            (-0.4, 0.8 * y, 1.2),
            (-0.95, 0.8 * y, 0.45),
            (-0.95, y, 0.1),
            (0.75, y, 0.1),
        ]
        for k, (start, end) in enumerate(pairwise(corners)):
            add_tube(spec, f"{side}_tube_{k}", "frame", start, end, 0.02, red)
        add_tube(spec, f"{side}_hoop", "frame", (-0.4, y, 0.1), (-0.4, 0.8 * y, 1.2), 0.02, red)
        add_tube(spec, f"{side}_rail", "frame", (0.6, y, 0.5), (-0.4, y, 0.55), 0.02, red)
    for name, x, y, z in (("front", 0.25, 0.288, 1.15), ("rear", -0.4, 0.288, 1.2), ("dash", 0.6, 0.36, 0.5)):
        add_tube(spec, f"{name}_bar", "frame", (x, y, z), (x, -y, z), 0.02, red)
