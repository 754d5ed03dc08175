"""Where the roadheader's bodies are in a posture, and how far each cylinder is out and turned.

A posture gives the positions of the working joints (those of `RANGES`, and the drives); the joints of the
cylinders follow from it in closed form, because every cylinder swings in one plane.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, hypot
from typing import NamedTuple

import numpy as np

from treadle.scenes.roadheader.dimensions import (
    CONVEYOR_MOUNT,
    CRAWLER_MOUNT,
    CYLINDERS,
    DECK_LIP,
    DECK_SLOPE,
    DRIVES,
    HEAD_MOUNT,
    LEG_HINGE,
    LIFT_AXIS,
    LIFT_ZERO,
    RANGES,
    REAR_MOUNT,
    SHOVEL_HINGE,
    SLEW_AXIS,
    STAR_X,
    STAR_Y,
    TELESCOPE_MOUNT,
    Cylinder,
    Point,
)
from treadle.scenes.roadheader.solid import rotation

__all__ = [
    "MOUNTS", "Mount", "Pose", "Posture", "body_poses", "cylinder_state", "joint_positions", "mount_rotation",
    "reference", "working_poses",
]  # fmt: skip

#: Positions of working joints by name; what is not named is zero.
Posture = Mapping[str, float]


class Pose(NamedTuple):
    """Rotation matrix and position of a frame in another."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def apply(self, point: Point | np.ndarray) -> np.ndarray:
        """A point of the inner frame in the outer one."""
        return self.R @ np.asarray(point) + self.p


class Mount(NamedTuple):
    """How a body hangs on its parent (None: the world): joint, type, axis, place and tilt (pitch, rad)."""

    body: str
    parent: str | None
    joint: str
    type: str
    axis: Point
    position: Point
    pitch: float = 0.0

    def pose(self, position: float) -> Pose:
        """Pose of the body in its parent at a joint position."""
        return Pose(rotation("y", self.pitch), np.array(self.position)) @ _motion(
            self.type, self.axis, position
        )


def _side(point: Point, side: int) -> Point:
    return (point[0], side * point[1], point[2])


_X, _UP, _DOWN, _RAISE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.0, -1.0, 0.0)
_DECK_Z = DECK_LIP[2] + (DECK_LIP[0] - STAR_X) * np.tan(DECK_SLOPE)
_STAR: Point = (STAR_X, STAR_Y, float(_DECK_Z))
_STAR_RIGHT = _side(_STAR, -1)

#: The tree of bodies without the cylinders, parents first. Raising is positive; a leg's pressing down too.
MOUNTS = (
    Mount("main_body", None, "floor", "fixed", _UP, (0.0, 0.0, 0.0)),
    Mount("crawler_left", "main_body", "crawler_left_bolts", "fixed", _UP, CRAWLER_MOUNT),
    Mount("crawler_right", "main_body", "crawler_right_bolts", "fixed", _UP, _side(CRAWLER_MOUNT, -1)),
    Mount("conveyor", "main_body", "conveyor_bolts", "fixed", _UP, CONVEYOR_MOUNT),
    Mount("rear_frame", "main_body", "rear_frame_bolts", "fixed", _UP, REAR_MOUNT),
    Mount("rear_leg_left", "rear_frame", "rear_leg_left", "revolute", _RAISE, LEG_HINGE),
    Mount("rear_leg_right", "rear_frame", "rear_leg_right", "revolute", _RAISE, _side(LEG_HINGE, -1)),
    Mount("arm_base", "main_body", "slew", "revolute", _UP, SLEW_AXIS),
    Mount("supporting_arm", "arm_base", "lift", "revolute", _RAISE, LIFT_AXIS, -LIFT_ZERO),
    Mount("telescopic_arm", "supporting_arm", "extend", "prismatic", _X, TELESCOPE_MOUNT),
    Mount("cutting_head", "telescopic_arm", "cutter", "continuous", _X, HEAD_MOUNT),
    Mount("shovel_plate", "main_body", "shovel", "revolute", _RAISE, SHOVEL_HINGE),
    # seen from above the left star wheel turns clockwise: both sweep the rock to the middle
    Mount("gathering_arm_left", "shovel_plate", "gather_left", "continuous", _DOWN, _STAR, DECK_SLOPE),
    Mount("gathering_arm_right", "shovel_plate", "gather_right", "continuous", _UP, _STAR_RIGHT, DECK_SLOPE),
)  # fmt: skip


def reference() -> dict[str, float]:
    """The posture in which every working joint is at zero."""
    return dict.fromkeys([*RANGES, *(drive.joint for drive in DRIVES)], 0.0)


def working_poses(posture: Posture) -> dict[str, Pose]:
    """Poses in the world of all bodies but the barrels and rods of the cylinders."""
    poses: dict[str, Pose] = {}
    for mount in MOUNTS:
        pose = mount.pose(posture.get(mount.joint, 0.0))
        poses[mount.body] = poses[mount.parent] @ pose if mount.parent else pose
    return poses


def body_poses(posture: Posture) -> dict[str, Pose]:
    """Poses in the world of all bodies, the barrels and rods of the cylinders included."""
    poses = working_poses(posture)
    for cylinder in CYLINDERS:
        angle, length = _direction(cylinder, poses)
        barrel = poses[cylinder.barrel_body] @ Pose(_turn(cylinder, angle), np.array(cylinder.barrel_pin))
        poses[f"{cylinder.name}_barrel"] = barrel
        poses[f"{cylinder.name}_rod"] = barrel @ Pose(np.eye(3), np.array([length, 0.0, 0.0]))
    return poses


def cylinder_state(cylinder: Cylinder, posture: Posture) -> tuple[float, float]:
    """Direction in the barrel's body, as an angle about the pin (rad), and length from pin to pin (m)."""
    return _direction(cylinder, working_poses(posture))


def joint_positions(posture: Posture) -> dict[str, float | tuple[float, float]]:
    """Positions of all tree joints, those of the cylinders included."""
    poses, zero = working_poses(posture), working_poses({})
    positions: dict[str, float | tuple[float, float]] = {**reference(), **posture}
    for cylinder in CYLINDERS:
        (angle, length), (start, _) = _direction(cylinder, poses), _direction(cylinder, zero)
        positions[f"{cylinder.name}_mount"] = (angle - start, 0.0)
        positions[f"{cylinder.name}_stroke"] = length - cylinder.closed
    return positions


def mount_rotation(cylinder: Cylinder) -> np.ndarray:
    """Frame of the barrel's mounting on its body: x along the cylinder in the reference posture."""
    return _turn(cylinder, cylinder_state(cylinder, {})[0])


def _direction(cylinder: Cylinder, poses: Mapping[str, Pose]) -> tuple[float, float]:
    body = poses[cylinder.barrel_body]
    end = body.R.T @ (poses[cylinder.rod_body].apply(cylinder.rod_pin) - body.p)
    x, y, z = end - cylinder.barrel_pin
    angle = atan2(-z, x) if cylinder.pin_axis == "y" else atan2(y, x)
    return angle, hypot(x, y, z)


def _turn(cylinder: Cylinder, angle: float) -> np.ndarray:
    return rotation(cylinder.pin_axis, angle)


def _motion(type: str, axis: Point, position: float) -> Pose:
    if type == "prismatic":
        return Pose(np.eye(3), np.array(axis) * position)
    if type == "fixed" or not position:
        return Pose(np.eye(3), np.zeros(3))
    letter = "xyz"[int(np.argmax(np.abs(axis)))]
    return Pose(rotation(letter, position * sum(axis)), np.zeros(3))
