"""Machines: the editable description (`ModelSpec`) and the frozen `Model` made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.lazy import lazy_names
from treadle.model.attachments import (
    Actuator,
    Contact,
    Coupling,
    Keyframe,
    Loop,
    Material,
    Settings,
    Shape,
    Wheel,
)
from treadle.model.hydrodynamics import Fluid
from treadle.model.model import WORLD, Body, Frame, Link, Model, ModelJoint
from treadle.model.parts import (
    ActuatorSpec,
    ContactSpec,
    CouplingSpec,
    KeyframeSpec,
    MaterialSpec,
    ShapeSpec,
)
from treadle.model.regularity import require_regular, singular_joints
from treadle.model.solids import (
    box_inertia,
    capsule_inertia,
    cylinder_inertia,
    ellipsoid_inertia,
    sphere_inertia,
)
from treadle.model.spec import BodySpec, FrameSpec, JointSpec, ModelSpec
from treadle.model.values import rpy

if TYPE_CHECKING:
    from treadle.model.parameters import lift, parameter_names, parameter_value
    from treadle.model.summary import Summary, summarize

__all__ = [
    "WORLD", "Actuator", "ActuatorSpec", "Body", "BodySpec", "Contact", "ContactSpec", "Coupling",
    "CouplingSpec", "Fluid", "Frame", "FrameSpec", "JointSpec", "Keyframe", "KeyframeSpec", "Link", "Loop",
    "Material", "MaterialSpec", "Model", "ModelJoint", "ModelSpec", "Settings", "Shape", "ShapeSpec",
    "Summary", "Wheel", "box_inertia", "capsule_inertia", "cylinder_inertia", "ellipsoid_inertia", "lift",
    "parameter_names", "parameter_value", "require_regular", "rpy", "singular_joints", "sphere_inertia",
    "summarize",
]  # fmt: skip

__getattr__ = lazy_names(
    __name__,
    {
        "treadle.model.parameters": ("lift", "parameter_names", "parameter_value"),
        "treadle.model.summary": ("Summary", "summarize"),
    },
)
