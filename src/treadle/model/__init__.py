"""Machines: the editable description (`ModelSpec`) and the frozen `Model` made from it."""

from treadle.model.model import WORLD, Body, Frame, Link, Model, ModelJoint
from treadle.model.parameters import lift, parameter_names, parameter_value
from treadle.model.regularity import require_regular, singular_joints
from treadle.model.solids import box_inertia, cylinder_inertia, sphere_inertia
from treadle.model.spec import BodySpec, FrameSpec, JointSpec, ModelSpec
from treadle.model.values import rpy

__all__ = [
    "WORLD", "Body", "BodySpec", "Frame", "FrameSpec", "JointSpec", "Link", "Model", "ModelJoint",
    "ModelSpec", "box_inertia", "cylinder_inertia", "lift", "parameter_names", "parameter_value",
    "require_regular", "rpy", "singular_joints", "sphere_inertia",
]  # fmt: skip
