"""Loads: forces and torques that users put on bodies.

The loads on one body are summed into 21 numbers that stay constant while it moves, so that any number
of forces, at any points, takes the same code:

    force F (3)      world axes, through the body's origin            f = R^T F
    torque T (3)     world axes                                        n = R^T T
    moment G (9)     sum of r F^T, r the points in body axes           n = sum of r x (R^T F)
    follower (6)     moment and force fixed in body axes
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics.kinematics import world_transforms
from treadle.errors import InputError
from treadle.graph import Scalar
from treadle.model.model import WORLD, Model
from treadle.model.values import real_array
from treadle.spatial import Force, Mat3, Vec3

__all__ = ["LOAD_SIZE", "body_loads", "frame_load"]

#: Numbers per body.
LOAD_SIZE = 21


def body_loads(model: Model, q: Sequence[Scalar], loads: Sequence[Scalar]) -> dict[int, Force]:
    """The force on every body, in its own frame, from LOAD_SIZE numbers per body."""
    forces: dict[int, Force] = {}
    for i, X_WB in enumerate(world_transforms(model, q)):
        F, T, g0, g1, g2, n, f = (
            Vec3(*loads[start : start + 3]) for start in range(i * LOAD_SIZE, (i + 1) * LOAD_SIZE, 3)
        )
        R = X_WB.rotation
        # row j of G R is r_j R^T F, so that r x (R^T F) is its antisymmetric part
        turned = Mat3(g0, g1, g2) @ R
        x, y, z = turned.rows
        moment = Vec3(y.z - z.y, z.x - x.z, x.y - y.x)
        forces[i] = Force(R.apply_transposed(T) + moment + n, R.apply_transposed(F) + f)
    return forces


def frame_load(
    model: Model, name: str, force: ArrayLike, torque: ArrayLike, point: ArrayLike, axes: str
) -> tuple[slice, np.ndarray]:
    """Where in the loads a force (N) at a point (m) and a torque (N m) on a link go, and what to add.

    The point is in the axes of the link or frame; force and torque are in world axes, or with
    axes = "body" in the link's, and turn with it. Each is a vector, or has a row per world.
    """
    if axes not in ("world", "body"):
        raise InputError(f"axes must be 'world' or 'body', not {axes!r}")
    frame = model.frame(name)
    if frame.body == WORLD:
        raise InputError(f"{name!r} is fixed to the world: a force on it moves nothing")
    F, T, r = (
        _vectors(what, name, x) for what, x in (("force", force), ("torque", torque), ("point", point))
    )
    placement = frame.placement.to_matrix()
    R, p = placement[:3, :3], placement[:3, 3]
    r = r @ R.T + p
    part = slice(LOAD_SIZE * frame.body, LOAD_SIZE * (frame.body + 1))
    zeros = np.zeros((*np.broadcast_shapes(F.shape, T.shape, r.shape)[:-1], LOAD_SIZE))
    if axes == "body":
        F, T = F @ R.T, T @ R.T
        zeros[..., 15:18], zeros[..., 18:] = np.cross(r, F) + T, F
    else:
        zeros[..., :3], zeros[..., 3:6] = F, T
        zeros[..., 6:15] = (r[..., :, None] * F[..., None, :]).reshape(*zeros.shape[:-1], 9)
    return part, zeros


def _vectors(what: str, name: str, value: ArrayLike) -> np.ndarray:
    try:
        numbers = real_array(value)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.ndim == 0 or numbers.shape[-1] != 3 or not np.isfinite(numbers).all():
        raise InputError(f"the {what} on {name!r} must be three finite numbers, not {value!r}")
    return numbers
