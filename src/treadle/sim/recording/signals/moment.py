"""The machine at one instant, as the signals see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from treadle.constraints.bounded import Arrest, BoundedRow
from treadle.constraints.coordinates import Coordinate
from treadle.constraints.friction import friction_rows
from treadle.constraints.limit import limited_coordinates
from treadle.constraints.motion import Motion, moved_dofs, prescribed, with_drive_rotors
from treadle.constraints.rows import residuals, row_names
from treadle.constraints.spring import spring_pulls, spring_rows
from treadle.constraints.wrench import body_forces, loop_forces
from treadle.dynamics.forward import forward_dynamics
from treadle.dynamics.kinematics import (
    body_accelerations,
    body_velocities,
    frame_placements,
    world_transforms,
)
from treadle.dynamics.reactions import joint_reactions
from treadle.dynamics.rnea import base_acceleration
from treadle.forces.actuator import actuator_drives, driven_coordinate
from treadle.forces.element import link_loads
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import LOAD_SIZE
from treadle.forces.tendon import tendon_pulls
from treadle.graph import Scalar, where
from treadle.integrators import System
from treadle.integrators.system import MotionDrive
from treadle.model.model import WORLD, Model, ModelJoint
from treadle.model.tendons import PathPart, Tendon
from treadle.sim.bounds import bound_rows
from treadle.solvers.direct import ClosedMotion, closed_motion
from treadle.solvers.impulses import bounded_velocity
from treadle.spatial import Force, Transform, Vec3
from treadle.spatial import Motion as SpatialMotion
from treadle.terrain import Terrain
from treadle.wheels.rolling import Rolling, rolling_contacts

__all__ = ["Moment"]


@dataclass(frozen=True)
class Moment:
    """State and forces over traced scalars; what several signals share is computed once."""

    model: Model
    laws: Sequence[ForceLaw]
    controllers: Sequence[ForceLaw]
    q: Sequence[Scalar]
    v: Sequence[Scalar]
    #: joint forces that are held
    held: Sequence[Scalar]
    loads: Sequence[Scalar]
    time: Scalar
    #: commands and state of the actuators
    commands: Sequence[Scalar] = ()
    drives: Sequence[Scalar] = ()
    #: the step, over which stops, friction and prescribed motions act if they do
    dt: Scalar = 1e-3
    bounded: bool = False
    motions: Mapping[str, Motion] = field(default_factory=dict)
    terrain: Terrain | None = None
    #: how wheels roll (see `sim.ground.ROLLING`), if their forces are to be those of a whole step
    rolling: str = ""
    #: whether rotors follow the motions (see `StepOptions.driven`)
    driven: bool = False
    #: whether limits, motors and the like act before the drift of a step (see `Method.arrests`)
    arrests: bool = True
    #: 1 if `rows` are the impulses of what is bounded in the last step; else those of the next one are taken
    taken: Scalar = 0.0
    rows: Sequence[Scalar] = ()
    #: whether steps are those of contact, which arrive at motions with the mean of two velocities
    contact: bool = False
    #: what contact sensors felt in the last step
    felt: Sequence[Scalar] = ()
    #: contact forces on the bodies and their moments about the world's origin, in the mean over that step
    pressed: Sequence[Scalar] = ()
    #: by collision shape: force on it, its moment about the world's origin, depth, in the mean over that step
    shape_forces: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    #: sums of normal forces in the zones of touch sensors, by their names, in the mean over that step
    zone_forces: Mapping[str, Scalar] = field(default_factory=dict)

    @cached_property
    def tau(self) -> list[Scalar]:
        """Joint forces: those that are held, those that traced controllers command, and the actuators'."""
        tau = list(self.held)
        for controller in self.controllers:
            added = law_force(self.model, controller, self.q, self.v, self.time)
            tau = [a + b for a, b in zip(tau, added, strict=True)]
        if self.commands:
            drives = actuator_drives(self.model, self.commands, self.drives, self.q, self.v)
            for actuator, drive in zip(self.model.actuators, drives, strict=True):
                driven = driven_coordinate(self.model, actuator, self.q, self.v)
                for k, arm in driven.arms.items():
                    tau[k] = tau[k] + arm * (drive.force - drive.damping * driven.rate)
        return tau

    @cached_property
    def actuator_forces(self) -> list[Scalar]:
        """Force of every actuator on its dof; that of a rigid motor is the one of a whole step."""
        drives = actuator_drives(self.model, self.commands, self.drives, self.q, self.v)
        rows = self._step_impulses if self.bounded and self.model.nv else []
        impulses = iter(rows[len(moved_dofs(self.model, {} if self.driven else self.motions)) :])
        return [
            next(impulses, 0.0) / self.dt
            if actuator.rigid
            else drive.force - drive.damping * driven_coordinate(self.model, actuator, self.q, self.v).rate
            for actuator, drive in zip(self.model.actuators, drives, strict=True)
        ]

    @cached_property
    def limit_forces(self) -> list[Scalar]:
        """Force of joint limits on every degree of freedom, in the mean over a step."""
        forces: list[Scalar] = [0.0] * self.model.nv
        for at, force in self._limit_pulls:
            if isinstance(at.joint, ModelJoint):
                forces[at.joint.v.start + at.k] = force
        return forces

    @cached_property
    def tendon_limit_forces(self) -> dict[str, Scalar]:
        """Force of the limits of tendons along their lengths, in the mean over a step."""
        return {at.joint.name: force for at, force in self._limit_pulls if isinstance(at.joint, Tendon)}

    @cached_property
    def tendon_forces(self) -> dict[str, Scalar]:
        """Force along the length of every tendon, tension being negative: of all that acts on it."""
        rubbing = [tendon.name for tendon in self.model.tendons if any(tendon.friction)]
        pulls: list[tuple[str, Scalar]] = list(self.tendon_limit_forces.items())
        pulls += [
            (at.joint.name, pull)
            for at, pull in spring_pulls(self.model, self.q, self.v)
            if isinstance(at.joint, Tendon)
        ]
        if self.commands:
            for actuator, force in zip(self.model.actuators, self.actuator_forces, strict=True):
                if actuator.tendon is not None:
                    pulls.append((self.model.tendons[actuator.tendon].name, force))
        if rubbing and self.bounded and self.model.nv:
            # their rows are the last ones
            last = self._step_impulses[-len(rubbing) :]
            pulls += [(name, p / self.dt) for name, p in zip(rubbing, last, strict=True)]
        total: dict[str, Scalar] = {}
        for name, pull in pulls:
            total[name] = total.get(name, 0.0) + pull
        return total

    @cached_property
    def tendon_loads(self) -> list[tuple[PathPart, Force]]:
        """What tendons do to the parts of their paths, about the world's origin and in its axes."""
        loads = []
        for tendon in self.model.tendons:
            if tendon.path and tendon.name in self.tendon_forces:
                force = self.tendon_forces[tendon.name]
                for pull in tendon_pulls(self.model, tendon, self.q):
                    at = pull.slope * force
                    loads.append((pull.part, Force(pull.point.cross(at), at)))
        return loads

    @cached_property
    def element_loads(self) -> list[tuple[str | None, Force]]:
        """What force elements do to links, each in the frame of the link's body."""
        return list(link_loads(self.model, self.q, self.v, self.time))

    @cached_property
    def _limit_pulls(self) -> list[tuple[Coordinate, Scalar]]:
        """What has limits, and their force along it, in the mean over a step."""
        if not (self.bounded and self.model.nv):
            return []
        # rows: motions and rigid motors, then limits (see `sim.bounds`)
        rigid = [a for a in self.model.actuators[: len(self.commands)] if a.rigid and a.v is not None]
        first = len(moved_dofs(self.model, {} if self.driven else self.motions)) + len(rigid)
        limited = limited_coordinates(self.model, self.q)
        impulses = self._step_impulses[first : first + len(limited)]
        return [(at, impulse / self.dt) for at, impulse in zip(limited, impulses, strict=True)]

    @cached_property
    def bodies(self) -> list[Transform]:
        """Poses X_WB of the bodies."""
        return world_transforms(self.model, self.q)

    @cached_property
    def frames(self) -> list[Transform]:
        """Poses X_WF of `model.frames`."""
        return frame_placements(self.model, self.q)

    @cached_property
    def velocities(self) -> list[SpatialMotion]:
        """Velocities of the bodies, each in its own frame."""
        return body_velocities(self.model, self.q, self.v)

    @cached_property
    def accelerations(self) -> list[SpatialMotion]:
        """Spatial accelerations of the bodies, each in its own frame."""
        return body_accelerations(self.model, self.q, self.v, self.acceleration)

    @cached_property
    def acceleration(self) -> list[Scalar]:
        """dv/dt under joint forces, loads, springs, dampers, force laws, loops, stops and friction."""
        return self._motion.acceleration

    @cached_property
    def proper_accelerations(self) -> list[SpatialMotion]:
        """Spatial accelerations of the bodies less gravity, each in its own frame."""
        return body_accelerations(
            self.model, self.q, self.v, self.acceleration, base_acceleration(self.model)
        )

    @cached_property
    def step_acceleration(self) -> list[Scalar]:
        """dv/dt if what is bounded continues with what it gave in the last step."""
        kept = self._step_motion is not self._motion
        return self._step_motion.acceleration if kept else self.acceleration

    @cached_property
    def loop_reactions(self) -> list[Force]:
        """Force of every loop on its successor, in world axes, the moment about the joint's origin there."""
        return loop_forces(self.model, self.q, self._step_motion.multipliers, self._loop_pulls)

    @cached_property
    def coupling_forces(self) -> list[Scalar]:
        """Force of every coupling on its joint."""
        multipliers = self._step_motion.multipliers
        return multipliers[len(multipliers) - len(self.model.couplings) :]

    @cached_property
    def residuals(self) -> dict[str, list[Scalar]]:
        """What should vanish, by the names of loops and couplings."""
        found: dict[str, list[Scalar]] = {}
        for name, residual in zip(row_names(self.model), residuals(self.model, self.q), strict=True):
            found.setdefault(name, []).append(residual)
        return found

    @cached_property
    def reactions(self) -> list[Force]:
        """Force through every body's joint, in world axes, the moment about the body's origin."""
        loads = self._system.external(self.q, self.v, self.time) or {}
        in_loops = body_forces(self.model, self.q, self.loop_reactions).items()
        on_cables = [
            (part.body, self.bodies[part.body].force_to_child(force))
            for part, force in self.tendon_loads
            if part.body != WORLD
        ]
        for body, force in (*in_loops, *self._wheel_loads(), *on_cables):
            loads[body] = loads[body] + force if body in loads else force
        forces = joint_reactions(self.model, self.q, self.v, self.step_acceleration, loads)
        return [
            Force(X_WB.rotation.apply(force.angular), X_WB.rotation.apply(force.linear))
            for X_WB, force in zip(self.bodies, forces, strict=True)
        ]

    @cached_property
    def _loads(self) -> list[Scalar]:
        """What users and contact put on the bodies (see `forces.load`)."""
        loads = list(self.loads)
        if self.pressed:
            for i, X_WB in enumerate(self.bodies):
                force = Vec3(*self.pressed[6 * i : 6 * i + 3])
                moment = Vec3(*self.pressed[6 * i + 3 : 6 * i + 6]) - X_WB.translation.cross(force)
                for k, x in enumerate((*force, *moment), start=LOAD_SIZE * i):
                    loads[k] = loads[k] + x
        return loads

    @cached_property
    def _motion(self) -> ClosedMotion:
        """The motion that begins here; what is bounded does what it would do over a whole step.

        So do wheels that roll by force balance: at the state itself their stiff forces are far from balance.
        """
        if self._rolls:
            ahead = self._rolled_velocity
            return ClosedMotion([(b - a) / self.dt for a, b in zip(self.v, ahead, strict=True)], [])
        return self._moved_by(self._arrest.impulses if self.bounded and self.model.nv else None)

    @cached_property
    def _step_motion(self) -> ClosedMotion:
        """The motion here if what is bounded continues with what it gave in the last step."""
        if self._rolls or not (self.bounded and self.rows and self.model.nv):
            return self._motion
        impulses: list[Scalar] = [0.0] * self.model.nv
        for row, p in zip(self._bounds(self.q, self._ahead), self._step_impulses, strict=True):
            for k, x in row.jacobian.items():
                impulses[k] = impulses[k] + x * p
        return self._moved_by(impulses)

    @property
    def _rolls(self) -> bool:
        """Whether wheels act over a whole step."""
        if not self.rolling or self.terrain is None or self.model.closed:
            return False
        from treadle.integrators.rolling import BALANCED

        return self.rolling in BALANCED

    @cached_property
    def _rolled_velocity(self) -> list[Scalar]:
        """The velocity after a step by force balance."""
        from treadle.integrators.rolling import rolling_memory, rolling_step

        memory = [0.0] * rolling_memory(self.model)
        bounds = self._bounds if self.bounded else None
        system = replace(self._system, memory=memory, bounds=bounds, rolling=self.rolling)
        return list(rolling_step(system, self.q, self.v, self.time, self.dt).v)

    def _moved_by(self, impulses: Sequence[Scalar] | None) -> ClosedMotion:
        """Accelerations and forces in the loops under all forces, and impulses on the dofs over a step."""
        machine = self._system.model
        force = self._system.force(self.q, self.v, self.time)
        if impulses is not None:
            force = [f + p / self.dt for f, p in zip(force, impulses, strict=True)]
        loads = self._system.external(self.q, self.v, self.time)
        if machine.closed:
            return closed_motion(machine, self.q, self.v, force, loads)
        return ClosedMotion(forward_dynamics(machine, self.q, self.v, force, loads), [])

    @cached_property
    def _system(self) -> System:
        system = System(self.model, self.tau, self._loads, self.laws, terrain=self.terrain, as_loads=True)
        if not self.driven:
            return system
        drive = MotionDrive(self.model, self.motions)
        return replace(system, model=with_drive_rotors(self.model, self.motions), drive=drive)

    @cached_property
    def _ahead(self) -> list[Scalar]:
        """The velocity after a step without what is bounded."""
        a = self._system.acceleration(self.q, self.v, self.time)
        return [x + self.dt * rate for x, rate in zip(self.v, a, strict=True)]

    @cached_property
    def _arrest(self) -> Arrest:
        return bounded_velocity(self._system.model, self.q, self._ahead, self._bounds)

    @cached_property
    def _step_impulses(self) -> list[Scalar]:
        """Impulses of the bounded rows in the last step; before the first, those that the next one needs."""
        ahead = self._arrest.rows
        if not self.rows:
            return list(ahead)
        # those of springs in loops are not among the rows here
        rows = list(self.rows)
        if self.arrests:
            rubbing = len(friction_rows(self.model, self.q, self.dt))
            first = len(ahead) - rubbing
            del rows[first : first + len(spring_rows(self.model, self.q, self.dt))]
        return [where(self.taken > 0.5, p, x) for p, x in zip(rows, ahead, strict=False)]

    @cached_property
    def _loop_pulls(self) -> dict[tuple[str, int], Scalar]:
        """Forces of springs, dampers, stops, friction and ropes on the coordinates of loop joints."""
        pulls: dict[tuple[str, int], Scalar] = {}
        given = [(at.loop, pull) for at, pull in spring_pulls(self.model, self.q, self.v)]
        if self.bounded and self.model.nv:
            rows = self._bounds(self.q, self._ahead)
            given += [(row.loop, p / self.dt) for row, p in zip(rows, self._step_impulses, strict=True)]
        for loop, pull in given:
            if loop is not None:
                pulls[loop] = pulls.get(loop, 0.0) + pull
        return pulls

    @cached_property
    def contacts(self) -> list[Rolling]:
        """Contacts of all wheels."""
        return [] if self.terrain is None else rolling_contacts(self.model, self.q, self.v, self.terrain)

    def _wheel_loads(self) -> list[tuple[int, Force]]:
        """Forces of the ground on bodies with wheels, in their frames."""
        loads, speeds = [], self._rolled_velocity if self._rolls else self.v
        for rolling in self.contacts:
            touch, body = rolling.touch, rolling.wheel.body
            fx, fy, fz, drag = rolling.force(rolling.speeds(speeds))
            force = touch.x * fx + touch.y * fy + touch.normal * fz
            moment = touch.point.cross(force) + touch.axle * (drag * rolling.wheel.radius)
            loads.append((body, self.bodies[body].force_to_child(Force(moment, force))))
        return loads

    def _bounds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[BoundedRow]:
        given: dict[str, Any] = {"before": self.v, "commands": self.commands}
        motions = {} if self.driven else self.motions
        rows = bound_rows(self.model, motions, q, v, self.time, self.dt, **given)
        if self.contact:
            joints = [(self.model.joint(name), motion) for name, motion in motions.items()]
            rates = [x for each in joints for x in prescribed(*each, self.time + self.dt).v]
            rows[: len(rates)] = [
                replace(row, slowest=x, fastest=x) for row, x in zip(rows, rates, strict=False)
            ]
        return rows
