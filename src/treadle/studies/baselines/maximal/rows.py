"""The constraints of a machine as rows of a Jacobian, for sequential impulses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.kernels import njit
from treadle.studies.baselines.maximal.mechanism import SLIDE
from treadle.studies.baselines.maximal.motion import (
    angle_error,
    dof_axis,
    dof_position,
    joint_points,
    turn_error,
)
from treadle.studies.baselines.maximal.vectors import cross, dot, minus, rotated, rotated_back, row, set_row

__all__ = [
    "BOTH", "NORMAL", "SECOND_TANGENT", "TANGENT", "Rows", "coupling_row", "empty_rows", "fill_rows",
    "shared", "slide_row",
]  # fmt: skip

#: Kinds of rows: impulses both ways within a bound, pushing only, and the two that a friction cone bounds.
BOTH, NORMAL, TANGENT, SECOND_TANGENT = 0, 1, 2, 3


class Rows(NamedTuple):
    """Rows of joints, three per dof (spring with damper, friction, motor), two per coupling, three a contact.

    The rate of a row is  linear . (v_B - v_A) + turn_b . w_B - turn_a . w_A,  minus `slope` times that of its
    partner where it has one: the row of the degree of freedom that it is coupled with, idle by itself.
    """

    body: np.ndarray  # (rows, 2) A and B
    linear: np.ndarray  # (rows, 3)
    turn_a: np.ndarray  # (rows, 3)
    turn_b: np.ndarray  # (rows, 3)
    response_a: np.ndarray  # (rows, 3) inverse inertia of A times turn_a
    response_b: np.ndarray  # (rows, 3) inverse inertia of B times turn_b
    mass: np.ndarray  # (rows) effective mass 1 / (J M^-1 J^T + softness); zero where the row is idle
    softness: np.ndarray  # (rows)
    target: np.ndarray  # (rows) wanted rate
    closing: np.ndarray  # (rows) wanted rate of the pseudo-velocities
    closes: np.ndarray  # (rows) whether it has one
    bound: np.ndarray  # (rows) largest impulse
    impulse: np.ndarray  # (rows) kept from step to step
    partner: np.ndarray  # (rows) -1 where it has none
    slope: np.ndarray  # (rows)
    kind: np.ndarray  # (rows) BOTH, NORMAL, or the two tangents after it
    friction: np.ndarray  # (rows) coefficient, at a first tangent
    cross: np.ndarray  # (rows) rate of a first tangent under a unit impulse along the second
    pseudo: np.ndarray  # (rows) impulse on the pseudo-velocities, of a NORMAL


def empty_rows(hard: int, dofs: int, couplings: int, contacts: int = 0) -> Rows:
    """Rows for joints that lock `hard` directions and leave a number of degrees of freedom."""
    lasting = hard + 3 * dofs + 2 * couplings
    count = lasting + 3 * contacts
    vectors = ("linear", "turn_a", "turn_b", "response_a", "response_b")
    arrays = {name: np.zeros((count, 3) if name in vectors else count) for name in Rows._fields}
    others = {
        "body": np.zeros((count, 2), dtype=np.int64),
        "closes": np.zeros(count, dtype=np.bool_),
        "partner": np.full(count, -1, dtype=np.int64),
        "kind": np.array([BOTH] * lasting + [NORMAL, TANGENT, SECOND_TANGENT] * contacts, dtype=np.int64),
    }
    return Rows(**{**arrays, **others})


@njit(cache=True)
def fill_rows(bodies, joints, dofs, couplings, state, rows, h, share):
    """Write the rows for a step of h seconds that removes a share of the joints' errors; their number."""
    rows.softness[:], rows.target[:], rows.closing[:], rows.bound[:] = 0.0, 0.0, 0.0, np.inf
    r = 0
    for j in range(len(joints.body)):
        a, b = joints.body[j, 0], joints.body[j, 1]
        R = state.rotation[a]
        on_a, on_b = joint_points(joints, state, j)
        gap = minus(on_b, on_a)
        for k in range(joints.slides[j]):
            direction = rotated(R, row(joints.slide[j], k))
            slide_row(bodies, state, rows, r, a, b, on_b, direction)
            _close(rows, r, dot(direction, gap), share / h)
            r += 1
        error = turn_error(joints, state, j)
        for k in range(joints.turns[j]):
            if joints.turns[j] == 1:
                first = rotated(R, row(joints.axes[j], 0))
                direction = cross(rotated(state.rotation[b], row(joints.axes[j], 1)), first)
            else:
                direction = rotated(R, row(joints.turn[j], k))
            _turn_row(bodies, state, rows, r, a, b, direction)
            _close(rows, r, dot(direction, error), share / h)
            r += 1
    for f in range(len(dofs.joint)):
        _dof_rows(bodies, joints, dofs, state, rows, r, f, h, share)
        r += 3
    for c in range(len(couplings.dof)):
        error = coupling_row(bodies, joints, dofs, couplings, state, rows, r, c)
        _close(rows, r, error, share / h)
        r += 2
    return r


@njit(cache=True)
def coupling_row(bodies, joints, dofs, couplings, state, rows, r, c):
    """Write a coupling into row r and its source into row r + 1; by how much it is violated."""
    f, g = couplings.dof[c], couplings.source[c]
    _axis_row(bodies, joints, dofs, state, rows, r, f)
    wanted, slope = couplings.coefficients[c, 0], 0.0
    rows.partner[r] = -1
    if g >= 0:
        # the polynomial and its derivative by Horner's scheme
        x, wanted = dof_position(joints, dofs, state, g), 0.0
        for k in range(couplings.coefficients.shape[1] - 1, -1, -1):
            slope = slope * x + wanted
            wanted = wanted * x + couplings.coefficients[c, k]
        _axis_row(bodies, joints, dofs, state, rows, r + 1, g)
        mobility = 1.0 / rows.mass[r] if rows.mass[r] > 0.0 else 0.0
        mobility += slope * slope / rows.mass[r + 1] if rows.mass[r + 1] > 0.0 else 0.0
        mobility -= 2.0 * slope * shared(bodies, rows, r, r + 1)
        rows.mass[r] = 1.0 / mobility if mobility > 0.0 else 0.0
        rows.partner[r], rows.slope[r] = r + 1, slope
    rows.mass[r + 1] = 0.0
    return _difference(dofs, f, dof_position(joints, dofs, state, f), wanted)


@njit(cache=True)
def shared(bodies, rows, r, s):
    """Rate of row r under a unit impulse along row s, through the bodies that both have."""
    total = 0.0
    for m in range(2):
        for n in range(2):
            if rows.body[r, m] == rows.body[s, n]:
                turn = row(rows.turn_a if m == 0 else rows.turn_b, r)
                response = row(rows.response_a if n == 0 else rows.response_b, s)
                along = bodies.inverse_mass[rows.body[r, m]] * dot(row(rows.linear, r), row(rows.linear, s))
                total += (1.0 if m == n else -1.0) * (along + dot(turn, response))
    return total


@njit(cache=True)
def _axis_row(bodies, joints, dofs, state, rows, r, f):
    """The row whose rate is that of a degree of freedom."""
    j = dofs.joint[f]
    a, b = joints.body[j, 0], joints.body[j, 1]
    axis = dof_axis(joints, dofs, state, f)
    if dofs.kind[f] == SLIDE:
        _, on_b = joint_points(joints, state, j)
        slide_row(bodies, state, rows, r, a, b, on_b, axis)
    else:
        _turn_row(bodies, state, rows, r, a, b, axis)


@njit(cache=True)
def _dof_rows(bodies, joints, dofs, state, rows, r, f, h, share):
    """The spring with its damper, the friction and the motor of a degree of freedom, in rows r to r + 2."""
    k, d = dofs.stiffness[f], dofs.damping[f]
    active = (k != 0.0 or d != 0.0, dofs.friction[f] != 0.0, dofs.servo[f] != 0)
    rows.mass[r : r + 3] = 0.0
    rows.closes[r : r + 3] = False
    if not (active[0] or active[1] or active[2]):
        return
    position = dof_position(joints, dofs, state, f) if dofs.measured[f] else 0.0
    for n in range(3):
        if not active[n]:
            continue
        if n == 0:
            # p = -h (k (x + h v) + d v), solved for the new rate v
            rows.softness[r] = 1.0 / (h * (d + h * k))
            rows.target[r] = -k * _difference(dofs, f, position, dofs.reference[f]) / (d + h * k)
        _axis_row(bodies, joints, dofs, state, rows, r + n, f)
    rows.bound[r + 1] = dofs.friction[f] * h
    rows.bound[r + 2] = dofs.effort[f] * h
    rows.target[r + 2] = dofs.rate[f]
    if dofs.servo[f] == 1:
        _close(rows, r + 2, _difference(dofs, f, position, dofs.position[f]), share / h)


@njit(cache=True)
def _difference(dofs, f, position, other):
    return position - other if dofs.kind[f] == SLIDE else angle_error(position - other)


@njit(cache=True)
def _close(rows, r, error, rate):
    rows.closes[r] = True
    rows.closing[r] = -rate * error


@njit(cache=True)
def slide_row(bodies, state, rows, r, a, b, point, direction):
    """B may not move along a direction that turns with A, seen at a point of B."""
    turn_a = cross(minus(point, row(state.position, a)), direction)
    turn_b = cross(minus(point, row(state.position, b)), direction)
    _row(bodies, state, rows, r, a, b, direction, turn_a, turn_b)


@njit(cache=True)
def _turn_row(bodies, state, rows, r, a, b, direction):
    """B may not turn about a direction faster than A."""
    _row(bodies, state, rows, r, a, b, (0.0, 0.0, 0.0), direction, direction)


@njit(cache=True)
def _row(bodies, state, rows, r, a, b, linear, turn_a, turn_b):
    rows.body[r, 0], rows.body[r, 1] = a, b
    response_a = _response(bodies, state, a, turn_a)
    response_b = _response(bodies, state, b, turn_b)
    set_row(rows.linear, r, linear)
    set_row(rows.turn_a, r, turn_a)
    set_row(rows.turn_b, r, turn_b)
    set_row(rows.response_a, r, response_a)
    set_row(rows.response_b, r, response_b)
    mobility = (bodies.inverse_mass[a] + bodies.inverse_mass[b]) * dot(linear, linear)
    mobility += dot(turn_a, response_a) + dot(turn_b, response_b) + rows.softness[r]
    rows.mass[r] = 1.0 / mobility if mobility > 0.0 else 0.0


@njit(cache=True)
def _response(bodies, state, i, torque):
    """Change of the turning rate of body i under an angular impulse."""
    R = state.rotation[i]
    return rotated(R, rotated(bodies.inverse_inertia[i], rotated_back(R, torque)))
