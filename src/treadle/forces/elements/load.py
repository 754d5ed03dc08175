"""Loads: force and moment at a point, in world or body axes, constant or varying in time."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.forces.element import ForceElement
from treadle.forces.frames import FrameMotion
from treadle.graph import Scalar, sin
from treadle.graph.formula import formula_value
from treadle.spatial import Force, Vec3

__all__ = ["Load"]


class Load(ForceElement):
    """(1 + a sin(w t + p)) times a force and a moment, which may be formulas over t."""

    force: Sequence[Scalar | str]
    torque: Sequence[Scalar | str]
    axes: str
    amplitude: Scalar
    frequency: Scalar
    phase: Scalar

    def other(self, *frames: FrameMotion, time: Scalar) -> Sequence[Force]:
        scale: Scalar = 1.0
        if not (isinstance(self.amplitude, float) and self.amplitude == 0.0):
            scale = 1.0 + self.amplitude * sin(self.frequency * time + self.phase)
        moment, force = _at(self.torque, time) * scale, _at(self.force, time) * scale
        if self.axes == "body":
            turn = frames[0].rotation
            moment, force = turn.apply(moment), turn.apply(force)
        return [Force(moment, force)]


def _at(values: Sequence[Scalar | str], time: Scalar) -> Vec3:
    return Vec3(*[formula_value(x, {"t": time}) if isinstance(x, str) else x for x in values])
