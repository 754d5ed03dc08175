"""Wheels of a machine at a position: the velocities of their contacts as rows, and the forces there.

Every contact has four rows J over the machine's velocity: vx, vy, vz of the wheel's contact point and the
rolling speed. The force f of the model acts on the machine as J^T f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.dynamics.kinematics import world_transforms
from treadle.graph import Scalar, clip, maximum, minimum, sqrt
from treadle.model.fittings import Wheel
from treadle.model.model import WORLD, Model
from treadle.spatial import Transform, Vec3
from treadle.terrain import Terrain
from treadle.wheels.geometry import Touch, touches
from treadle.wheels.model import WheelContact, holding_direction, model_force

__all__ = ["MEMORY", "ROLLING", "Rolling", "contact_count", "rolling_contacts", "wheel_force"]

#: What wheels do in a step of symplectic Euler; other integrators add their forces to the others.
ROLLING = {
    "balance": "forces at the end of the step, by force balance",
    "held_inertia": "the same with the inertia that the machine has in its initial posture",
    "rigid_bias": "the same with that inertia, and as if its joints stood still",
    "direct": "forces at the start of the step, added to the others",
    "kinematic": "no forces at all: the velocity with the least slip",
}

#: Numbers that a contact keeps: how far its tread is bent along x and y (m), then what readouts show: force
#: (3), velocity (3), rolling speed, depth and point (3).
MEMORY = 13

#: Speed (m/s) of a wheel's rim past what carries it, from which the tread no longer holds its place.
PARKED = 0.01

#: How far a parked tread bends under the wheel's share of the weight, as a part of the radius.
BEND = 0.002


@dataclass(frozen=True)
class Rolling:
    """A contact of a wheel: where it is, and its rows by freedom (zeros left out)."""

    wheel: Wheel
    touch: Touch
    rows: Sequence[dict[int, Scalar]]
    #: stiffness (N/m) of a parked tread, and how much of it holds: 1 at rest, 0 when the wheel turns
    hold: float
    grip: Scalar = 1.0

    def speeds(self, v: Sequence[Scalar]) -> list[Scalar]:
        """vx, vy, vz and the rolling speed."""
        return [sum((x * v[k] for k, x in row.items()), 0.0) for row in self.rows]

    def force(self, speeds: Sequence[Scalar], dt: Scalar = 0.0) -> list[Scalar]:
        """fx, fy, fz and drag (N) of the model, with the depth after dt."""
        touch, wheel = self.touch, self.wheel
        vx, vy, vz, rolling = speeds
        ground = touch.surface
        contact = WheelContact(
            vx,
            vy,
            vz,
            rolling,
            touch.depth - dt * vz,
            wheel.radius,
            wheel.width,
            ground.friction,
            ground.soil,
        )
        return model_force(wheel, contact)

    def held_force(
        self, speeds: Sequence[Scalar], dt: Scalar, bent: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[Scalar]]:
        """The force with that of a tread that holds its place while the wheel is parked, and its new bend.

        A tread bends by the slip of a step and pulls back as a spring, within what the model leaves of the
        friction; a wheel that rolls lets go of it. So a parked wheel does not creep.
        """
        fx, fy, fz, drag = self.force(speeds, dt)
        bend_x, bend_y = self.grip * (bent[0] + dt * speeds[0]), self.grip * (bent[1] + dt * speeds[1])
        along = holding_direction(self.wheel)
        if along is not None:
            bend = bend_x * along[0] + bend_y * along[1]
            bend_x, bend_y = bend * along[0], bend * along[1]
        pull = self.hold * sqrt(bend_x * bend_x + bend_y * bend_y + 1e-24)
        left = maximum(self.touch.surface.friction * fz - sqrt(fx * fx + fy * fy + 1e-24), 0.0)
        share = minimum(left / pull, 1.0)
        bend_x, bend_y = share * bend_x, share * bend_y
        return [fx - self.hold * bend_x, fy - self.hold * bend_y, fz, drag], [bend_x, bend_y]


def contact_count(model: Model) -> int:
    """Contacts that the wheels may have."""
    return sum(wheel.contacts for wheel in model.wheels)


def rolling_contacts(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    terrain: Terrain,
    wheels: Sequence[Wheel] | None = None,
) -> list[Rolling]:
    """All contacts of all wheels (or of some) at a position; v tells which wheels are parked."""
    poses = world_transforms(model, q)
    weight = model.mass * max(abs(x) for x in (*model.gravity, 1e-3)) / len(model.wheels)
    return [
        Rolling(
            wheel,
            touch,
            _rows(model, q, poses, wheel, touch),
            weight / (BEND * wheel.radius),
            clip(1.0 - abs(v[wheel.v]) * (wheel.radius / PARKED), 0.0, 1.0),
        )
        for wheel in (model.wheels if wheels is None else wheels)
        for touch in touches(wheel, poses[wheel.body], terrain)
    ]


def wheel_force(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], terrain: Terrain) -> list[Scalar]:
    """Joint forces (nv) of all contacts, added as they are at q and v."""
    total: list[Scalar] = [0.0] * model.nv
    for rolling in rolling_contacts(model, q, v, terrain):
        for row, f in zip(rolling.rows, rolling.force(rolling.speeds(v)), strict=True):
            for k, x in row.items():
                total[k] = total[k] + x * f
    return total


def _rows(
    model: Model, q: Sequence[Scalar], poses: Sequence[Transform], wheel: Wheel, touch: Touch
) -> list[dict[int, Scalar]]:
    """The rows of a contact: what each freedom on the way to the base does to it."""
    rows: list[dict[int, Scalar]] = [{} for _ in range(4)]
    index = wheel.body
    while index != WORLD:
        body, X = model.bodies[index], poses[index]
        arm = touch.point - X.translation
        subspace = body.joint.type.subspace(q[body.joint.q])
        for k, S in zip(range(body.joint.v.start, body.joint.v.stop), subspace, strict=True):
            turning = X.rotation.apply(S.angular)
            moving = X.rotation.apply(S.linear) + turning.cross(arm)
            values = [moving.dot(axis) for axis in (touch.x, touch.y, touch.normal)]
            for row, value in zip(rows, [*values, _spin(turning, touch.axle, wheel.radius)], strict=True):
                if not (isinstance(value, float) and value == 0.0):
                    row[k] = value
        index = body.parent
    return rows


def _spin(turning: Vec3, axle: Vec3, radius: float) -> Scalar:
    return turning.dot(axle) * radius
