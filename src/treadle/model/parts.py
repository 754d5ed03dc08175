"""What a description holds besides bodies, joints and frames: shapes, materials, actuators, states.

All are plain data in SI units. What the simulation does not use yet is carried, shown and written back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

from treadle.model.values import plain

__all__ = [
    "ACTUATOR_TYPES", "COMBINATIONS", "FRICTION_DIMENSIONS", "IDENTITY", "MUSCLE", "SHAPE_TYPES",
    "ActuatorSpec", "ContactSpec", "CouplingSpec", "Item", "KeyframeSpec", "MaterialSpec", "Rotation",
    "ShapeSpec", "TREADS", "WHOLE", "WheelSpec",
]  # fmt: skip

#: A 3 x 3 matrix or a quaternion (w, x, y, z); `rpy(roll, pitch, yaw)` makes one from angles.
Rotation: TypeAlias = Sequence[Sequence[float]] | Sequence[float]

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

#: Shapes and what their `size` (m) means.
SHAPE_TYPES = {
    "box": "lengths along x, y, z",
    "sphere": "radius",
    "cylinder": "radius, length along z",
    "capsule": "radius, length of the cylindrical part along z",
    "ellipsoid": "half axes along x, y, z",
    "plane": "none; the normal is z",
    "mesh": "none; points and faces of `file` times `scale`",
    "part": "none; the component `file` of the geometry file (.3dt)",
}

#: Actuators and what drives them.
ACTUATOR_TYPES = {
    "motor": "joint force = gain times command",
    "position": "joint force = stiffness (command - position) - damping velocity",
    "velocity": "joint force = damping (command - velocity)",
    "general": "joint force = gain command + bias[0] + bias[1] position + bias[2] velocity",
    "rigid_position": "the joint is where the command says, as far as the effort reaches",
    "rigid_velocity": "the joint moves as fast as the command says, as far as the effort reaches",
    "cylinder": "hydraulic cylinder on a sliding joint, its command the valve opening in [-1, 1]",
    "muscle": "Hill-type muscle that pulls, its command the excitation in [0, 1]",
}

#: Parameters of a muscle: default and meaning.
MUSCLE = {
    "force": (1000.0, "peak active force F0 (N)"),
    "lower_length": (0.0, "length of the actuator at the lower end of its range (m)"),
    "upper_length": (1.0, "length of the actuator at the upper end of its range (m)"),
    "lower": (0.75, "lower end of the range, in optimal fibre lengths"),
    "upper": (1.05, "upper end of the range, in optimal fibre lengths"),
    "lmin": (0.5, "shortest length with active force, in optimal fibre lengths"),
    "lmax": (1.6, "longest length with active force, in optimal fibre lengths"),
    "vmax": (
        1.5,
        "shortening velocity at which the active force vanishes, in optimal fibre lengths per second",
    ),
    "fpmax": (1.3, "passive force at lmax over the peak active force"),
    "fvmax": (1.2, "active force while stretched over that at rest"),
    "activation_time": (0.01, "time constant of activation (s)"),
    "deactivation_time": (0.04, "time constant of deactivation (s)"),
    "smoothing": (0.0, "width of the change between both, in units of the command; 0: a switch"),
}


#: Treads of wheels: what of the wheel may touch the ground.
TREADS = {
    "circle": "a thin disc",
    "cylinder": "a flat tread over the whole width, which stands on an edge where it is tilted",
    "torus": "a round tread, half the width in radius",
}


#: Ways to combine the friction of two materials; where both state one, the first of them in this order acts.
COMBINATIONS = {
    "maximum": "the larger coefficient",
    "multiply": "the product",
    "minimum": "the smaller coefficient",
    "geometric_mean": "the square root of the product",
}

#: Which frictions a contact may have.
FRICTION_DIMENSIONS = (1, 3, 4, 6)


#: Fields in which an infinite number says that there is no limit.
_LIMITS = ("lower", "upper", "effort", "speed")
#: Fields that hold whole numbers.
WHOLE = ("freedom", "line", "points", "contacts", "friction_dimensions", "priority", "seed")


@dataclass
class Item:
    """What the parts of a description share: plain numbers, and a JSON form."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name not in WHOLE:
                setattr(self, name, plain(value))

    def to_dict(self) -> dict[str, Any]:
        """This part in JSON types only; every float survives the round trip exactly."""
        result = {}
        for item in fields(self):
            value = getattr(self, item.name)
            result[item.name] = _json(value if item.name in WHOLE else plain(value), item.name in _LIMITS)
        return result


def _json(value: Any, limit: bool = False) -> Any:
    """Lists for tuples; None for an infinite limit, which JSON cannot say."""
    if isinstance(value, (list, tuple)):
        return [_json(item, limit) for item in value]
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    return None if limit and isinstance(value, float) and math.isinf(value) else value


@dataclass
class ShapeSpec(Item):
    """A shape fixed to a body (None: the world), for the eye (`visual`) or for contact (`collision`)."""

    name: str
    body: str | None
    type: str
    size: Sequence[float] = ()
    role: str = "visual"
    position: Sequence[float] = (0.0, 0.0, 0.0)
    rotation: Rotation = IDENTITY
    #: red, green, blue, alpha in [0, 1]
    color: Sequence[float] | None = None
    #: name of a `MaterialSpec`
    material: str | None = None
    #: mesh file beside the description, or a component of the geometry file; a mesh for contact needs none if
    #: simulations are given its points
    file: str | None = None
    scale: Sequence[float] = (1.0, 1.0, 1.0)
    #: name of the group it is in, and of the groups it touches (None: all); two shapes have to agree
    group: str = "default"
    meets: Sequence[str] | None = None
    #: of its surface relative to the body (m/s, rad/s), in the shape's axes: a belt, a disc
    surface_velocity: Sequence[float] = (0.0, 0.0, 0.0)
    surface_rotation: Sequence[float] = (0.0, 0.0, 0.0)
    line: int | None = field(default=None, compare=False)


@dataclass
class MaterialSpec(Item):
    """A surface: contact stiffness (N/m), damping (N s/m) or restitution, friction coefficient.

    Without a stiffness it is rigid. A `law` other than "kelvin_voigt" has its stiffness in N/m^exponent, or
    from Young's modulus (Pa), Poisson's ratio and the radii of the shapes that touch, or `radius` (m) where
    they are flat. With `per_mass`, stiffness and damping are per kg of the mass that a contact moves, and
    with an `impedance` they are those of a reference acceleration, as in MuJoCo. With `friction_across`,
    `friction` is that along `friction_direction`, a vector in the axes of the shape. `combination` says what
    becomes of its friction and that of another material, one of COMBINATIONS. Where the `priority` of two
    materials differs, the higher one counts alone.
    """

    name: str
    stiffness: float | None = None
    damping: float | None = None
    restitution: float | None = None
    friction: float | None = None
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    law: str | None = None
    exponent: float | None = None
    young_modulus: float | None = None
    poisson_ratio: float | None = None
    radius: float | None = None
    per_mass: bool = False
    #: share of its reference acceleration that a contact reaches: at no depth, and at the width or deeper;
    #: the width (m), midpoint (as a share of it) and power of the curve between them
    impedance: Sequence[float] | None = None
    friction_across: float | None = None
    friction_direction: Sequence[float] = (1.0, 0.0, 0.0)
    combination: str | None = None
    #: 1: no friction, 3: sliding, 4: spinning too, 6: rolling too; of two materials the larger one counts
    friction_dimensions: int | None = None
    priority: int = 0
    #: weight of its stiffness and damping per mass beside those of another material
    mix: float = 1.0
    line: int | None = field(default=None, compare=False)


@dataclass
class ContactSpec(Item):
    """Whether two bodies (None: the world) may touch, and what their contact is made of if not combined."""

    first: str | None
    second: str | None
    enabled: bool = True
    material: str | None = None
    line: int | None = field(default=None, compare=False)


@dataclass
class ActuatorSpec(Item):
    """A drive on a joint's degree of freedom, or on a tendon; `type` is one of ACTUATOR_TYPES.

    On a tendon, position and velocity are its length and the rate of that, and a pull is negative. With a
    `time_constant` (s) the drive follows a first-order filter of the command. `muscle` has the parameters of
    MUSCLE where they are not the default; lengths and forces of a muscle count times the gain.
    Commands are held within [lower, upper], forces (N or N m) within [-effort, effort]. A cylinder has
    areas (m2) of the piston's cap and rod side, supply pressure and relief pressure (Pa), bulk modulus
    (Pa), rated flow (m3/s), leakage (m3/(s Pa)) and dead volume (m3).
    """

    name: str
    type: str
    joint: str = ""
    freedom: int = 0
    tendon: str | None = None
    gain: float = 1.0
    bias: Sequence[float] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    areas: Sequence[float] = ()
    pressure: float = 0.0
    relief: float | None = None
    bulk_modulus: float = 1.4e9
    flow: float = 0.0
    leakage: float = 0.0
    dead_volume: float = 0.0
    time_constant: float = 0.0
    muscle: dict[str, float] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass
class CouplingSpec(Item):
    """A relation between joint positions: `joint` = polynomial(source) + sum of ratio x joint of the `terms`.

    Coefficients are from the constant up. Mimic joints and gears are (offset, ratio); a differential or a
    planetary gear has its other shafts among the terms, each with its ratio. Without a source the polynomial
    is the constant alone, at which a joint without terms is held.
    """

    name: str
    joint: str
    source: str | None = None
    coefficients: Sequence[float] = (0.0, 1.0)
    terms: Mapping[str, float] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass
class WheelSpec(Item):
    """A wheel: the body that a revolute joint turns, round about that joint's axis, on the terrain.

    `radius` and `width` in m; `model` names the wheel-ground model and `parameters` its values where they
    are not the model's own. Contact is looked for at `points` points of the lower half and refined between
    them; `contacts` is the number of places that may touch at a time, 2 where there are steps.
    """

    name: str
    joint: str
    radius: float
    width: float = 0.0
    model: str = "linear"
    parameters: dict[str, float] = field(default_factory=dict)
    tread: str = "circle"
    points: int = 9
    contacts: int = 1
    line: int | None = field(default=None, compare=False)


@dataclass
class KeyframeSpec(Item):
    """A named state: positions and velocities by joint name; what is not named is neutral and at rest.

    The keyframe "initial" is where a simulation starts.
    """

    name: str
    positions: dict[str, Any] = field(default_factory=dict)
    velocities: dict[str, Any] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)
