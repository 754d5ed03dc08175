"""The roadheader cuts rock: its picks load boom and cylinders, the face changes, lumps fall and are gathered.

The head stands before a rock face; sumping in and swinging cuts a slot. Part of the rock comes as lumps,
which the spirals of the head throw back onto the apron; there the star wheels sweep them to the conveyor. The
machine may advance on its tracks.
"""

from __future__ import annotations

from math import pi, radians, tan

import numpy as np

from treadle.errors import InputError
from treadle.formats.load import load_spec
from treadle.model import ModelSpec, rpy
from treadle.scenes.roadheader import FOLDER
from treadle.scenes.roadheader.components.cutting_head import pick_tips
from treadle.scenes.roadheader.dimensions import (
    CONVEYOR_WIDTH,
    DECK_LIP,
    DECK_SLOPE,
    PICKS_PER_SPIRAL,
    SHOVEL_WIDTH,
    SPIRALS,
)
from treadle.scenes.roadheader.kinematics import joint_positions

__all__ = ["FACE", "START", "ordered_tips", "roadheader_cutting"]

#: Where the face is (m ahead of the machine's origin), its width, its height, and where its lower edge is.
FACE, _WIDTH, _HEIGHT, _LOW = 5.36, 4.8, 3.4, 0.05

#: Posture at the start: the boom level, drawn in, swung to the right.
START = {"lift": radians(-16.0), "extend": -0.33, "slew": radians(-7.0)}

#: Half lengths of the lumps (m), ellipsoids, and where they wait: in the rock behind the face.
_SIZES = ((0.145, 0.115, 0.095), (0.125, 0.105, 0.085), (0.165, 0.125, 0.10))
_WAIT = (FACE + 1.2, -1.9, 0.5)

#: Groups of shapes: lumps, the machine, the world. The machine and the world do not touch each other.
_LUMPS, _MACHINE, _WORLD = "lumps", "machine", "tunnel"

_ROCK = (0.42, 0.40, 0.38, 1.0)


def roadheader_cutting(
    lumps: int = 24,
    compressive: float = 40e6,
    tensile: float = 2.5e6,
    law: str = "evans",
    uneven: float = 0.04,
) -> ModelSpec:
    """The machine before a face of rock of these strengths (Pa), with so many lumps at most.

    `law` of the picks' forces: evans, goktan or roxborough-liu; `uneven` (m) is the face.
    """
    if isinstance(lumps, bool) or not isinstance(lumps, int) or not 2 <= lumps <= 60:
        raise InputError(f"there are 2 to 60 lumps, a whole number, not {lumps!r}")
    spec = load_spec(FOLDER / "robot.toml")
    spec.name = "roadheader-cutting"
    spec.settings = {**spec.settings, "dt": 5e-3, "routine": _ROUTINE}
    del spec.settings["scenery"]
    _add_tracks(spec)
    _add_start(spec)
    spec.add_material("rock", friction=0.6)
    spec.add_material("steel", friction=0.35)
    _add_tunnel(spec)
    _add_apron(spec)
    names = [_add_lump(spec, number) for number in range(lumps)]
    spec.settings["processes"] = {
        "rock": {
            "type": "rock_cutting",
            "body": "cutting_head",
            "tips": np.round(ordered_tips(), 6).tolist(),
            "starts": SPIRALS,
            "rock": {"compressive": compressive, "tensile": tensile},
            "pick": {"law": law},
            "face": {
                "position": [FACE, 0.0, _LOW + 0.5 * _HEIGHT],
                "size": [_WIDTH, _HEIGHT],
                "spacing": 0.025,
                "uneven": uneven,
            },
            "lumps": {
                "bodies": names,
                "throw": 3.2,
                "outlet": {
                    "frame": "shovel_plate",
                    "low": [-0.6, -0.75 * CONVEYOR_WIDTH, -1.0],
                    "high": [1.15, 0.75 * CONVEYOR_WIDTH, 1.0],
                },
            },
        }
    }
    return spec


def ordered_tips() -> np.ndarray:
    """The picks' tips from the base of the head to its nose, (picks, 3)."""
    return pick_tips().reshape(SPIRALS, PICKS_PER_SPIRAL, 3).transpose(1, 0, 2).reshape(-1, 3)


def _add_tracks(spec: ModelSpec) -> None:
    """The machine advances along x instead of being fixed to the floor."""
    base = spec.joint("floor")
    base.name, base.type, base.axis = "advance", "prismatic", (1.0, 0.0, 0.0)
    base.lower, base.upper = -2.0, 2.0
    spec.add_actuator("advance", "velocity", "advance", damping=4e6, lower=-0.15, upper=0.15, effort=3e5)


def _add_start(spec: ModelSpec) -> None:
    positions = {name: np.round(x, 15) + 0.0 for name, x in joint_positions(START).items()}
    for keyframe in spec.keyframes:
        if keyframe.name == "initial":
            keyframe.positions = {name: x.tolist() for name, x in positions.items() if x.any()}


def _add_tunnel(spec: ModelSpec) -> None:
    """The floor, the rock and the ribs that lumps roll against, and the rock behind, which is only seen."""
    world = {"role": "collision", "material": "rock", "group": _WORLD, "meets": (_LUMPS,)}
    spec.add_shape("floor", None, "plane", **world)
    wall = (0.3, _WIDTH + 1.2, _HEIGHT + 0.4)
    # behind what the head cuts, so that lumps stay before it
    spec.add_shape("rock", None, "box", wall, position=(FACE + 0.2, 0.0, 0.5 * wall[2]), **world)
    for side, y in (("left", 3.2), ("right", -3.2)):
        spec.add_shape(f"rib_{side}", None, "box", (16.0, 0.4, 1.0), position=(-2.0, y, 0.5), **world)
    mass = (1.6, _WIDTH, _HEIGHT + _LOW)
    spec.add_shape("mass", None, "box", mass, position=(FACE + 1.7, 0.0, 0.5 * mass[2]), color=_ROCK)


def _add_apron(spec: ModelSpec) -> None:
    """What the lumps touch of the shovel plate and of the star wheels."""
    steel = {"role": "collision", "material": "steel", "group": _MACHINE, "meets": (_LUMPS,)}
    root, lip, thick = 0.2, DECK_LIP[0], 0.08
    middle = 0.5 * (root + lip)
    height = DECK_LIP[2] + (lip - middle) * tan(DECK_SLOPE)
    spec.add_shape(
        "deck",
        "shovel_plate",
        "box",
        ((lip - root) / np.cos(DECK_SLOPE), SHOVEL_WIDTH, thick),
        position=(middle, 0.0, height - 0.5 * thick / np.cos(DECK_SLOPE)),
        rotation=rpy(0.0, DECK_SLOPE, 0.0),
        **steel,
    )
    for side, sign in (("left", 1.0), ("right", -1.0)):
        # walls that lead to the conveyor
        spec.add_shape(
            f"wing_{side}",
            "shovel_plate",
            "box",
            (1.2, 0.06, 0.5),
            position=(0.55, sign * 0.95, -0.05),
            rotation=rpy(0.0, 0.0, sign * radians(35.0)),
            **steel,
        )
        for arm in range(5):
            angle = 2.0 * pi * arm / 5
            spec.add_shape(
                f"star_{side}_{arm}",
                f"gathering_arm_{side}",
                "capsule",
                (0.06, 0.5),
                position=(0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.09),
                rotation=rpy(0.0, pi / 2, angle),
                **steel,
            )


def _add_lump(spec: ModelSpec, number: int) -> str:
    name, size = f"lump{number + 1}", _SIZES[number % len(_SIZES)]
    a, b, c = size
    mass = 2500.0 * 4.0 / 3.0 * pi * a * b * c
    inertia = tuple(0.2 * mass * x for x in (b * b + c * c, a * a + c * c, a * a + b * b))
    spec.add_body(name, mass, inertia=inertia)
    row, column = divmod(number, 8)
    wait = (_WAIT[0] + 0.45 * (row // 4), _WAIT[1] + 0.54 * column, _WAIT[2] + 0.6 * (row % 4))
    spec.add_joint(name, "free", None, name, position=wait)
    spec.add_shape(name, name, "ellipsoid", size, color=_ROCK)
    meets = (_LUMPS, _MACHINE, _WORLD)
    skin = {"role": "collision", "material": "rock", "group": _LUMPS, "meets": meets}
    spec.add_shape(f"{name}_skin", name, "ellipsoid", size, **skin)
    return name


#: Run up cutter and star wheels, sump in, swing to the left, raise, swing back, draw out.
_ROUTINE = [
    [1.0, {"cutter": 5.5, "gather_left": 2.5, "gather_right": 2.5}],
    [0.5, {"extend": 0.8}],
    [9.0, {}],
    [0.5, {"extend": 0.0}],
    [0.5, {"slew_left": -0.35, "slew_right": 0.35}],
    [12.0, {}],
    [0.5, {"slew_left": 0.0, "slew_right": 0.0}],
    [0.5, {"lift_left": 0.4, "lift_right": 0.4}],
    [4.0, {}],
    [0.5, {"lift_left": 0.0, "lift_right": 0.0}],
    [0.5, {"slew_left": 0.35, "slew_right": -0.35}],
    [12.0, {}],
    [0.5, {"slew_left": 0.0, "slew_right": 0.0}],
    [0.5, {"extend": -1.0}],
    [10.0, {}],
    [0.5, {"extend": 0.0}],
]
