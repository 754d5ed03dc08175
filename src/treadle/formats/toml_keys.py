"""The keys of Treadle's own format, robot.toml: what each holds, in which field it goes and what it means.

The reader, the writer, the JSON schema and the check of the documentation are all made from these tables.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import Any

from treadle.model.elements import ELEMENT_TYPES, ElementSpec
from treadle.model.parts import (
    ACTUATOR_TYPES,
    SHAPE_TYPES,
    TREADS,
    ActuatorSpec,
    ContactSpec,
    CouplingSpec,
    Item,
    KeyframeSpec,
    MaterialSpec,
    ShapeSpec,
    WheelSpec,
)
from treadle.model.sensors import SensorSpec
from treadle.model.solids import SOLIDS
from treadle.model.spec import BodySpec, FrameSpec, JointSpec
from treadle.model.tendons import TendonSpec
from treadle.model.validate import known_types

__all__ = ["FORMAT", "JOINT_NAMES", "LIMITS", "POSE", "TABLES", "TOP", "UNITS", "Key", "Table"]

FORMAT = "treadle-1"
UNITS = "SI"

#: Other names of joint types.
JOINT_NAMES = {"hinge": "revolute", "slider": "prismatic"}


@dataclass(frozen=True)
class Key:
    """A key, the kind of its value (see `toml_values`), its meaning, and the field of the description."""

    name: str
    kind: str
    meaning: str
    field: str = ""
    required: bool = False
    #: the words that are allowed, where only some are
    choices: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The field that it is read into."""
        return self.field or self.name


@dataclass(frozen=True)
class Table:
    """A kind of table: the list of the description that it goes to, what it is made into, and its keys."""

    list: str
    spec: type[Item]
    meaning: str
    keys: tuple[Key, ...]

    def default(self, field: str) -> Any:
        """What a field is where the file says nothing; MISSING if it has to."""
        for item in fields(self.spec):
            if item.name == field:
                return item.default if item.default_factory is MISSING else item.default_factory()
        return MISSING


def _rotation(prefix: str = "", field: str = "rotation", of: str = "its axes") -> tuple[Key, ...]:
    """Three ways to say a rotation, of which one may be used."""
    return (
        Key(f"{prefix}rpy", "rpy", f"rotation of {of}: roll, pitch, yaw about fixed x, y, z (rad)", field),
        Key(f"{prefix}quaternion", "quaternion", f"rotation of {of}: quaternion (w, x, y, z)", field),
        Key(f"{prefix}matrix", "matrix", f"rotation of {of}: matrix, row by row", field),
    )


TOP = (
    Key("format", "text", "name and version of the format", required=True, choices=(FORMAT,)),
    Key("name", "text", "name of the machine; that of the file if absent"),
    Key("units", "text", "m, kg, s, rad, N, Pa and what is made of them", required=True, choices=(UNITS,)),
    Key("gravity", "vector", "gravitational acceleration in the world (m/s2)"),
    Key("geometry", "text", "geometry file (.3dt), a path from the folder of this file"),
    Key("settings", "settings", "of the scene: dt, integrator, contact, terrain, ..."),
)

#: Where a body is while all joints are at their neutral position; joints can leave out their successor side.
POSE = (
    Key("position", "vector", "origin in the world, all joints being neutral (m)"),
    *_rotation(of="the body in the world, all joints being neutral"),
)

LIMITS = (
    Key("lower", "floors", "lowest position (rad or m)"),
    Key("upper", "ceilings", "highest position (rad or m)"),
    Key("effort", "ceilings", "largest force of a drive (N m or N)"),
    Key("speed", "ceilings", "highest speed (rad/s or m/s)"),
    Key(
        "restitution",
        "per_dof",
        "speed after over speed before hitting a limit, 0 to 1",
        "limit_restitution",
    ),
    Key("stiffness", "per_dof", "spring of a limit that yields (N m/rad or N/m)", "limit_stiffness"),
    Key("damping", "per_dof", "damper of a limit that yields (N m s/rad or N s/m)", "limit_damping"),
)

_BODY = Table(
    "bodies",
    BodySpec,
    "a rigid body",
    (
        Key("name", "text", "name of the body", required=True),
        Key("mass", "number", "mass (kg)"),
        Key("center", "vector", "centre of mass in the body (m)"),
        Key(
            "inertia",
            "inertia",
            "about the centre of mass (kg m2): 3, 6 (xx, yy, zz, xy, xz, yz) or 3 x 3",
        ),
        Key("type", "text", "solid that gives the inertia where none is stated", choices=tuple(SOLIDS)),
        Key("size", "numbers", "size of that solid (m), as that of a shape"),
    ),
)

_JOINT = Table(
    "joints",
    JointSpec,
    "a joint; the second one to reach a body closes a loop",
    (
        Key("name", "text", "name of the joint", required=True),
        Key("type", "text", "kind of joint", required=True, choices=(*known_types(), *JOINT_NAMES)),
        Key("predecessor", "body", 'body that carries the joint, or "world"', "parent", required=True),
        Key("successor", "text", "body that the joint moves", "child", required=True),
        Key("offset", "vector", "position of the joint in the predecessor (m)", "position"),
        *_rotation(of="the joint in the predecessor"),
        Key("successor_offset", "vector", "position of the joint in the successor (m)", "child_position"),
        *_rotation("successor_", "child_rotation", of="the joint in the successor"),
        Key("dh", "row", "a (m), alpha (rad), d (m), theta (rad) of Denavit and Hartenberg, about z", "dh"),
        Key("dh_modified", "row", "the same in the convention of Khalil and Craig", "dh_modified"),
        Key("axis", "vector", "axis of turning or sliding, normal of a plane (in the joint's axes)"),
        Key(
            "second_axis",
            "vector",
            "second axis of a universal joint; axle of a rolling disc or direction of a knife edge",
        ),
        Key("pitch", "number", "advance of a helical joint (m/rad)"),
        Key("length", "number", "distance of the two points of a distance joint, or length of a rope (m)"),
        Key("radius", "number", "radius of a rolling disc (m)"),
        Key(
            "limits",
            "limits",
            "lower, upper, effort, speed and the like, one for all degrees of freedom or one each",
        ),
        Key("damping", "per_dof", "viscous friction (N m s/rad or N s/m)"),
        Key("friction", "per_dof", "dry friction (N m or N)"),
        Key("stiffness", "per_dof", "spring towards the reference (N m/rad or N/m)"),
        Key("reference", "per_dof", "position at which the spring is at rest (rad or m)"),
        Key("armature", "per_dof", "rotor inertia at the joint (kg m2 or kg)"),
    ),
)

_SHAPE = Table(
    "shapes",
    ShapeSpec,
    "a shape, in [[body.shape]] or alone with its body",
    (
        Key("name", "text", "name of the shape; after its body if absent"),
        Key("body", "body", 'body that it is fixed to, or "world"'),
        Key("type", "text", "kind of shape", required=True, choices=tuple(SHAPE_TYPES)),
        Key("size", "numbers", "size (m), see the table of shapes"),
        Key("role", "text", "for the eye or for contact", choices=("visual", "collision")),
        Key("position", "vector", "position in the body (m)"),
        *_rotation(of="the shape in the body"),
        Key("color", "color", "red, green, blue, alpha, each 0 to 1"),
        Key("material", "text", "name of its material"),
        Key("file", "text", "mesh file, or component of the geometry file"),
        Key("scale", "vector", "factors of a mesh along x, y, z"),
        Key("group", "text", 'name of its group for contact; "default" if absent'),
        Key("meets", "texts", "names of the groups that it touches; all if absent"),
        Key("surface_velocity", "vector", "velocity of its surface in its own axes (m/s), as of a belt"),
        Key("surface_rotation", "vector", "rotation of its surface in its own axes (rad/s), as of a disc"),
    ),
)

_FRAME = Table(
    "frames",
    FrameSpec,
    "a named frame",
    (
        Key("name", "text", "name of the frame", required=True),
        Key("body", "body", 'body that it is fixed to, or "world"', required=True),
        Key("position", "vector", "origin in the body (m)"),
        *_rotation(of="the frame in the body"),
    ),
)

_MATERIAL = Table(
    "materials",
    MaterialSpec,
    "a surface",
    (
        Key("name", "text", "name of the material", required=True),
        Key("stiffness", "number", "contact stiffness (N/m, N/m^exponent under a law); rigid without one"),
        Key("damping", "number", "contact damping (N s/m)"),
        Key("restitution", "number", "speed after over speed before an impact, instead of damping"),
        Key("friction", "number", "coefficient of sliding friction"),
        Key("rolling_friction", "number", "coefficient of rolling friction (m)"),
        Key("spinning_friction", "number", "coefficient of spinning friction (m)"),
        Key("law", "text", "contact law, such as hertz or hunt_crossley; a spring (kelvin_voigt) without"),
        Key("exponent", "number", "of the penetration in the law: 1 for a spring, else 1.5 if not stated"),
        Key("young_modulus", "number", "Young's modulus (Pa), instead of a stiffness"),
        Key("poisson_ratio", "number", "Poisson's ratio"),
        Key("radius", "number", "radius of the surface (m), instead of that of the shape"),
        Key("per_mass", "flag", "whether stiffness and damping are per kg of the mass that a contact moves"),
        Key(
            "impedance",
            "numbers",
            "with per_mass: shares of the reference acceleration reached, width (m), midpoint, power",
        ),
        Key("friction_across", "number", "friction across friction_direction; friction is that along it"),
        Key("friction_direction", "vector", "direction of friction in the axes of the shape"),
        Key(
            "combination",
            "text",
            "how its friction and another material's combine: geometric_mean, maximum, minimum or multiply",
        ),
        Key("friction_dimensions", "whole", "1: no friction, 3: sliding, 4: spinning too, 6: rolling too"),
        Key("priority", "whole", "of two materials that with the higher priority counts alone"),
        Key("mix", "number", "weight of its stiffness and damping per mass beside another material's"),
    ),
)

_CONTACT = Table(
    "contacts",
    ContactSpec,
    "whether two bodies may touch",
    (
        Key("first", "body", 'one body, or "world"', required=True),
        Key("second", "body", 'the other body, or "world"', required=True),
        Key("enabled", "flag", "whether they may touch"),
        Key("material", "text", "material of their contact, instead of the combined one"),
    ),
)

_ACTUATOR = Table(
    "actuators",
    ActuatorSpec,
    "a drive on a joint or a tendon",
    (
        Key("name", "text", "name of the actuator", required=True),
        Key("type", "text", "kind of drive", required=True, choices=tuple(ACTUATOR_TYPES)),
        Key("joint", "text", "joint that it drives"),
        Key("tendon", "text", "tendon that it pulls on, instead of a joint"),
        Key("freedom", "whole", "which degree of freedom of the joint, from 0"),
        Key("gain", "number", "force per command (N m or N)"),
        Key("bias", "vector", "force: constant, per position, per velocity"),
        Key("stiffness", "number", "force per position error (N m/rad or N/m)"),
        Key("damping", "number", "force per velocity (N m s/rad or N s/m)"),
        Key("lower", "floor", "lowest command"),
        Key("upper", "ceiling", "highest command"),
        Key("effort", "ceiling", "largest force (N m or N)"),
        Key("areas", "numbers", "cylinder: piston areas on the cap and the rod side (m2)"),
        Key("pressure", "number", "cylinder: supply pressure (Pa)"),
        Key("relief", "ceiling", "cylinder: relief pressure (Pa)"),
        Key("bulk_modulus", "number", "cylinder: bulk modulus of the oil (Pa)"),
        Key("flow", "number", "cylinder: rated flow of the valve (m3/s)"),
        Key("leakage", "number", "cylinder: leakage past the piston (m3/(s Pa))"),
        Key("dead_volume", "number", "cylinder: oil at the end of the stroke, per side (m3)"),
        Key("time_constant", "number", "of a first-order filter of the command (s); none if absent"),
        Key("muscle", "named", "muscle: values of its parameters by name, where they are not the default"),
    ),
)

_COUPLING = Table(
    "couplings",
    CouplingSpec,
    "a gear between joints",
    (
        Key("name", "text", "name of the coupling", required=True),
        Key("joint", "text", "joint whose position follows", required=True),
        Key("source", "text", "joint that it follows; none holds the joint still"),
        Key("coefficients", "numbers", "of the polynomial of the source's position, from the constant up"),
        Key("terms", "named", "ratios of further joints that it follows, by their names"),
    ),
)

_WHEEL = Table(
    "wheels",
    WheelSpec,
    "a wheel on a joint",
    (
        Key("name", "text", "name of the wheel", required=True),
        Key("joint", "text", "revolute joint that it turns with", required=True),
        Key("radius", "number", "radius (m)", required=True),
        Key("width", "number", "width of the tread (m)"),
        Key("model", "text", "name of the wheel-ground model"),
        Key("parameters", "named", "values of the model by name, where they are not its own"),
        Key("tread", "text", "form of the tread", choices=tuple(TREADS)),
        Key("points", "whole", "points of the lower half at which contact is looked for"),
        Key("contacts", "whole", "places that may touch at a time: 1, or 2 on steps"),
    ),
)

_ELEMENT = Table(
    "elements",
    ElementSpec,
    "a force between frames, or from the surroundings on them",
    (
        Key("name", "text", "name of the element", required=True),
        Key("type", "text", "kind of force element", required=True, choices=tuple(ELEMENT_TYPES)),
        Key("frames", "bodies", 'bodies or frames that it acts on, or "world"', required=True),
        Key("offsets", "vectors", "where it acts in each of them (m); their origins if absent"),
        Key("parameters", "values", "values of its parameters by name, where they are not the default"),
    ),
)

_SENSOR = Table(
    "sensors",
    SensorSpec,
    "what a machine measures",
    (
        Key("name", "text", "name of the sensor", required=True),
        Key("type", "text", "kind of sensor", required=True),
        Key("on", "body", 'link, frame, joint, actuator or shape that it is on, or "world"', required=True),
        Key("position", "vector", "where it sits in that link or frame (m)"),
        *_rotation(of="the sensor in that link or frame"),
        Key("rate", "number", "samples per second; one per step if absent"),
        Key("delay", "number", "time from a sample to its reading (s)"),
        Key("seed", "whole", "seed of its random numbers; after its name if absent"),
        Key("parameters", "values", "values of its parameters by name, where they are not the default"),
        Key("noise", "groups", "imperfections by name, for all components or by group of components"),
    ),
)

_TENDON = Table(
    "tendons",
    TendonSpec,
    "a cable over points, pulleys and objects, or a sum of joint positions",
    (
        Key("name", "text", "name of the tendon", required=True),
        Key("path", "path", "parts of its path in their order: points, pulleys, objects to wrap around"),
        Key("joints", "named", "coefficients by joint, of a tendon whose length is a sum of positions"),
        Key("stiffness", "number", "spring (N/m)"),
        Key("damping", "number", "damper (N s/m)"),
        Key("length", "per_dof", "where the spring is at rest (m), or two lengths between which it is slack"),
        Key("lower", "floor", "shortest length (m)"),
        Key("upper", "ceiling", "longest length (m)"),
        Key("limit_restitution", "number", "speed after over speed before reaching a limit, 0 to 1"),
        Key("limit_stiffness", "number", "spring of a limit that yields (N/m)"),
        Key("limit_damping", "number", "damper of a limit that yields (N s/m)"),
        Key("friction", "number", "dry friction (N)"),
    ),
)

_KEYFRAME = Table(
    "keyframes",
    KeyframeSpec,
    'a state; "initial" is where a simulation starts',
    (
        Key("name", "text", "name of the state", required=True),
        Key("positions", "states", "position by joint (rad or m); neutral if absent"),
        Key("velocities", "states", "velocity by joint (rad/s or m/s); zero if absent"),
    ),
)

#: The arrays of tables, [[body]] and so on, in the order in which they are written.
TABLES = {
    "material": _MATERIAL,
    "body": _BODY,
    "shape": _SHAPE,
    "joint": _JOINT,
    "frame": _FRAME,
    "contact": _CONTACT,
    "actuator": _ACTUATOR,
    "coupling": _COUPLING,
    "wheel": _WHEEL,
    "element": _ELEMENT,
    "sensor": _SENSOR,
    "tendon": _TENDON,
    "keyframe": _KEYFRAME,
}
