"""Articulated impulse response: how velocities jump when impulses act (the test impulses of SIMGC).

Mikhaylyuk, Strashnov and Timokhin, section 3: the sweeps of the articulated-body algorithm, integrated
over an instant, with velocities in the place of accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.dynamics.articulated import articulate, propagate
from treadle.dynamics.kinematics import joint_transforms
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.spatial import Force, Motion

__all__ = ["impulse_response"]


def impulse_response(
    model: Model,
    q: Sequence[Scalar],
    joint_impulse: Sequence[Scalar],
    impulse: Mapping[int, Force] | None = None,
) -> list[Scalar]:
    """Change of v under joint impulses (N m s, N s) and impulses on bodies, each in its body's frame.

    M(q) dv = joint_impulse + J^T impulse.
    """
    X = joint_transforms(model, q)
    S = [body.joint.type.subspace(q[body.joint.q]) for body in model.bodies]
    pivots, reduced = articulate(model, X, S)
    bias = {i: -f for i, f in (impulse or {}).items()}
    return propagate(model, X, pivots, reduced, bias, joint_impulse, {}, Motion.zero())
