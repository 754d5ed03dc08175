"""The differential equation of a machine: dq/dt from v, dv/dt from forward dynamics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from treadle.constraints.bounded import Arrest
from treadle.constraints.motion import DRIVE_ROTOR, Motion, moved_dofs, prescribed
from treadle.dynamics.energy import kinetic_energy, potential_energy
from treadle.dynamics.forward import forward_dynamics
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.forces.actuator import Drive, actuator_drives, actuator_state, driven_coordinate
from treadle.forces.energy import elastic_energy
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import body_loads
from treadle.forces.passive import damping, passive_force, stiffness
from treadle.forces.stiff_law import Slopes, is_stiff, law_slopes, stiff_part, with_law_couplings
from treadle.graph import Scalar, through_graph
from treadle.model.attachments import Actuator
from treadle.model.model import Model
from treadle.spatial import Force

if TYPE_CHECKING:
    from treadle.solvers.impulses import Rows
    from treadle.terrain import Terrain

__all__ = ["Account", "MotionDrive", "System"]


#: q, v, time -> rates
Account: TypeAlias = Callable[[Sequence[Scalar], Sequence[Scalar], Scalar], list[Scalar]]


class MotionDrive(NamedTuple):
    """Motions of joints that a method cannot hold by impulses: see `constraints.motion`."""

    #: the machine without the rotors that drive it
    model: Model
    motions: Mapping[str, Motion]

    def force(self, time: Scalar) -> dict[int, Scalar]:
        """What gives the rotors the accelerations of the motions, by degree of freedom."""
        force: dict[int, Scalar] = {}
        for name, motion in self.motions.items():
            joint = self.model.joint(name)
            for k, a in enumerate(prescribed(joint, motion, time).a, start=joint.v.start):
                force[k] = DRIVE_ROTOR * a
        return force


@dataclass(frozen=True)
class System:
    """A model with the joint forces `tau` and the loads on its bodies held over the step, and force laws.

    `options` are the values of the method's own options, `memory` what it kept from the step before;
    `bounds` are the rows of stops and friction; `commands` are those of the actuators (without them there
    are none), `drives` the actuators' own state.
    """

    model: Model
    tau: Sequence[Scalar]
    loads: Sequence[Scalar] = ()
    laws: Sequence[ForceLaw] = ()
    options: Mapping[str, Scalar] = field(default_factory=dict)
    memory: Sequence[Scalar] = ()
    bounds: Rows | None = None
    commands: Sequence[Scalar] = ()
    drives: Sequence[Scalar] = ()
    #: rates that are integrated along with the motion, such as the power of forces
    account: Account | None = None
    #: whether springs and dampers of loop joints are forces, not among the bounds
    elastic: bool = True
    #: time constant (s) of a feedback that closes loops (see `solvers.stabilization`), if there is one
    closing_time: Scalar | None = None
    #: whether steps start and end with loops closed by projection (see `solvers.projection`)
    projected: bool = False
    #: share of its loop below which a row takes no part in a kick, if there is one (see `rounded_loops`)
    least_share: Scalar | None = None
    #: the ground of the machine's wheels, and what they do there (see `sim.ground.ROLLING`)
    terrain: Terrain | None = None
    rolling: str = "balance"
    #: how the forces of loops and bounds are found (see `solvers.SOLVERS`)
    solver: str = "direct"
    #: whether all force elements are loads on bodies, as reactions need them (see `line.line_forces`)
    as_loads: bool = False
    #: motions that rotors of the model follow
    drive: MotionDrive | None = None
    #: whether steps are taken from positions in their middle: servos see the end half a step ahead, and joint
    #: springs act at the mean of both ends
    middle: bool = False

    def acceleration(
        self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, implicit_damping: Scalar = 0.0
    ) -> list[Scalar]:
        """dv/dt at a time; with a step h as `implicit_damping`, dampers act on the velocity v + h dv/dt.

        (M + h D) a = tau - D v - C: the dampers join the rotors in the inertia matrix, at no cost. So do
        actuators, with the position that they have at the end of the step.
        """
        return self._acceleration(self.damped(q, v, implicit_damping, time), q, v, time, implicit_damping)

    def _acceleration(
        self,
        model: Model,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        time: Scalar,
        step: Scalar,
        convective: Sequence[Scalar] | None = None,
    ) -> list[Scalar]:
        force, external = self.force(q, v, time, step=step), self.external(q, v, time, step=step)
        if model.closed:
            from treadle.solvers.direct import closed_dynamics

            return closed_dynamics(model, q, v, force, external, self.closing_time, self.solver)
        return forward_dynamics(model, q, v if convective is None else convective, force, external)

    def damped(self, q: Sequence[Scalar], v: Sequence[Scalar], step: Scalar, time: Scalar = 0.0) -> Model:
        """The model with inertia M + h D (+ h^2 K): dampers, actuators and stiff elements act at its end."""
        if isinstance(step, float) and step == 0.0:
            return self.model
        model = _with_rotors(self.model, self.implicit_inertia(q, v, step))
        added = self._tendon_inertia(q, v, step)
        if any(element.implicit for element in model.elements):
            from treadle.forces.element import element_inertia

            for key, value in element_inertia(self.model, q, v, step).items():
                added[key] = added[key] + value if key in added else value
        for slopes in self._stiff_laws(q, v, time):
            for matrix, scale in ((slopes.damping, step), (slopes.stiffness, step * step)):
                for key, value in stiff_part(matrix).items():
                    added[key] = added[key] + scale * value if key in added else scale * value
        return replace(with_law_couplings(model, self.laws), added_inertia=added) if added else model

    def implicit_inertia(self, q: Sequence[Scalar], v: Sequence[Scalar], step: Scalar) -> list[Scalar]:
        """h D (nv), and h^2 K / 4 of joint springs where steps are taken from their middle.

        The mean of both ends is h/4 (v' - v) from the middle that v leads to.
        """
        inertia = [d * step for d in self.implicit_damping(q, v, step)]
        if not self.middle:
            return inertia
        return [
            x if isinstance(k, float) and k == 0.0 else x + 0.25 * step * step * k
            for x, k in zip(inertia, stiffness(self.model), strict=True)
        ]

    def _stiff_laws(self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> list[Slopes]:
        return [law_slopes(self.model, law, q, v, time) for law in self.laws if is_stiff(law)]

    def _tendon_inertia(
        self, q: Sequence[Scalar], v: Sequence[Scalar], step: Scalar
    ) -> dict[tuple[int, int], Scalar]:
        """h J^T D J of actuators on tendons, row by column."""
        total: dict[tuple[int, int], Scalar] = {}
        for actuator, drive in self._actuation(q, v, step):
            if actuator.tendon is None or not self.model.tendons[actuator.tendon].implicit:
                continue
            if isinstance(drive.damping, float) and drive.damping == 0.0:
                continue
            arms = driven_coordinate(self.model, actuator, q, v).arms
            for i, a in arms.items():
                for j, b in arms.items():
                    value = (step * drive.damping) * (a * b)
                    total[i, j] = total[i, j] + value if (i, j) in total else value
        return total

    def implicit_damping(self, q: Sequence[Scalar], v: Sequence[Scalar], step: Scalar) -> list[Scalar]:
        """D (nv) of dampers and actuators, which act on the velocity at the end of a step."""
        slowed = damping(self.model)
        for actuator, drive in self._actuation(q, v, step):
            if actuator.v is not None:
                slowed[actuator.v] = slowed[actuator.v] + drive.damping
        return slowed

    def accounts(self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> list[Scalar]:
        """The rates of the account; none where it is not kept."""
        return [] if self.account is None else self.account(q, v, time)

    def kick(
        self,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        time: Scalar,
        dt: Scalar,
        convective: Sequence[Scalar] | None = None,
    ) -> Arrest:
        """The velocity after all forces of a step and, over the same time, stops and friction.

        (M + h D) v' = (M + h D) v + h (tau - D v - C) + J^T p: dampers and actuators withstand impulses too.
        The convective terms C of a tree are taken with v, or with another velocity.
        """
        model = self.damped(q, v, dt, time)
        held = self.arrest(q, self._free_kick(model, q, v, time, dt, convective), model)
        moved = [0.5 * (a + b) for a, b in zip(v, held.v, strict=True)]
        return held._replace(work=sum((p * x for p, x in zip(held.impulses, moved, strict=True)), 0.0))

    def _free_kick(
        self,
        model: Model,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        time: Scalar,
        dt: Scalar,
        convective: Sequence[Scalar] | None = None,
    ) -> list[Scalar]:
        """The velocity after the forces of a step and of its loops, without stops and friction."""
        if model.closed and self.projected:
            from treadle.solvers.direct import closed_kick

            force = self.force(q, v, time, step=dt)
            external = self.external(q, v, time, step=dt)
            return closed_kick(model, q, v, force, dt, external, self.solver, self.least_share)
        a = self._acceleration(model, q, v, time, dt, convective)
        return [x + dt * rate for x, rate in zip(v, a, strict=True)]

    def arrest(self, q: Sequence[Scalar], v: Sequence[Scalar], model: Model | None = None) -> Arrest:
        """The velocity after the impulses of stops and friction at once, and the work (J) that they did.

        What they act on is the model, unless another one is given.
        """
        if self.bounds is None:
            return Arrest(list(v), 0.0, [0.0] * len(v), [])
        from treadle.solvers.impulses import bounded_velocity

        return bounded_velocity(model or self.model, q, v, self.bounds, self.solver)

    def balance(
        self, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar], time: Scalar
    ) -> list[Scalar]:
        """M(q) a + C(q, v) - forces: zero where a is the acceleration."""
        needed = rnea(regroup(self.model), q, v, a, self.external(q, v, time))
        return [x - f for x, f in zip(needed, self.force(q, v, time), strict=True)]

    def force(
        self,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        time: Scalar,
        springs: bool = True,
        step: Scalar = 0.0,
        elements: bool = True,
    ) -> list[Scalar]:
        """Joint forces of drives, dampers, laws and, unless they count as energy, springs.

        `step` is the time to the position that actuators, and elements that may be stiff, are to act on.
        Without `elements` those that are joint forces are left out.
        """
        tau = list(self.tau)
        laws = [law_force(self.model, law, q, v, time, springs) for law in self.laws]
        for force in (passive_force(self.model, q, v, springs), *laws):
            tau = [a + b for a, b in zip(tau, force, strict=True)]
        if self.elastic and self.model.sprung:
            from treadle.constraints.spring import spring_force

            pull = through_graph(lambda x: spring_force(self.model, x, v), q)
            tau = [a + b for a, b in zip(tau, pull, strict=True)]
        now = isinstance(step, float) and step == 0.0
        if self.model.elements and elements and not self.as_loads:
            from treadle.forces.line import line_forces

            for k, x in line_forces(self.model, q, v, springs, None if now else False).items():
                tau[k] = tau[k] + x
        if any(element.implicit for element in self.model.elements) and not now:
            from treadle.forces.element import element_kick

            kicked = element_kick(self.model, q, v, time, step, springs)
            tau = [a + b for a, b in zip(tau, kicked, strict=True)]
        for slopes, _ in [] if now or not springs else self._stiff_laws(q, v, time):
            for (i, j), x in stiff_part(slopes).items():
                tau[i] = tau[i] - step * (x * v[j])
        for actuator, drive in self._actuation(q, v, step):
            driven = driven_coordinate(self.model, actuator, q, v)
            force = drive.force - drive.damping * driven.rate
            for k, arm in driven.arms.items():
                tau[k] = tau[k] + arm * force
        if self.drive is not None:
            for k, force in self.drive.force(time).items():
                tau[k] = tau[k] + force
        if self.terrain is not None and self.model.wheels:
            from treadle.wheels.rolling import wheel_force

            pushed = wheel_force(self.model, q, v, self.terrain)
            tau = [a + b for a, b in zip(tau, pushed, strict=True)]
        return tau

    def drive_forces(self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> dict[int, Scalar]:
        """The forces (N m, N) that hold the motions of the drive, by degree of freedom: inverse dynamics."""
        if self.drive is None:
            return {}
        external = self.external(q, v, time)
        given = replace(self, drive=None, model=self.drive.model).force(q, v, time)
        force, in_loops = self.force(q, v, time), [0.0] * self.model.nv
        if self.model.closed:
            from treadle.solvers.direct import closed_motion, loop_torques

            motion = closed_motion(self.model, q, v, force, external, None, self.solver)
            a, in_loops = motion.acceleration, loop_torques(self.model, q, motion.multipliers)
        else:
            a = forward_dynamics(self.model, q, v, force, external)
        needed = rnea(regroup(self.drive.model), q, v, a, external)
        return {k: needed[k] - given[k] - in_loops[k] for k in moved_dofs(self.model, self.drive.motions)}

    def driven(self, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
        """The actuators' own state after a step from q that ended with the velocity v."""
        return actuator_state(self.model, self.commands, self.drives, q, v, dt)

    def lagrangian(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
        """Kinetic energy less that of gravity and springs."""
        potential = potential_energy(self.model, q) + elastic_energy(self.model, q, self.laws)
        return kinetic_energy(self.model, q, v) - potential

    def load_force(
        self, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, step: Scalar = 0.0
    ) -> list[Scalar]:
        """Joint forces that the loads on the bodies, and elements without a potential, amount to."""
        external = self.external(q, v, time, springs=False, step=step)
        zeros: list[Scalar] = [0.0] * self.model.nv
        if external is None:
            return zeros
        weightless = replace(self.model, gravity=(0.0, 0.0, 0.0))
        return [-x for x in rnea(weightless, q, zeros, zeros, external)]

    def integrate(self, q: Sequence[Scalar], delta: Sequence[Scalar]) -> list[Scalar]:
        """The position reached from q by the tangent step delta, joint by joint."""
        return [x for j in self.model.joints for x in j.type.integrate(q[j.q], delta[j.v])]

    def tangent_rate(self, delta: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """Rate of the tangent step delta when the position moves with v, joint by joint."""
        return [x for j in self.model.joints for x in j.type.tangent_rate(delta[j.v], v[j.v])]

    def _actuation(
        self, q: Sequence[Scalar], v: Sequence[Scalar], step: Scalar
    ) -> list[tuple[Actuator, Drive]]:
        if not self.commands:
            return []
        drives = actuator_drives(self.model, self.commands, self.drives, q, v, step, self.middle)
        return list(zip(self.model.actuators, drives, strict=True))

    def external(
        self,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        time: Scalar,
        springs: bool = True,
        step: Scalar = 0.0,
    ) -> dict[int, Force] | None:
        """Forces on the bodies, by their index, if there are loads or force elements.

        Without `springs` those that count as energy are left out; at the end of `step` stiff elements act.
        """
        forces = body_loads(self.model, q, self.loads) if self.loads else {}
        if self.model.elements:
            from treadle.forces.element import element_loads

            # those that are taken implicitly are among the joint forces
            which = None if isinstance(step, float) and step == 0.0 else False
            loads = element_loads(self.model, q, v, time, springs, which, lines=self.as_loads)
            for body, force in loads.items():
                forces[body] = forces[body] + force if body in forces else force
        return forces or None


def _with_rotors(model: Model, added: Sequence[Scalar]) -> Model:
    """The model with more armature on every degree of freedom."""
    bodies = []
    for body in model.bodies:
        joint = body.joint
        armature = tuple(a + b for a, b in zip(joint.armature, added[joint.v], strict=True))
        bodies.append(replace(body, joint=replace(joint, armature=armature)))
    return replace(model, bodies=tuple(bodies))
