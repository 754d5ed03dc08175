"""An arm that grinds a weld seam on a curved workpiece: ESTUN ER10-900, spindle, compliant pad, force sensor.

The workpiece is part of an aluminium cylinder, with the bead of a weld along its top, which the pad wears
away (`process.grinding_tool`). The pad is a dome of rubber; servos hold the arm where the tool path wants it:
over the bead. The routine is the motion along that path.
"""

from __future__ import annotations

from math import pi
from typing import cast

import numpy as np

from treadle.errors import InputError
from treadle.model import ModelSpec, cylinder_inertia, rpy
from treadle.planning.tool_plan import planned_routine
from treadle.process.grinding_tool import GrindingTool
from treadle.process.path_plan import PathPlan
from treadle.process.types import processes_of
from treadle.process.workpiece import bead
from treadle.scenes.bars import DARK, GREY, RED, STEEL
from treadle.scenes.er10_900 import ACCELERATIONS, add_er10_900

__all__ = ["JOINT_STIFFNESS", "PAD_DOME", "PAD_RADIUS", "TOP", "WORKPIECE_RADIUS", "grinding", "seam_height"]

#: Top of the workpiece (m), its radius, and the bead's height over it and half width.
TOP, WORKPIECE_RADIUS, BEAD_HEIGHT, BEAD_WIDTH = (0.50, 0.0, 0.40), 0.25, 3e-4, 4e-3

#: Radius of the pad and of its dome (m), its mass with the spindle's rotor (kg), the spindle's length (m).
PAD_RADIUS, PAD_DOME, _TOOL_MASS, _TOOL_LENGTH = 0.012, 0.06, 1.8, 0.16

#: Stiffness of the drives under position control (N m/rad), from the base on.
JOINT_STIFFNESS = (6e5, 6e5, 3e5, 8e4, 8e4, 4e4)

#: Rotor and link inertias that the servos' damping is critical for, roughly (kg m2).
_INERTIAS = (12.0, 12.0, 4.0, 0.4, 0.4, 0.1)


#: Force (N) at which the stiffness of the pad is stated, and how far (m) it then goes into its free shape.
_FORCE = 5.0

#: The workpiece, as `process.workpiece` takes it: a strip of the cylinder that the pad may touch.
WORKPIECE = {
    "position": list(TOP),
    "size": [0.16, 0.05],
    "spacing": 1e-3,
    "radii": [WORKPIECE_RADIUS, 0.0],
    "seam": {"height": BEAD_HEIGHT, "width": BEAD_WIDTH},
}

#: A posture over the workpiece (rad).
_NEAR = (0.08, 0.27, 0.28, 0.0, 1.03, -3.06)


def grinding(
    stiffness: float = 2.7e4, friction: float = 0.3, preston: float = 2e-11, speed: float = 5.0
) -> ModelSpec:
    """The arm before the workpiece.

    `stiffness` of the pad at 5 N on a plane (N/m), `friction` of its grit, Preston's k (1/Pa) and the speed
    of the abrasive (m/s).
    """
    if not stiffness > 0.0:
        raise InputError(f"grinding: the stiffness of the pad must be positive, not {stiffness!r}")
    # of a foundation of modulus c under a dome R the stiffness is 2 sqrt(pi c R F)
    modulus = stiffness**2 / (4.0 * pi * PAD_DOME * _FORCE)
    depth = (_FORCE / (pi * modulus * PAD_DOME)) ** 0.5
    plan = PathPlan(
        points=((TOP[0] - 0.05, 0.0), (TOP[0] + 0.05, 0.0)),
        offset=-round(depth, 6),
        feed=0.02,
        lead=(0.01, 0.005),
    )
    spec = ModelSpec("grinding", settings={"dt": 0.005})
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
    spec.settings["processes"] = {
        "grinding": {
            "type": "grinding",
            "frame": "pad_tip",
            "workpiece": WORKPIECE,
            "pad": {"law": "foundation", "modulus": modulus, "radius": PAD_RADIUS, "dome": PAD_DOME},
            "preston": preston,
            "speed": speed,
            "friction": friction,
            "path": plan.to_dict(),
        }
    }
    spec.settings["tool_motion"] = {"accelerations": list(ACCELERATIONS), "near": list(_NEAR)}
    model = spec.compile()
    spec.settings["routine"] = planned_routine(
        model, cast(GrindingTool, processes_of(model)["grinding"]), plan
    )
    return spec


def seam_height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height (m) of the bead over the workpiece: smooth, along y at the top."""
    return bead(np.asarray(x) - TOP[0], BEAD_HEIGHT, BEAD_WIDTH) + 0.0 * np.asarray(y)


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
    # the dome, as a thick lens
    spec.add_shape(
        "pad",
        "spindle",
        "ellipsoid",
        (PAD_RADIUS, PAD_RADIUS, 0.008),
        position=(0.0, 0.0, _TOOL_LENGTH - 0.008),
        color=DARK,
    )


def _add_workpiece(spec: ModelSpec) -> None:
    x, y, z = TOP
    # a little below the surface that is worn away, which the page draws
    spec.add_shape(
        "workpiece",
        None,
        "cylinder",
        (WORKPIECE_RADIUS - 5e-4, 0.2),
        rotation=rpy(pi / 2, 0.0, 0.0),
        position=(x, y, z - WORKPIECE_RADIUS),
        color=STEEL,
    )
    spec.add_shape("table", None, "box", (0.54, 0.26, 0.39), position=(x, y, 0.085), color=GREY)
