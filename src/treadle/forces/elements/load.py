"""Loads: force and moment at a point, in world or body axes, constant or with a sine over time."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.element import ForceElement
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, sin
from treadle.spatial import Force, Vec3

__all__ = ["Load"]


class Load(ForceElement):
    """(1 + a sin(w t + p)) times a force and a moment."""

    force: Sequence[Scalar]
    torque: Sequence[Scalar]
    axes: str
    amplitude: Scalar
    frequency: Scalar
    phase: Scalar

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        scale: Scalar = 1.0
        if not (isinstance(self.amplitude, float) and self.amplitude == 0.0):
            scale = 1.0 + self.amplitude * sin(self.frequency * time + self.phase)
        moment, force = Vec3(*self.torque) * scale, Vec3(*self.force) * scale
        if self.axes == "body":
            turn = frames[0].rotation
            moment, force = turn.apply(moment), turn.apply(force)
        return [Force(moment, force)]
