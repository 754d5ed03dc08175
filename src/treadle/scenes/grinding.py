"""An arm that grinds a weld seam on a curved workpiece: ESTUN ER10-900, spindle, compliant pad, force sensor.

The workpiece is part of an aluminium cylinder, with the bead of a weld along its top. The pad is a dome of
rubber whose contact has a stiffness; servos hold the arm where the routine wants it: over the bead.
"""

from __future__ import annotations

from math import pi

import numpy as np

from treadle.model import ModelSpec, cylinder_inertia, rpy
from treadle.scenes.bars import DARK, GREY, RED, STEEL
from treadle.scenes.er10_900 import add_er10_900

__all__ = ["JOINT_STIFFNESS", "PAD_DOME", "PAD_RADIUS", "TOP", "WORKPIECE_RADIUS", "grinding", "seam_height"]

#: Top of the workpiece (m), its radius, and the bead's height over it and half width.
TOP, WORKPIECE_RADIUS, BEAD_HEIGHT, BEAD_WIDTH = (0.50, 0.0, 0.40), 0.25, 3e-4, 4e-3

#: Radius of the pad and of its dome (m), its mass with the spindle's rotor (kg), the spindle's length (m).
PAD_RADIUS, PAD_DOME, _TOOL_MASS, _TOOL_LENGTH = 0.012, 0.06, 1.8, 0.16

#: Stiffness of the drives under position control (N m/rad), from the base on.
JOINT_STIFFNESS = (6e5, 6e5, 3e5, 8e4, 8e4, 4e4)

#: Rotor and link inertias that the servos' damping is critical for, roughly (kg m2).
_INERTIAS = (12.0, 12.0, 4.0, 0.4, 0.4, 0.1)


def grinding(stiffness: float = 2.7e4, friction: float = 0.3) -> ModelSpec:
    """The arm beside the workpiece; `stiffness` of the pad's contact (N/m), `friction` of its grit."""
    spec = ModelSpec("grinding", settings={"dt": 0.005, "routine": _routine()})
    spec.add_material("pad", stiffness=stiffness, restitution=0.2, friction=friction)
    spec.add_material("aluminium", friction=friction)
    add_er10_900(spec)
    for number, (stiff, inertia) in enumerate(zip(JOINT_STIFFNESS, _INERTIAS, strict=True), start=1):
        spec.add_actuator(
            f"axis_{number}",
            "position",
            f"axis_{number}",
            stiffness=stiff,
            damping=2.0 * (stiff * inertia) ** 0.5,
        )
    _add_tool(spec)
    _add_workpiece(spec)
    return spec


def seam_height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height (m) of the bead over the workpiece: smooth, along y at the top."""
    share = np.clip(np.abs(np.asarray(x) - TOP[0]) / BEAD_WIDTH, 0.0, 1.0)
    return BEAD_HEIGHT * 0.5 * (1.0 + np.cos(pi * share)) + 0.0 * np.asarray(y)


def _add_tool(spec: ModelSpec) -> None:
    inertia = cylinder_inertia(_TOOL_MASS, 0.03, _TOOL_LENGTH)
    spec.add_body("spindle", _TOOL_MASS, center=(0.0, 0.0, 0.5 * _TOOL_LENGTH), inertia=inertia)
    spec.add_joint("tool_mount", "fixed", "flange", "spindle", position=(0.0, 0.0, 0.096))
    spec.add_frame("pad_tip", "spindle", position=(0.0, 0.0, _TOOL_LENGTH))
    spec.add_frame("sensor", "flange", position=(0.0, 0.0, 0.096))
    spec.add_sensor("tool_force", "force_torque", "sensor", links=["spindle"])
    long = _TOOL_LENGTH - 0.02
    spec.add_shape("motor", "spindle", "cylinder", (0.03, long), position=(0, 0, 0.5 * long), color=DARK)
    spec.add_shape(
        "backing",
        "spindle",
        "cylinder",
        (PAD_RADIUS + 0.003, 0.012),
        position=(0, 0, long + 0.006),
        color=RED,
    )
    # a lens of the dome: the sphere's tip is the pad's
    spec.add_shape(
        "pad",
        "spindle",
        "sphere",
        (PAD_DOME,),
        position=(0.0, 0.0, _TOOL_LENGTH - PAD_DOME),
        role="collision",
        material="pad",
    )


def _add_workpiece(spec: ModelSpec) -> None:
    x, y, z = TOP
    shape = {"rotation": rpy(pi / 2, 0.0, 0.0), "position": (x, y, z - WORKPIECE_RADIUS)}
    for role in ("visual", "collision"):
        spec.add_shape(
            f"workpiece_{role}", None, "cylinder", (WORKPIECE_RADIUS, 0.2), role=role, material="aluminium",
            color=STEEL, **shape,
        )  # fmt: skip
    bead = (BEAD_WIDTH**2 + BEAD_HEIGHT**2) / (2.0 * BEAD_HEIGHT)
    place = {"rotation": rpy(pi / 2, 0.0, 0.0), "position": (x, y, z + BEAD_HEIGHT - bead)}
    for role in ("visual", "collision"):
        spec.add_shape(
            f"bead_{role}", None, "capsule", (bead, 0.16), role=role, material="aluminium", color=RED, **place
        )
    spec.add_shape("table", None, "box", (0.5, 0.4, 0.02), position=(x, y, 0.13), color=GREY)


def _routine() -> list[list[object]]:
    """Down to the workpiece, over the bead and back, and up again."""
    moves: list[list[object]] = []
    for seconds, row in _WAYPOINTS:
        moves.append([seconds, {f"axis_{k}": angle for k, angle in enumerate(row, start=1)}])
    return moves


#: Duration (s) of the way to a position, and the positions (rad): the pad's tip 0.2 mm in the free surface,
#: every 10 mm along the curve.
_WAYPOINTS = (
    (2.0, (0.103063, -0.005369, 0.490614, -0.026582, 0.885406, -3.023769)),
    (1.0, (0.100723, 0.070613, 0.528658, -0.028852, 0.771369, -3.022202)),
    (0.4, (0.10046, 0.080091, 0.532359, -0.029175, 0.758189, -3.021963)),
    (0.4, (0.095594, 0.116431, 0.481256, -0.021022, 0.813249, -3.032777)),
    (0.4, (0.09118, 0.153436, 0.430156, -0.014327, 0.86746, -3.041802)),
    (0.4, (0.087155, 0.191079, 0.378951, -0.008746, 0.921002, -3.049424)),
    (0.4, (0.083471, 0.229351, 0.327533, -0.004032, 0.974044, -3.055923)),
    (0.4, (0.080085, 0.268261, 0.275791, 0.0, 1.026744, -3.061507)),
    (0.4, (0.076965, 0.307834, 0.223607, 0.003489, 1.079251, -3.066336)),
    (0.4, (0.074078, 0.348106, 0.170855, 0.006541, 1.13171, -3.070532)),
    (0.4, (0.0714, 0.389131, 0.117401, 0.009243, 1.184266, -3.074191)),
    (0.4, (0.068909, 0.430975, 0.063094, 0.01166, 1.237065, -3.077388)),
    (0.4, (0.066588, 0.473721, 0.007766, 0.013849, 1.290259, -3.080181)),
    (1.0, (0.065492, 0.449409, -0.07832, 0.013281, 1.40066, -3.079669)),
)
