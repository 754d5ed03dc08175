"""The frozen machine that every algorithm reads.

Bodies are numbered from the base to the tips, parents before children; links joined by fixed joints
are one body. All constants are plain floats, unless `lift` replaced some of them by traced inputs.

The bodies form a tree. Joints that close loops (`model.loops`) and relations between joints
(`model.couplings`) stand beside it: the functions of the dynamics (forward_dynamics, mass_matrix, ...) are
those of the tree and do not look at them, a simulation does. `digest` covers all that code depends on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from treadle.errors import InputError
from treadle.graph import Expr, Scalar
from treadle.joints import Joint
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
from treadle.model.digest import model_digest
from treadle.model.elements import Element
from treadle.model.notebook import Shown
from treadle.model.sensors import Sensor
from treadle.model.tendons import Tendon
from treadle.model.values import listed
from treadle.spatial import Inertia, Mat3, Transform, Vec3

if TYPE_CHECKING:
    from treadle.model.summary import Summary

__all__ = ["WORLD", "Body", "Frame", "Link", "Model", "ModelJoint", "finite_limit", "suggest"]

T = TypeVar("T")

#: Index that stands for the world where a body's index is expected.
WORLD = -1


@dataclass(frozen=True)
class ModelJoint:
    """A moving joint and where its coordinates lie in q and v. Tuples have one entry per dof (nv)."""

    name: str
    type: Joint
    q: slice
    v: slice
    damping: tuple[Scalar, ...]
    stiffness: tuple[Scalar, ...]
    reference: tuple[Scalar, ...]
    armature: tuple[Scalar, ...]
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    limit_restitution: tuple[float, ...] = ()
    limit_stiffness: tuple[float, ...] = ()
    limit_damping: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    speed: tuple[float, ...] = ()
    friction: tuple[float, ...] = ()
    continuous: bool = False


@dataclass(frozen=True)
class Link:
    """A named rigid part: its body, its pose in that body and its own inertia about its centre of mass.

    The body's frame is that of its joint; `placement` is the identity where the link's frame is there too.
    """

    name: str
    body: int
    placement: Transform
    mass: Scalar
    center: Vec3
    rotational: Mat3

    def inertia(self) -> Inertia:
        """Inertia in the body frame."""
        return Inertia.at_center(self.mass, self.center, self.rotational).to_parent(self.placement)


@dataclass(frozen=True)
class Body:
    """A moving body: `placement` X_PJ is its joint's frame in the parent body (or the world).

    `holder` is the link of the parent that the joint is on, None for the world itself.
    """

    name: str
    parent: int
    joint: ModelJoint
    placement: Transform
    inertia: Inertia
    holder: str | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body (or to the world, body -1)."""

    name: str
    body: int
    placement: Transform


@dataclass(frozen=True, repr=False)
class Model(Shown):
    """A machine ready for computation. Made by `ModelSpec.compile()`; names are the handles."""

    name: str
    bodies: tuple[Body, ...]
    links: tuple[Link, ...]
    frames: tuple[Frame, ...]
    gravity: tuple[float, float, float]
    #: joints beside the tree, each of which closes a loop
    loops: tuple[Loop, ...] = ()
    shapes: tuple[Shape, ...] = ()
    materials: tuple[Material, ...] = ()
    contacts: tuple[Contact, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    wheels: tuple[Wheel, ...] = ()
    elements: tuple[Element, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    keyframes: tuple[Keyframe, ...] = ()
    settings: Settings = field(default_factory=Settings)
    #: what is added to the inertia matrix while a step is traced, by row and column: see `forces.element`
    added_inertia: Mapping[tuple[int, int], Scalar] = field(default_factory=dict, compare=False)
    #: bodies that stiff force laws couple in it, by law
    law_coupled: tuple[tuple[int, ...], ...] = field(default=(), compare=False)
    #: path of the geometry file (.3dt), from the folder of `file`
    geometry: str | None = None
    #: the file that the machine was read from
    file: str | None = field(default=None, compare=False)
    #: what was ignored, repaired or guessed on the way here, one sentence (a `Finding`, or a str) each
    report: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def nq(self) -> int:
        """Length of the position vector q."""
        return sum(body.joint.type.nq for body in self.bodies)

    @cached_property
    def nv(self) -> int:
        """Length of the velocity vector v: the degrees of freedom."""
        return sum(body.joint.type.nv for body in self.bodies)

    @property
    def closed(self) -> bool:
        """Whether loops or couplings constrain the tree; ropes do not."""
        return bool(self.couplings) or any(loop.constraints for loop in self.loops)

    @property
    def joints(self) -> tuple[ModelJoint, ...]:
        """The moving joints, in the order of q and v."""
        return tuple(body.joint for body in self.bodies)

    @cached_property
    def mass(self) -> float:
        """Total mass of the moving links, in kg."""
        return float(sum(link.mass for link in self.links if link.body != WORLD))  # type: ignore[arg-type]

    def joint(self, name: str) -> ModelJoint:
        return _find(self._joint_index, name, "joint", self.name)

    def body(self, name: str) -> Body:
        """The moving body that holds the link of this name."""
        index = self.frame(name).body
        if index == WORLD:
            raise InputError(f"{name!r} of {self.name!r} is fixed to the world and does not move")
        return self.bodies[index]

    def frame(self, name: str) -> Frame:
        """Frame of a link, or a frame added by name."""
        return _find(self._frame_index, name, "link or frame", self.name)

    def sensor(self, name: str) -> Sensor:
        return _find({sensor.name: sensor for sensor in self.sensors}, name, "sensor", self.name)

    def tendon(self, name: str) -> Tendon:
        return _find({tendon.name: tendon for tendon in self.tendons}, name, "tendon", self.name)

    def neutral(self) -> list[float]:
        """Every joint at its neutral position."""
        return [x for joint in self.joints for x in joint.type.neutral()]

    def initial(self) -> tuple[list[float], list[float]]:
        """Positions and velocities of the keyframe "initial"; neutral and at rest where there is none."""
        for keyframe in self.keyframes:
            if keyframe.name == "initial":
                return list(keyframe.q), list(keyframe.v)
        return self.neutral(), [0.0] * self.nv

    def without_loops(self) -> Model:
        """The same machine without its loop joints and couplings, as a tree that can be simulated."""
        if not self.loops and not self.couplings:
            return self
        lines = []
        if self.loops:
            lines.append(f"loop joints left out: {listed([loop.name for loop in self.loops])}")
        if self.couplings:
            lines.append(f"couplings left out: {listed([coupling.name for coupling in self.couplings])}")
        return replace(self, loops=(), couplings=(), report=(*self.report, *lines))

    @cached_property
    def limited(self) -> bool:
        """Whether a joint has limits, or a rope can become taut."""
        return any(tendon.limited for tendon in self.tendons) or any(
            finite_limit(low) or finite_limit(high)
            for joint in (*self.joints, *self.loops)
            if joint.type is not None and joint.type.nq == joint.type.nv and not joint.continuous
            for low, high in zip(joint.lower, joint.upper, strict=True)
        )

    @cached_property
    def rubs(self) -> bool:
        """Whether a joint or a tendon has friction."""
        parts = (*self.joints, *self.loops, *self.tendons)
        return any(isinstance(x, Expr) or x != 0.0 for part in parts for x in part.friction)

    @cached_property
    def sprung(self) -> bool:
        """Whether a joint that closes a loop, or a tendon, has a spring or a damper."""
        return any(
            x != 0.0 for loop in (*self.loops, *self.tendons) for x in (*loop.stiffness, *loop.damping)
        )

    @cached_property
    def coupled(self) -> list[list[int]]:
        """Bodies whose motions a step couples in its inertia matrix, by what it takes at its end.

        These are force elements and laws that may be stiff, and servos that pull on tendons.
        """
        served = {x.tendon for x in self.actuators if x.feedback}
        bodies = [list(element.bodies) for element in self.elements if element.implicit]
        pulled = [x for k, x in enumerate(self.tendons) if x.implicit and k in served]
        return [*bodies, *[tendon.bodies(self) for tendon in pulled], *map(list, self.law_coupled)]

    @cached_property
    def held(self) -> bool:
        """Whether friction, springs in loops or rigid motors act, in every step unlike limits."""
        return self.rubs or self.sprung or any(actuator.rigid for actuator in self.actuators)

    def without_bounds(self) -> Model:
        """The same machine without the limits and the friction of its joints and tendons."""
        bodies = []
        for body in self.bodies:
            count = body.joint.type.nv
            joint = replace(
                body.joint, lower=(-math.inf,) * count, upper=(math.inf,) * count, friction=(0.0,) * count
            )
            bodies.append(replace(body, joint=joint))
        loops = []
        for loop in self.loops:
            count = 0 if loop.type is None else loop.type.nv
            ends = {"lower": (-math.inf,) * count, "upper": (math.inf,) * count}
            loops.append(replace(loop, friction=(0.0,) * count, **ends))
        tendons = [
            replace(tendon, lower=(-math.inf,), upper=(math.inf,), friction=(0.0,)) for tendon in self.tendons
        ]
        return replace(self, bodies=tuple(bodies), loops=tuple(loops), tendons=tuple(tendons))

    def summary(self) -> Summary:
        """Degrees of freedom, loops, mass and size, in numbers."""
        from treadle.model.summary import summarize

        return summarize(self)

    def _title(self) -> str:
        return f"Model {self.name!r}"

    def _shown(self) -> list[tuple[str, str]]:
        rows = [("degrees of freedom", str(self.nv)), ("links", str(len(self.links)))]
        try:
            rows.append(("mass", f"{self.mass:.4g} kg"))
        except TypeError:
            # masses that are traced have no numbers
            rows.append(("mass", "traced"))
        for what in ("loops", "couplings", "actuators", "wheels", "elements", "shapes"):
            if count := len(getattr(self, what)):
                rows.append((what, str(count)))
        if self.report:
            rows.append(("lines of report", str(len(self.report))))
        return rows

    def __getstate__(self) -> dict[str, Any]:
        """What is copied and pickled: all but the compiled functions, which are found again in the cache."""
        return {name: value for name, value in vars(self).items() if name != "_functions"}

    @cached_property
    def digest(self) -> str:
        """Hash of everything that the compiled code depends on; names are not part of it."""
        return model_digest(self)

    @cached_property
    def _joint_index(self) -> dict[str, ModelJoint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def _frame_index(self) -> dict[str, Frame]:
        return {frame.name: frame for frame in self.frames}


def _find(index: dict[str, T], name: str, what: str, model: str) -> T:
    try:
        return index[name]
    except (KeyError, TypeError):
        raise InputError(f"{model!r} has no {what} named {name!r}; {suggest(name, list(index))}") from None


def finite_limit(limit: Scalar) -> bool:
    """Whether a joint has this limit: one that is a parameter, or a finite one."""
    return isinstance(limit, Expr) or math.isfinite(limit)


def suggest(name: object, known: Sequence[str]) -> str:
    """The names that come nearest, or all of them if they are few."""
    import difflib

    near = difflib.get_close_matches(str(name), known, n=3)
    if near:
        return "did you mean " + " or ".join(repr(x) for x in near) + "?"
    shown = ", ".join(repr(x) for x in known[:8])
    return f"it has {shown}{', ...' if len(known) > 8 else ''}" if known else "it has none"
