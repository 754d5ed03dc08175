"""Base class of the methods in maximal coordinates: state, motors, and constraint errors of the joints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from treadle.dynamics.kinematics import body_velocities, world_transforms
from treadle.errors import InputError
from treadle.model.model import WORLD, Model, suggest
from treadle.spatial import Quaternion
from treadle.studies.baselines.effort import Effort
from treadle.studies.baselines.maximal.mechanism import mechanism
from treadle.studies.baselines.maximal.motion import State, dof_position, joint_points, turn_error

__all__ = ["MaximalSimulation"]


class MaximalSimulation(ABC):
    """A machine whose bodies are free and whose joints, loops and couplings are constraints.

    It starts from generalized coordinates q and v of the tree (the model's initial state unless given).
    Springs, dampers and dry friction of the joints act; angles of springs and motors are taken within half a
    turn. `effort` sums up the work of all steps so far.
    """

    def __init__(
        self,
        model: Model,
        dt: float = 1e-3,
        q: Sequence[float] | np.ndarray | None = None,
        v: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        if not (np.isfinite(dt) and dt > 0.0):
            raise InputError(f"dt must be a positive number of seconds, not {dt!r}")
        self.model, self.dt = model, float(dt)
        self.bodies, self.joints, self.dofs, self.couplings, self._places = mechanism(model)
        initial_q, initial_v = model.initial()
        self.state = _state(
            model, self.bodies.center, initial_q if q is None else q, initial_v if v is None else v
        )
        self.time, self.effort = 0.0, Effort()

    def step(self, count: int = 1) -> Effort:
        """Advance by a number of steps, and say what they took."""
        effort = self._advance(count)
        self.time += count * self.dt
        self.effort = self.effort + effort
        return effort

    @abstractmethod
    def _advance(self, count: int) -> Effort:
        """Run the compiled kernel for a number of steps."""

    def hold(self, joint: str, position: float, rate: float = 0.0, freedom: int = 0) -> None:
        """Let a motor without limits keep a degree of freedom at a position that moves at a rate."""
        index = self._dof(joint, freedom)
        if not self.dofs.measured[index]:
            raise InputError(f"the position of joint {joint!r} is a rotation: only rates of it can be driven")
        self._set_motor(index, 1, position, rate, np.inf)

    def drive(self, joint: str, rate: float, effort: float = np.inf, freedom: int = 0) -> None:
        """Let a motor of limited force or torque keep a degree of freedom at a rate."""
        self._set_motor(self._dof(joint, freedom), 2, 0.0, rate, effort)

    def position(self, joint: str, freedom: int = 0) -> float:
        """Position of a degree of freedom, measured between its bodies; angles from -pi to pi."""
        return dof_position(self.joints, self.dofs, self.state, self._dof(joint, freedom))

    def pose(self, name: str) -> np.ndarray:
        """Pose X_WF of a link or frame in the world, as a 4 x 4 matrix."""
        frame = self.model.frame(name)
        placement = frame.placement.to_matrix()
        if frame.body == WORLD:
            return placement
        pose = np.eye(4)
        pose[:3, :3] = self.state.rotation[frame.body]
        pose[:3, 3] = self.state.position[frame.body] - pose[:3, :3] @ self.bodies.center[frame.body]
        return pose @ placement

    def gaps(self) -> tuple[float, float]:
        """How far the worst joint has come apart (m), and by what angle the worst is bent (rad)."""
        apart, bent = 0.0, 0.0
        for j in range(len(self.joints.body)):
            on_a, on_b = joint_points(self.joints, self.state, j)
            R = self.state.rotation[self.joints.body[j, 0]]
            directions = self.joints.slide[j, : self.joints.slides[j]] @ R.T
            apart = max(apart, float(np.linalg.norm(directions @ np.subtract(on_b, on_a))))
            bent = max(bent, float(np.linalg.norm(turn_error(self.joints, self.state, j))))
        return apart, bent

    def energy(self) -> float:
        """Kinetic energy, energy in the gravity field and of the joint springs (J)."""
        total = 0.0
        for i in range(len(self.model.bodies)):
            mass, R = 1.0 / self.bodies.inverse_mass[i], self.state.rotation[i]
            v, w = self.state.velocity[i], R.T @ self.state.turning[i]
            total += 0.5 * mass * (v @ v) + 0.5 * w @ self.bodies.inertia[i] @ w
            total -= mass * (self.bodies.gravity @ self.state.position[i])
        for f in np.flatnonzero(self.dofs.stiffness):
            position = dof_position(self.joints, self.dofs, self.state, int(f))
            total += 0.5 * self.dofs.stiffness[f] * (position - self.dofs.reference[f]) ** 2
        return float(total)

    def _dof(self, joint: str, freedom: int) -> int:
        if joint not in self._places:
            raise InputError(
                f"{self.model.name!r} has no joint named {joint!r}; {suggest(joint, list(self._places))}"
            )
        place = self._places[joint]
        if not 0 <= freedom < place.stop - place.start:
            raise InputError(
                f"joint {joint!r} has {place.stop - place.start} degrees of freedom, not {freedom + 1}"
            )
        return place.start + freedom

    def _set_motor(self, index: int, servo: int, position: float, rate: float, effort: float) -> None:
        self.dofs.servo[index], self.dofs.position[index] = servo, position
        self.dofs.rate[index], self.dofs.effort[index] = rate, effort


def _state(
    model: Model, centers: np.ndarray, q: Sequence[float] | np.ndarray, v: Sequence[float] | np.ndarray
) -> State:
    """Bodies placed and moving as the tree's joints say."""
    count = len(model.bodies) + 1
    state = State(
        np.zeros((count, 3)),
        np.zeros((count, 4)),
        np.zeros((count, 3, 3)),
        np.zeros((count, 3)),
        np.zeros((count, 3)),
    )
    state.quaternion[-1, 0], state.rotation[-1] = 1.0, np.eye(3)
    q, v = list(map(float, q)), list(map(float, v))
    if (len(q), len(v)) != (model.nq, model.nv):
        raise InputError(f"{model.name!r} has {model.nq} positions and {model.nv} velocities")
    poses, velocities = world_transforms(model, q), body_velocities(model, q, v)
    for i, (X_WB, velocity) in enumerate(zip(poses, velocities, strict=True)):
        pose = X_WB.to_matrix()
        R, center = pose[:3, :3], centers[i]
        angular, linear = np.array(list(velocity), dtype=float).reshape(2, 3)
        state.rotation[i] = R
        state.quaternion[i] = list(Quaternion.from_matrix(X_WB.rotation))
        state.position[i] = R @ center + pose[:3, 3]
        state.turning[i] = R @ angular
        state.velocity[i] = R @ (linear + np.cross(angular, center))
    return state
