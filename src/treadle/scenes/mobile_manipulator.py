"""A rover that pushes a crate, takes the block from its top with an arm, and carries it home on its deck.

Wheels by their wheel-ground model, rigid contact of bumper, crate, block and jaws, servos, and a coupling
between the jaws act in one step. Nothing but friction holds the block.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin
from typing import Any

from treadle.model import ModelSpec, box_inertia, cylinder_inertia, rpy
from treadle.scenes.bars import BLUE, DARK, GREY, ORANGE, RED, STEEL
from treadle.scenes.rovers.build import add_wheel, start_level
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["mobile_manipulator"]

#: Wheels: radius, width, half of the wheelbase and of the track; how deep they stand in the ground (m).
RADIUS, WIDTH, HALF_BASE, HALF_TRACK, SINKAGE = 0.1, 0.06, 0.2, 0.24, 1e-3
#: Mass of the chassis without wheels and arm (kg).
MASS = 30.0
#: Contact of a rubber wheel on a hard floor.
CONTACT = {"stiffness": 1e5, "damping": 2e3, "grip": 8e3, "side_grip": 8e3}
#: Front of the bumper, and top of the deck, in the chassis' frame between the axles (m).
FRONT, DECK = 0.345, 0.2
#: Sides of the crate and of the block on it (m), their masses (kg); gap from bumper to crate at the start.
CRATE, BLOCK = 0.24, (0.05, 0.05, 0.08)
CRATE_MASS, BLOCK_MASS = 4.0, 0.3
GAP = 0.2
#: Shoulder in the chassis' frame; lengths of upper arm, forearm, and from the wrist to the pads' middle (m).
_SHOULDER, _UPPER, _FOREARM, _HAND = (0.12, 0.0, 0.24), 0.30, 0.28, 0.14
#: Half of the width between the open pads, and how far each one closes at most (m).
_OPEN, _TRAVEL = 0.045, 0.03
_PAD = (0.04, 0.012, 0.03)

_WHEELS = {
    "front_left": (HALF_BASE, HALF_TRACK),
    "front_right": (HALF_BASE, -HALF_TRACK),
    "rear_left": (-HALF_BASE, HALF_TRACK),
    "rear_right": (-HALF_BASE, -HALF_TRACK),
}


def mobile_manipulator() -> ModelSpec:
    """A rover of 38 kg with an arm of four joints; before it a crate of 4 kg with a block of 0.3 kg on it."""
    spec = ModelSpec("mobile-manipulator", settings={"dt": 2e-3, "routine": _routine()})
    spec.add_material("rubber", friction=0.9)
    spec.add_material("wood", friction=0.5)
    spec.add_material("terrain", friction=0.5)
    _add_rover(spec)
    _add_arm(spec)
    _add_jaws(spec)
    _add_cargo(spec)
    start_level(spec, RADIUS - SINKAGE)
    return spec


def _add_rover(spec: ModelSpec) -> None:
    """The chassis on four driven wheels, with a bumper and a deck that touch."""
    inertia = box_inertia(MASS, 0.6, 0.4, 0.2)
    spec.add_body("chassis", MASS, center=(-0.04, 0.0, 0.06), inertia=inertia)
    spec.add_joint("base", "free", None, "chassis")
    drive = {"drive": "rigid_velocity", "effort": 8.0}
    for name, (x, y) in _WHEELS.items():
        add_wheel(spec, name, "chassis", (x, y, 0.0), RADIUS, WIDTH, 1.0, "linear", CONTACT, **drive)
        add_wheel_looks(spec, f"{name}_wheel", RADIUS, WIDTH)
    _add_touching(spec, "bumper", "chassis", (0.03, 0.42, 0.1), (FRONT - 0.015, 0, 0.03), "rubber", RED)
    _add_touching(spec, "deck", "chassis", (0.3, 0.3, 0.01), (-0.14, 0, DECK - 0.005), "rubber", DARK)
    at: dict[str, Any] = {"color": (0.85, 0.85, 0.83, 1.0)}
    spec.add_shape("hull", "chassis", "box", (0.58, 0.36, 0.13), position=(0, 0, 0.06), **at)
    spec.add_shape("lid", "chassis", "box", (0.5, 0.32, 0.07), position=(-0.04, 0, 0.16), **at)
    spec.add_shape("nose", "chassis", "box", (0.05, 0.2, 0.06), position=(0.3, 0, 0.03), color=GREY)
    for side, y in (("left", 0.16), ("right", -0.16)):
        for end, x in (("front", 0.22), ("rear", -0.22)):
            axle = ((x / 1.1, y, 0.0), (x / 1.1, 1.35 * y, 0.0))
            add_tube(spec, f"{end}_{side}_hub", "chassis", *axle, 0.02, GREY)
        rail = ((-0.29, y, DECK + 0.04), (0.0, y, DECK + 0.04))
        add_tube(spec, f"{side}_rail", "chassis", *rail, 0.006, STEEL)
        for k, (x, _, z) in enumerate(rail):
            add_tube(spec, f"{side}_post{k}", "chassis", (x, y, DECK - 0.02), (x, y, z), 0.006, STEEL)


def _add_arm(spec: ModelSpec) -> None:
    """Turret, upper arm, forearm and hand; every joint is at zero in the pose `_HOME`."""
    spec.add_body("turret", 1.5, inertia=cylinder_inertia(1.5, 0.05, 0.08, axis="z"))
    spec.add_joint("turret", "revolute", "chassis", "turret", position=_SHOULDER, lower=-0.1, upper=3.3)
    upper, forearm, hand = _elevations(_HOME)
    links = (
        ("upper_arm", "shoulder", "turret", 0.0, upper, _UPPER, 1.0),
        ("forearm", "elbow", "upper_arm", _UPPER, forearm - upper, _FOREARM, 0.8),
        ("hand", "wrist", "forearm", _FOREARM, hand - forearm, 0.08, 0.5),
    )
    for body, joint, parent, along, angle, length, mass in links:
        inertia = box_inertia(mass, length, 0.05, 0.05)
        spec.add_body(body, mass, center=(0.5 * length, 0.0, 0.0), inertia=inertia)
        place = {"position": (along, 0.0, 0.0), "rotation": rpy(0.0, -angle, 0.0)}
        spec.add_joint(joint, "revolute", parent, body, axis=(0, -1, 0), lower=-3.0, upper=3.0, **place)
    servo = {"stiffness": 6e3, "damping": 300.0, "effort": 80.0}
    for joint in ("turret", "shoulder", "elbow", "wrist"):
        limits = {"lower": -0.1, "upper": 3.3} if joint == "turret" else {"lower": -3.0, "upper": 3.0}
        spec.add_actuator(joint, "position", joint, **servo, **limits)
    _add_arm_looks(spec)


def _add_arm_looks(spec: ModelSpec) -> None:
    """Round joints, tubes between them, and the rail of the jaws."""
    lying = rpy(0.5 * pi, 0.0, 0.0)
    spec.add_shape("turret", "turret", "cylinder", (0.055, 0.06), position=(0, 0, -0.03), color=DARK)
    for side, y in (("left", 0.045), ("right", -0.045)):
        spec.add_shape(f"{side}_cheek", "turret", "box", (0.07, 0.012, 0.08), position=(0, y, 0), color=DARK)
    for body, length, radius in (("upper_arm", _UPPER, 0.024), ("forearm", _FOREARM, 0.02)):
        spec.add_shape(f"{body}_joint", body, "cylinder", (0.036, 0.075), rotation=lying, color=BLUE)
        add_tube(spec, f"{body}_tube", body, (0, 0, 0), (length, 0, 0), radius, ORANGE)
    spec.add_shape("wrist_joint", "hand", "cylinder", (0.028, 0.06), rotation=lying, color=BLUE)
    add_tube(spec, "hand_tube", "hand", (0, 0, 0), (0.06, 0, 0), 0.018, STEEL)
    spec.add_shape("jaw_rail", "hand", "box", (0.025, 0.16, 0.035), position=(0.065, 0, 0), color=DARK)
    spec.add_frame("grasp", "hand", position=(_HAND, 0.0, 0.0))


def _add_jaws(spec: ModelSpec) -> None:
    """Two jaws that slide across the hand; a coupling closes the right one as far as the left one."""
    for side, sign in (("left", 1.0), ("right", -1.0)):
        jaw, y = f"{side}_jaw", sign * (_OPEN + 0.5 * _PAD[1])
        spec.add_body(jaw, 0.1, center=(_HAND - 0.03, y, 0.0), inertia=box_inertia(0.1, 0.08, 0.02, 0.03))
        spec.add_joint(
            jaw, "prismatic", "hand", jaw, axis=(0, -sign, 0), lower=0.0, upper=_TRAVEL, damping=5.0
        )
        finger, behind = (0.085, 0.012, 0.025), y + sign * 0.012
        spec.add_shape(f"{side}_finger", jaw, "box", finger, position=(0.12, behind, 0), color=STEEL)
        _add_touching(spec, f"{side}_pad", jaw, _PAD, (_HAND, y, 0.0), "rubber", DARK)
    spec.add_coupling("jaws", "right_jaw", "left_jaw", (0.0, 1.0))
    grip = {"stiffness": 5e3, "damping": 150.0, "effort": 50.0, "lower": 0.0, "upper": _TRAVEL}
    spec.add_actuator("grip", "position", "left_jaw", **grip)


def _add_cargo(spec: ModelSpec) -> None:
    """The crate on the ground, and the block on it."""
    x = FRONT + GAP + 0.5 * CRATE
    things = (
        ("crate", CRATE_MASS, (CRATE, CRATE, CRATE), 0.5 * CRATE),
        ("block", BLOCK_MASS, BLOCK, CRATE + 0.5 * BLOCK[2]),
    )
    for name, mass, size, z in things:
        spec.add_body(name, mass, inertia=box_inertia(mass, *size))
        spec.add_joint(name, "free", None, name, position=(x, 0.0, z))
        spec.add_shape(f"{name}_skin", name, "box", size, role="collision", material="wood")
    spec.add_shape("block", "block", "box", BLOCK, color=BLUE)
    wood, inner = (0.72, 0.55, 0.34, 1.0), CRATE - 0.02
    spec.add_shape("crate", "crate", "box", (inner, inner, inner), color=wood)
    # battens along the twelve edges
    wide, away = 0.03, 0.5 * (CRATE - 0.03)
    for axis in range(3):
        for k, (a, b) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            size = [CRATE - 2 * wide * (axis > 0) if i == axis else wide for i in range(3)]
            place = [0.0 if i == axis else away * (a if i == (axis + 1) % 3 else b) for i in range(3)]
            spec.add_shape(
                f"batten_{axis}{k}", "crate", "box", size, position=place, color=(0.6, 0.43, 0.25, 1)
            )


def _add_touching(
    spec: ModelSpec, name: str, body: str, size: tuple, position: tuple, material: str, color: tuple
) -> None:
    """A box that is seen and touches."""
    spec.add_shape(name, body, "box", size, position=position, color=color)
    spec.add_shape(f"{name}_skin", body, "box", size, position=position, role="collision", material=material)


#: Places of the wrist before and above the shoulder (m), the hand pointing down.
_HEIGHT = RADIUS - SINKAGE + _SHOULDER[2]
_REACH = FRONT + 0.5 * CRATE - _SHOULDER[0]
_HOME = (0.17, 0.26)
_OVER_CRATE, _AT_CRATE = (_REACH, 0.30), (_REACH, CRATE + 0.5 * BLOCK[2] + _HAND - _HEIGHT)
_OVER_DECK = (0.26, 0.32)
#: a little above the deck, so that the block is let go and not pushed down
_AT_DECK = (0.26, DECK - _SHOULDER[2] + 0.5 * BLOCK[2] + _HAND + 0.001)


def _elevations(wrist: tuple[float, float]) -> tuple[float, float, float]:
    """Elevation (rad) of upper arm, forearm and hand for a place of the wrist, the elbow up."""
    x, z = wrist
    far = hypot(x, z)
    upper = atan2(z, x) + acos((_UPPER**2 + far**2 - _FOREARM**2) / (2.0 * _UPPER * far))
    forearm = atan2(z - _UPPER * sin(upper), x - _UPPER * cos(upper))
    return upper, forearm, -0.5 * pi


def _arm(wrist: tuple[float, float], turret: float = 0.0) -> dict[str, float]:
    """Commands of the arm's servos that bring the wrist to a place."""
    home, now = _elevations(_HOME), _elevations(wrist)
    shoulder, forearm, hand = (b - a for a, b in zip(home, now, strict=True))
    return {"turret": turret, "shoulder": shoulder, "elbow": forearm - shoulder, "wrist": hand - forearm}


def _drive(rate: float) -> dict[str, float]:
    """Commands of all wheels (rad/s)."""
    return dict.fromkeys(_WHEELS, rate)


def _routine() -> list[list[Any]]:
    """Push the crate for half a metre, put the block from its top onto the deck, and back away with it."""
    return [
        [1.0, _drive(2.0)],
        [2.5, _arm(_OVER_CRATE)],
        [1.0, _drive(0.0)],
        [1.5, _arm(_AT_CRATE)],
        [1.0, {"grip": _TRAVEL}],
        [1.5, _arm(_OVER_CRATE)],
        [2.5, _arm(_OVER_DECK, pi)],
        [1.5, _arm(_AT_DECK, pi)],
        [1.0, {"grip": 0.0}],
        [1.0, _arm(_OVER_DECK, pi)],
        [2.5, _arm(_HOME)],
        [1.0, _drive(-2.0)],
        [2.5, {}],
        [1.0, _drive(0.0)],
    ]
