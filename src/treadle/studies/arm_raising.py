"""The motion of `roadheader-accuracy`: the supporting arm rises, and every other joint is held.

The tool then moves on a circle about the lifting axis, whose centre and radius are dimensions of the machine:
where it is at a lift angle is known in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, pi, sin

import numpy as np

from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.forces.law import ForceLaw
from treadle.graph import Scalar
from treadle.graph import cos as traced_cos
from treadle.graph import sin as traced_sin
from treadle.model.model import Model
from treadle.scenes.roadheader.dimensions import (
    HEAD_MOUNT,
    LIFT_AXIS,
    LIFT_ZERO,
    SLEW_AXIS,
    TELESCOPE_MOUNT,
)
from treadle.studies.machines import frictionless

__all__ = ["DT", "LIFT", "STEPS", "TIP", "ArmRaising", "arm_raising"]

#: Time step (s) and number of steps of the whole motion.
DT, STEPS = 1e-3, 10_000
#: The joint that moves and the point that is watched.
LIFT, TIP = "lift", "head_tip"

#: From where to where the arm is raised (rad), inside the range of the joint.
_LOW, _HIGH = -0.60, 0.70
#: Stiffness (1/s2) and damping (1/s) of the error of the controlled joints.
_STIFFNESS, _DAMPING = 400.0, 40.0


@dataclass(frozen=True)
class ArmRaising:
    """The machine without loops, where its joints start, and the circle of its tool."""

    model: Model
    q: np.ndarray
    center: np.ndarray
    radius: float

    def lift(self, time: float) -> float:
        """Lift angle at a time (rad): half a cosine from low to high."""
        return _LOW + 0.5 * (_HIGH - _LOW) * (1.0 - cos(pi * time / (DT * STEPS)))

    def tip(self, lift: float) -> np.ndarray:
        """Where the tool is at a lift angle (m), in closed form."""
        elevation = LIFT_ZERO + lift
        return self.center + self.radius * np.array([cos(elevation), 0.0, sin(elevation)])

    def errors(self, tip: np.ndarray, lift: float) -> tuple[float, float]:
        """Relative errors of a tool's position at a lift angle: its place, and its distance from the axis."""
        place = float(np.linalg.norm(tip - self.tip(lift))) / self.radius
        return place, abs(hypot(*(tip - self.center)) - self.radius) / self.radius

    def law(self) -> ForceLaw:
        """Joint forces of a controller that computes them by inverse dynamics.

        tau = rnea(q, v, a + d (v_ref - v) + k (q_ref - q)): without rounding the joints would follow exactly.
        """
        model, machine = self.model, regroup(self.model)
        index, held = model.joint(LIFT).v.start, self.q.tolist()
        omega, half = pi / (DT * STEPS), 0.5 * (_HIGH - _LOW)

        def control(q, v, t):
            position, velocity = _flat(q), _flat(v)
            wanted: list[Scalar] = list(held)
            rate: list[Scalar] = [0.0] * model.nv
            push: list[Scalar] = [0.0] * model.nv
            wanted[index] = _LOW + half * (1.0 - traced_cos(omega * t))
            rate[index] = half * omega * traced_sin(omega * t)
            push[index] = half * omega * omega * traced_cos(omega * t)
            a = [
                push[k] + _DAMPING * (rate[k] - velocity[k]) + _STIFFNESS * (wanted[k] - position[k])
                for k in range(model.nv)
            ]
            tau = rnea(machine, position, velocity, a)
            return {joint.name: tau[joint.v] for joint in model.joints}

        return control


def arm_raising() -> ArmRaising:
    """The roadheader, every joint at its initial position and the arm low."""
    # dampers and dry friction would only be work for the motors
    model = frictionless("roadheader")
    q = np.array(model.initial()[0])
    q[model.joint(LIFT).q] = _LOW
    center = np.add(SLEW_AXIS, LIFT_AXIS)
    tip = float(model.frame(TIP).placement.translation.x)  # type: ignore[arg-type]
    extension = float(q[model.joint("extend").q][0])
    radius = TELESCOPE_MOUNT[0] + extension + HEAD_MOUNT[0] + tip
    return ArmRaising(model, q, center, radius)


def _flat(values) -> list:
    """Coordinates of all joints one after the other."""
    listed: list = []
    for value in values.values():
        listed += value if isinstance(value, list) else [value]
    return listed
