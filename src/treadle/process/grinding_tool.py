"""A grinding pad on a simulated machine: a controller that adds the joint forces of the process.

    tool = GrindingTool(model, "pad_tip", setup, surface)
    sim = td.Simulation(model, dt=1e-3, controllers=[tool], contact=False)

The arm's compliance is that of the machine itself: of the setup, the pad and the process count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treadle.dynamics.compiled import frame_jacobian, frame_pose
from treadle.model.model import Model
from treadle.process.grinding import GrindingSetup
from treadle.process.surface import Surface

__all__ = ["GrindingTool"]


class GrindingTool:
    """The process at a frame whose z axis goes into the material; `heights` are those of the workpiece now.

    `history` has a row per step: time (s), normal force (N), and the tip's position (m).
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        setup: GrindingSetup,
        surface: Surface,
        seam: np.ndarray | None = None,
    ) -> None:
        self._model, self._frame, self.setup = model, model.frame(frame).name, setup
        self.heights = surface.heights + (0.0 if seam is None else setup.seam_factor * seam)
        self.heights += setup.offset
        self._grid = np.array([surface.x[0], surface.y[0], *surface.spacing])
        pad = setup.pad
        coefficient = pad.coefficient * setup.stiffness_factor
        self._pad = coefficient, pad.exponent, pad.share, pad.radius, pad.dome
        self._last: tuple[float, np.ndarray] | None = None
        self.history: list[tuple[float, float, float, float, float]] = []

    def __call__(self, q: Mapping[str, Any], v: Mapping[str, Any], t: float) -> dict[str, Any]:
        from treadle.process.pad_contact import press

        joints = self._model.joints
        position = np.concatenate([np.atleast_1d(q[joint.name]) for joint in joints])
        pose = frame_pose(self._model, position, self._frame)
        tip, axis = pose[:3, 3].copy(), -pose[:3, 2]
        elapsed, moved = (
            (0.0, np.zeros(3)) if self._last is None else (t - self._last[0], tip - self._last[1])
        )
        removal = self.setup.preston * self.setup.speed * max(elapsed, 0.0)
        force = press(self.heights, self._grid, tip, axis, self._pad, removal)[0]
        along = moved - (moved @ axis) * axis
        length = float(np.linalg.norm(along))
        drag = along * (-self.setup.tangential_share * force / length) if length > 1e-12 else np.zeros(3)
        torque = frame_jacobian(self._model, position, self._frame)[3:].T @ (force * axis + drag)
        self._last = t, tip
        self.history.append((t, force, *tip.tolist()))
        return {
            joint.name: torque[joint.v] if joint.type.nv > 1 else float(torque[joint.v][0])
            for joint in joints
        }
