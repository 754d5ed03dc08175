"""Tendons: cables over points, pulleys, spheres and cylinders (spatial), or sums of joint positions (fixed).

A tendon is one scalar coordinate of the machine, its length l(q), with the moment arms dl/dq. Springs,
dampers, limits and friction act on it as on the coordinate of a joint, and actuators can pull on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.model.attachments import Settings
from treadle.model.parts import Item
from treadle.model.placement import clean
from treadle.model.values import plain, vector
from treadle.spatial import Mat3, Transform, Vec3

if TYPE_CHECKING:
    from treadle.model.model import Model
    from treadle.model.spec import ModelSpec

__all__ = ["PATH_KEYS", "WRAPS", "PathPart", "Tendon", "TendonSpec", "with_tendons"]

#: Objects that a tendon wraps around.
WRAPS = ("sphere", "cylinder")

#: Keys of a part of a path, and their meaning.
PATH_KEYS = {
    "frame": "body or frame that the part is fixed to; the world if absent",
    "point": "where in the frame it passes, or the centre of what it wraps around (m)",
    "pulley": "divisor: what follows is a new branch, whose length counts divided by this",
    "wrap": "sphere or cylinder that it wraps around, between two points",
    "radius": "radius of that object (m)",
    "axis": "axis of a cylinder in the frame",
    "side": "point on the side where it passes, inside the object to pass through it (m)",
    "side_frame": "body or frame of that point; that of the object if absent",
}


@dataclass
class TendonSpec(Item):
    """A tendon: a `path` of points, pulleys and objects that it wraps around, or `joints` with coefficients.

    `length` (m) is where its spring is at rest: one number, or a pair between which it is slack. `lower` and
    `upper` limit the length; friction (N) is dry.
    """

    name: str
    path: Sequence[Mapping[str, Any]] = ()
    joints: dict[str, float] = field(default_factory=dict)
    stiffness: float = 0.0
    damping: float = 0.0
    length: float | Sequence[float] | None = None
    lower: float | None = None
    upper: float | None = None
    limit_restitution: float = 0.0
    limit_stiffness: float = 0.0
    limit_damping: float = 0.0
    friction: float = 0.0
    line: int | None = field(default=None, compare=False)

    def through(self, frame: str | None, point: Sequence[float] = (0.0, 0.0, 0.0)) -> TendonSpec:
        """Lead it through a point of a body or frame (None: the world)."""
        return self._add({"frame": frame, "point": point})

    def over_pulley(self, divisor: float) -> TendonSpec:
        """Begin a new branch, whose length counts divided by the divisor."""
        return self._add({"pulley": divisor})

    def around(
        self,
        wrap: str,
        frame: str | None,
        radius: float,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        axis: Sequence[float] = (0.0, 0.0, 1.0),
        side: Sequence[float] | None = None,
    ) -> TendonSpec:
        """Wrap it around a sphere or cylinder with its centre at a point of a body or frame."""
        part: dict[str, Any] = {"wrap": wrap, "frame": frame, "point": point, "radius": radius}
        if wrap == "cylinder":
            part["axis"] = axis
        return self._add(part if side is None else part | {"side": side})

    def _add(self, part: dict[str, Any]) -> TendonSpec:
        self.path = (*self.path, plain(part))
        return self


@dataclass(frozen=True)
class PathPart:
    """A part of a tendon's path in a body (-1: the world): a point, a pulley, a sphere or a cylinder.

    `placement` is the point, or the pose of the object with its axis along z. `side` is the point on the side
    where a tendon passes an object, in the body `side_body`. `link` is the link of the body that it is on.
    """

    kind: str
    body: int = -1
    placement: Transform = field(default_factory=Transform.identity)
    radius: float = 0.0
    divisor: float = 1.0
    side: Vec3 | None = None
    side_body: int = -1
    link: str | None = None


@dataclass(frozen=True)
class Tendon:
    """A tendon of a model. Tuples of one number are those of a joint with one degree of freedom.

    `path` is that of a spatial tendon. `joints` are places in q and v with the coefficient of a fixed one.
    `reference` is where its spring is at rest, from the first to the second number.
    """

    name: str
    path: tuple[PathPart, ...]
    joints: tuple[tuple[int, int, float], ...]
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    reference: tuple[float, float]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    limit_restitution: tuple[float, ...]
    limit_stiffness: tuple[float, ...]
    limit_damping: tuple[float, ...]
    friction: tuple[float, ...]
    #: the path and the joints as the description has them
    described: Settings
    #: whether a step may take actuators on it at its end, where they couple branches of the tree
    implicit: bool = True

    @property
    def continuous(self) -> bool:
        """Tendons have limits; see `ModelJoint.continuous`."""
        return False

    @property
    def sprung(self) -> bool:
        """Whether it has a spring or a damper."""
        return self.stiffness[0] != 0.0 or self.damping[0] != 0.0

    @property
    def limited(self) -> bool:
        """Whether its length is limited."""
        return self.lower[0] > -math.inf or self.upper[0] < math.inf

    def bodies(self, model: Model) -> list[int]:
        """The moving bodies that it acts on."""
        by_joint = [
            i for i, body in enumerate(model.bodies) for _, v, _ in self.joints if body.joint.v.start == v
        ]
        return [part.body for part in self.path if part.kind != "pulley" and part.body >= 0] or by_joint


def with_tendons(spec: ModelSpec, model: Model) -> Model:
    """The model with the tendons of a description that `validate` has passed."""
    links: dict[str | None, str | None] = {frame.name: frame.body for frame in spec.frames}
    return replace(model, tendons=tuple(_tendon(item, model, links) for item in spec.tendons))


def _tendon(item: TendonSpec, model: Model, links: Mapping[str | None, str | None]) -> Tendon:
    """The tendon; `links` are those that the frames of the description are on."""
    joints = []
    for name, coefficient in item.joints.items():
        joint = model.joint(name)
        joints.append((joint.q.start, joint.v.start, float(coefficient)))
    fields = ("stiffness", "damping", "limit_restitution", "limit_stiffness", "limit_damping", "friction")
    rest = plain(item.length)
    return Tendon(
        name=item.name,
        path=tuple(
            replace(_part(part, model), link=links.get(part.get("frame"), part.get("frame")))
            for part in item.path
        ),
        joints=tuple(joints),
        **{name: (float(getattr(item, name)),) for name in fields},  # type: ignore[arg-type]
        reference=rest if isinstance(rest, tuple) else (rest or 0.0, rest or 0.0),
        lower=(-math.inf if item.lower is None else float(item.lower),),
        upper=(math.inf if item.upper is None else float(item.upper),),
        described=Settings({"path": plain(item.path), "joints": plain(item.joints), "length": rest}),
    )


def _part(part: Mapping[str, Any], model: Model) -> PathPart:
    if "pulley" in part:
        return PathPart("pulley", divisor=float(part["pulley"]))
    body, X_BF = _place(part.get("frame"), model)
    point = Vec3(*vector(part.get("point", (0.0, 0.0, 0.0))).tolist())
    kind = part.get("wrap", "point")
    if kind == "point":
        return PathPart("point", body, clean(X_BF @ Transform(Mat3.identity(), point)))
    turned = _along(vector(part["axis"])) if "axis" in part else Mat3.identity()
    side, side_body = None, -1
    if "side" in part:
        name = part.get("side_frame", part.get("frame"))
        side_body, X_SF = _place(name, model)
        side = X_SF.apply_point(Vec3(*vector(part["side"]).tolist()))
    return PathPart(
        kind=kind,
        body=body,
        placement=clean(X_BF @ Transform(turned, point)),
        radius=float(part["radius"]),
        side=side,
        side_body=side_body,
    )


def _place(name: str | None, model: Model) -> tuple[int, Transform]:
    if name is None:
        return -1, Transform.identity()
    frame = model.frame(name)
    return frame.body, frame.placement


def _along(axis: np.ndarray) -> Mat3:
    """A rotation that takes z to an axis."""
    z = axis / np.linalg.norm(axis)
    start = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = start - z * (z @ start)
    x /= np.linalg.norm(x)
    return Mat3.of(np.column_stack([x, np.cross(z, x), z]).tolist())
