"""Pinocchio's coordinates in terms of Treadle's, and its results in Treadle's coordinates.

The velocities are related by a matrix, v_pin = B(q) v. With D_k the derivative along the k-th tangent
direction of q, which are the directions of v in both libraries up to B,

    a_pin = B a + c,   c = dB/dt v = sum_k v_k (D_k B) v,        tau = B^T tau_pin,

and everything else follows by the chain rule. B permutes, except in joints whose linear velocity is in
the parent's axes here and in the body's axes there (free, planar): a block R^T(q), of which
D_k R^T = W_k R^T with constant W_k = -skew(e_k).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from tests.numeric import relative_error
from treadle import Derivatives, Model

__all__ = ["Dynamics", "Kinematics", "Peer"]


class Kinematics(NamedTuple):
    """What follows from position and velocity."""

    jacobians: dict[str, np.ndarray]
    center_of_mass: np.ndarray
    kinetic_energy: float
    potential_energy: float
    momentum: np.ndarray


class Dynamics(NamedTuple):
    """Forces for an acceleration, the inertia matrix, and accelerations under forces."""

    inverse: np.ndarray
    mass_matrix: np.ndarray
    forward: np.ndarray


@dataclass
class Peer:
    """A Pinocchio model of the same machine; `joints` are the numbers of its joints, by ours."""

    own: Model
    model: pin.Model
    joints: Sequence[Sequence[int]]

    @cached_property
    def data(self) -> pin.Data:
        return self.model.createData()

    @cached_property
    def without_rotors(self) -> pin.Model:
        model = self.model.copy()
        model.armature = np.zeros(model.nv)
        return model

    def poses(self, q: np.ndarray, links: Sequence[str]) -> dict[str, np.ndarray]:
        """Poses of the links in the world, as 4 x 4 matrices."""
        pin.framesForwardKinematics(self.model, self.data, _Map(self, q).q)
        return {name: self.data.oMf[self._frame(name)].homogeneous for name in links}

    def kinematics(self, q: np.ndarray, v: np.ndarray, frames: Iterable[str]) -> Kinematics:
        """With the Jacobians of the given frames."""
        model, data, map = self.model, self.data, _Map(self, q)
        pin.computeJointJacobians(model, data, map.q)
        pin.updateFramePlacements(model, data)
        jacobians = {}
        for name in frames:
            axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            # of one column it makes a vector
            J = pin.getFrameJacobian(model, data, self._frame(name), axes).reshape(6, model.nv)
            jacobians[name] = np.vstack([J[3:], J[:3]]) @ map.B
        center = pin.centerOfMass(model, data, map.q).copy()
        v_pin = map.B @ v
        h = pin.computeCentroidalMomentum(model, data, map.q, v_pin)
        # its kinetic energy has the rotors of joints along coordinate axes only
        rotors = 0.5 * model.armature @ v_pin**2
        return Kinematics(
            jacobians,
            center,
            pin.computeKineticEnergy(self.without_rotors, data, map.q, v_pin) + rotors,
            pin.computePotentialEnergy(model, data, map.q),
            np.concatenate([h.angular + np.cross(center, h.linear), h.linear]),
        )

    def dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> Dynamics:
        """Forces that give a, inertia matrix, and the accelerations that tau gives."""
        model, data, map = self.model, self.data, _Map(self, q)
        B, c = map.B, map.drift(v)
        inverse = pin.rnea(model, data, map.q, B @ v, B @ a + c)
        M = np.triu(pin.crba(model, data, map.q))
        M = M + np.triu(M, 1).T
        forward = pin.aba(model, data, map.q, B @ v, np.linalg.solve(B.T, tau))
        return Dynamics(B.T @ inverse, B.T @ M @ B, np.linalg.solve(B, forward - c))

    def inconsistency(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> float:
        """Relative difference between the accelerations of its forward and of its inverse dynamics."""
        there = self.dynamics(q, v, tau, np.zeros_like(v))
        missing = tau - self.dynamics(q, v, tau, there.forward).inverse
        return relative_error(there.forward + np.linalg.solve(there.mass_matrix, missing), there.forward)

    def derivatives(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> Derivatives:
        """a = B^-1 (a_pin(q_pin, B v, B^-T tau) - c(q, v)), differentiated."""
        model, data, map = self.model, self.data, _Map(self, q)
        B, c, B_inverse = map.B, map.drift(v), np.linalg.inv(map.B)
        tau_pin = B_inverse.T @ tau
        by_q, by_v, by_tau = pin.computeABADerivatives(model, data, map.q, B @ v, tau_pin)
        by_tau = np.triu(by_tau) + np.triu(by_tau, 1).T
        a = B_inverse @ (data.ddq - c)
        c_by_v = np.zeros_like(B)
        rate = np.zeros_like(B)
        inner = by_q @ B
        for k, DB in map.DB.items():
            rate += v[k] * DB
            c_by_v[:, k] += DB @ v
            drift_rate = sum(v[i] * map.DDB[i, k] @ v for i in map.DB if (i, k) in map.DDB)
            inner[:, k] += by_v @ DB @ v - by_tau @ (B_inverse.T @ (DB.T @ tau_pin)) - drift_rate - DB @ a
        c_by_v += rate
        return Derivatives(
            a, B_inverse @ inner, B_inverse @ (by_v @ B - c_by_v), B_inverse @ by_tau @ B_inverse.T
        )

    def _frame(self, name: str) -> int:
        return self.model.getFrameId(name, pin.FrameType.BODY)


class _Map:
    """Pinocchio's position for our q, the matrix B there and its derivatives."""

    def __init__(self, peer: Peer, q: np.ndarray) -> None:
        model, nv = peer.model, peer.model.nv
        assert nv == peer.own.nv
        self.q = np.empty(model.nq)
        self.B = np.zeros((nv, nv))
        #: derivatives along tangent directions, where they are not zero
        self.DB: dict[int, np.ndarray] = {}
        self.DDB: dict[tuple[int, int], np.ndarray] = {}
        for joint, numbers in zip(peer.own.joints, peer.joints, strict=True):
            own, column = q[joint.q], joint.v.start
            parts = [model.joints[number] for number in numbers]
            theirs, row = parts[0].idx_q, parts[0].idx_v
            match joint.type.kind:
                case "free":
                    R = _quaternion_matrix(own[:4])
                    self.q[theirs : theirs + 7] = [*own[4:], *own[1:4], own[0]]
                    self.B[row + 3 : row + 6, column : column + 3] = np.eye(3)
                    turns = {column + k: -_skew(e) for k, e in enumerate(np.eye(3))}
                    self._turning_block(row, column + 3, R, turns)
                case "planar":
                    angle, x, y = own
                    cos, sin = np.cos(angle), np.sin(angle)
                    R = np.array([[cos, -sin], [sin, cos]])
                    self.q[theirs : theirs + 4] = [x, y, cos, sin]
                    self.B[row + 2, column] = 1.0
                    self._turning_block(row, column + 1, R, {column: np.array([[0.0, 1.0], [-1.0, 0.0]])})
                case "ball":
                    self.q[theirs : theirs + 4] = [*own[1:], own[0]]
                    self.B[row : row + 3, column : column + 3] = np.eye(3)
                case _:
                    # one or two joints of one freedom there, or one of two freedoms
                    freedoms = [(part, k) for part in parts for k in range(part.nv)]
                    for i, (part, k) in enumerate(freedoms):
                        unbounded = part.nq > part.nv
                        values = [np.cos(own[i]), np.sin(own[i])] if unbounded else [own[i]]
                        self.q[part.idx_q + k : part.idx_q + k + len(values)] = values
                        self.B[part.idx_v + k, column + i] = 1.0

    def drift(self, v: np.ndarray) -> np.ndarray:
        """c = dB/dt v."""
        return sum((v[k] * DB @ v for k, DB in self.DB.items()), np.zeros(len(v)))

    def _turning_block(self, row: int, column: int, R: np.ndarray, W: dict[int, np.ndarray]) -> None:
        """Put R^T at (row, column) of B, with D_k R^T = W_k R^T."""
        rows, columns = slice(row, row + len(R)), slice(column, column + len(R))
        self.B[rows, columns] = R.T
        for k, W_k in W.items():
            self.DB[k] = np.zeros_like(self.B)
            self.DB[k][rows, columns] = W_k @ R.T
            for j, W_j in W.items():
                # D_j (W_k R^T)
                self.DDB[k, j] = np.zeros_like(self.B)
                self.DDB[k, j][rows, columns] = W_k @ W_j @ R.T


def _quaternion_matrix(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return pin.Quaternion(w, x, y, z).toRotationMatrix()


def _skew(a: np.ndarray) -> np.ndarray:
    return pin.skew(a)
