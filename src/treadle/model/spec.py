"""The editable description of a machine, and its way to a frozen `Model`.

A body's frame is its joint's frame unless the joint says otherwise (`child_position`, `child_rotation`):
it coincides with the joint frame, given in the parent, when the joint is at its neutral position. Any
graph of joints is allowed: those by which a walk from the world first reaches a body make the tree, all
others close loops. Units are SI, angles in radians.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any, TypeAlias

from treadle.errors import InputError, ModelError
from treadle.model.elements import ElementSpec
from treadle.model.finding import Finding, as_finding
from treadle.model.findings import findings
from treadle.model.model import Model, suggest
from treadle.model.parts import (
    IDENTITY,
    ActuatorSpec,
    ContactSpec,
    CouplingSpec,
    Item,
    KeyframeSpec,
    MaterialSpec,
    Rotation,
    ShapeSpec,
    WheelSpec,
)
from treadle.model.parts_by_name import PartsByName
from treadle.model.regularity import require_regular, singular_joints
from treadle.model.sensors import SensorSpec
from treadle.model.tendons import TendonSpec
from treadle.model.topology import assemble
from treadle.model.validate import validate
from treadle.model.values import plain, plain_json

__all__ = ["BodySpec", "FrameSpec", "JointSpec", "ModelSpec"]

#: One number for every degree of freedom of a joint, or one per dof.
Freedoms: TypeAlias = float | Sequence[float]
#: As above; None, alone or in the sequence, where there is no limit.
Limits: TypeAlias = float | Sequence[float | None] | None


@dataclass
class BodySpec(Item):
    """A rigid link: mass (kg), centre of mass (m) and inertia about it (kg m2), in the body's axes.

    The inertia is a 3 x 3 matrix, six numbers (ixx, iyy, izz, ixy, ixz, iyz) or three principal ones.
    Where it is None it is that of a uniform solid of the given `type` (box, sphere, cylinder, capsule or
    ellipsoid, with the `size` that such a shape has) around the centre, or zero without a type.
    """

    name: str
    mass: float = 0.0
    center: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Sequence[float] | Sequence[Sequence[float]] | None = None
    type: str | None = None
    size: Sequence[float] = ()
    #: line of the file that this was read from
    line: int | None = field(default=None, compare=False)


@dataclass
class JointSpec(Item):
    """A joint from `parent` (None: the world) to `child`, its frame given in the parent.

    `child_position` and `child_rotation` are the pose of that frame in the child, at the neutral position.
    `type` is revolute, continuous, prismatic, fixed, helical, cylindrical, universal, planar, ball or free;
    distance, rope, point_on_line, point_on_plane, rolling_disc and knife_edge only close loops. The axis is
    z unless given (the normal of a planar joint or of the plane that is rolled on; x and then y for a
    universal one); `second_axis` is the axle of a rolling disc, or the direction of a knife edge, in the
    child; `pitch` of a helical joint is in m/rad. Everything from `lower` on has one value per dof, or one
    for all, in the units of the joint's coordinates.
    """

    name: str
    type: str
    parent: str | None
    child: str
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Rotation = IDENTITY
    child_position: Sequence[float] = (0.0, 0.0, 0.0)
    child_rotation: Rotation = IDENTITY
    axis: Sequence[float] | None = None
    second_axis: Sequence[float] | None = None
    pitch: float = 0.0
    #: of a distance joint, or of a rope (m)
    length: float | None = None
    #: of a rolling disc (m)
    radius: float | None = None
    lower: Limits = None
    upper: Limits = None
    #: speed after over speed before hitting a limit, from 0 to 1
    limit_restitution: Freedoms = 0.0
    #: spring and damper of a limit that yields (N m/rad and N m s/rad, N/m and N s/m); rigid if both are zero
    limit_stiffness: Freedoms = 0.0
    limit_damping: Freedoms = 0.0
    #: largest actuator force (N or N m) and speed (m/s or rad/s)
    effort: Limits = None
    speed: Limits = None
    damping: Freedoms = 0.0
    #: dry friction (N or N m): sticks up to this force, slides against this force beyond
    friction: Freedoms = 0.0
    #: spring towards the position `reference`
    stiffness: Freedoms = 0.0
    reference: Freedoms = 0.0
    #: rotor inertia reflected to the joint (kg m2 or kg)
    armature: Freedoms = 0.0
    #: line of the file that this was read from
    line: int | None = field(default=None, compare=False)


@dataclass
class FrameSpec(Item):
    """A named frame fixed to a body (None: the world), given in that body's frame."""

    name: str
    body: str | None
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Rotation = IDENTITY
    #: line of the file that this was read from
    line: int | None = field(default=None, compare=False)


@dataclass
class ModelSpec(PartsByName):
    """A machine as lists of parts that can be added, changed and removed."""

    name: str = "machine"
    bodies: list[BodySpec] = field(default_factory=list)
    joints: list[JointSpec] = field(default_factory=list)
    frames: list[FrameSpec] = field(default_factory=list)
    shapes: list[ShapeSpec] = field(default_factory=list)
    materials: list[MaterialSpec] = field(default_factory=list)
    contacts: list[ContactSpec] = field(default_factory=list)
    actuators: list[ActuatorSpec] = field(default_factory=list)
    couplings: list[CouplingSpec] = field(default_factory=list)
    wheels: list[WheelSpec] = field(default_factory=list)
    elements: list[ElementSpec] = field(default_factory=list)
    sensors: list[SensorSpec] = field(default_factory=list)
    tendons: list[TendonSpec] = field(default_factory=list)
    keyframes: list[KeyframeSpec] = field(default_factory=list)
    #: gravitational acceleration in the world, m/s2
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    #: path of the geometry file (.3dt), from the folder of the description
    geometry: str | None = None
    #: of the scene: dt, integrator, ground and the like, in JSON types
    settings: dict[str, Any] = field(default_factory=dict)
    #: what was ignored, repaired or guessed on import, one sentence each; see `Finding`
    report: list[str] = field(default_factory=list)
    #: the file that this was read from
    file: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        self.gravity = plain(self.gravity)
        self.settings = plain_json(self.settings)

    def add_body(self, name: str, mass: float = 0.0, **options: Any) -> BodySpec:
        """Append a body; options are the fields of `BodySpec`."""
        self.bodies.append(BodySpec(name, mass, **_known(BodySpec, options)))
        return self.bodies[-1]

    def add_joint(self, name: str, type: str, parent: str | None, child: str, **options: Any) -> JointSpec:
        """Append a joint from `parent` (None: the world); options are the fields of `JointSpec`."""
        self.joints.append(JointSpec(name, type, parent, child, **_known(JointSpec, options)))
        return self.joints[-1]

    def add_frame(self, name: str, body: str | None, **options: Any) -> FrameSpec:
        """Append a frame fixed to a body; options are the fields of `FrameSpec`."""
        self.frames.append(FrameSpec(name, body, **_known(FrameSpec, options)))
        return self.frames[-1]

    def add_shape(
        self, name: str, body: str | None, type: str, size: Sequence[float] = (), **options: Any
    ) -> ShapeSpec:
        """Append a shape fixed to a body (None: the world); options are the fields of `ShapeSpec`."""
        self.shapes.append(ShapeSpec(name, body, type, size, **_known(ShapeSpec, options)))
        return self.shapes[-1]

    def add_material(self, name: str, **options: Any) -> MaterialSpec:
        """Append a material; options are the fields of `MaterialSpec`."""
        self.materials.append(MaterialSpec(name, **_known(MaterialSpec, options)))
        return self.materials[-1]

    def add_contact(self, first: str | None, second: str | None, **options: Any) -> ContactSpec:
        """Append a rule for the contact of two bodies; options are the fields of `ContactSpec`."""
        self.contacts.append(ContactSpec(first, second, **_known(ContactSpec, options)))
        return self.contacts[-1]

    def add_actuator(self, name: str, type: str, joint: str = "", **options: Any) -> ActuatorSpec:
        """Append an actuator on a joint, or with tendon=NAME on a tendon.

        Options are the fields of `ActuatorSpec`.
        """
        self.actuators.append(ActuatorSpec(name, type, joint, **_known(ActuatorSpec, options)))
        return self.actuators[-1]

    def add_coupling(
        self,
        name: str,
        joint: str,
        source: str | Mapping[str, float] | None,
        coefficients: Sequence[float] | None = None,
        **options: Any,
    ) -> CouplingSpec:
        """Append a relation between joint positions; options are the fields of `CouplingSpec`.

        The source is one joint, of whose position the coefficients are a polynomial, or a mapping of any
        number of joints to their ratios, with the offset as the only coefficient.
        """
        if isinstance(source, Mapping):
            source, options = None, {"terms": dict(source)} | options
        if coefficients is None:
            coefficients = (0.0, 1.0) if source is not None else (0.0,)
        self.couplings.append(
            CouplingSpec(name, joint, source, coefficients, **_known(CouplingSpec, options))
        )
        return self.couplings[-1]

    def add_wheel(self, name: str, joint: str, radius: float, **options: Any) -> WheelSpec:
        """Append a wheel on a joint; options are the fields of `WheelSpec`."""
        self.wheels.append(WheelSpec(name, joint, radius, **_known(WheelSpec, options)))
        return self.wheels[-1]

    def add_element(
        self,
        name: str,
        type: str,
        frames: Sequence[str | None],
        offsets: Sequence[Sequence[float]] = (),
        **parameters: Any,
    ) -> ElementSpec:
        """Append a force element on frames (None: the world); parameters are those of its type."""
        self.elements.append(ElementSpec(name, type, frames, offsets, parameters))
        return self.elements[-1]

    def add_spring(
        self,
        name: str,
        first: str | None,
        second: str | None,
        first_point: Sequence[float] = (0.0, 0.0, 0.0),
        second_point: Sequence[float] = (0.0, 0.0, 0.0),
        **parameters: Any,
    ) -> ElementSpec:
        """Append a spring and damper between points of two bodies or frames (None: the world).

        Parameters are stiffness (N/m), damping (N s/m), length (m), pretension (N), acts and table: see
        docs/reference/force-elements.md.
        """
        return self.add_element(name, "spring", (first, second), (first_point, second_point), **parameters)

    def add_hull(
        self, name: str, body: str, offset: Sequence[float] = (0.0, 0.0, 0.0), **parameters: Any
    ) -> ElementSpec:
        """Append a shape of a body or frame in the machine's fluid: buoyancy, drag and added mass.

        The offset is its centre in the frame; parameters are those of the element `hull`.
        """
        return self.add_element(name, "hull", (body,), (offset,), **parameters)

    def add_sensor(self, name: str, type: str, on: str | None = None, **options: Any) -> SensorSpec:
        """Append a sensor on a link, frame, joint or actuator, as its type asks for.

        Options are the fields of `SensorSpec`; others are parameters of its type.
        """
        own = {item.name for item in fields(SensorSpec)}
        parameters = {key: options.pop(key) for key in tuple(options) if key not in own}
        parameters = dict(options.pop("parameters", {})) | parameters
        dates = {key: x.isoformat() for key, x in parameters.items() if isinstance(x, date)}
        parameters |= dates
        self.sensors.append(SensorSpec(name, type, on, parameters=parameters, **options))
        return self.sensors[-1]

    def add_tendon(self, name: str, path: Sequence[dict[str, Any]] = (), **options: Any) -> TendonSpec:
        """Append a tendon; its path can also be built with `through`, `around` and `over_pulley`.

        Options are the fields of `TendonSpec`: see docs/reference/tendons.md.
        """
        self.tendons.append(TendonSpec(name, path, **_known(TendonSpec, options)))
        return self.tendons[-1]

    def add_keyframe(
        self, name: str, positions: dict[str, Any] | None = None, **options: Any
    ) -> KeyframeSpec:
        """Append a named state; options are the fields of `KeyframeSpec`."""
        self.keyframes.append(KeyframeSpec(name, positions or {}, **_known(KeyframeSpec, options)))
        return self.keyframes[-1]

    def compile(self, strict: bool | None = None) -> Model:
        """The frozen model; ModelError where the description is wrong.

        With `strict` off, inertias that no real body can have and joints that move no inertia are kept and
        become lines of the model's report. It is on unless said otherwise, and off for a description that
        was read from a file: `load_spec(path).compile()` is `load(path)`.
        """
        strict = self.file is None if strict is None else strict
        notes = validate(self, strict)
        model = assemble(self)
        if strict:
            require_regular(model, self.file)
        singular = [] if strict else singular_joints(model)
        if singular:
            problem = "joints that move no inertia, so that forces do not determine their motion"
            hint = "give what they move a mass and an inertia, or them an armature"
            notes.append(Finding(problem, [item.joint for item in singular], "warning", hint))
        notes += findings(model, {item.body for item in singular})
        fresh = [note for note in notes if note not in self.report]
        reported = replace(model, report=(*self.report, *fresh))
        # what was found out about the model holds whatever its report says
        vars(reported)["_functions"] = vars(model).get("_functions", {})
        return reported

    def to_dict(self) -> dict[str, Any]:
        """The description in JSON types only, for `from_dict`."""
        return {
            "name": self.name,
            **{name: [item.to_dict() for item in getattr(self, name)] for name in _LISTS},
            "gravity": plain_json(plain(self.gravity)),
            "geometry": self.geometry,
            "settings": plain_json(self.settings),
            "report": [as_finding(line).to_dict() for line in self.report],
            "file": self.file,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ModelSpec:
        """The description that `to_dict` was called on."""
        try:
            # descriptions that were written before there were sensors have none
            lists = {"sensors": [], **data}
            items = {name: [kind(**item) for item in lists[name]] for name, kind in _LISTS.items()}
            return cls(**{**data, **items, "report": [as_finding(line) for line in data["report"]]})
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"this is not a machine's description: {error}") from None


#: The lists of a description and what they hold.
_LISTS: dict[str, type[Item]] = {
    "bodies": BodySpec,
    "joints": JointSpec,
    "frames": FrameSpec,
    "shapes": ShapeSpec,
    "materials": MaterialSpec,
    "contacts": ContactSpec,
    "actuators": ActuatorSpec,
    "couplings": CouplingSpec,
    "wheels": WheelSpec,
    "elements": ElementSpec,
    "sensors": SensorSpec,
    "tendons": TendonSpec,
    "keyframes": KeyframeSpec,
}


def _known(part: type, options: dict[str, Any]) -> dict[str, Any]:
    """The options, if all of them are fields of a part of the description."""
    names = [item.name for item in fields(part)]
    for name in options:
        if name not in names:
            kind = part.__name__.removesuffix("Spec").lower()
            article = "an" if kind[0] in "aeiou" else "a"
            raise InputError(f"{article} {kind} has no {name!r}; {suggest(name, names)}")
    return options
