"""Moving a machine by hand while it stands still: a point goes where it is wanted, and loops stay closed.

Steps of damped least squares in the motions that the loops allow:

    dv = N (A^T A + l^2 I)^-1 A^T e,   A = J N

with the Jacobian J of the point, the null space N of the loops' Jacobian, and the way e that is left.
"""

from __future__ import annotations

import numpy as np

from treadle.dynamics.compiled import frame_jacobian, frame_pose
from treadle.errors import ModelError
from treadle.model.model import Model
from treadle.solvers.assembly import assemble, closure_evaluation

__all__ = ["DragIk"]

#: Steps, and the damping l in shares of |A|.
_STEPS, _DAMPING = 4, 0.05

#: What a freedom moves by in one step at most (rad or m).
_LONGEST = 0.5

#: Singular values below this share of the largest are zero.
_RANK = 1e-9


class DragIk:
    """Moves one machine by hand."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._closure = closure_evaluation(model) if model.closed else None

    def __call__(self, q: np.ndarray, body: str, point: np.ndarray, target: np.ndarray) -> np.ndarray:
        """The positions near q at which a point (m, in the body's axes) comes nearest to a target (m)."""
        best, nearest = q.copy(), float(np.linalg.norm(self._way(q, body, point, target)[0]))
        for _ in range(_STEPS):
            try:
                q = assemble(self._model, self._step(q, body, point, target)).q
            except ModelError:
                break
            distance = float(np.linalg.norm(self._way(q, body, point, target)[0]))
            if distance >= nearest - 1e-9:
                break
            best, nearest = q.copy(), distance
        return best

    def _way(
        self, q: np.ndarray, body: str, point: np.ndarray, target: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The way that is left, and the arm from the body's origin to the point, in world axes."""
        pose = frame_pose(self._model, q, body)
        arm = pose[:3, :3] @ point
        return target - pose[:3, 3] - arm, arm

    def _step(self, q: np.ndarray, body: str, point: np.ndarray, target: np.ndarray) -> np.ndarray:
        way, arm = self._way(q, body, point, target)
        J = frame_jacobian(self._model, q, body)
        N = self._free(q)
        # velocity of the point: that of the origin and w x arm
        A = (J[3:] - np.cross(np.eye(3), arm) @ J[:3]) @ N
        size = float(np.linalg.norm(A, 2)) if A.size else 0.0
        if size == 0.0:
            return q
        damped = A.T @ A + (_DAMPING * size) ** 2 * np.eye(A.shape[1])
        step = N @ np.linalg.solve(damped, A.T @ way)
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-12))
        joints = self._model.joints
        moved = [joint.type.integrate(q[joint.q].tolist(), step[joint.v].tolist()) for joint in joints]
        q = np.array([x for part in moved for x in part], dtype=float)
        for joint in joints:
            if joint.type.nq == 1 and joint.lower:
                q[joint.q] = np.clip(q[joint.q], joint.lower[0], joint.upper[0])
        return q

    def _free(self, q: np.ndarray) -> np.ndarray:
        """A basis (nv, n) of the velocities that keep the loops closed."""
        if self._closure is None:
            return np.eye(self._model.nv)
        _, jacobian = self._closure(q)
        _, sizes, directions = np.linalg.svd(jacobian)
        rank = int((sizes > _RANK * sizes.max(initial=0.0)).sum())
        return directions[rank:].T
