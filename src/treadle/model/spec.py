"""The editable description of a machine, and its way to a frozen `Model`.

A body's frame is its joint's frame: it coincides with the joint frame, given in the parent, when the
joint is at its neutral position. Units are SI, angles in radians.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

from treadle.errors import ModelError
from treadle.model.model import Model
from treadle.model.regularity import require_regular, singular_joints
from treadle.model.topology import assemble
from treadle.model.validate import validate
from treadle.model.values import listed, plain

__all__ = ["BodySpec", "FrameSpec", "JointSpec", "ModelSpec"]

#: One number for every freedom of a joint, or one per freedom.
Freedoms: TypeAlias = float | Sequence[float]
#: As above; None, alone or in the sequence, where there is no limit.
Limits: TypeAlias = float | Sequence[float | None] | None
#: A 3 x 3 matrix or a quaternion (w, x, y, z); `rpy(roll, pitch, yaw)` makes one from angles.
Rotation: TypeAlias = Sequence[Sequence[float]] | Sequence[float]

_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_LIMITS = ("lower", "upper", "effort", "speed")


@dataclass
class _Item:
    """What the parts of a description share: plain numbers, and a JSON form."""

    def __post_init__(self) -> None:
        for item in fields(self):
            if item.name != "line":
                setattr(self, item.name, plain(getattr(self, item.name)))

    def to_dict(self) -> dict[str, Any]:
        """This part in JSON types only; every float survives the round trip exactly."""
        result = {}
        for item in fields(self):
            value = getattr(self, item.name)
            result[item.name] = _json(value if item.name == "line" else plain(value), item.name in _LIMITS)
        return result


@dataclass
class BodySpec(_Item):
    """A rigid link: mass (kg), centre of mass (m) and inertia about it (kg m2), in the body's axes.

    The inertia is a 3 x 3 matrix, six numbers (ixx, iyy, izz, ixy, ixz, iyz) or three principal ones.
    """

    name: str
    mass: float = 0.0
    center: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Sequence[float] | Sequence[Sequence[float]] = (0.0, 0.0, 0.0)
    #: line of the file that this was read from
    line: int | None = field(default=None, compare=False)


@dataclass
class JointSpec(_Item):
    """A joint from `parent` (None: the world) to `child`, its frame given in the parent.

    `type` is revolute, continuous, prismatic, fixed, helical, cylindrical, universal, planar, ball or
    free. The axis is z unless given (the normal of a planar joint; x and then y for a universal one);
    `pitch` of a helical joint is in m/rad. Everything from `lower` on has one value per freedom, or
    one for all, in the units of the joint's coordinates.
    """

    name: str
    type: str
    parent: str | None
    child: str
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Rotation = _IDENTITY
    axis: Sequence[float] | None = None
    second_axis: Sequence[float] | None = None
    pitch: float = 0.0
    lower: Limits = None
    upper: Limits = None
    #: largest actuator force (N or N m) and speed (m/s or rad/s)
    effort: Limits = None
    speed: Limits = None
    damping: Freedoms = 0.0
    #: dry friction (N or N m), carried for those who read it but not simulated yet
    friction: Freedoms = 0.0
    #: spring towards the position `reference`
    stiffness: Freedoms = 0.0
    reference: Freedoms = 0.0
    #: rotor inertia reflected to the joint (kg m2 or kg)
    armature: Freedoms = 0.0
    #: line of the file that this was read from
    line: int | None = field(default=None, compare=False)


@dataclass
class FrameSpec(_Item):
    """A named frame fixed to a body (None: the world), given in that body's frame."""

    name: str
    body: str | None
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Rotation = _IDENTITY
    #: line of the file that this was read from
    line: int | None = field(default=None, compare=False)


@dataclass
class ModelSpec:
    """A machine as bodies, joints and frames that can be added, changed and removed."""

    name: str = "machine"
    bodies: list[BodySpec] = field(default_factory=list)
    joints: list[JointSpec] = field(default_factory=list)
    frames: list[FrameSpec] = field(default_factory=list)
    #: gravitational acceleration in the world, m/s2
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    #: what was ignored, repaired or guessed on import, one sentence each
    report: list[str] = field(default_factory=list)
    #: the file that this was read from
    file: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        self.gravity = plain(self.gravity)

    def add_body(self, name: str, mass: float = 0.0, **options: Any) -> BodySpec:
        """Append a body; options are the fields of `BodySpec`."""
        self.bodies.append(BodySpec(name, mass, **options))
        return self.bodies[-1]

    def add_joint(self, name: str, type: str, parent: str | None, child: str, **options: Any) -> JointSpec:
        """Append a joint from `parent` (None: the world); options are the fields of `JointSpec`."""
        self.joints.append(JointSpec(name, type, parent, child, **options))
        return self.joints[-1]

    def add_frame(self, name: str, body: str | None, **options: Any) -> FrameSpec:
        """Append a frame fixed to a body; options are the fields of `FrameSpec`."""
        self.frames.append(FrameSpec(name, body, **options))
        return self.frames[-1]

    def compile(self, strict: bool = True) -> Model:
        """The frozen model; ModelError where the description is wrong.

        With `strict` off, as for imported files, inertias that no real body can have and joints that
        move no inertia are kept and become lines of the model's report.
        """
        findings = validate(self, strict)
        model = assemble(self)
        if strict:
            require_regular(model, self.file)
        elif singular := [item.joint for item in singular_joints(model)]:
            problem = "joints that move no inertia, so that forces do not determine their motion"
            findings.append(f"{problem}: {listed(singular)}")
        return replace(model, report=(*self.report, *findings))

    def to_dict(self) -> dict[str, Any]:
        """The description in JSON types only, for `from_dict`."""
        return {
            "name": self.name,
            "bodies": [body.to_dict() for body in self.bodies],
            "joints": [joint.to_dict() for joint in self.joints],
            "frames": [frame.to_dict() for frame in self.frames],
            "gravity": _json(plain(self.gravity)),
            "report": list(self.report),
            "file": self.file,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ModelSpec:
        """The description that `to_dict` was called on."""
        try:
            items = {
                "bodies": [BodySpec(**item) for item in data["bodies"]],
                "joints": [JointSpec(**item) for item in data["joints"]],
                "frames": [FrameSpec(**item) for item in data["frames"]],
            }
            return cls(**{**data, **items})
        except (KeyError, TypeError) as error:
            raise ModelError(f"this is not a machine's description: {error}") from None


def _json(value: Any, limit: bool = False) -> Any:
    """Lists for tuples; None for an infinite limit, which JSON cannot say."""
    if isinstance(value, (list, tuple)):
        return [_json(item, limit) for item in value]
    return None if limit and isinstance(value, float) and math.isinf(value) else value
