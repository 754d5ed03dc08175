"""Where free bodies are and how they move: state, free flight, and what the joints make of it."""

from __future__ import annotations

from math import atan2, pi, sqrt
from typing import NamedTuple

import numpy as np

from treadle.native.kernels import njit
from treadle.studies.baselines.maximal.mechanism import SLIDE
from treadle.studies.baselines.maximal.vectors import (
    cross,
    dot,
    exponential,
    logarithm,
    matrix_of,
    minus,
    multiply,
    plus,
    quaternion_of,
    rotated,
    rotated_back,
    row,
    scaled,
    set_row,
)

__all__ = [
    "State", "angle_error", "body_turn", "dof_axis", "dof_position", "joint_points", "move", "push",
    "spin_up", "turn_error",
]  # fmt: skip


class State(NamedTuple):
    """Centres of mass, orientations and velocities of all bodies, the world last; in world axes."""

    position: np.ndarray  # (n + 1, 3)
    quaternion: np.ndarray  # (n + 1, 4)
    rotation: np.ndarray  # (n + 1, 3, 3), always that of the quaternion
    velocity: np.ndarray  # (n + 1, 3)
    turning: np.ndarray  # (n + 1, 3)


@njit(cache=True)
def push(bodies, state, h):
    """Velocities after gravity and the gyroscopic torque have acted for h seconds."""
    gravity = (bodies.gravity[0] * h, bodies.gravity[1] * h, bodies.gravity[2] * h)
    for i in range(len(bodies.inverse_mass) - 1):
        set_row(state.velocity, i, plus(row(state.velocity, i), gravity))
        spin_up(bodies, state, i, h)


@njit(cache=True)
def spin_up(bodies, state, i, h):
    """The turning rate of body i after h seconds of free flight: I dw/dt = -w x I w in body axes.

    Two sweeps over the implicit equation I (w - w0) + h w x I w = 0.
    """
    R, I, inverse = state.rotation[i], bodies.inertia[i], bodies.inverse_inertia[i]
    w0 = rotated_back(R, row(state.turning, i))
    w = w0
    for _ in range(2):
        w = minus(w0, scaled(rotated(inverse, cross(w, rotated(I, w))), h))
    set_row(state.turning, i, rotated(R, w))


@njit(cache=True)
def move(state, i, step, turn):
    """Shift body i by a step (m) and turn it by a rotation vector (rad), both in world axes."""
    set_row(state.position, i, plus(row(state.position, i), step))
    body_turn(state, i, turn)


@njit(cache=True)
def body_turn(state, i, turn):
    """Turn body i about its centre of mass by a rotation vector (rad) in world axes."""
    q = multiply(exponential(turn), quaternion_of(state.quaternion, i))
    scale = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    q = (q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale)
    state.quaternion[i, 0], state.quaternion[i, 1] = q[0], q[1]
    state.quaternion[i, 2], state.quaternion[i, 3] = q[2], q[3]
    matrix_of(q, state.rotation[i])


@njit(cache=True)
def joint_points(joints, state, j):
    """Where A and B have the joint's origin, in the world (m)."""
    a, b = joints.body[j, 0], joints.body[j, 1]
    on_a = plus(row(state.position, a), rotated(state.rotation[a], row(joints.point[j], 0)))
    on_b = plus(row(state.position, b), rotated(state.rotation[b], row(joints.point[j], 1)))
    return on_a, on_b


@njit(cache=True)
def turn_error(joints, state, j):
    """By which rotation vector (rad) B has turned away from where the joint lets it be."""
    a, b = joints.body[j, 0], joints.body[j, 1]
    turns = joints.turns[j]
    if turns == 3:
        carried = multiply(quaternion_of(state.quaternion, a), quaternion_of(joints.neutral, j))
        back = (carried[0], -carried[1], -carried[2], -carried[3])
        return logarithm(multiply(quaternion_of(state.quaternion, b), back))
    first = rotated(state.rotation[a], row(joints.axes[j], 0))
    second = rotated(state.rotation[b], row(joints.axes[j], 1))
    if turns == 2:
        return cross(first, second)
    if turns == 1:
        # first . second = 0, and its rate is (second x first) . (w_B - w_A)
        return scaled(cross(second, first), dot(first, second))
    return (0.0, 0.0, 0.0)


@njit(cache=True)
def dof_axis(joints, dofs, state, f):
    """Axis of a degree of freedom in the world."""
    body = joints.body[dofs.joint[f], dofs.side[f]]
    return rotated(state.rotation[body], row(dofs.axis, f))


@njit(cache=True)
def dof_position(joints, dofs, state, f):
    """Position of a degree of freedom: distance (m), or angle (rad) from -pi to pi."""
    j = dofs.joint[f]
    axis = dof_axis(joints, dofs, state, f)
    if dofs.kind[f] == SLIDE:
        on_a, on_b = joint_points(joints, state, j)
        return dot(axis, minus(on_b, on_a))
    start = rotated(state.rotation[joints.body[j, 0]], row(dofs.start, f))
    end = rotated(state.rotation[joints.body[j, 1]], row(dofs.end, f))
    return atan2(dot(axis, cross(start, end)), dot(start, end) - dot(start, axis) * dot(end, axis))


@njit(cache=True)
def angle_error(difference):
    """A difference of angles, from -pi to pi."""
    return (difference + pi) % (2.0 * pi) - pi
