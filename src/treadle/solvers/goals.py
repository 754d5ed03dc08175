"""Bounded rows inside Newton's method: each is free to meet its goal, or gives a bound of its impulse.

A row that wants a velocity and may spend an impulse p within [low, high] is free where

    p + (goal - speed) / inverse_mass

lies inside, with its inverse effective mass. To solve with the free rows at their goals and all others at
their bounds, and to choose again, is Newton's method on the rows: after a few rounds the choice is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from treadle.constraints.bounded import ANY, BoundedRow
from treadle.graph import Scalar, clip, where

__all__ = ["GoalRow", "GoalState", "goal_row", "held_freedoms", "is_held"]

#: Softness of rows that state none, as a share of their inverse effective mass.
_HARD = 1e-7


def goal_row(row: BoundedRow, H: Sequence[Sequence[Scalar]]) -> GoalRow:
    """A row of a machine with the inertia matrix H."""
    inverse_mass = sum((x * x / H[k][k] for k, x in row.jacobian.items()), 0.0)
    hard = isinstance(row.softness, float) and row.softness == 0.0
    return GoalRow(row, inverse_mass + row.softness, 1.0 / (_HARD * inverse_mass if hard else row.softness))


def held_freedoms(bounds: Sequence[BoundedRow]) -> dict[int, Scalar]:
    """The degrees of freedom that motors hold with any force it takes, and their velocities."""
    return {k: speed for row in bounds for k, speed in _held(row)}


def is_held(row: BoundedRow) -> bool:
    """Whether a row holds one degree of freedom at one velocity with any force it takes."""
    return bool(_held(row))


def _held(row: BoundedRow) -> list[tuple[int, Scalar]]:
    """The degree of freedom that a row holds at one velocity with any force it takes, and that velocity."""
    rigid = isinstance(row.softness, float) and row.softness == 0.0
    endless = (
        isinstance(row.low, float) and isinstance(row.high, float) and row.high >= ANY >= -row.low >= ANY
    )
    same = row.slowest is row.fastest or (
        isinstance(row.slowest, float) and isinstance(row.fastest, float) and row.slowest == row.fastest
    )
    single = list(row.jacobian.items())
    if rigid and endless and same and len(single) == 1 and single[0][1] == 1.0 and row.active is True:
        return [(single[0][0], row.slowest)]
    return []


class GoalState(NamedTuple):
    """Whether a row is free to meet its goal, that goal, and the impulse that it gives within its bounds."""

    free: Any
    goal: Scalar
    impulse: Scalar


class GoalRow(NamedTuple):
    """A bounded row with its inverse effective mass, and how stiff it meets its goal."""

    row: BoundedRow
    inverse_mass: Scalar
    stiffness: Scalar

    def state(self, w: Sequence[Scalar], p: Scalar) -> GoalState:
        """From the impulse and what it leaves of the goal: as in `active_set`, but in one formula.

        The row is free where p + (goal - speed) / inverse_mass is within its bounds; else it gives the bound.
        """
        row, per_speed = self.row, 1.0 / self.inverse_mass
        speed = row.speed(w) + row.softness * p
        faster, slower = p + (row.slowest - speed) * per_speed, p + (row.fastest - speed) * per_speed
        if row.slowest is row.fastest:
            goal, wanted, asked = row.slowest, faster, True
        else:
            up, down = faster > 0.0, slower < 0.0
            goal, asked = where(up, row.slowest, row.fastest), up | down
            wanted = where(up, faster, where(down, slower, 0.0))
        free = (wanted > row.low) & (wanted < row.high)
        return GoalState(free & asked if asked is not True else free, goal, clip(wanted, row.low, row.high))

    def given(self, state: GoalState, w: Sequence[Scalar]) -> Scalar:
        """The impulse that a free row takes to meet its goal at a velocity; that of the state else."""
        return where(state.free, (state.goal - self.row.speed(w)) * self.stiffness, state.impulse)
