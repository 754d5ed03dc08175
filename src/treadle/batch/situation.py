"""The machine as a task sees it after a control step, over traced scalars."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from treadle.dynamics.momentum import center_of_mass
from treadle.graph import Scalar
from treadle.model.model import WORLD, Link, Model
from treadle.sim.recording.signals.moment import Moment
from treadle.spatial import Force, Motion, Transform, Vec3

__all__ = ["Situation"]


class Situation:
    """What observations, rewards and terminations are functions of.

    Positions and velocities are those of the machine; vectors are in world axes, SI units.
    """

    def __init__(
        self,
        moment: Moment,
        action: Sequence[Scalar],
        before: Sequence[Scalar],
        variables: Sequence[Scalar],
        period: float,
    ) -> None:
        self.moment = moment
        #: (nq), (nv)
        self.q, self.v = moment.q, moment.v
        #: what was asked for in this control step
        self.action = action
        #: what the task's `remember` gave at the end of the step before
        self.before = before
        #: what the episode began with, a goal for example
        self.variables = variables
        #: length of a control step (s)
        self.period = period

    @property
    def model(self) -> Model:
        """The machine."""
        return self.moment.model

    @property
    def time(self) -> Scalar:
        """Since the episode began (s)."""
        return self.moment.time

    def joint_position(self, name: str) -> Sequence[Scalar]:
        """Of a joint."""
        return self.q[self.model.joint(name).q]

    def joint_velocity(self, name: str) -> Sequence[Scalar]:
        """Of a joint."""
        return self.v[self.model.joint(name).v]

    def pose(self, name: str) -> Transform:
        """Pose of a link or frame in the world."""
        return self.moment.frames[self._frame(name)]

    def position(self, name: str) -> Vec3:
        """Origin of a link or frame (m)."""
        return self.pose(name).translation

    def velocity(self, name: str) -> Motion:
        """Angular velocity of a link or frame, and velocity of its origin."""
        frame = self.model.frames[self._frame(name)]
        if frame.body == WORLD:
            return Motion.zero()
        motion = frame.placement.motion_to_child(self.moment.velocities[frame.body])
        rotation = self.pose(name).rotation
        return Motion(rotation.apply(motion.angular), rotation.apply(motion.linear))

    @cached_property
    def center_of_mass(self) -> Vec3:
        """Of all moving bodies (m)."""
        return Vec3(*center_of_mass(self.model, self.q))

    def contact_force(self, link: str, about: Vec3) -> Force:
        """What touches a link, in the mean over the last step: moment about a point (N m) and force (N)."""
        force, moment = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
        for shape in self.model.shapes:
            given = self.moment.shape_forces.get(shape.name)
            if shape.role == "collision" and shape.link == link and given is not None:
                force = force + Vec3(*given[:3])
                moment = moment + Vec3(*given[3:6])
        return Force(moment - about.cross(force), force)

    def link(self, name: str) -> Link:
        """A link of the machine, with its mass and inertia."""
        return next(link for link in self.model.links if link.name == name)

    def _frame(self, name: str) -> int:
        return self.model.frames.index(self.model.frame(name))
