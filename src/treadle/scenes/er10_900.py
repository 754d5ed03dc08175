"""The six-axis arm ESTUN ER10-900: 10 kg of payload, 0.9 m of reach.

Lengths, limits, speeds and accelerations are those of the maker's description of the iER10-900-MI. It has no
masses: every link is taken as an aluminium tube with the steel cylinders of its drives, 57 kg in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians

import numpy as np

from treadle.model import ModelSpec, rpy

__all__ = ["ACCELERATIONS", "add_er10_900", "er10_900"]

#: Largest joint accelerations (rad/s2), from the base on.
ACCELERATIONS = tuple(radians(x) for x in (1515.0, 675.0, 1000.0, 2038.0, 1808.0, 4418.0))

_ALUMINIUM, _STEEL = 2700.0, 7850.0

_Y, _MINUS_Z = (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)

#: Roll, pitch and yaw that bring z onto an axis.
_TURNS = {"x": (0.0, pi / 2, 0.0), "y": (pi / 2, 0.0, 0.0), "z": (0.0, 0.0, 0.0)}


@dataclass(frozen=True)
class _Tube:
    """A tube or cylinder of a link: density, radii and length, its centre and its axis (m, kg/m3)."""

    density: float
    radius: float
    bore: float
    length: float
    center: tuple[float, float, float]
    axis: str = "z"

    def mass(self) -> float:
        return self.density * pi * (self.radius**2 - self.bore**2) * self.length

    def inertia(self) -> np.ndarray:
        """About its own centre (3 x 3)."""
        across = self.mass() * (3.0 * (self.radius**2 + self.bore**2) + self.length**2) / 12.0
        moments = [across] * 3
        moments["xyz".index(self.axis)] = 0.5 * self.mass() * (self.radius**2 + self.bore**2)
        return np.diag(moments)


#: Links from the base on, in the frames of their joints.
_LINKS = {
    "base": (
        _Tube(_ALUMINIUM, 0.12, 0.105, 0.30, (0.0, 0.0, 0.16)),
        _Tube(_STEEL, 0.06, 0.0, 0.10, (0.0, 0.0, 0.25)),
    ),
    "shoulder": (
        _Tube(_ALUMINIUM, 0.105, 0.09, 0.22, (0.0, 0.0, -0.02)),
        _Tube(_STEEL, 0.055, 0.0, 0.12, (0.0, -0.02, 0.0), "y"),
    ),
    "upper_arm": (
        _Tube(_ALUMINIUM, 0.075, 0.062, 0.50, (0.0, -0.10, 0.23)),
        _Tube(_STEEL, 0.045, 0.0, 0.11, (0.0, -0.08, 0.46), "y"),
    ),
    "elbow": (
        _Tube(_ALUMINIUM, 0.07, 0.058, 0.20, (0.0, 0.02, 0.0), "y"),
        _Tube(_STEEL, 0.035, 0.0, 0.10, (0.03, 0.04, 0.0), "x"),
    ),
    "forearm": (
        _Tube(_ALUMINIUM, 0.055, 0.045, 0.34, (0.0, 0.0, 0.22)),
        _Tube(_STEEL, 0.03, 0.0, 0.09, (0.0, 0.0, 0.10)),
    ),
    "wrist": (_Tube(_ALUMINIUM, 0.045, 0.03, 0.10, (0.0, 0.0, 0.0), "y"),),
    "flange": (_Tube(_STEEL, 0.03, 0.01, 0.02, (0.0, 0.0, 0.086)),),
}

#: Joint, parent, child, origin (m), axis, limits (deg), speed (deg/s), effort (N m), rotor inertia (kg m2).
_JOINTS = (
    ("axis_1", "base", "shoulder", (0, 0, 0.440), _MINUS_Z, (-176, 176), 350, 700, 1.2),
    ("axis_2", "shoulder", "upper_arm", (0, 0, 0), _Y, (-140, 140), 350, 550, 1.2),
    ("axis_3", "upper_arm", "elbow", (0, 0, 0.460), _Y, (-200, 70), 310, 250, 0.5),
    ("axis_4", "elbow", "forearm", (0, 0.040, 0), _MINUS_Z, (-173, 173), 440, 50, 0.1),
    ("axis_5", "forearm", "wrist", (0, 0, 0.440), _Y, (-130, 130), 435, 50, 0.1),
    ("axis_6", "wrist", "flange", (0, 0, 0), _MINUS_Z, (-360, 360), 440, 50, 0.05),
)


def er10_900() -> ModelSpec:
    """The arm on the floor at the origin, z up; at zero the upper arm points up and the forearm along x."""
    spec = ModelSpec("er10-900")
    add_er10_900(spec)
    return spec


def add_er10_900(spec: ModelSpec) -> None:
    """Add the arm to a machine, fixed to the world; the frame "tool0" is on its flange, z outwards."""
    for name, tubes in _LINKS.items():
        mass, center, inertia = _combined(tubes)
        spec.add_body(name, mass, center=tuple(center), inertia=inertia.tolist())
        for number, tube in enumerate(tubes):
            if tube.density == _ALUMINIUM or name == "flange":
                spec.add_shape(
                    f"{name}_{number}",
                    name,
                    "cylinder",
                    (tube.radius, tube.length),
                    position=tube.center,
                    rotation=rpy(*_TURNS[tube.axis]),
                    color=(0.93, 0.78, 0.22, 1.0) if tube.density == _ALUMINIUM else (0.35, 0.36, 0.38, 1.0),
                )
    spec.add_joint("mount", "fixed", None, "base")
    for name, parent, child, position, axis, limits, speed, effort, armature in _JOINTS:
        spec.add_joint(
            name,
            "revolute",
            parent,
            child,
            position=position,
            rotation=rpy(0.0, pi / 2 if name == "axis_4" else 0.0, 0.0),
            axis=axis,
            lower=radians(limits[0]),
            upper=radians(limits[1]),
            speed=radians(speed),
            effort=effort,
            armature=armature,
        )
    spec.add_frame("tool0", "flange", position=(0.0, 0.0, 0.096))


def _combined(tubes: tuple[_Tube, ...]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre, and inertia about the centre."""
    mass = sum(tube.mass() for tube in tubes)
    center = sum((tube.mass() * np.array(tube.center) for tube in tubes), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for tube in tubes:
        arm = np.array(tube.center) - center
        inertia += tube.inertia() + tube.mass() * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, center, inertia
