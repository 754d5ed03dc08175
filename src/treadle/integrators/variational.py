"""A variational method, order 2: the discrete action of the midpoint rule is stationary.

    L_d(q, q') = h L(m, w),    m = q (+) delta / 2,    w = delta / h,    q' = q (+) delta
    p = -D_1 L_d - h f / 2,    p' = D_2 L_d + h f / 2,    p = M(q) v

It is symplectic in (q, p) whatever the inertia matrix depends on, so that the energy of a conservative
machine does not drift. Forces f without a potential act at the midpoint (Marsden and West 2001, part 3).
With g the derivative of L by the position m, along the directions that velocities span,

    p  = B(-delta)^T M(m) w - h/2 K(-delta) g - h f / 2
    p' = B(delta)^T M(m) w + h/2 K(delta) g + h f / 2

where B is the joints' `tangent_rate` and K their `midpoint_covector`, both 1 but for rotations. Closed loops
give p an impulse J(q)^T y at the start, so that they are closed at q', and p' one J(q')^T z at the end, so
that v' does not open them: the step stays symplectic, on the positions in which they are closed.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.cholesky import factor, parent_freedoms, solve
from treadle.dynamics.crba import crba
from treadle.graph import Expr, Scalar, reverse, through_graph
from treadle.integrators.closing import along_loops, loop_force, loop_groups, loop_jacobian, opened
from treadle.integrators.method import Advance, Method
from treadle.integrators.newton import newton
from treadle.integrators.system import System

__all__ = ["METHOD"]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    momentum = _apply(crba(system.model, q), v)

    J = loop_jacobian(system, q)

    def residual(delta: list[Scalar], y: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        before, _ = _momenta(system, q, delta, time, dt)
        given = [p + f for p, f in zip(momentum, loop_force(J, y, len(v)), strict=True)]
        closed = opened(system, q, system.integrate(q, delta))
        return [x - p for x, p in zip(before, given, strict=True)], closed

    start = [dt * x for x in v]
    delta, _, effort = newton(residual, start, 1e-3 * abs(dt), loop_groups(system.model))
    _, after = _momenta(system, q, delta, time, dt)
    end = system.integrate(q, delta)
    L, diagonal = factor(crba(system.model, end), parent_freedoms(system.model))
    return Advance(end, along_loops(system, end, solve(L, diagonal, after)), effort=effort)


def _momenta(
    system: System, q: Sequence[Scalar], delta: Sequence[Scalar], time: Scalar, dt: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """Momentum p at the start and p' at the end of a step delta."""
    middle = system.integrate(q, [0.5 * x for x in delta])
    w = [x / dt for x in delta]
    moved = _apply(crba(system.model, middle), w)
    slope = _position_derivative(system, middle, w)
    force = system.force(middle, w, time + 0.5 * dt, springs=False)
    loads = system.load_force(middle, w, time + 0.5 * dt)
    half = 0.5 * dt
    before, after = [], []
    for joint in system.model.joints:
        there, back = delta[joint.v], [-x for x in delta[joint.v]]
        rate, bend = joint.type.tangent_rate, joint.type.midpoint_covector
        pushed = [half * (a + b) for a, b in zip(force[joint.v], loads[joint.v], strict=True)]
        # the transpose of B(delta) is B(-delta)
        for p, g, f in zip(rate(there, moved[joint.v]), bend(back, slope[joint.v]), pushed, strict=True):
            before.append(p - half * g - f)
        for p, g, f in zip(rate(back, moved[joint.v]), bend(there, slope[joint.v]), pushed, strict=True):
            after.append(p + half * g + f)
    return before, after


def _position_derivative(system: System, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
    """Derivative of the Lagrangian by q at fixed v, along the directions that v spans."""
    nq = system.model.nq

    def by_coordinates(x: list[Expr]) -> list[Scalar]:
        return reverse([system.lagrangian(x[:nq], x[nq:])], [1.0], x[:nq])

    by_coordinate = through_graph(by_coordinates, [*q, *v])
    slopes: list[Scalar] = []
    for joint in system.model.joints:
        for k in range(joint.type.nv):
            direction = [1.0 if i == k else 0.0 for i in range(joint.type.nv)]
            rates = joint.type.rate(q[joint.q], direction)
            slopes.append(sum((s * r for s, r in zip(by_coordinate[joint.q], rates, strict=True)), 0.0))
    return slopes


def _apply(M: Sequence[Sequence[Scalar]], v: Sequence[Scalar]) -> list[Scalar]:
    return [sum((m * x for m, x in zip(row, v, strict=True)), 0.0) for row in M]


METHOD = Method(
    step, 2, "variational midpoint: symplectic, the energy does not drift", iterates=True, loops="positions"
)
