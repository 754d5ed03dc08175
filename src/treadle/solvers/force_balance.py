"""Force balance: the velocity at the end of a step at which all forces of the ground are those of its models.

    r(w) = H (w - v) - dt (tau - C) - dt J^T f(J w) - p(w) - G^T y = 0,    G w = 0

H is the inertia matrix with what is implicit in the joints, f the wheel-ground models with the depth at the
end of the step, p bounded rows (stops, friction, motors) and G the closed loops. Seegmiller and Kelly (2013,
section 3.4) solve for the velocities J w of the contacts; with all of w there is nothing to choose among
contacts that depend on each other, and the matrix keeps the sparsity of the tree. Newton's method with exact
Jacobians and a strong-Wolfe line search, from a guess that is kept where it is in balance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.rows import Row
from treadle.dynamics.lu import lu_solve
from treadle.graph import Expr, Scalar, forward, hold, in_limb, iterate, minimum, through_graph, where
from treadle.solvers.goals import goal_row, held_freedoms, is_held
from treadle.solvers.saddle import saddle_solve
from treadle.spatial import Mat3, Vec3
from treadle.wheels.rolling import MEMORY, Rolling

__all__ = ["Balance", "BalanceProblem", "balance_slopes", "force_balance"]

#: Rounds of Newton's method, and trials of a line search, at most.
_LIMIT, _TRIALS = 20, 16

#: Part of the cost that a whole step may leave without a line search.
SURE = 0.81

#: Acceleration (m/s2) up to which the forces may be out of balance: a thousandth of a weight.
TOLERANCE = 1e-2

#: The same for a guess that is good as it is.
SKIPPED = 1e-8

#: Numbers of a contact that a round hands on: its bend and its force.
_KEPT = 5


class Balance(NamedTuple):
    """The velocity, what contacts keep, rounds, the velocity out of balance, and the work (J) done."""

    v: list[Scalar]
    memory: list[Scalar]
    rounds: Scalar
    left: Scalar
    work: Scalar


class BalanceProblem(NamedTuple):
    """A machine on wheels over a step: what its velocity has to be in balance with."""

    H: Sequence[Sequence[Scalar]]  # inertia matrix
    v: Sequence[Scalar]  # velocity at the start
    push: Sequence[Scalar]  # impulses dt (tau - C)
    contacts: Sequence[Rolling]
    bounds: Sequence[BoundedRow]
    closure: Sequence[Row]
    memory: Sequence[Scalar]  # by contact
    mass: float  # kg
    dt: Scalar  # s


def force_balance(machine: BalanceProblem, guess: Sequence[Scalar]) -> Balance:
    """Solve for the velocity, from a guess."""
    problem = _Problem(machine)
    v, push, closure, dt = machine.v, machine.push, machine.closure, machine.dt
    count = len(v)
    begin = [problem.held.get(k, x) for k, x in enumerate(guess)]
    start = _Iterate(begin, [0.0] * len(closure), [0.0] * len(problem.bounds))
    cost, kept = problem.cost(start)
    # the cost does not tell whether loops are closed
    wrong = True if closure else cost > (SKIPPED * dt) * (SKIPPED * dt)
    first = [*start.w, *start.y, *start.p]
    values = iterate(problem.one_round, [*first, *kept, 0.0, cost], _LIMIT, when=wrong)
    w, rounds, left = values[:count], values[-2], values[-1]
    memory = problem.remembered(w, values[len(first) : -2])
    impulse = [a - b for a, b in zip(problem.inertial(w), push, strict=True)]
    work = sum((0.5 * p * (a + b) for p, a, b in zip(impulse, v, w, strict=True)), 0.0)
    return Balance(w, memory, rounds, left, work)


def balance_slopes(
    H: Sequence[Sequence[Scalar]],
    w: Sequence[Scalar],
    contacts: Sequence[Rolling],
    memory: Sequence[Scalar],
    dt: Scalar,
) -> list[Scalar]:
    """H - dt J^T diag(df/dw) J at a velocity, row after row.

    Only the slopes that slow a wheel along its own directions count, so that the matrix is positive definite:
    friction that follows the load would not leave it so.
    """
    K = [list(row) for row in H]
    for number, contact in enumerate(contacts):
        bent = memory[number * MEMORY : number * MEMORY + 2]
        _, slopes = contact.derived_force(contact.speeds(w), dt, bent)
        own = [[minimum(slopes[i][j], 0.0) if i == j else 0.0 for j in range(4)] for i in range(4)]
        for k, row in _in_freedoms(contact, own).items():
            for m, slope in row.items():
                K[k][m] = K[k][m] - dt * slope
    return [x for row in K for x in row]


class _Problem:
    """The residual and its derivative; dofs that a motor holds whatever it takes are no unknowns."""

    def __init__(self, machine: BalanceProblem) -> None:
        H, v, bounds, memory = machine.H, machine.v, machine.bounds, machine.memory
        self.H, self.v, self.push, self.dt = H, v, machine.push, machine.dt
        self.contacts, self.closure = machine.contacts, machine.closure
        self.bent = [
            [in_limb(x, contact.limb) for x in memory[k * MEMORY : k * MEMORY + 2]]
            for k, contact in enumerate(self.contacts)
        ]
        self.held = held_freedoms(bounds)
        self.bounds = [goal_row(row, H) for row in bounds if not is_held(row)]
        self.free = [k for k in range(len(v)) if k not in self.held]
        self.scale = [1.0 / H[k][k] for k in self.free]
        self.per_mass = 1.0 / machine.mass

    def one_round(self, values: list[Scalar]) -> tuple[list[Scalar], object]:
        """A step of Newton's method, by its line search."""
        first, second = len(self.v), len(self.v) + len(self.closure)
        third = second + len(self.bounds)
        at = _Iterate(values[:first], values[first:second], values[second:third])
        rounds, before = values[-2:]
        full = self._newton_iterate(at)
        whole, kept = self.cost(full)
        share, after, kept = self._searched(at, full, before, whole, kept)
        new = at.towards(full, share)
        enough = TOLERANCE * self.dt
        return [*new.w, *new.y, *new.p, *kept, rounds + 1.0, after], after > enough * enough

    def _searched(
        self, at: _Iterate, full: _Iterate, before: Scalar, whole: Scalar, kept: list[Scalar]
    ) -> tuple[Scalar, Scalar, list[Scalar]]:
        """The share of a step that fulfils the strong Wolfe conditions, the cost there, and what it keeps.

            phi(s) <= phi(0) + 1e-4 s phi'(0),    |phi'(s)| <= 0.9 |phi'(0)|,    phi'(0) = -2 phi(0)

        A whole step that leaves no more than SURE of the cost does so as far as K changes little: then
        |phi'(1)| = 2 |r1 . r0| <= 2 sqrt(phi(1) phi(0)). Others are found by bisection between 0 and 2.
        """

        def judged(trial: list[Scalar]) -> tuple[list[Scalar], object]:
            _, low, high, *_ = trial
            share = 0.5 * (low + high)
            cost, rise, kept = self._slope(at, full, share)
            long = (cost > before * (1.0 - 2e-4 * share)) | (rise > 1.8 * before)
            short = rise < -1.8 * before
            low, high = where(long, low, where(short, share, low)), where(long, share, high)
            return [share, low, high, cost, *kept], long | short

        start = [1.0, 0.0, 2.0, whole, *kept]
        share, _, _, after, *kept = iterate(judged, start, _TRIALS, when=whole > SURE * before)
        return share, after, kept

    def _slope(self, at: _Iterate, full: _Iterate, share: Scalar) -> tuple[Scalar, Scalar, list[Scalar]]:
        """The cost at a share of a step, its derivative by the share, and what contacts keep there."""

        def derived(given: list[Expr]) -> list[Scalar]:
            place = hold(given[0])
            cost, kept = self.cost(at.towards(full, place))
            return [cost, forward([cost], {place: {0: 1.0}}, 1)[0][0], *kept]  # type: ignore[dict-item]

        cost, rise, *kept = through_graph(derived, [share])
        return cost, rise, kept

    def inertial(self, w: Sequence[Scalar]) -> list[Scalar]:
        """H (w - v)."""
        change = [a - b for a, b in zip(w, self.v, strict=True)]
        return [sum((h * x for h, x in zip(row, change, strict=True)), 0.0) for row in self.H]

    def remembered(self, w: Sequence[Scalar], kept: Sequence[Scalar]) -> list[Scalar]:
        """What every contact keeps: its bend, and the readouts."""
        memory: list[Scalar] = []
        for k, contact in enumerate(self.contacts):
            speeds = contact.speeds(w)
            depth = contact.touch.depth - self.dt * speeds[2]
            memory += [*kept[_KEPT * k : _KEPT * (k + 1)], *speeds, depth, *contact.touch.point]
        return memory

    def cost(self, at: _Iterate) -> tuple[Scalar, list[Scalar]]:
        """Square of the velocity out of balance, and bend and force of every contact.

        It is the residual in the norm of the diagonal of H, per mass, and what rows miss of their goals.
        """
        kept: list[Scalar] = []
        pushes = []
        for contact, bent in zip(self.contacts, self.bent, strict=True):
            force, bend = contact.held_force(contact.speeds(at.w), self.dt, bent)
            kept += [*bend, *force[:3]]
            pushes.append(contact.joint_force([self.dt * f for f in force]))
        residual = self._residual(at.w, at.y, at.p, pushes)
        squares = sum((r * r * s for r, s in zip(residual, self.scale, strict=True)), 0.0)
        for row, p in zip(self.bounds, at.p, strict=True):
            missed = p - row.state(at.w, p).impulse
            squares = squares + missed * missed * row.inverse_mass
        return squares * self.per_mass, kept

    def _residual(
        self,
        w: Sequence[Scalar],
        y: Sequence[Scalar],
        p: Sequence[Scalar],
        pushes: Sequence[dict[int, Scalar]],
    ) -> list[Scalar]:
        """r, given the joint impulses of the contacts."""
        total = [a - b for a, b in zip(self.inertial(w), self.push, strict=True)]
        for push in pushes:
            for k, impulse in push.items():
                total[k] = total[k] - impulse
        _subtract(total, [row.row.jacobian for row in self.bounds], p)
        _subtract(total, [row.jacobian for row in self.closure], y)
        return [total[k] for k in self.free]

    def _newton_iterate(self, at: _Iterate) -> _Iterate:
        """Where a whole step of Newton's method leads; what is held stays."""
        w = at.w
        K = [list(row) for row in self.H]
        pushes = []
        for contact, bent in zip(self.contacts, self.bent, strict=True):
            force, slopes = contact.derived_force(contact.speeds(w), self.dt, bent)
            pushes.append(contact.joint_force([self.dt * f for f in force]))
            slopes = [[self.dt * x for x in row] for row in slopes]
            for k, row in _in_freedoms(contact, slopes).items():
                for m, slope in row.items():
                    K[k][m] = K[k][m] - slope
        states = [row.state(w, p) for row, p in zip(self.bounds, at.p, strict=True)]
        for row, state in zip(self.bounds, states, strict=True):
            stiffness = where(state.free, row.stiffness, 0.0)
            for k, x in row.row.jacobian.items():
                for m, other in row.row.jacobian.items():
                    K[k][m] = K[k][m] + x * stiffness * other
        given = [row.given(state, w) for row, state in zip(self.bounds, states, strict=True)]
        residual = self._residual(w, at.y, given, pushes)
        matrix = [[K[i][j] for j in self.free] for i in self.free]
        place = {k: i for i, k in enumerate(self.free)}
        G = [{place[k]: x for k, x in row.jacobian.items() if k in place} for row in self.closure]
        r = [-x for x in residual]
        if self.closure:
            opening = [-sum((x * w[k] for k, x in row.jacobian.items()), 0.0) for row in self.closure]
            groups, gaps = [row.group for row in self.closure], [row.residual for row in self.closure]
            change, turn = saddle_solve(matrix, G, G, r, opening, groups, gaps)
        else:
            change, turn = lu_solve(matrix, r), []
        new = [x + change[place[k]] if k in place else x for k, x in enumerate(w)]
        impulses = [row.given(state, new) for row, state in zip(self.bounds, states, strict=True)]
        return _Iterate(new, [a + b for a, b in zip(at.y, turn, strict=True)], impulses)


class _Iterate(NamedTuple):
    """Velocity, multipliers of the loops, and impulses of the bounded rows."""

    w: Sequence[Scalar]
    y: Sequence[Scalar]
    p: Sequence[Scalar]

    def towards(self, other: _Iterate, share: Scalar) -> _Iterate:
        """A share of the way to another."""
        if isinstance(share, float) and share == 1.0:
            return other
        return _Iterate(*[
            [a + share * (b - a) for a, b in zip(mine, theirs, strict=True)]
            for mine, theirs in zip(self, other, strict=True)
        ])  # fmt: skip


def _subtract(total: list[Scalar], rows: Sequence[dict[int, Scalar]], impulses: Sequence[Scalar]) -> None:
    for row, p in zip(rows, impulses, strict=True):
        for k, x in row.items():
            total[k] = total[k] - x * p


def _in_freedoms(contact: Rolling, D: Sequence[Sequence[Scalar]]) -> dict[int, dict[int, Scalar]]:
    """J^T D J of a contact, by way of the world's axes, along which a floating base moves."""
    axes = Mat3.of([list(axis) for axis in contact.axes])
    inner = axes.T @ Mat3.of([row[:3] for row in D[:3]]) @ axes
    by_rolling = axes.apply_transposed(Vec3(*[row[3] for row in D[:3]]))
    of_drag = axes.apply_transposed(Vec3(*D[3][:3]))
    world = [[*row, x] for row, x in zip(inner.rows, by_rolling, strict=True)]
    world.append([*of_drag, D[3][3]])
    rows = (*contact.moving, contact.spin)
    halves: list[dict[int, Scalar]] = [{} for _ in rows]
    for half, line in zip(halves, world, strict=True):
        for d, row in zip(line, rows, strict=True):
            for m, x in row.items():
                half[m] = half[m] + d * x if m in half else d * x
    total: dict[int, dict[int, Scalar]] = {}
    for row, half in zip(rows, halves, strict=True):
        for k, x in row.items():
            line = total.setdefault(k, {})
            for m, value in half.items():
                line[m] = line[m] + x * value if m in line else x * value
    return total
