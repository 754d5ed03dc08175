"""From the plan of a tool path to the routine of an arm that follows it, and to offsets for a force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.planning.tool_motion import tool_routine, tool_trajectory
from treadle.planning.trajectory import Trajectory
from treadle.process.grinding import arm_compliance
from treadle.process.grinding_tool import GrindingTool
from treadle.process.path_plan import PathPlan
from treadle.process.tune_path import TunedPath, tune_path

__all__ = ["planned_motion", "planned_routine", "tuned_plan"]


def planned_motion(model: Model, tool: GrindingTool, plan: PathPlan) -> Trajectory:
    """The motion of the arm along a plan, within the limits in its setting "tool_motion".

    That setting has the joints' `accelerations` (rad/s2, m/s2) and a position `near` the workpiece.
    """
    limits = model.settings.get("tool_motion")
    if not isinstance(limits, Mapping) or "accelerations" not in limits:
        raise InputError("to follow a tool path a machine needs the setting 'tool_motion' with accelerations")
    options: dict[str, Any] = {"accelerations": list(limits["accelerations"])}
    if "near" in limits:
        options["near"] = list(limits["near"])
    path = plan.path(tool.face.surface)
    return tool_trajectory(model, tool.frame, path, feed=plan.feed, **options)


def planned_routine(model: Model, tool: GrindingTool, plan: PathPlan) -> list[list[Any]]:
    """The routine of the arm along a plan."""
    return tool_routine(model, planned_motion(model, tool, plan))


def tuned_plan(model: Model, tool: GrindingTool, plan: PathPlan, force: float) -> tuple[PathPlan, TunedPath]:
    """The plan with offsets at which the force (N) is the wanted one all along it, on the surface as it is.

    The arm is taken as it is in the middle of the path, with the stiffness of its servos.
    """
    surface = tool.face.surface
    path = plan.on(surface)
    motion = planned_motion(model, tool, replace(plan, lead=(0.0, 0.0), offset=0.0))
    q = motion(0.5 * (motion.start + motion.end))[0]
    stiffness = {a.joint: a.stiffness for a in model.actuators if a.type == "position"}
    stiff = [stiffness[joint.name] for joint in model.joints if joint.type.nv]
    normal = path.normals[len(path) // 2]
    setup = replace(tool.setup, arm=arm_compliance(model, q, tool.frame, normal, stiff))
    seam = tool.face.heights - surface.heights
    start = np.full(len(path), -tool.pad.approach(force))
    tuned = tune_path(setup, surface, path, start, force=force, feed=plan.feed, seam=seam)
    return replace(plan, offset=tuple(float(x) for x in tuned.offsets)), tuned
