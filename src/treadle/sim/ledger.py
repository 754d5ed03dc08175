"""What forces put into a machine during a step: work, and the impulse on a machine that floats.

    W = int F . v dt,    J = int f dt,    H = int (n - c x f) dt

F are all joint forces but those of springs, which count as energy; f and n are the forces and moments
from outside other than gravity, c is the centre of mass. The integrals are taken from the states at both
ends of the step, by a rule of the method's own order, up to 4: what the method did in between is not asked,
so that keeping the ledger changes no bit of the motion. Methods under error control, whose steps are long,
integrate the rates along with the motion instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.forces.element import element_kick, element_loads
from treadle.forces.line import line_forces
from treadle.forces.load import body_loads
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.spatial import Force, Vec3

if TYPE_CHECKING:
    from treadle.integrators.system import Account, System

__all__ = ["curved_freedoms", "floats", "ledger_size", "step_entry"]


def ledger_size(model: Model) -> int:
    """Numbers in the ledger: work (J), then where impulses are counted H (N m s) and J (N s)."""
    return 7 if _counts_impulse(model) else 1


def floats(model: Model) -> bool:
    """Whether nothing ties the machine to the world but free joints whose forces the ledger has.

    Ties are other joints, rotors and dry friction of the free joints, rigid motors on them, loops, ropes and
    tendons to the world, wheels, and a fluid.
    """
    roots = [body.joint for body in model.bodies if body.parent == WORLD]
    plain = all(x == 0.0 for joint in roots for x in (*joint.armature, *joint.friction))
    return _counts_impulse(model) and plain


def _counts_impulse(model: Model) -> bool:
    """Whether the ledger has the impulse: by the machine's structure alone, whose numbers may be inputs."""
    roots = [body.joint for body in model.bodies if body.parent == WORLD]
    free = bool(roots) and all(joint.type.kind == "free" for joint in roots)
    tied = any(WORLD in (loop.predecessor, loop.successor) for loop in model.loops)
    tied = tied or any(
        part.body == WORLD for tendon in model.tendons for part in tendon.path if part.kind == "point"
    )
    held = {actuator.v for actuator in model.actuators if actuator.rigid}
    moved = any(held.intersection(range(joint.v.start, joint.v.stop)) for joint in roots)
    fluid = any(body.inertia.added is not None for body in model.bodies)
    return free and not tied and not moved and not fluid and not model.wheels


def curved_freedoms(model: Model) -> list[int]:
    """Places in v of the joints that turn in space, where the integral of a velocity is no position."""
    curved = [joint for joint in model.joints if joint.type.nq != joint.type.nv]
    return [k for joint in curved for k in range(joint.v.start, joint.v.stop)]


class _Node(NamedTuple):
    """An instant of the step: its weight, the state that forces see, and the velocity that they move with."""

    weight: float
    q: Sequence[Scalar]
    v: Sequence[Scalar]
    moved: Sequence[Scalar]
    time: Scalar
    #: of a method that kicks: state and length of the step, at whose start force elements act
    start: tuple[Sequence[Scalar], Sequence[Scalar], Scalar] | None = None


def step_entry(
    system: System,
    order: int,
    before: tuple[Sequence[Scalar], Sequence[Scalar]],
    after: tuple[Sequence[Scalar], Sequence[Scalar]],
    time: Scalar,
    dt: Scalar,
    pushed: bool = True,
    kicks: bool = False,
) -> list[Scalar]:
    """What a step from (q, v) before to (q, v) after adds to the ledger.

    Without `pushed`, the joint forces `tau` are known to be zero at joints that turn in space. A method that
    `kicks` has force elements act as they do at the start of the step.
    """
    total: list[Scalar] = [0.0] * ledger_size(system.model)
    curved, tau = curved_freedoms(system.model), list(system.tau)
    if not pushed:
        tau = [0.0 if k in curved else x for k, x in enumerate(tau)]
    done: Scalar = 0.0
    if order > 1:
        # held forces do work by the way alone
        for joint in system.model.joints:
            if joint.v.start not in curved:
                way = joint.type.difference(before[0][joint.q], after[0][joint.q])
                done = sum((t * x for t, x in zip(tau[joint.v], way, strict=True)), done)
        tau = [x if k in curved else 0.0 for k, x in enumerate(tau)]
    whole, system = system, replace(system, tau=tau)
    for node in _nodes(system, order, before, after, time, dt):
        node = node._replace(start=(*before, dt)) if kicks else node
        total = [x + node.weight * rate for x, rate in zip(total, _rates(system, node), strict=True)]
        total[0] = total[0] + node.weight * _drive_power(whole, node)
    total = [dt * x for x in total]
    return [total[0] + done, *total[1:]]


def ledger_rates(system: System, pushed: bool = True) -> Account:
    """Rates of the ledger as a function of q, v and time, for methods that integrate them with the motion."""
    whole = system
    if not pushed:
        curved = curved_freedoms(system.model)
        system = replace(system, tau=[0.0 if k in curved else x for k, x in enumerate(system.tau)])

    def rates(q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> list[Scalar]:
        node = _Node(1.0, q, v, v, time)
        power, *impulses = _rates(system, node)
        return [power + _drive_power(whole, node), *impulses]

    return rates


def _drive_power(system: System, node: _Node) -> Scalar:
    """Power of what holds prescribed motions."""
    forces = system.drive_forces(node.q, node.v, node.time)
    return sum((force * node.moved[k] for k, force in forces.items()), 0.0)


def _nodes(
    system: System,
    order: int,
    before: tuple[Sequence[Scalar], Sequence[Scalar]],
    after: tuple[Sequence[Scalar], Sequence[Scalar]],
    time: Scalar,
    dt: Scalar,
) -> Iterator[_Node]:
    """Order 1: the end; 2: the middle; above: the two points of Gauss, on the cubic through both ends."""
    (q0, v0), (q1, v1) = before, after
    if order == 1:
        # closes the balance of a constant inertia exactly, however strong dampers and servos are
        yield _Node(1.0, q1, v1, [0.5 * (a + b) for a, b in zip(v0, v1, strict=True)], time + dt)
        return
    delta = [x for j in system.model.joints for x in j.type.difference(q0[j.q], q1[j.q])]
    if order == 2:
        moved = [x / dt for x in delta]
        yield _Node(1.0, system.integrate(q0, [0.5 * x for x in delta]), moved, moved, time + 0.5 * dt)
        return
    end_rate = system.tangent_rate(delta, v1)
    for s in (0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0):
        a, b, c = s * s * (3.0 - 2.0 * s), s * (1.0 - s) ** 2, s * s * (s - 1.0)
        da, db, dc = 6.0 * s * (1.0 - s), (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
        way = [a * x + dt * (b * y + c * z) for x, y, z in zip(delta, v0, end_rate, strict=True)]
        rate = [da * (x / dt) + db * y + dc * z for x, y, z in zip(delta, v0, end_rate, strict=True)]
        v = _velocity(system, way, rate)
        yield _Node(0.5, system.integrate(q0, way), v, v, time + s * dt)


def _velocity(system: System, delta: Sequence[Scalar], rate: Sequence[Scalar]) -> list[Scalar]:
    """The v whose tangent rate at delta is `rate`; every round gains an order of delta."""
    v = list(rate)
    for joint in system.model.joints:
        if joint.type.nq == joint.type.nv:
            continue
        wanted = found = v[joint.v]
        for _ in range(4):
            reached = joint.type.tangent_rate(delta[joint.v], found)
            found = [x - (y - z) for x, y, z in zip(wanted, reached, found, strict=True)]
        v[joint.v] = found
    return v


def _rates(system: System, node: _Node) -> list[Scalar]:
    """Rates of the ledger at an instant: power, and moment and force from outside."""
    model = system.model
    # what drives rotors is no force on the machine: see `_drive_power`
    undriven = replace(system, drive=None)
    force = undriven.force(node.q, node.v, node.time, springs=False, elements=False)
    power: Scalar = sum((f * x for f, x in zip(force, node.moved, strict=True)), 0.0)
    loads = body_loads(model, node.q, system.loads) if system.loads else {}
    power = power + _power(model, node.q, node.moved, loads)
    if model.elements:
        power = power + _element_rates(model, node, springs=False)[0]
    if not _counts_impulse(model):
        return [power]
    from treadle.dynamics.momentum import center_of_mass

    wrench = _outside(model, node.q, force, loads)
    if model.elements:
        # those that count as energy change the momentum too
        wrench = wrench + _element_rates(model, node, springs=True)[1]
    about_center = wrench.angular - center_of_mass(model, node.q).cross(wrench.linear)
    return [power, *about_center, *wrench.linear]


def _element_rates(model: Model, node: _Node, springs: bool) -> tuple[Scalar, Force]:
    """Power of force elements, and their sum about the world's origin in world axes."""
    if node.start is None:
        loads = element_loads(model, node.q, node.v, node.time, springs, lines=False)
        power = _line_power(model, node.q, node.v, node.moved, springs, None)
        return power + _power(model, node.q, node.moved, loads), _summed(model, node.q, loads)
    q, v, dt = node.start
    loads = element_loads(model, q, v, node.time, springs, implicit=False, lines=False)
    power = _line_power(model, q, v, node.moved, springs, False) + _power(model, q, node.moved, loads)
    kicked = element_kick(model, q, node.v, node.time, dt, springs)
    power = sum((f * x for f, x in zip(kicked, node.moved, strict=True)), power)
    return power, _outside(model, q, kicked, loads) if floats(model) else Force.zero()


def _line_power(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    moved: Sequence[Scalar],
    springs: bool,
    implicit: bool | None,
) -> Scalar:
    """Power of elements that are joint forces; between moving bodies, they leave the momentum as it is."""
    forces = line_forces(model, q, v, springs, implicit)
    return sum((f * moved[k] for k, f in forces.items()), 0.0)


def _power(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], loads: dict[int, Force]) -> Scalar:
    if not loads:
        return 0.0
    velocities = body_velocities(model, q, v)
    return sum((velocities[i].dot(load) for i, load in loads.items()), 0.0)


def _summed(model: Model, q: Sequence[Scalar], loads: dict[int, Force]) -> Force:
    """Forces on bodies, about the world's origin in world axes."""
    poses = world_transforms(model, q)
    return sum((poses[i].force_to_parent(load) for i, load in loads.items()), Force.zero())


def _outside(model: Model, q: Sequence[Scalar], force: Sequence[Scalar], loads: dict[int, Force]) -> Force:
    """Loads and the joint forces at the free joints, about the world's origin in world axes."""
    poses = world_transforms(model, q)
    total = _summed(model, q, loads)
    for body, X_WB in zip(model.bodies, poses, strict=True):
        if body.parent == WORLD:
            # a moment in body axes about the body's origin, a force in the joint's axes
            part = force[body.joint.v]
            linear = body.placement.rotation.apply(Vec3(*part[3:]))
            moment = X_WB.rotation.apply(Vec3(*part[:3])) + X_WB.translation.cross(linear)
            total = total + Force(moment, linear)
    return total
