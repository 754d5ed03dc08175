"""The raising arm in Bullet, in maximal coordinates: free bodies, and joints as constraints between them.

Joints that are held are Bullet's fixed constraints; the lifting hinge is two of its point-to-point
constraints half a metre on either side, and a torque from inverse dynamics with feedback raises the arm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.bench.peers import peer
from treadle.dynamics.compiled import inverse_dynamics, mass_matrix
from treadle.spatial import Mat3, Quaternion
from treadle.studies.arm_raising import DT, LIFT, ArmRaising
from treadle.studies.baselines import Simmc

__all__ = ["BulletArm"]

#: Half the distance of the two points that make a hinge (m).
_HALF = 0.5
#: No constraint gives way.
_UNLIMITED = 1e15
#: Stiffness (1/s2) and damping (1/s) of the error of the lift angle.
_STIFFNESS, _DAMPING = 400.0, 40.0


class BulletArm:
    """The machine in a Bullet world of its own; `meter` has the poses of its bodies after every step."""

    def __init__(self, arm: ArmRaising, iterations: int) -> None:
        self.arm = arm
        self.bullet: Any = peer("pybullet")
        # measures poses and gaps in the same way as for our own methods
        self.meter = Simmc(arm.model, DT, arm.q)
        self.client = self.bullet.connect(self.bullet.DIRECT)
        self.bullet.setGravity(*arm.model.gravity, physicsClientId=self.client)
        self.bullet.setTimeStep(DT, physicsClientId=self.client)
        self.bullet.setPhysicsEngineParameter(
            numSolverIterations=iterations, solverResidualThreshold=0.0, physicsClientId=self.client
        )
        self.axes = [_principal(I) for I in self.meter.bodies.inertia]
        self.ids = [self._body(i) for i in range(len(self.axes))]
        for j, body in enumerate(arm.model.bodies):
            self._joint(j, body.joint.name == LIFT)
        index = arm.model.joint(LIFT).v.start
        self.inertia = mass_matrix(arm.model, arm.q)[index, index]
        self.number, self.before = 0, arm.lift(0.0)

    def step(self) -> None:
        """Raise the arm for one step."""
        lift = self.meter.position(LIFT)
        rate, self.before = (lift - self.before) / DT, lift
        base, raised = (self.arm.model.frame(name).body for name in ("arm_base", "supporting_arm"))
        axis = self.meter.state.rotation[base] @ (0.0, -1.0, 0.0)
        torque = axis * self._torque(lift, rate)
        for body, sign in ((raised, 1.0), (base, -1.0)):
            self.bullet.applyExternalTorque(
                self.ids[body], -1, (sign * torque).tolist(), self.bullet.WORLD_FRAME,
                physicsClientId=self.client,
            )  # fmt: skip
        self.bullet.stepSimulation(physicsClientId=self.client)
        self.number += 1
        for i in range(len(self.ids) - 1):
            place, turn = self.bullet.getBasePositionAndOrientation(self.ids[i], physicsClientId=self.client)
            self.meter.state.position[i] = place
            self.meter.state.rotation[i] = _matrix(turn) @ self.axes[i].T
            self.meter.state.quaternion[i] = _quaternion(self.meter.state.rotation[i])

    def close(self) -> None:
        """End the Bullet world."""
        self.bullet.disconnect(physicsClientId=self.client)

    def _torque(self, lift: float, rate: float) -> float:
        """What raises the arm (N m): inverse dynamics, and feedback of the error."""
        model, time = self.arm.model, self.number * DT
        index = model.joint(LIFT).v.start
        wanted = [self.arm.lift(time + shift) for shift in (-DT, 0.0, DT)]
        speed = (wanted[2] - wanted[0]) / (2.0 * DT)
        q, v, a = self.arm.q.copy(), np.zeros(model.nv), np.zeros(model.nv)
        q[index], v[index] = wanted[1], speed
        a[index] = (wanted[2] - 2.0 * wanted[1] + wanted[0]) / DT**2
        feedback = _DAMPING * (speed - rate) + _STIFFNESS * (wanted[1] - lift)
        return float(inverse_dynamics(model, q, v, a)[index] + self.inertia * feedback)

    def _body(self, i: int) -> int:
        """A body with its frame at the centre of mass, along the principal axes; the world is the last."""
        state, bodies = self.meter.state, self.meter.bodies
        mass = 1.0 / bodies.inverse_mass[i] if bodies.inverse_mass[i] else 0.0
        number = self.bullet.createMultiBody(
            mass, -1, -1, state.position[i].tolist(), _xyzw(state.rotation[i] @ self.axes[i]),
            physicsClientId=self.client,
        )  # fmt: skip
        moments = np.diag(self.axes[i].T @ bodies.inertia[i] @ self.axes[i])
        self.bullet.changeDynamics(
            number, -1, linearDamping=0.0, angularDamping=0.0, localInertiaDiagonal=moments.tolist(),
            physicsClientId=self.client,
        )  # fmt: skip
        return number

    def _joint(self, j: int, hinge: bool) -> None:
        joints, state, bullet = self.meter.joints, self.meter.state, self.bullet
        (a, b), (on_a, on_b) = joints.body[j], joints.point[j]
        if not hinge:
            # held where it is: the point of A at which B has its joint now
            where = state.position[b] + state.rotation[b] @ on_b
            on_a = state.rotation[a].T @ (where - state.position[a])
        between = self.axes[a].T @ state.rotation[a].T @ state.rotation[b] @ self.axes[b]
        for shift in (-_HALF, _HALF) if hinge else (0.0,):
            constraint = bullet.createConstraint(
                self.ids[a], -1, self.ids[b], -1, bullet.JOINT_POINT2POINT if hinge else bullet.JOINT_FIXED,
                (0.0, 0.0, 0.0),
                (self.axes[a].T @ (on_a + shift * joints.axes[j, 0])).tolist(),
                (self.axes[b].T @ (on_b + shift * joints.axes[j, 1])).tolist(),
                _xyzw(between), physicsClientId=self.client,
            )  # fmt: skip
            bullet.changeConstraint(constraint, maxForce=_UNLIMITED, physicsClientId=self.client)


def _principal(I: np.ndarray) -> np.ndarray:
    """Principal axes of an inertia, one per column, right-handed."""
    _, axes = np.linalg.eigh(I)
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    return axes


def _quaternion(R: np.ndarray) -> list[Any]:
    return list(Quaternion.from_matrix(Mat3.of(R.tolist())))


def _xyzw(R: np.ndarray) -> list[float]:
    w, x, y, z = _quaternion(R)
    return [x, y, z, w]


def _matrix(xyzw: tuple[float, float, float, float]) -> np.ndarray:
    x, y, z, w = xyzw
    return np.array(Quaternion(w, x, y, z).matrix().to_rows(), dtype=float)
