"""Sensors of joints: tachometer, resolver, torque along the joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from treadle.forces.actuator import driven_coordinate
from treadle.graph import Scalar, cos, sin
from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.sensors.kind import Channel, Instant, Option, SensorKind
from treadle.sensors.limit import LIMIT, beyond_limit, limit_channel
from treadle.spatial import Force

__all__ = [
    "Actuation",
    "JointLimit",
    "JointLimitForce",
    "JointQuaternion",
    "JointTorque",
    "Resolver",
    "Tachometer",
]


class Tachometer(SensorKind):
    """Velocity along every dof of a joint."""

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "velocity of a joint"
    options: ClassVar = {"gear": Option(1.0, "number", "turns of the tachometer per turn of the joint")}

    def channels(self) -> Sequence[Channel]:
        kind = self.joint.type
        return [Channel(name, unit) for name, unit in zip(kind.velocities, kind.velocity_units, strict=True)]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return [x * self.parameters["gear"] for x in at.v[self.joint.v]]


class Resolver(SensorKind):
    """Sine and cosine of the angle of a joint times its pole pairs, as the two windings give them."""

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "sine and cosine of a joint's angle"
    options: ClassVar = {
        "pole_pairs": Option(1, "whole", "electrical turns per turn"),
        "amplitude": Option(1.0, "positive", "of both signals"),
    }

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        if tuple(self.joint.type.position_units) != ("rad",):
            raise ValueError(f"joint {sensor.on!r} does not turn about one axis, which a resolver needs")

    def channels(self) -> Sequence[Channel]:
        return [Channel("sine", "1"), Channel("cosine", "1")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        angle = at.q[self.joint.q][0] * float(self.parameters["pole_pairs"])
        return [self.parameters["amplitude"] * f(angle) for f in (sin, cos)]


class JointTorque(SensorKind):
    """Force through the joint along its dofs, between what drives it and its body: S^T f.

    That is the force of motors, springs, dampers, limits and friction less what accelerates the rotor.
    """

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "torque or force through a joint, along its dofs"

    def channels(self) -> Sequence[Channel]:
        kind = self.joint.type
        units = ["N m" if unit == "rad/s" else "N" for unit in kind.velocity_units]
        return [Channel(name, unit) for name, unit in zip(kind.velocities, units, strict=True)]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        body = next(k for k, b in enumerate(self.model.bodies) if b.joint.name == self.sensor.on)
        R, force = at.bodies[body].rotation, at.reactions[body]
        own = Force(R.apply_transposed(force.angular), R.apply_transposed(force.linear))
        return [column.dot(own) for column in self.joint.type.subspace(at.q[self.joint.q])]


class Actuation(SensorKind):
    """Force of all actuators on a joint, along its dofs, of those on tendons too."""

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "torque or force of all actuators on a joint"

    def channels(self) -> Sequence[Channel]:
        return JointTorque.channels(self)  # type: ignore[arg-type]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        places = self.joint.v
        total: list[Scalar] = [0.0] * self.joint.type.nv
        for actuator, force in zip(self.model.actuators, at.actuator_forces, strict=True):
            for k, arm in driven_coordinate(self.model, actuator, at.q, at.v).arms.items():
                if places.start <= k < places.stop:
                    total[k - places.start] = total[k - places.start] + arm * force
        return total


class JointLimitForce(SensorKind):
    """Force of a joint's limits over a step, along its dofs; zero inside the range."""

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "torque or force of a joint's limits"

    def channels(self) -> Sequence[Channel]:
        return JointTorque.channels(self)  # type: ignore[arg-type]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(at.limit_forces[self.joint.v])


class JointLimit(SensorKind):
    """How far a joint with one dof is beyond the limit that it is at, how fast it leaves it, or its push.

    Within the range by more than a margin all three are zero. At the margin the distance begins at zero, and
    becomes negative beyond.
    """

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "distance from a joint's limit, its rate, or how hard the limit pushes"
    options: ClassVar = LIMIT

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        if self.joint.type.nv != 1:
            raise ValueError(f"joint {sensor.on!r} has not one dof; use joint_limit_force")

    def channels(self) -> Sequence[Channel]:
        rate = self.joint.type.velocity_units[0]
        return [
            limit_channel(
                self.parameters["quantity"], ("rad", rate, "N m") if rate == "rad/s" else ("m", rate, "N")
            )
        ]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        joint = self.joint
        if self.parameters["quantity"] == "force":
            return [abs(at.limit_forces[joint.v.start])]
        state = at.q[joint.q.start], at.v[joint.v.start]
        return [beyond_limit(state, (joint.lower[0], joint.upper[0]), self.parameters)]


class JointQuaternion(SensorKind):
    """Rotation of a ball joint (or of a free one) as its quaternion."""

    mount: ClassVar[str] = "joint"
    meaning: ClassVar[str] = "rotation of a ball or free joint (quaternion)"

    def __init__(self, model: Model, sensor: Sensor) -> None:
        super().__init__(model, sensor)
        if self.joint.type.nq == self.joint.type.nv:
            raise ValueError(f"joint {sensor.on!r} has no quaternion; use an encoder")

    def channels(self) -> Sequence[Channel]:
        return [Channel(name, "1") for name in ("qw", "qx", "qy", "qz")]

    def measure(self, at: Instant) -> Sequence[Scalar]:
        return list(at.q[self.joint.q])[:4]
