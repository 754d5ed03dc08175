"""What impulses of rows do to z, and what z does to the velocities of rows."""

from __future__ import annotations

from treadle.native.kernels import part

__all__ = ["LEFT_OUT", "inverse_mass", "joint_impulse", "push", "row_velocity", "zero"]

#: Row of a joint that is not in the table.
LEFT_OUT = -1


@part()
def zero(rows, z):
    """Clear the z of a row table."""
    for k in range(rows.places[0]):
        z[k] = 0.0


@part()
def row_velocity(rows, i, z):
    """Velocity of a row in z."""
    first, place, y, total = rows.first, rows.place, rows.y, 0.0
    for e in range(first[i], first[i + 1]):
        total += y[e] * z[place[e]]
    return total


@part()
def push(rows, i, impulse, z):
    """Add the impulse of a row to z."""
    first, loops, place, y = rows.first, rows.loops, rows.place, rows.y
    for e in range(first[i], loops[i]):
        z[place[e]] += y[e] * impulse
    for e in range(loops[i], first[i + 1]):
        z[place[e]] -= y[e] * impulse


@part()
def inverse_mass(rows, i):
    """Inverse effective mass of a row."""
    first, loops, y, total = rows.first, rows.loops, rows.y, 0.0
    for e in range(first[i], loops[i]):
        total += y[e] * y[e]
    for e in range(loops[i], first[i + 1]):
        total -= y[e] * y[e]
    return total


@part()
def joint_impulse(context, i):
    """Impulse of the i-th row of the joints in the substep."""
    r = context.scratch.joint_row[i]
    return 0.0 if r == LEFT_OUT else context.rows.impulse[r]
