"""Where a run starts: joints with motions on them, and loops closed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from treadle.model.model import Model

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion

__all__ = ["start_state"]


def start_state(
    model: Model, q: np.ndarray, v: np.ndarray, places: Mapping[str, Motion], rates: Mapping[str, Motion]
) -> tuple[np.ndarray, np.ndarray]:
    """The state near q and v at 0 s with the positions of some motions, the velocities of some, and closed
    loops.
    """
    q, v = q.copy(), v.copy()
    for name, motion in {**places, **rates}.items():
        from treadle.constraints.motion import prescribed

        joint = model.joint(name)
        there = prescribed(joint, motion, 0.0)
        if name in places:
            q[joint.q] = there.q
        if name in rates:
            v[joint.v] = there.v
    if not model.closed:
        return q, v
    from treadle.solvers.assembly import assemble

    assembly = assemble(model, q, v, tuple(places), tuple(rates))
    return assembly.q, assembly.v
