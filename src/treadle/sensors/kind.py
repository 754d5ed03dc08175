"""What a type of sensors is: where it sits, its parameters, what it gives, and how it is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model, ModelJoint, suggest
from treadle.model.sensors import Sensor
from treadle.model.tendons import PathPart
from treadle.model.values import number, vector
from treadle.spatial import Force, Motion, Transform, Vec3
from treadle.terrain import Terrain

__all__ = ["Capture", "Channel", "Instant", "Option", "SensorKind", "channels", "numbers", "pair"]


#: Most samples of a sensor that are on their way, which are all kept.
MOST_WAITING = 100_000


class Instant(Protocol):
    """The machine at the instant of a sample, over traced scalars (see `sim.recording.signals.moment`)."""

    @property
    def model(self) -> Model: ...
    @property
    def q(self) -> Sequence[Scalar]: ...
    @property
    def v(self) -> Sequence[Scalar]: ...
    @property
    def time(self) -> Scalar: ...
    @property
    def tau(self) -> Sequence[Scalar]:
        """Joint forces by the user, controllers and actuators."""
        ...

    @property
    def acceleration(self) -> Sequence[Scalar]:
        """dv/dt."""
        ...

    @property
    def bodies(self) -> Sequence[Transform]:
        """Poses X_WB."""
        ...

    @property
    def velocities(self) -> Sequence[Motion]:
        """Of the bodies, each in its own frame."""
        ...

    @property
    def proper_accelerations(self) -> Sequence[Motion]:
        """Spatial accelerations of the bodies less gravity, each in its own frame."""
        ...

    @property
    def reactions(self) -> Sequence[Force]:
        """Force through every body's joint, in world axes, the moment about the body's origin."""
        ...

    @property
    def loop_reactions(self) -> Sequence[Force]:
        """Force of every loop on its successor, in world axes."""
        ...

    @property
    def actuator_forces(self) -> Sequence[Scalar]:
        """Force of every actuator on its dof."""
        ...

    @property
    def limit_forces(self) -> Sequence[Scalar]:
        """Force of joint limits on every dof."""
        ...

    @property
    def tendon_limit_forces(self) -> Mapping[str, Scalar]:
        """Force of the limits of tendons along their lengths."""
        ...

    @property
    def tendon_loads(self) -> Sequence[tuple[PathPart, Force]]:
        """What tendons do to the parts of their paths, about the world's origin and in its axes."""
        ...

    @property
    def element_loads(self) -> Sequence[tuple[str | None, Force]]:
        """What force elements do to links, each in the frame of the link's body."""
        ...

    @property
    def shape_forces(self) -> Mapping[str, Sequence[Scalar]]:
        """Of contact, in the mean over the last step, by collision shape.

        Force on it (N), its moment about the world's origin (N m), in world axes, deepest penetration (m).
        """
        ...

    @property
    def zone_forces(self) -> Mapping[str, Scalar]:
        """Sums of normal contact forces in the zones of touch sensors (N), in the mean over the last step."""
        ...


@dataclass(frozen=True)
class Channel:
    """A number that a sensor gives: its name, its unit, and the group whose noise it shares."""

    name: str
    unit: str
    group: str = ""


@dataclass(frozen=True)
class Option:
    """A parameter of a type: its default, what it may be (see `_CHECKS`) and its meaning."""

    default: Any
    kind: str
    meaning: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Capture:
    """A sample that is finished in Python: the instant of every world, and its random numbers."""

    #: (worlds) seconds
    time: np.ndarray
    #: (worlds) which worlds take this sample; values of others are not kept
    taken: np.ndarray
    #: (worlds) number of the sample, from the start of the run
    index: np.ndarray
    #: numbers of the worlds
    worlds: np.ndarray
    #: key of the sensor's random numbers (see `sensors.random`)
    key: int
    #: (instants, worlds) when the numbers of a type with a `span` were measured, the last at the sample;
    #: -inf: not at all
    path: np.ndarray | None = None

    def normal(self, count: int, stream: int = 16) -> np.ndarray:
        """(count, worlds) standard normal numbers, the same for the same seed, sensor, world and sample.

        Numbers of different streams (16 to 255) are independent.
        """
        from treadle.sensors.random import normals

        return normals(self.key, self.index, self.worlds, count, stream)


class SensorKind:
    """Base of all types: one object per sensor of a model; ValueError in `__init__` says what is wrong.

    A type states where it is mounted ("frame", "joint", "actuator", "tendon", "contact",
    "machine") and its parameters,
    and implements `channels` and `measure`. One with `processed` also implements `process`.
    """

    mount: ClassVar[str] = "frame"
    meaning: ClassVar[str] = ""
    options: ClassVar[Mapping[str, Option]] = {}
    #: whether `process` makes the values from the measured numbers
    processed: ClassVar[bool] = False
    #: whether `process` may wait until the sensor is read: it depends on its arguments alone
    deferred: ClassVar[bool] = False
    #: the ground that the machine stands on
    terrain: Terrain | None = None

    def __init__(self, model: Model, sensor: Sensor) -> None:
        self.model, self.sensor = model, sensor
        _MOUNTS[self.mount](model, sensor)
        if sensor.delay > 0.0 and sensor.rate is None:
            raise ValueError("its delay needs a rate: say how often it samples")
        if sensor.delay * (sensor.rate or 0.0) > MOST_WAITING:
            raise ValueError(f"more than {MOST_WAITING} samples would be pending: use a shorter delay")
        self.parameters = _parameters(self.options, sensor.parameters)

    def channels(self) -> Sequence[Channel]:
        """What it gives."""
        raise NotImplementedError

    def measure(self, at: Instant) -> Sequence[Scalar]:
        """The exact values, or the numbers that `process` needs, over traced scalars."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape that its values have by nature, such as that of a picture."""
        return (len(self.channels()),)

    @property
    def measured(self) -> int:
        """How many numbers `measure` gives."""
        return len(self.channels())

    @property
    def span(self) -> float:
        """Seconds before a sample over which `process` is given the motion, for sensors with a rate.

        Its numbers are those of several instants (instants, n, worlds) then; `capture.path` has their times.
        """
        return 0.0

    def process(self, numbers: np.ndarray, capture: Capture) -> np.ndarray:
        """(channels, worlds) values from the measured numbers (n, worlds)."""
        raise NotImplementedError

    def effects(self) -> dict[str, Any]:
        """Imperfections that follow from its parameters, as `noise` states them."""
        return {}

    # what types share
    # ------------------------------------------------------------------------------------------

    @property
    def joint(self) -> ModelJoint:
        """The joint that it is on."""
        return self.model.joint(str(self.sensor.on))

    def pose(self, at: Instant) -> Transform:
        """X_WS."""
        body, X_BS = self.sensor.body, self.sensor.placement
        return X_BS if body == WORLD else at.bodies[body] @ X_BS

    def velocity(self, at: Instant) -> Motion:
        """Angular velocity, and velocity of its origin, in its own axes."""
        body = self.sensor.body
        return Motion.zero() if body == WORLD else self.sensor.placement.motion_to_child(at.velocities[body])

    def proper_acceleration(self, at: Instant) -> Motion:
        """Angular acceleration, and acceleration of its origin less gravity, in its own axes."""
        body, X_BS = self.sensor.body, self.sensor.placement
        if body == WORLD:
            gravity = Vec3(*self.model.gravity)
            return Motion(Vec3(), X_BS.rotation.apply_transposed(-gravity))
        spatial = X_BS.motion_to_child(at.proper_accelerations[body])
        velocity = self.velocity(at)
        # that of the point that moves along, not that of the points that pass by
        return Motion(spatial.angular, spatial.linear + velocity.angular.cross(velocity.linear))


def channels(names: str, unit: str, group: str = "") -> list[Channel]:
    """Channels by the words of a text, all of one unit."""
    return [Channel(name, unit, group) for name in names.split()]


def numbers(value: Any, name: str, count: int | None = None) -> tuple[float, ...]:
    """A parameter that is a list of so many numbers; ValueError if it is not."""
    try:
        return tuple(vector(value, len(value) if count is None else count).tolist())
    except (TypeError, ValueError):
        many = "numbers" if count is None else f"{count} numbers"
        raise ValueError(f"its {name} needs {many}, not {value!r}") from None


def pair(value: Any, name: str) -> tuple[float, float]:
    """A parameter that is two numbers."""
    first, second = numbers(value, name, 2)
    return first, second


def _on_frame(model: Model, sensor: Sensor) -> None:
    names = [frame.name for frame in model.frames]
    if sensor.on is not None and sensor.on not in names:
        raise ValueError(
            f"it is placed on a link or frame, which {sensor.on!r} is not; {suggest(sensor.on, names)}"
        )


def _on_joint(model: Model, sensor: Sensor) -> None:
    names = [joint.name for joint in model.joints]
    if sensor.on not in names:
        raise ValueError(
            f"it is placed on a joint that moves, which {sensor.stated!r} is not; "
            f"{suggest(sensor.stated, names)}"
        )


def _on_actuator(model: Model, sensor: Sensor) -> None:
    names = [actuator.name for actuator in model.actuators]
    if sensor.on not in names:
        raise ValueError(
            f"it is placed on an actuator, which {sensor.on!r} is not; {suggest(sensor.on, names)}"
        )


def _on_tendon(model: Model, sensor: Sensor) -> None:
    names = [tendon.name for tendon in model.tendons]
    if sensor.on not in names:
        raise ValueError(f"it is placed on a tendon, which {sensor.on!r} is not; {suggest(sensor.on, names)}")


def _on_contact(model: Model, sensor: Sensor) -> None:
    if sensor.parameters.get("zone") is not None:
        if sensor.on is not None:
            _on_frame(model, sensor)
        return
    shapes = [shape for shape in model.shapes if shape.role == "collision"]
    names = [*{shape.link for shape in shapes if shape.link is not None}, *[shape.name for shape in shapes]]
    if sensor.on not in names:
        what = f"it is placed on a link with collision shapes or on such a shape, which {sensor.on!r} is not"
        raise ValueError(f"{what}; {suggest(sensor.on, sorted(names))}")


#: Checks of the place, by what a type is mounted on.
_MOUNTS = {
    "frame": _on_frame,
    "joint": _on_joint,
    "actuator": _on_actuator,
    "contact": _on_contact,
    "tendon": _on_tendon,
    "machine": lambda model, sensor: None,
}


def _parameters(known: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a sensor, checked; ValueError where one is wrong."""
    for name in given:
        if name not in known:
            raise ValueError(f"has no parameter {name!r}; {suggest(name, sorted(known))}")
    values = {}
    for name, option in known.items():
        value = given.get(name, option.default)
        if value is not None or option.default is not None:
            try:
                value = _CHECKS[option.kind](value, option)
            except ValueError as error:
                raise ValueError(f"its {name} {error}") from None
        values[name] = value
    return values


def _number(value: Any, option: Option) -> float:
    return number(value)


def _positive(value: Any, option: Option) -> float:
    if number(value) <= 0.0:
        raise ValueError("must be positive")
    return number(value)


def _magnitude(value: Any, option: Option) -> float:
    if number(value) < 0.0:
        raise ValueError("must not be negative")
    return number(value)


def _whole(value: Any, option: Option) -> int:
    if number(value) != round(number(value)) or number(value) < 0:
        raise ValueError(f"must be a whole number that is not negative, not {value!r}")
    return round(number(value))


def _vector(value: Any, option: Option) -> tuple[float, ...]:
    return tuple(vector(value).tolist())


def _choice(value: Any, option: Option) -> str:
    if value not in option.choices:
        raise ValueError(f"is {value!r}; use one of {', '.join(option.choices)}")
    return value


def _text(value: Any, option: Option) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be text, not {value!r}")
    return value


#: Checks by the kind of a parameter.
_CHECKS = {
    "number": _number,
    "positive": _positive,
    "magnitude": _magnitude,
    "whole": _whole,
    "vector": _vector,
    "choice": _choice,
    "text": _text,
    "values": lambda value, option: value,
}
