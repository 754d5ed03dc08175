"""The machine at one instant, as the signals see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from treadle.dynamics.kinematics import body_velocities, frame_placements, world_transforms
from treadle.dynamics.reactions import joint_reactions
from treadle.errors import InputError
from treadle.forces.actuator import actuator_drives
from treadle.forces.law import ForceLaw, law_force
from treadle.forces.load import body_loads
from treadle.graph import Scalar
from treadle.integrators import System
from treadle.model.model import Model
from treadle.spatial import Force, Motion, Transform

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
    def velocities(self) -> list[Motion]:
        """Velocities of the bodies, each in its own frame."""
        return body_velocities(self.model, self.q, self.v)

    @cached_property
    def acceleration(self) -> list[Scalar]:
        """dv/dt under joint forces, loads, springs, dampers and force laws."""
        return System(self.model, self.tau, self.loads, self.laws).acceleration(self.q, self.v, self.time)

    @cached_property
    def reactions(self) -> list[Force]:
        """Force through every body's joint, in world axes, the moment about the body's origin."""
        if self.model.closed:
            # they depend on the forces in the loops, which are not known here
            raise InputError("reactions at joints are known of machines without loops and couplings only")
        loads = body_loads(self.model, self.q, self.loads)
        forces = joint_reactions(self.model, self.q, self.v, self.acceleration, loads)
        return [
            Force(X_WB.rotation.apply(force.angular), X_WB.rotation.apply(force.linear))
            for X_WB, force in zip(self.bodies, forces, strict=True)
        ]
