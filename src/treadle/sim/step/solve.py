"""Solve: the impulses of all rows over a substep, at its middle (Moreau's rule).

With q_M = q (+) h/2 v, forces and rows at q_M give the velocity v' at the end, and q' = q_M (+) h/2 v'. Rigid
contacts may not come closer than touching,

    d(q_M) + h/2 J v' >= 0;

compliant contacts are solved in closed form over the whole substep (`contact.linear_contact`), together, and
in turn with friction and rigid contacts until neither changes. Rows that keep their velocity, such as
friction that sticks, do so throughout: the inverse effective mass of the compliant contacts is what these
leave of it, A - C^T B^-1 C, with the Delassus matrices B of such rows and C between them and the compliant
ones.
"""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import inner, part
from treadle.sim.step.points import twists
from treadle.sim.step.warm_start import FEWEST_SWEEPS, copy, recall
from treadle.solvers.sequential.solver_abi import answer, find_impulses, hold_rows, prepare_rows
from treadle.solvers.sequential.tree import spread

__all__ = ["SAME_END", "STILL", "push", "row_velocity", "solve", "zero"]

#: Change of velocity (m/s) at which sweeps over the rows end.
STILL = 1e-11

#: Share of a substep by which a contact may end before it and yet end with it.
SAME_END = 1e-12

#: Rounds between compliant contacts and all others, and the share of the impulses that may still change.
_ROUNDS, _SAME = 60, 1e-11


@part()
def solve(context):
    """Impulses of all rows, and the velocity at the end of the substep that they lead to."""
    scratch, free = context.scratch, context.free
    recall(context)
    _impulses(context)
    scratch.effort[3] += 1
    copy(free.velocity, scratch.end, context.nv)
    spread(context.tree, scratch.z, scratch.work, scratch.end)
    twists(context.body_tree, free.axes, scratch.end, scratch.twist_end)


@part()
def _impulses(context):
    """Impulses; sets until when no compliant contact separates, and the rows that keep their velocity."""
    now, rows, soft, solver = context.now[0], context.rows, context.soft, context.solver
    now.sweeps, now.sticking, now.ends = 0, 0, now.h
    for i in range(now.springs):
        _fix(rows, soft.row[i], rows.impulse[soft.row[i]])
    prepare_rows(solver, now.rows)
    for turn in range(_ROUNDS):
        if now.rows > now.springs:
            _sweep(context)
        if now.springs == 0:
            return
        now.sticking = hold_rows(solver, now.rows)
        masses_changed = _inverse_masses(context)
        jump = _accelerations(context)
        if turn > 0 and not masses_changed and jump * now.h <= STILL:
            # converged: inputs unchanged since the last round
            break
        change, largest = _advance_springs(context)
        prepare_rows(solver, now.rows)
        converged = change <= _SAME * largest or now.rows == now.springs
        if soft.span[1] < now.h * (1.0 - SAME_END) or converged or now.sweeps_left == FEWEST_SWEEPS:
            break
    now.ends = soft.span[1]


@part()
def _sweep(context):
    """Sweeps over the rows, within the budget of the step."""
    now = context.now[0]
    taken = find_impulses(context.solver, now.rows, now.sweeps_left, STILL, now.target_error)
    now.sweeps += taken
    now.sweeps_left = max(now.sweeps_left - taken, FEWEST_SWEEPS)
    context.scratch.effort[1] += taken


@inner()
def _inverse_masses(context):
    """Delassus matrix of the compliant contacts, with the rows that keep their velocity; did it change."""
    now, rows, soft, solver = context.now[0], context.rows, context.soft, context.solver
    z, A, count = rows.z_kept, soft.A, now.springs
    soft.size[0], changed = count, False
    for j in range(count):
        zero(rows, z)
        push(rows, soft.row[j], 1.0, z)
        if now.sticking > 0:
            answer(solver, now.sticking)
        for i in range(j + 1):
            total = row_velocity(rows, soft.row[i], z)
            changed |= A[count * i + j] != total
            A[count * i + j] = A[count * j + i] = total
    return changed


@inner()
def _accelerations(context):
    """How all others accelerate the compliant contacts; the largest change (m/s2) of that."""
    now, rows, soft = context.now[0], context.rows, context.soft
    A, count, change = soft.A, now.springs, 0.0
    for i in range(count):
        r = soft.row[i]
        total = row_velocity(rows, r, context.scratch.z)
        for j in range(count):
            total -= A[count * i + j] * rows.impulse[soft.row[j]]
        b = -(rows.velocity[r] + total + soft.rate_start[i]) / now.h
        change = max(change, abs(b - soft.b[i]))
        soft.b[i] = b
    return change


@inner()
def _advance_springs(context):
    """Impulses of the compliant contacts alongside all others; the largest change, and the largest."""
    now, rows, soft = context.now[0], context.rows, context.soft
    soft.span[0] = now.h
    call(context.spring.entry, context.spring.frame)
    change, largest = 0.0, 0.0
    for i in range(now.springs):
        r, p = soft.row[i], soft.P[i]
        change, largest = max(change, abs(p - rows.impulse[r])), max(largest, abs(p))
        _fix(rows, r, p)
    return change, largest


@part()
def _fix(rows, i, impulse):
    """Let a row have an impulse, whatever the others do."""
    rows.impulse[i] = rows.low[i] = rows.high[i] = impulse


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
