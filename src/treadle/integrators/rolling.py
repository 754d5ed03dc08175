"""A step of a machine on wheels: the velocity by force balance, then drift with it.

    v' with H (v' - v) = dt (tau - C) + dt J^T f(J v') + ...,    q' = q (+) dt v'

See `solvers.force_balance`. Wheels, stops, friction and motors all act on the same velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from treadle.constraints.rows import closure_rows
from treadle.dynamics.crba import crba
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.graph import Expr, Scalar, in_limb, sqrt, through_graph
from treadle.integrators.method import Advance
from treadle.integrators.system import System
from treadle.model.identical_subtrees import identical_subtrees
from treadle.model.model import WORLD, Model
from treadle.solvers.force_balance import BalanceProblem, balance_slopes, force_balance
from treadle.spatial import Mat3, Quaternion, Vec3
from treadle.terrain import Terrain
from treadle.wheels.rolling import MEMORY, Rolling, contact_count, rolling_contacts

__all__ = ["BALANCED", "WheelBalance", "rolling_memory", "rolling_step", "wheel_balance"]

#: Ways of rolling that balance forces, the last two with approximations.
BALANCED = ("balance", "held_inertia", "rigid_bias")


def rolling_memory(model: Model) -> int:
    """Numbers that a machine on wheels keeps from step to step."""
    return MEMORY * contact_count(model) + model.nv if model.wheels else 0


def rolling_step(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar
) -> Advance:
    """Position and velocity after one step of dt seconds.

    The memory holds what the contacts keep, and how the velocity differed from that of a steady motion (of a
    floating base in its own axes): where it does so again, the next step begins in balance.
    """
    nq, nv = len(q), len(v)
    values = through_graph(lambda x: _rolled(system, x[:nq], x[nq:], time, dt), [*q, *v])
    position, velocity, rest = values[:nq], values[nq : nq + nv], values[nq + nv :]
    rounds, left, work, *memory = rest
    return Advance(position, velocity, memory, (rounds, left), work)


def _rolled(system: System, q: Sequence[Expr], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> list[Scalar]:
    machine = system.model
    assert system.terrain is not None
    damped = regroup(system.damped(q, v, dt, time))
    posture = q if system.rolling == "balance" else _initial_posture(machine, q)
    # the ground's forces are those at the end of the step, not among the others
    force = replace(system, terrain=None).force(q, v, time, step=dt)
    bias = _bias(system, posture, q, v, time, dt)
    steady = _steady(machine, q, v, dt)
    count = MEMORY * contact_count(machine)
    contacts, change = system.memory[:count], list(system.memory[count:])
    for body, limb in zip(machine.bodies, identical_subtrees(machine), strict=True):
        change[body.joint.v] = [in_limb(x, limb) for x in change[body.joint.v]]
    problem = BalanceProblem(
        H=crba(damped, posture),
        v=v,
        push=[dt * (f - c) for f, c in zip(force, bias, strict=True)],
        contacts=rolling_contacts(machine, q, v, system.terrain),
        bounds=[] if system.bounds is None else system.bounds(q, v),
        closure=closure_rows(machine, q) if machine.closed else [],
        memory=contacts,
        mass=machine.mass,
        dt=dt,
    )
    guess = [a + b for a, b in zip(steady, _turned(machine, q, change, Mat3.apply), strict=True)]
    balance = force_balance(problem, guess)
    position = system.integrate(q, [dt * x for x in balance.v])
    effort = balance.rounds, sqrt(balance.left)
    gained = [a - b for a, b in zip(balance.v, steady, strict=True)]
    gained = _turned(machine, q, gained, Mat3.apply_transposed)
    return [*position, *balance.v, *effort, balance.work, *balance.memory, *gained]


class WheelBalance(NamedTuple):
    """The velocity at which wheels are in balance, their memory and joint forces, and H with their slopes."""

    v: list[Scalar]
    memory: list[Scalar]
    force: list[Scalar]
    #: H - dt J^T diag(df/dv) J
    matrix: list[list[Scalar]]


def wheel_balance(
    machine: tuple[Model, Model, Terrain],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    push: Sequence[Scalar],
    memory: Sequence[Scalar],
    dt: Scalar,
) -> WheelBalance:
    """The velocity by force balance in the middle of a substep, under impulses `push` over it.

    `machine` is the model, the same with implicit dampers, and the terrain under its wheels. The depth of a
    wheel at the end of the substep continues from that at its start.
    """
    model, damped, terrain = machine
    nq, nv = len(q), len(v)

    def balanced(x: list[Expr]) -> list[Scalar]:
        position, velocity = x[:nq], x[nq : nq + nv]
        H = crba(damped, position)
        contacts = [
            replace(contact, touch=replace(contact.touch, depth=_depth_at_start(contact, velocity, dt)))
            for contact in rolling_contacts(model, position, velocity, terrain)
        ]
        loops = closure_rows(model, position) if model.closed else []
        pushes = x[nq + nv :]
        problem = BalanceProblem(
            H=H, v=velocity, push=pushes, contacts=contacts, bounds=[], closure=loops, memory=memory,
            mass=model.mass, dt=dt,
        )  # fmt: skip
        found = force_balance(problem, velocity)
        change = [a - b for a, b in zip(found.v, velocity, strict=True)]
        gained = [sum((h * x for h, x in zip(row, change, strict=True)), 0.0) for row in H]
        force = [(a - b) / dt for a, b in zip(gained, pushes, strict=True)]
        return [*found.v, *found.memory, *force, *balance_slopes(H, found.v, contacts, memory, dt)]

    values = through_graph(balanced, [*q, *v, *push])
    kept = nv + len(memory)
    flat = values[kept + nv :]
    return WheelBalance(
        v=values[:nv],
        memory=values[nv:kept],
        force=values[kept : kept + nv],
        matrix=[flat[nv * k : nv * (k + 1)] for k in range(nv)],
    )


def _depth_at_start(contact: Rolling, v: Sequence[Scalar], dt: Scalar) -> Scalar:
    return contact.touch.depth + 0.5 * dt * contact.speeds(v)[2]


def _initial_posture(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """The machine where it is, its joints as in its initial posture."""
    start: list[Scalar] = list(model.initial()[0])
    for body in model.bodies:
        if body.parent == WORLD:
            start[body.joint.q] = q[body.joint.q]
    return start


def _bias(
    system: System,
    posture: Sequence[Scalar],
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
) -> list[Scalar]:
    """Coriolis, centrifugal and gravity forces, or those of the machine with its joints standing still."""
    machine, zeros = system.model, [0.0] * system.model.nv
    external = system.external(q, v, time, step=dt)
    if system.rolling != "rigid_bias":
        return rnea(regroup(machine), q, v, zeros, external)
    moving: list[Scalar] = list(zeros)
    roots = [body.joint.v for body in machine.bodies if body.parent == WORLD]
    for part in roots:
        moving[part] = v[part]
    whole = rnea(regroup(machine), posture, moving, zeros, external)
    bias: list[Scalar] = list(zeros)
    for part in roots:
        bias[part] = whole[part]
    return bias


def _steady(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
    """The velocity of a steady motion: that of a floating base turns with it."""
    guess = list(v)
    for joint in model.joints:
        if joint.type.kind == "free":
            start = joint.q.start
            turning = Quaternion(*q[start : start + 4]).matrix().apply(Vec3(*v[joint.v][:3])) * dt
            velocity = Vec3(*v[joint.v][3:])
            once = turning.cross(velocity)
            guess[joint.v] = [*v[joint.v][:3], *(velocity + once + turning.cross(once) * 0.5)]
    return guess


def _turned(
    model: Model, q: Sequence[Scalar], change: Sequence[Scalar], turn: Callable[[Mat3, Vec3], Vec3]
) -> list[Scalar]:
    """A change of the velocity with that of floating bases between their own axes and those of the world."""
    turned = list(change)
    for joint in model.joints:
        if joint.type.kind == "free":
            start = joint.q.start
            matrix = Quaternion(*q[start : start + 4]).matrix()
            turned[joint.v] = [*change[joint.v][:3], *turn(matrix, Vec3(*change[joint.v][3:]))]
    return turned
