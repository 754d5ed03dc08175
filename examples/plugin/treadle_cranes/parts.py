"""One of each kind: a joint, an integrator, a wheel model, a contact law and a sensor."""

from __future__ import annotations

from collections.abc import Sequence

import treadle as td
from treadle.graph import Scalar
from treadle.integrators import Advance, Method
from treadle.joints.joint import Joint, rotation_about, unit
from treadle.sensors.kind import Channel, SensorKind
from treadle.spatial import Motion, Transform, Vec3

__all__ = ["HALF_EULER", "PinSlot", "Speedometer", "foam", "rail"]


class PinSlot(Joint):
    """A pin that slides along x and turns about its axis: q = (angle, displacement)."""

    kind = "pin_slot"
    positions = ("angle", "displacement")
    velocities = ("rate", "speed")
    position_units = ("rad", "m")
    velocity_units = ("rad/s", "m/s")

    def __init__(self, axis: Sequence[float] = (0, 0, 1)) -> None:
        self.axis = unit(axis)
        self.slot = Vec3(1.0, 0.0, 0.0)

    def transform(self, q: Sequence[Scalar]) -> Transform:
        return Transform(rotation_about(self.axis, q[0]), self.slot * q[1])

    def subspace(self, q: Sequence[Scalar]) -> list[Motion]:
        R = rotation_about(self.axis, q[0])
        return [Motion(self.axis, Vec3()), Motion(Vec3(), R.apply_transposed(self.slot))]

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> Motion:
        velocity_B = rotation_about(self.axis, q[0]).apply_transposed(self.slot * v[1])
        return Motion(Vec3(), velocity_B.cross(self.axis * v[0]))


def _half_steps(system, q, v, time, dt) -> Advance:
    """Two explicit Euler steps of half the size."""
    for k in range(2):
        a = system.acceleration(q, v, time + 0.5 * k * dt)
        q = system.integrate(q, [0.5 * dt * x for x in v])
        v = [x + 0.5 * dt * rate for x, rate in zip(v, a, strict=True)]
    return Advance(q, v)


HALF_EULER = Method(_half_steps, 1, "two explicit Euler steps of half the size", loops="accelerations")


def rail(contact, stiffness=5e6, damping=1e5, grip=1e6):
    """A flanged wheel on a rail: stiff, and held across it."""
    fz = td.maximum(stiffness * contact.depth - damping * contact.vz, 0.0)
    limit = 0.3 * fz
    return td.clip(-grip * contact.vx, -limit, limit), -grip * contact.vy, fz


def foam(touch):
    """A force that grows with the depth, damped in proportion to it."""
    return td.maximum(touch.stiffness * touch.depth * (1.0 + 0.2 * touch.rate), 0.0)


class Speedometer(SensorKind):
    """Speed of its point."""

    meaning = "speed of its point"

    def channels(self):
        return [Channel("speed", "m/s")]

    def measure(self, at):
        velocity = self.velocity(at).linear
        return [td.sqrt(velocity.dot(velocity))]
