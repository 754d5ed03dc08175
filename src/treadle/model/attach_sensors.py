"""Sensors of a description: checks of what all types share, and their places in the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treadle.model.faults import check_names, converted, fault
from treadle.model.model import WORLD, Model, suggest
from treadle.model.placement import clean, placement_of
from treadle.model.sensors import CUTS, Sensor, SensorSpec, seed_of
from treadle.model.values import number, vector
from treadle.spatial import Transform

if TYPE_CHECKING:
    from treadle.model.spec import ModelSpec

__all__ = ["validate_sensors", "with_sensors"]

#: Highest rate (Hz).
_HIGHEST_RATE = 1e6

#: Largest seed: random numbers are keyed by 64 bits.
_LARGEST_SEED = 2**63 - 1


def validate_sensors(spec: ModelSpec) -> None:
    """Raise ModelError at the first mistake; types and their parameters are checked by `treadle.sensors`."""
    check_names(spec, [("sensor", item) for item in spec.sensors])
    parts = (spec.bodies, spec.frames, spec.joints, spec.actuators, spec.shapes, spec.wheels, spec.tendons)
    known = {item.name for items in parts for item in items}
    for item in spec.sensors:
        element = f'sensor "{item.name}"'
        if not isinstance(item.type, str) or not item.type.strip():
            raise fault(spec, element, "has no type", 'such as "imu" or "encoder"', item)
        if item.on is not None and item.on not in known:
            hint = "use None for the world" if item.on == "world" else suggest(item.on, sorted(known))
            raise fault(spec, element, f"{item.on!r} is no part of {spec.name!r}", hint, item)
        converted(spec, element, item, "position", vector)
        try:
            placement_of(item.position, item.rotation)
        except ValueError as error:
            raise fault(spec, element, f"rotation {error}", None, item) from None
        rate = None if item.rate is None else converted(spec, element, item, "rate", number)
        if rate is not None and rate <= 0.0:
            raise fault(spec, element, "its rate is not positive", "give samples per second", item)
        if rate is not None and rate > _HIGHEST_RATE:
            hint = "leave the rate out to sample at every step"
            raise fault(spec, element, f"its rate of {rate:g} Hz is above {_HIGHEST_RATE:g}", hint, item)
        if converted(spec, element, item, "delay", number) < 0.0:
            raise fault(spec, element, "its delay is negative", "give seconds", item)
        _check_seed(spec, element, item)
        for name in ("noise", "parameters"):
            if not isinstance(getattr(item, name), dict):
                example = {
                    "noise": 'such as {"stddev": 0.01}',
                    "parameters": "as the table of its type has them",
                }
                raise fault(spec, element, f"its {name} must be names with values", example[name], item)


def with_sensors(spec: ModelSpec, model: Model) -> Model:
    """The model with the sensors of a description that `validate_sensors` has passed."""
    return replace(model, sensors=tuple(_sensor(item, spec, model) for item in spec.sensors))


def _check_seed(spec: ModelSpec, element: str, item: SensorSpec) -> None:
    seed: Any = item.seed
    if seed is None:
        return
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= _LARGEST_SEED:
        raise fault(spec, element, f"its seed is {seed!r}", "give a whole number from 0 up", item)


def _sensor(item: SensorSpec, spec: ModelSpec, model: Model) -> Sensor:
    X_FS = placement_of(item.position, item.rotation)
    closing = any(loop.name == item.on for loop in model.loops)
    on = item.on if closing else _held_by(item, spec)
    frame = next((frame for frame in model.frames if frame.name == on), None)
    body, X_BF = (WORLD, Transform.identity()) if frame is None else (frame.body, frame.placement)
    return Sensor(
        name=item.name,
        type=item.type,
        on=on,
        position=tuple(float(x) for x in item.position),
        rotation=tuple(tuple(float(x) for x in row) for row in X_FS.rotation.to_rows()),
        body=body,
        placement=clean(X_BF @ X_FS),
        rate=None if item.rate is None else float(item.rate),
        delay=float(item.delay),
        noise=dict(item.noise),
        seed=seed_of(item.name) if item.seed is None else item.seed,
        parameters=dict(item.parameters),
        stated=item.on,
        beyond=_beyond(on, spec),
        line=item.line,
    )


def _held_by(item: SensorSpec, spec: ModelSpec) -> str | None:
    """The link that a fixed joint of this name holds: the two are one body, cut there; else the name.

    What sits on a link or frame of that name stays there.
    """
    places = {part.name for parts in (spec.bodies, spec.frames) for part in parts}
    if item.on is None or (item.on in places and item.type not in CUTS):
        return item.on
    held = {joint.name: joint.child for joint in spec.joints if joint.type == "fixed"}
    return held.get(item.on, item.on)


def _beyond(on: str | None, spec: ModelSpec) -> tuple[str, ...]:
    """The link of this name (or the one that holds a frame of it) and those on it by fixed joints."""
    frames = {frame.name: frame.body for frame in spec.frames}
    link = frames.get(on, on) if on is not None else None
    if link is None or all(body.name != link for body in spec.bodies):
        return ()
    found = [link]
    for name in found:
        fixed = [joint.child for joint in spec.joints if joint.type == "fixed" and joint.parent == name]
        found += [child for child in fixed if child not in found]
    return tuple(found)
