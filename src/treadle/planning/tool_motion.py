"""Motions of an arm that take its tool along a path: inverse kinematics, timing, commands of its servos."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics.compiled import frame_pose, inverse_dynamics
from treadle.errors import InputError
from treadle.model.attachments import Actuator
from treadle.model.model import Model
from treadle.planning.inverse_kinematics import inverse_kinematics
from treadle.planning.trajectory import Trajectory
from treadle.process.tool_path import ToolPath

__all__ = ["position_servos", "servo_commands", "tool_routine", "tool_trajectory"]

#: Tolerances (m, rad) of the positions on the path, and the largest step of a joint (rad) between two.
_TOLERANCE, _JUMP = (1e-8, 1e-8), 0.5


def tool_trajectory(
    model: Model,
    frame: str,
    path: ToolPath,
    *,
    feed: float,
    accelerations: ArrayLike,
    near: ArrayLike | None = None,
    speeds: ArrayLike | None = None,
) -> Trajectory:
    """The fastest motion of a frame along a path at most at its feed (m/s), within the joints' limits.

    The frame's z axis goes into the material. About it the tool may have any turn, and keeps that of the
    position which is nearest to `near` (nq, the initial one unless given).
    """
    start = np.asarray(model.initial()[0] if near is None else near, dtype=float)
    poses = _poses(model, frame, path, start)
    first = inverse_kinematics(model, frame, poses[0], start, nearest=True, tolerance=_TOLERANCE)
    if not first:
        raise InputError(f"{frame!r} does not reach the first point of the path")
    rows = _followed(model, frame, poses, first.q)
    limits = {} if speeds is None else {"speeds": speeds}
    return Trajectory.through(
        model, rows, accelerations=accelerations, lengths=path.lengths, feed=feed, **limits
    )


def servo_commands(model: Model, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
    """Commands of the position servos at which joints are at q with the velocities v.

    A servo gives way to the weight of the links by tau / K, and lags behind by D v / K: both are added.
    """
    weight = inverse_dynamics(model, q, np.zeros(model.nv), np.zeros(model.nv))
    commands = {}
    for actuator in position_servos(model):
        joint = model.joint(actuator.joint)
        k = joint.v.start
        late = weight[k] + actuator.damping * v[k]
        commands[actuator.name] = float(q[joint.q.start] + late / actuator.stiffness)
    return commands


def tool_routine(
    model: Model, motion: Trajectory, *, rate: float = 50.0, approach: float = 2.0
) -> list[list[Any]]:
    """Moves of a routine (see `sim.routine`): to the start of a motion, along it, and stay.

    Along the motion commands go straight from one to the next, so many per second.
    """
    times, q, v = motion.sampled(rate)
    moves: list[list[Any]] = [[approach, servo_commands(model, q[0], 0.0 * v[0])]]
    for k in range(1, len(times)):
        seconds = float(times[k] - times[k - 1])
        if seconds > 1e-9:
            moves.append([seconds, servo_commands(model, q[k], v[k]), "straight"])
    return moves


def position_servos(model: Model) -> list[Actuator]:
    """The position servos of a machine that has one on every joint."""
    servos = [a for a in model.actuators if a.type == "position" and a.joint]
    if len({a.joint for a in servos}) < len([j for j in model.joints if j.type.nv]):
        raise InputError("a tool path needs a position servo on every joint")
    return servos


def _followed(model: Model, frame: str, poses: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Positions (n, nq) along the poses without a jump: all at once from the first, or one by one."""
    at_once = inverse_kinematics(model, frame, poses, first, starts=1, tolerance=_TOLERANCE)
    if at_once and (np.abs(np.diff(at_once.q, axis=0)) < _JUMP).all():
        return at_once.q
    rows = [first]
    for number, pose in enumerate(poses[1:], start=2):
        found = inverse_kinematics(model, frame, pose, rows[-1], starts=1, tolerance=_TOLERANCE)
        if not found or np.abs(found.q - rows[-1]).max() > _JUMP:
            raise InputError(f"{frame!r} does not reach point {number} of {len(poses)} of the path smoothly")
        rows.append(found.q)
    return np.array(rows)


def _poses(model: Model, frame: str, path: ToolPath, near: np.ndarray) -> np.ndarray:
    """Poses (n, 4, 4) along the path, with the x axis as little turned as can be."""
    poses = path.poses()
    found = inverse_kinematics(model, frame, poses[0], near, task="axis", nearest=True)
    if not found:
        raise InputError(f"{frame!r} does not reach the first point of the path")
    ahead = frame_pose(model, found.q, frame)[:3, 0]
    z = poses[:, :3, 2]
    x = ahead - (z @ ahead)[:, None] * z
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    poses[:, :3, 0], poses[:, :3, 1] = x, np.cross(z, x)
    return poses
