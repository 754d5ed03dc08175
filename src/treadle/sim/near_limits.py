"""Whether a limit of a joint may act in the next step."""

from __future__ import annotations

import numpy as np

from treadle.model.model import Model

__all__ = ["NearLimits"]

#: Acceleration (m/s2, rad/s2) up to which the reach of a step is estimated beyond what its speed gives.
_ACCELERATION = 1e3


class NearLimits:
    """The limits of a machine: those of loops and tendons are always near."""

    def __init__(self, model: Model) -> None:
        self._always = any(
            np.isfinite((*part.lower, *part.upper)).any() for part in (*model.loops, *model.tendons)
        )
        rows = [
            (joint.q.start + k, joint.v.start + k, joint.lower[k], joint.upper[k])
            for joint in model.joints
            if joint.type.nq == joint.type.nv and not joint.continuous
            for k in range(joint.type.nv)
            if np.isfinite((joint.lower[k], joint.upper[k])).any()
        ]
        table = np.array(rows, dtype=float).reshape(-1, 4)
        self._q, self._v = table[:, 0].astype(int), table[:, 1].astype(int)
        self._lower, self._upper = table[:, 2], table[:, 3]

    def __call__(self, q: np.ndarray, v: np.ndarray, dt: float) -> bool:
        """Whether one is within the reach of a step, with a good deal to spare."""
        x, reach = q[self._q], 2.0 * dt * np.abs(v[self._v]) + dt * dt * _ACCELERATION
        return self._always or bool(((x - reach < self._lower) | (x + reach > self._upper)).any())
