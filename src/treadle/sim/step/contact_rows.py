"""Rows of contact points in the row table: normal, friction, rolling and spinning resistance."""

from __future__ import annotations

from math import inf

from treadle.native.kernels import inner, part
from treadle.sim.step.compliance import add_compliant, follow_reference, surface_yields
from treadle.sim.step.conservative_advancement import through
from treadle.sim.step.convective_terms import convective_rates
from treadle.sim.step.points import TOUCHING, rate, relative_rotation, relative_velocity
from treadle.sim.step.sleep import lay_resting_rows
from treadle.sim.step.surface_motion import moves, relative_surface_rotation, relative_surface_velocity
from treadle.solvers.sequential.rows import PAIR, SECOND, SINGLE
from treadle.solvers.sequential.tree import join_row

__all__ = ["PRESSED", "contact_rows", "move_surface", "point_rows", "retarget", "stay_apart"]

#: Depth (m) from which on a compliant surface is pressed, however it moves; a contact that has ended is not
#: as deep but for rounding.
PRESSED = 1e-13

#: How much is kept of the velocity with which what rolls slips, and share of a cone in which friction sticks.
_KEPT, _INSIDE = 0.98, 1.0 - 1e-9

#: Distance and speed off the surface at the start that rolling leaves at most, by how far and fast it could
#: come off.
_TOUCHED, _TOGETHER = 0.05, 0.1

#: Points up to which rolling is looked for.
_MANY_POINTS = 64

#: Share of the speeds of two shapes, and of what the substep changes of their approach, that contact with
#: others is likely to change.
_CHANGED, _CHANGED_FREELY = 0.3, 4.0

#: Share of their thickness by which shapes would overlap that do not meet without an impact.
_DEEP = 0.0125


@part()
def contact_rows(context):
    """Rows of the points that touch, and of those that rigid bodies must not pass, after those of joints.

    Returns False where rigid bodies collide at the start of the substep: an impact comes first.
    """
    now = context.now[0]
    now.springs, now.target_error = 0, 0.0
    for c in range(now.found):
        point = context.scratch.points[c]
        surface = context.surfaces[point.surface]
        if point.asleep > 0:
            lay_resting_rows(context, point)
            continue
        if point.muted == 1:
            continue
        touches = True
        if surface.stiffness == inf:
            collides = point.speed < -now.impact_speed
            if now.uncut == 1:
                if collides and surface.restitution > 0.0 and point.distance > 0.0:
                    # the rebound is that of a substep that begins nearer to it
                    continue
            elif _impact_follows(context, point, surface, collides):
                if collides and point.gap <= TOUCHING and now.apart == 0:
                    return False
                point.pending = 1
                continue
            if now.idle == 1 and _far(context, point):
                point.idle = 1
                continue
        else:
            pressed = point.speed < 0.0 or (point.speed <= 1e-12 and point.free < 0.0)
            touches = point.gap < -PRESSED or (point.gap <= TOUCHING and pressed)
            if not touches and point.gap + 0.5 * now.h * (point.speed + point.free) >= 0.0:
                point.pending = int(surface.impedance == 0.0 and not surface_yields(surface, now.h))
                continue
        point_rows(context, point, context.free.twist_free)
        _targets(context, point, surface)
        if surface.impedance > 0.0:
            follow_reference(context, point, surface, touches)
        elif surface.stiffness < inf and not add_compliant(context, point, surface, touches):
            point.row, point.rows, point.pending, now.rows = -1, 0, 1, point.row
    return True


@part()
def stay_apart(context):
    """Whether the points that were left out still do not touch at the end of the substep."""
    now, scratch = context.now[0], context.scratch
    for c in range(now.found):
        point = scratch.points[c]
        if point.idle == 1 and point.distance + 0.5 * now.h * rate(scratch.twist_end, point) < 0.0:
            return False
    return True


@part()
def _far(context, point):
    """Whether rigid bodies would stay apart by more at the end than contact elsewhere is likely to change."""
    now, reach = context.now[0], context.scratch.reach
    slack = point.distance * 2.0 / now.h + point.free
    return slack > _CHANGED * (reach[point.a] + reach[point.b]) + _CHANGED_FREELY * abs(
        point.free - point.speed
    )


@part()
def retarget(context):
    """Targets of the rows of points for another velocity in the middle; the largest change (m/s) of one."""
    now, rows, largest = context.now[0], context.rows, 0.0
    now.target_error = 0.0
    for c in range(now.found):
        point = context.scratch.points[c]
        if point.row < 0 or point.asleep > 0:
            continue
        # the target of a compliant contact is that of its spring
        first = point.row + int(point.spring >= 0)
        for i in range(first, point.row + point.rows):
            rows.before[i] = rows.slowest[i]
        _targets(context, point, context.surfaces[point.surface])
        for i in range(first, point.row + point.rows):
            largest = max(largest, abs(rows.slowest[i] - rows.before[i]))
    return largest


@inner()
def _targets(context, point, surface):
    """Velocities that the rows of a point need at the end, in the middle's terms, to be zero there."""
    now, rows, free = context.now[0], context.rows, context.free
    point.rolls = 0
    if surface.stiffness < inf and point.rows == 1:
        # a compliant normal alone has none
        return
    moved, turned = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if moves(context.detection, point):
        moved = relative_surface_velocity(context.detection, point)
        turned = relative_surface_rotation(context.detection, point)
    rates = convective_rates(context.detection, free.twist_mid, free.convective, point, now.h, turned)
    now.target_error = max(now.target_error, rates[6])
    for i in range(point.row, point.row + point.rows):
        rows.error[i] = rates[6]
    slip, kept = _start_slip(context, point, surface, rates, moved)
    _convective_targets(point, surface, rates, slip, moved, rows)
    if surface.stiffness == inf:
        # touching at the end, with d + h/2 J v' + h^2/8 du/dt, and not to separate there at once
        lift = rates[0] * point.nx + rates[1] * point.ny + rates[2] * point.nz
        point.bow = 0.25 * now.h * lift
        gap = point.distance - point.bow
        apart = gap * 2.0 / now.h if abs(gap) > TOUCHING else 0.0
        point.rolls = _rolls(point, kept, point.speed - lift, now.h, rates[7])
        if point.rolls == 1:
            # impulses that do no work; the position is corrected later
            apart = kept * (point.speed - lift)
        elif apart < 0.0:
            # what overlaps is pushed out later, without a velocity
            apart = kept * min(max(apart, point.speed - lift), 0.0)
        rows.slowest[point.row] = -lift - apart
        if now.uncut == 1 and surface.restitution > 0.0 and point.speed < -now.impact_speed:
            # Moreau's restitution
            rows.slowest[point.row] = max(-lift - apart, -surface.restitution * point.speed)


@part()
def _rolls(point, kept, speed, h, most):
    """1 where a point rolled so far: it touched, and came off no faster than rolling leaves it."""
    touched = abs(point.gap + point.bow) <= _TOUCHED * h * most
    return int(kept > 0.0 and touched and abs(speed) <= _TOGETHER * most)


@part()
def _impact_follows(context, point, surface, collides):
    """Whether rigid bodies that approach rebound, or would overlap deeply after `stop_within` (s).

    Those that do not rebound, and are slow, are stopped by the substep in which they meet, without an impact.
    """
    now = context.now[0]
    if surface.restitution > 0.0:
        return collides or _returns(point, now.h, now.impact_speed)
    thickness = through(context.detection, point.a, point.b)
    return collides and -point.speed * now.stop_within > _DEEP * thickness


@part()
def _returns(point, h, impact_speed):
    """Whether bodies that do not approach each other now collide faster than that within the substep."""
    fall = 2.0 * max(point.gap, 0.0) * (point.speed - point.free) / h
    return point.free < -impact_speed and point.speed * point.speed + fall > impact_speed * impact_speed


@inner()
def point_rows(context, point, twist):
    """All rows of a point of bodies with a twist: normal, friction, rolling and spinning resistance."""
    now, rows = context.now[0], context.rows
    surface, first = context.surfaces[point.surface], now.rows
    n = (point.nx, point.ny, point.nz)
    t = (point.tx, point.ty, point.tz)
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    used, rubs = first, max(surface.friction, surface.across) > 0.0
    turns = surface.rolling > 0.0 or surface.spinning > 0.0
    _carry(context, point, point.body_a, turns)
    _carry(context, point, point.body_b, turns)
    _lay(context, point, (n, t, s), 3 if rubs else 1, 1.0, relative_velocity(twist, point), used)
    _open_row(rows, used, SINGLE, -1, 0.0, inf)
    rows.low[used] = 0.0
    if rubs:
        _open_row(rows, used + 1, PAIR, first, surface.friction, 0.0)
        _open_row(rows, used + 2, SECOND, first, surface.across, 0.0)
    used += 3 if rubs else 1
    if surface.rolling > 0.0:
        _lay(context, point, (t, s, n), 2, 0.0, relative_rotation(twist, point), used)
        _open_row(rows, used, SINGLE, first, surface.rolling, 0.0)
        _open_row(rows, used + 1, SINGLE, first, surface.rolling, 0.0)
        used += 2
    if surface.spinning > 0.0:
        _lay(context, point, (n, t, s), 1, 0.0, relative_rotation(twist, point), used)
        _open_row(rows, used, SINGLE, first, surface.spinning, 0.0)
        used += 1
    point.row, point.rows = first, used - first
    now.rows = used


@part()
def _start_slip(context, point, surface, rates, moved):
    """Velocity at the start that rolling does not explain, as far as a substep keeps it; and that share.

    What rolls has J v = h/2 du/dt at the start, and - h/2 du/dt at the end: then impulses do no work. Where
    it stuck before, what is left over is what one substep leaves to the next. It keeps its size and changes
    its sign, so that impulses do no work either, and fades in some dozens of substeps.
    """
    u = relative_velocity(context.free.twist, point)
    s0, s1, s2 = u[0] - rates[0] + moved[0], u[1] - rates[1] + moved[1], u[2] - rates[2] + moved[2]
    kept = 0.0
    if s0 * s0 + s1 * s1 + s2 * s2 < rates[7] * rates[7] and _stuck(context, point, surface):
        kept = _KEPT
    return (kept * s0, kept * s1, kept * s2), kept


@part()
def _stuck(context, point, surface):
    """Whether the same shapes touched in the substep before, and slid at none of their points.

    All their points have one answer: else their targets would contradict each other. Where many points touch,
    nothing rolls freely.
    """
    scratch, touched = context.scratch, False
    if context.now[0].touched > _MANY_POINTS:
        return False
    for k in range(scratch.known[0]):
        key, force = scratch.key[k], scratch.force[k]
        if key[0] != point.a or key[1] != point.b or force[0] <= 0.0:
            continue
        touched = True
        along = force[1] / surface.friction if surface.friction > 0.0 else 0.0
        across = force[2] / surface.across if surface.across > 0.0 else 0.0
        rubs = max(surface.friction, surface.across) > 0.0
        if rubs and along * along + across * across >= _INSIDE * force[0] ** 2:
            return False
    return touched


@part()
def _convective_targets(point, surface, rates, slip, moved, rows):
    """Velocities that tangential rows need in the middle of a substep for no slip at its end."""
    n, t, i = (point.nx, point.ny, point.nz), (point.tx, point.ty, point.tz), point.row + 1
    s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
    if max(surface.friction, surface.across) > 0.0:
        x, y, z = rates[0] + slip[0] + moved[0], rates[1] + slip[1] + moved[1], rates[2] + slip[2] + moved[2]
        _target(rows, i, x, y, z, t)
        _target(rows, i + 1, x, y, z, s)
        i += 2
    if surface.rolling > 0.0:
        _target(rows, i, rates[3], rates[4], rates[5], t)
        _target(rows, i + 1, rates[3], rates[4], rates[5], s)
        i += 2
    if surface.spinning > 0.0:
        _target(rows, i, rates[3], rates[4], rates[5], n)


@part()
def move_surface(context, point, surface):
    """Let friction hold where the surfaces of two shapes move alike."""
    if max(surface.friction, surface.across) > 0.0 and moves(context.detection, point):
        n, t, i = (point.nx, point.ny, point.nz), (point.tx, point.ty, point.tz), point.row + 1
        s = (n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0])
        x, y, z = relative_surface_velocity(context.detection, point)
        _target(context.rows, i, x, y, z, t)
        _target(context.rows, i + 1, x, y, z, s)


@part()
def _target(rows, i, x, y, z, d):
    rows.slowest[i] = rows.fastest[i] = -(x * d[0] + y * d[1] + z * d[2])


@part()
def _open_row(rows, i, kind, normal, share, fastest):
    rows.kind[i], rows.normal[i], rows.share[i], rows.error[i] = kind, normal, share, 0.0
    rows.slowest[i], rows.fastest[i], rows.low[i], rows.high[i] = 0.0, fastest, -inf, inf


@part()
def _lay(context, point, axes, many, sliding, moves, i):
    """Rows from i on: the velocity of B relative to A at the point (sliding 1) along the first directions, or
    about them (sliding 0); now it `moves` so.
    """
    tree, rows, work = context.tree, context.rows, context.scratch.work
    if many == 1 or tree.size[1] == 0:
        _lay_together(context, point, axes, many, sliding, moves, i)
        if tree.size[1] > 0:
            join_row(tree, rows, i, work)
        return
    # with entries for held loops, rows differ in length
    for r in range(many):
        d = axes[0] if r == 0 else (axes[1] if r == 1 else axes[2])
        _lay_together(context, point, (d, d, d), 1, sliding, moves, i + r)
        join_row(tree, rows, i + r, work)


@part()
def _carry(context, point, body, turns):
    """Velocities of a body, angular and linear at a reference point, once for all points on it.

    They are those by the degrees of freedom on its way, half solved (see `solvers.sequential.tree`). Of a
    body with one point that is the reference, and angular ones are needed where `turns` says so. Force
    elements couple branches: not all degrees of freedom before it in the elimination carry it.
    """
    bodies, axes, scratch, poses = context.body_tree, context.free.axes, context.scratch, context.free.poses
    if body == 0 or scratch.laid[body] < 0:
        return
    lone = scratch.laid[body] == 1 and not turns
    scratch.laid[body] = -1
    reference, basis, e = scratch.reference[body], scratch.basis, 12 * body - 3
    x, y, z = (point.x, point.y, point.z) if lone else (poses[e], poses[e + 1], poses[e + 2])
    reference[0], reference[1], reference[2] = x, y, z
    begin, end, carries = bodies.way_first[body], bodies.way_first[body + 1], bodies.last[body]
    for e in range(begin, end):
        k, r = bodies.way[e], 6 * e
        w0, w1, w2, v0, v1, v2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if k == carries:
            carries, c = bodies.carrier[k], 6 * k
            w0, w1, w2 = axes[c], axes[c + 1], axes[c + 2]
            v0 = axes[c + 3] + w1 * z - w2 * y
            v1 = axes[c + 4] + w2 * x - w0 * z
            v2 = axes[c + 5] + w0 * y - w1 * x
        basis[r], basis[r + 1], basis[r + 2] = w0, w1, w2
        basis[r + 3], basis[r + 4], basis[r + 5] = v0, v1, v2
    for e in range(begin, end):
        _eliminate(context.tree, basis, e, bodies.way[e], end, 3)
        if not lone:
            _eliminate(context.tree, basis, e, bodies.way[e], end, 0)


@part()
def _eliminate(tree, basis, e, k, end, first):
    """Half solve three of the columns from a place of a way on."""
    r, L, root, entry = 6 * e + first, tree.L, tree.root[k], tree.start[k] - e - 1
    x0, x1, x2 = basis[r], basis[r + 1], basis[r + 2]
    basis[r], basis[r + 1], basis[r + 2] = root * x0, root * x1, root * x2
    for m in range(e + 1, end):
        factor, s = L[entry + m], 6 * m + first
        basis[s] -= factor * x0
        basis[s + 1] -= factor * x1
        basis[s + 2] -= factor * x2


@part()
def _lay_together(context, point, directions, many, sliding, moves, i):
    """Rows of one length from i on, one after the other.

    Their places are the degrees of freedom before B alone in the elimination, then those before A alone, then
    those before both, each from the last to the first.
    """
    rows, bodies, basis = context.rows, context.body_tree, context.scratch.basis
    a, b, reference = point.body_a, point.body_b, context.scratch.reference
    begin_a, end_a, begin_b, end_b = (
        bodies.way_first[a], bodies.way_first[a + 1], bodies.way_first[b], bodies.way_first[b + 1]
    )  # fmt: skip
    both_a, both_b = end_a, end_b
    while both_a > begin_a and both_b > begin_b and bodies.way[both_a - 1] == bodies.way[both_b - 1]:
        both_a, both_b = both_a - 1, both_b - 1
    length = both_b - begin_b + end_a - begin_a
    arm_a = (point.x - reference[a, 0], point.y - reference[a, 1], point.z - reference[a, 2])
    arm_b = (point.x - reference[b, 0], point.y - reference[b, 1], point.z - reference[b, 2])
    e, steps = rows.first[i], (length if many > 1 else 0, 2 * length if many > 2 else 0)
    for m in range(begin_b, both_b):
        u = _at(basis, 6 * m, arm_b, sliding)
        e = _enter(rows, e, steps, bodies.way[m], u, directions)
    for m in range(begin_a, both_a):
        u = _at(basis, 6 * m, arm_a, sliding)
        e = _enter(rows, e, steps, bodies.way[m], (-u[0], -u[1], -u[2]), directions)
    for m in range(end_a - both_a):
        u, w = _at(basis, 6 * (both_b + m), arm_b, sliding), _at(basis, 6 * (both_a + m), arm_a, sliding)
        u = (u[0] - w[0], u[1] - w[1], u[2] - w[2])
        e = _enter(rows, e, steps, bodies.way[both_a + m], u, directions)
    for r in range(many):
        d = directions[0] if r == 0 else (directions[1] if r == 1 else directions[2])
        rows.loops[i + r] = rows.first[i + r + 1] = rows.first[i + r] + length
        rows.velocity[i + r] = moves[0] * d[0] + moves[1] * d[1] + moves[2] * d[2]
        rows.impulse[i + r], rows.softness[i + r], rows.closes[i + r] = 0.0, 0.0, 0


@part()
def _at(basis, r, arm, sliding):
    """Velocity so far from a reference point (sliding 1), or the angular velocity (sliding 0)."""
    w0, w1, w2 = basis[r], basis[r + 1], basis[r + 2]
    if sliding == 0.0:
        return w0, w1, w2
    return (
        basis[r + 3] + w1 * arm[2] - w2 * arm[1],
        basis[r + 4] + w2 * arm[0] - w0 * arm[2],
        basis[r + 5] + w0 * arm[1] - w1 * arm[0],
    )


@part()
def _enter(rows, e, steps, place, u, directions):
    """Entries at a place along the directions, and where the next ones go."""
    one, two, y = e + steps[0], e + steps[1], rows.y
    d0, d1, d2 = directions[0], directions[1], directions[2]
    # from the last to the first: what there are fewer of is written over
    rows.place[two] = rows.place[one] = rows.place[e] = place
    y[two] = u[0] * d2[0] + u[1] * d2[1] + u[2] * d2[2]
    y[one] = u[0] * d1[0] + u[1] * d1[1] + u[2] * d1[2]
    y[e] = u[0] * d0[0] + u[1] * d0[1] + u[2] * d0[2]
    return e + 1
