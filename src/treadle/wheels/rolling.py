"""Wheels of a machine at a position: the velocities of their contacts as rows, and the forces there.

Every contact has four rows J over the machine's velocity: vx, vy, vz of the wheel's contact point and the
rolling speed. The force f of the model acts on the machine as J^T f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.dynamics.kinematics import world_transforms
from treadle.graph import Expr, Scalar, clip, forward, hold, in_limb, maximum, minimum, sqrt, through_graph
from treadle.model.attachments import Wheel
from treadle.model.identical_subtrees import SubtreeLane, identical_subtrees
from treadle.model.model import WORLD, Body, Model
from treadle.spatial import Motion, Transform, Vec3
from treadle.terrain import Terrain
from treadle.wheels.geometry import Touch, touches
from treadle.wheels.model import WheelContact, holding_direction, model_force

__all__ = ["MEMORY", "Rolling", "contact_count", "rolling_contacts", "wheel_force"]

#: Numbers that a contact keeps: how far its tread is bent along x and y (m), then what readouts show: force
#: (3), velocity (3), rolling speed, depth and point (3).
MEMORY = 13

#: Speed (m/s) of a wheel's rim past what carries it, from which the tread no longer holds its place.
PARKED = 0.01

#: How far a parked tread bends under the wheel's share of the weight, as a part of the radius.
BEND = 0.002


@dataclass(frozen=True)
class Rolling:
    """A contact of a wheel: where it is, and how the dofs of the machine move it (zeros left out)."""

    wheel: Wheel
    touch: Touch
    #: rows of the contact point's velocity along the world's axes (3), and of the rolling speed
    moving: Sequence[dict[int, Scalar]]
    spin: dict[int, Scalar]
    #: stiffness (N/m) of a parked tread, and how much of it holds: 1 at rest, 0 when the wheel turns
    hold: float
    grip: Scalar = 1.0
    limb: SubtreeLane | None = None

    @property
    def axes(self) -> tuple[Vec3, Vec3, Vec3]:
        """The directions of vx, vy and vz in the world."""
        return self.touch.x, self.touch.y, self.touch.normal

    @property
    def rows(self) -> list[dict[int, Scalar]]:
        """Rows of vx, vy, vz and the rolling speed."""
        freedoms = sorted({k for row in self.moving for k in row})
        points = {k: Vec3(*[row.get(k, 0.0) for row in self.moving]) for k in freedoms}
        return [*[{k: point.dot(axis) for k, point in points.items()} for axis in self.axes], self.spin]

    def speeds(self, v: Sequence[Scalar]) -> list[Scalar]:
        """vx, vy, vz and the rolling speed."""
        *velocity, rolling = [
            sum((x * v[k] for k, x in row.items()), 0.0) for row in (*self.moving, self.spin)
        ]
        return [*[Vec3(*velocity).dot(axis) for axis in self.axes], rolling]

    def joint_force(self, force: Sequence[Scalar]) -> dict[int, Scalar]:
        """J^T f: what fx, fy, fz and the drag are in the degrees of freedom."""
        x, y, normal = self.axes
        world = x * force[0] + y * force[1] + normal * force[2]
        total: dict[int, Scalar] = {}
        for row, f in zip((*self.moving, self.spin), (*world, force[3]), strict=True):
            for k, value in row.items():
                total[k] = total[k] + value * f if k in total else value * f
        return total

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

    def derived_force(
        self, speeds: Sequence[Scalar], dt: Scalar, bent: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[list[Scalar]]]:
        """The held force, and its exact derivatives (4 x 4) by the speeds."""

        def derived(inputs: list[Expr]) -> list[Scalar]:
            inputs = [hold(x) for x in inputs]  # type: ignore[misc]
            force, _ = self.held_force(inputs, dt, bent)
            rows = forward(force, {x: {k: 1.0} for k, x in enumerate(inputs)}, 4)
            return [*force, *[x for row in rows for x in row]]

        force, slopes = (flat := through_graph(derived, list(speeds)))[:4], flat[4:]
        return force, [slopes[4 * i : 4 * i + 4] for i in range(4)]


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
    poses, places = world_transforms(model, q), identical_subtrees(model)
    # wheels of one kind are computed side by side
    for wheel in model.wheels:
        X = poses[wheel.body]
        poses[wheel.body] = Transform(
            X.rotation, Vec3(*[in_limb(x, places[wheel.body]) for x in X.translation])
        )
    weight = model.mass * max(abs(x) for x in (*model.gravity, 1e-3)) / len(model.wheels)
    return [
        Rolling(
            wheel,
            touch,
            *_rows(model, q, poses, wheel, touch),
            weight / (BEND * wheel.radius),
            clip(1.0 - abs(v[wheel.v]) * (wheel.radius / PARKED), 0.0, 1.0),
            places[wheel.body],
        )
        for wheel in (model.wheels if wheels is None else wheels)
        for touch in touches(wheel, poses[wheel.body], terrain)
    ]


def wheel_force(model: Model, q: Sequence[Scalar], v: Sequence[Scalar], terrain: Terrain) -> list[Scalar]:
    """Joint forces (nv) of all contacts, added as they are at q and v."""
    total: list[Scalar] = [0.0] * model.nv
    for rolling in rolling_contacts(model, q, v, terrain):
        for k, f in rolling.joint_force(rolling.force(rolling.speeds(v))).items():
            total[k] = total[k] + f
    return total


def _rows(
    model: Model, q: Sequence[Scalar], poses: Sequence[Transform], wheel: Wheel, touch: Touch
) -> tuple[list[dict[int, Scalar]], dict[int, Scalar]]:
    """What each dof on the way to the base does to a contact: its velocity, and the rolling speed."""
    moving: list[dict[int, Scalar]] = [{} for _ in range(3)]
    spin: dict[int, Scalar] = {}
    index = wheel.body
    while index != WORLD:
        body, X = model.bodies[index], poses[index]
        arm = touch.point - X.translation
        for k, S in zip(range(body.joint.v.start, body.joint.v.stop), _motions(body, X, q), strict=True):
            velocity = S.linear + S.angular.cross(arm)
            for row, value in zip((*moving, spin), (*velocity, _spin(S.angular, touch, wheel)), strict=True):
                if not (isinstance(value, float) and value == 0.0):
                    row[k] = value
        index = body.parent
    return moving, spin


def _motions(body: Body, X_WB: Transform, q: Sequence[Scalar]) -> list[Motion]:
    """The joint's axes, in the world's axes; what floats is known to move along them."""
    subspace = body.joint.type.subspace(q[body.joint.q])
    turned = [Motion(X_WB.rotation.apply(S.angular), X_WB.rotation.apply(S.linear)) for S in subspace]
    if body.joint.type.kind == "free" and body.parent == WORLD:
        axes = (Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0))
        turned[3:] = [Motion(Vec3(), body.placement.rotation.apply(axis)) for axis in axes]
    return turned


def _spin(turning: Vec3, touch: Touch, wheel: Wheel) -> Scalar:
    return turning.dot(touch.axle) * wheel.radius
