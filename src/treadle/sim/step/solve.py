"""Solve: the impulses of all rows over a substep, at its middle (Moreau's rule).

With q_M = q (+) h/2 v, forces and rows at q_M give the velocity v' at the end, and q' = q_M (+) h/2 v'. Rigid
contacts may not come closer than touching,

    d(q_M) + h/2 J v' >= 0;

compliant contacts are rows with a regularization (`compliance`). Those that few others act on, or that the
substep does not resolve, have the closed form over the whole substep (`contact.linear_contact`), to which
rounds of the solve bring their rows. Rows that keep their velocity, such as friction that sticks, do so
throughout: the inverse effective mass of these contacts is what such rows leave of it, A - C^T B^-1 C, with
the Delassus matrices B of such rows and C between them and the compliant ones.
"""

from __future__ import annotations

from math import inf

from treadle.native.calling import call
from treadle.native.kernels import inner, part
from treadle.sim.step.compliance import carry_alone, follow_propagator, misses_rates, regularize
from treadle.sim.step.points import twists
from treadle.sim.step.row_algebra import push, row_velocity, zero
from treadle.sim.step.warm_start import FEWEST_SWEEPS, copy, recall
from treadle.solvers.sequential.solver_abi import answer, find_impulses, hold_rows, prepare_rows
from treadle.solvers.sequential.tree import spread

__all__ = ["SAME_END", "STILL", "resolve", "solve"]

#: Change of velocity (m/s) at which sweeps over the rows end.
STILL = 1e-11

#: Share of a substep by which a contact may end before it and yet end with it.
SAME_END = 1e-12

#: Rounds between the closed form of compliant contacts and the rows.
_ROUNDS = 60


@part()
def solve(context):
    """Impulses of all rows, and the velocity at the end of the substep that they lead to."""
    recall(context)
    _solve_from(context, True)


@part()
def resolve(context):
    """The same from the impulses that the rows have, whose targets alone have changed since."""
    _solve_from(context, False)


@part()
def _solve_from(context, fresh):
    scratch, free = context.scratch, context.free
    _impulses(context, fresh)
    scratch.effort[3] += 1
    copy(free.velocity, scratch.end, context.nv)
    spread(context.tree, scratch.z, scratch.work, scratch.end)
    twists(context.body_tree, free.axes, scratch.end, scratch.twist_end)


@part()
def _impulses(context, fresh):
    """Impulses; sets until when no compliant contact separates, and the rows that keep their velocity."""
    now, soft, solver = context.now[0], context.soft, context.solver
    now.sweeps, now.sticking, now.ends = 0, 0, now.h
    now.joint, now.fixed = 0, 0
    if now.springs > 0:
        regularize(context)
    if fresh or now.springs > 0:
        prepare_rows(solver, now.rows)
    # with no other rows than these, nothing depends on their impulses that these depend on
    alone = now.rows == now.joint
    for turn in range(_ROUNDS):
        if (now.rows > now.fixed and not alone) or solver.shared == 1:
            _sweep(context)
        if now.joint == 0:
            break
        if not alone:
            now.sticking = _hold(context)
        masses_changed = _inverse_masses(context)
        jump = _accelerations(context)
        if turn > 0 and not masses_changed and jump * now.h <= STILL:
            # converged: inputs unchanged since the last round
            break
        soft.span[0] = now.h
        call(context.spring.entry, context.spring.frame)
        if follow_propagator(context, alone):
            break
        prepare_rows(solver, now.rows)
        ended = soft.span[1] < now.h * (1.0 - SAME_END)
        if alone and not ended and misses_rates(context):
            _sweep(context)
        if ended or alone or now.rows == now.fixed or now.sweeps_left == FEWEST_SWEEPS:
            break
    if now.joint > 0:
        now.ends = soft.span[1]
    if now.joint < now.springs:
        carry_alone(context)


@part()
def _hold(context):
    """Find the rows that keep their velocity, compliant contacts apart; how many."""
    now, rows, soft = context.now[0], context.rows, context.soft
    for i in range(now.springs):
        if soft.group[i] >= 0:
            r = soft.row[i]
            rows.low[r] = rows.high[r] = rows.impulse[r]
    sticking = hold_rows(context.solver, now.rows)
    for i in range(now.springs):
        if soft.given[i] == 0:
            rows.low[soft.row[i]], rows.high[soft.row[i]] = 0.0, inf
    return sticking


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
    z, A, group, count = rows.z_kept, soft.A, soft.group, now.springs
    soft.size[0], changed = count, False
    for j in range(count):
        if group[j] < 0:
            continue
        zero(rows, z)
        push(rows, soft.row[j], 1.0, z)
        if now.sticking > 0:
            answer(solver, now.sticking)
        for i in range(j + 1):
            total = row_velocity(rows, soft.row[i], z) if group[i] == group[j] else 0.0
            changed |= A[count * i + j] != total
            A[count * i + j] = A[count * j + i] = total
    return changed


@inner()
def _accelerations(context):
    """How all others accelerate the compliant contacts; the largest change (m/s2) of that."""
    now, rows, soft = context.now[0], context.rows, context.soft
    A, count, change = soft.A, now.springs, 0.0
    for i in range(count):
        if soft.group[i] < 0:
            continue
        r = soft.row[i]
        total = row_velocity(rows, r, context.scratch.z)
        for j in range(count):
            if soft.group[i] == soft.group[j]:
                total -= A[count * i + j] * rows.impulse[soft.row[j]]
        b = -(rows.velocity[r] + total + soft.rate_start[i]) / now.h
        change = max(change, abs(b - soft.b[i]))
        soft.b[i] = b
    return change
