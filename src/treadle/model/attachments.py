"""Attachments of a frozen model: loops, shapes, materials, contacts, actuators, couplings, wheels, keyframes.

Names are resolved to indices: `body` is that of the moving body (-1: the world), q and v are places in the
position and velocity vectors. The meaning and the units of the other fields are those of `parts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.joints import Joint
from treadle.spatial import Transform

__all__ = ["Actuator", "Contact", "Coupling", "Keyframe", "Loop", "Material", "Settings", "Shape", "Wheel"]


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop: the same joint frame in the body on either side, `type` None if fixed.

    X_WP predecessor_placement X_J(q) = X_WS successor_placement for some position q of the joint. The
    links are those that the description names, None for the world. The tuples have one entry per
    degree of freedom, as those of `ModelJoint`.
    """

    name: str
    type: Joint | None
    predecessor_link: str | None
    predecessor: int
    predecessor_placement: Transform
    successor_link: str
    successor: int
    successor_placement: Transform
    damping: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    reference: tuple[float, ...] = ()
    armature: tuple[float, ...] = ()
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    limit_restitution: tuple[float, ...] = ()
    limit_stiffness: tuple[float, ...] = ()
    limit_damping: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    speed: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    continuous: bool = False

    @property
    def constraints(self) -> int:
        """Number of constraints on the relative motion of the two bodies."""
        return 6 if self.type is None else self.type.prevented


@dataclass(frozen=True)
class Shape:
    """A shape on a link (None: the world), its `placement` in the body that holds the link."""

    name: str
    link: str | None
    body: int
    placement: Transform
    type: str
    size: tuple[float, ...]
    role: str = "visual"
    color: tuple[float, ...] | None = None
    material: str | None = None
    file: str | None = None
    scale: tuple[float, ...] = (1.0, 1.0, 1.0)
    group: str = "default"
    meets: tuple[str, ...] | None = None
    surface_velocity: tuple[float, ...] = (0.0, 0.0, 0.0)
    surface_rotation: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Material:
    """A surface."""

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
    impedance: tuple[float, ...] | None = None
    friction_across: float | None = None
    friction_direction: tuple[float, ...] = (1.0, 0.0, 0.0)
    combination: str | None = None
    friction_dimensions: int | None = None
    priority: int = 0
    mix: float = 1.0


@dataclass(frozen=True)
class Contact:
    """Whether two links (None: the world) may touch, the bodies that hold them, and the material."""

    first: str | None
    second: str | None
    first_body: int
    second_body: int
    enabled: bool = True
    material: str | None = None


@dataclass(frozen=True)
class Actuator:
    """A drive on the dof `v` of the machine; `q` is its position, None where that is a quaternion.

    One on a tendon has neither: `tendon` is the number of the tendon, and `joint` is empty.
    """

    name: str
    type: str
    joint: str
    freedom: int
    q: int | None
    v: int | None
    tendon: int | None = None
    gain: float = 1.0
    bias: tuple[float, ...] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    areas: tuple[float, ...] = ()
    pressure: float = 0.0
    relief: float | None = None
    bulk_modulus: float = 1.4e9
    flow: float = 0.0
    leakage: float = 0.0
    dead_volume: float = 0.0
    time_constant: float = 0.0
    #: all parameters of a muscle
    muscle: Settings | None = None

    @property
    def feedback(self) -> bool:
        """Whether its force depends on the motion, so that a step takes it at its end."""
        by_motion = self.type == "general" and any(x != 0.0 for x in self.bias[1:])
        return self.type in ("position", "velocity") or by_motion

    @property
    def rigid(self) -> bool:
        """Whether it constrains its joint within its effort, instead of applying a force law."""
        return self.type in ("rigid_position", "rigid_velocity")


@dataclass(frozen=True)
class Coupling:
    """q of `joint` = polynomial of q of `source`, coefficients from the constant up, and of the terms.

    Every term is a joint, its ratio, and its places in q and v.
    """

    name: str
    joint: str
    source: str | None
    coefficients: tuple[float, ...]
    q: int
    v: int
    source_q: int | None
    source_v: int | None
    terms: tuple[tuple[str, float, int, int], ...] = ()


@dataclass(frozen=True)
class Wheel:
    """A wheel on the body that its joint moves, turning about `axis` through that body's origin."""

    name: str
    joint: str
    body: int
    v: int
    axis: tuple[float, float, float]
    radius: float
    width: float
    model: str
    parameters: Mapping[str, float]
    tread: str = "circle"
    points: int = 9
    contacts: int = 1


@dataclass(frozen=True)
class Keyframe:
    """A named state of the whole machine."""

    name: str
    q: tuple[float, ...]
    v: tuple[float, ...]


class Settings(Mapping[str, Any]):
    """The settings of a scene, read-only at every depth: mappings in mappings, tuples for lists."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any] | None = None) -> None:
        self._items = {name: _frozen(value) for name, value in (items or {}).items()}

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Settings({self._items!r})"


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Settings(value)
    return tuple(_frozen(item) for item in value) if isinstance(value, (list, tuple)) else value
