"""The machine at one instant, as the signals see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from treadle.constraints.bounded import BoundedRow
from treadle.constraints.motion import Motion
from treadle.constraints.rows import residuals, row_names
from treadle.constraints.wrench import body_forces, loop_forces
from treadle.dynamics.forward import forward_dynamics
from treadle.dynamics.kinematics import body_velocities, frame_placements, world_transforms
from treadle.dynamics.reactions import joint_reactions
from treadle.forces.actuator import actuator_drives
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import body_loads
from treadle.graph import Scalar
from treadle.integrators import System
from treadle.model.model import Model
from treadle.sim.bounds import bound_rows
from treadle.solvers.direct import ClosedMotion, closed_motion
from treadle.solvers.impulses import bounded_velocity
from treadle.spatial import Force, Transform
from treadle.spatial import Motion as SpatialMotion

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
                tau[actuator.v] = tau[actuator.v] + drive.force - drive.damping * self.v[actuator.v]
        return tau

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
    def acceleration(self) -> list[Scalar]:
        """dv/dt under joint forces, loads, springs, dampers, force laws, loops, stops and friction."""
        return self._motion.acceleration

    @cached_property
    def loop_reactions(self) -> list[Force]:
        """Force of every loop on its successor, in world axes, the moment about the joint's origin there."""
        return loop_forces(self.model, self.q, self._motion.multipliers)

    @cached_property
    def coupling_forces(self) -> list[Scalar]:
        """Force of every coupling on its joint."""
        return self._motion.multipliers[len(self._motion.multipliers) - len(self.model.couplings) :]

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
        loads = body_loads(self.model, self.q, self.loads)
        for body, force in body_forces(self.model, self.q, self.loop_reactions).items():
            loads[body] = loads[body] + force
        forces = joint_reactions(self.model, self.q, self.v, self.acceleration, loads)
        return [
            Force(X_WB.rotation.apply(force.angular), X_WB.rotation.apply(force.linear))
            for X_WB, force in zip(self.bodies, forces, strict=True)
        ]

    @cached_property
    def _motion(self) -> ClosedMotion:
        """The motion that begins here; what is bounded does what it would do over a whole step."""
        system = System(self.model, self.tau, self.loads, self.laws)
        force = system.force(self.q, self.v, self.time)
        if self.bounded and self.model.nv:
            a = system.acceleration(self.q, self.v, self.time)
            ahead = [x + self.dt * rate for x, rate in zip(self.v, a, strict=True)]
            arrest = bounded_velocity(self.model, self.q, ahead, self._bounds)
            force = [f + p / self.dt for f, p in zip(force, arrest.impulses, strict=True)]
        loads = body_loads(self.model, self.q, self.loads)
        if self.model.closed:
            return closed_motion(self.model, self.q, self.v, force, loads)
        return ClosedMotion(forward_dynamics(self.model, self.q, self.v, force, loads), [])

    def _bounds(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[BoundedRow]:
        return bound_rows(self.model, self.motions, q, v, self.time, self.dt)
