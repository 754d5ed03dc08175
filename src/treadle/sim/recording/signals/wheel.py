"""Signals of wheels, each a function of the signal's name, the model and the wheel's number.

They are those of the contact that is deepest in the ground, by the wheel's model at that instant.
"""

from __future__ import annotations

from treadle.graph import Scalar, atan2, clip, maximum, where
from treadle.model.model import Model
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.recording.signals.signal import Signal

__all__ = ["contact_velocity", "force", "point", "sinkage", "slip", "slip_angle"]

_CONTACT = ("forward", "left", "normal")

#: Speed (m/s) below which the slip of a wheel fades out.
_CRAWL = 1e-3


def force(name: str, model: Model, number: int) -> Signal:
    """Force of the ground on the wheel along its rolling direction, to the left and along the normal."""
    return Signal.of(name, _CONTACT, "N", lambda at: _deepest(at, number)[:3], True)


def contact_velocity(name: str, model: Model, number: int) -> Signal:
    """Velocity of the wheel's contact point in the same directions."""
    return Signal.of(name, _CONTACT, "m/s", lambda at: _deepest(at, number)[3:6])


def slip(name: str, model: Model, number: int) -> Signal:
    """Slip ratio: 1 where the wheel spins on the spot, -1 where it is locked and slides."""

    def ratio(at: Moment) -> list[Scalar]:
        vx, rolling = _deepest(at, number)[3], _deepest(at, number)[6]
        fastest = maximum(maximum(abs(vx + rolling), abs(rolling)), _CRAWL)
        return [clip(-(vx / fastest), -1.0, 1.0)]

    return Signal.of(name, (), "1", ratio)


def slip_angle(name: str, model: Model, number: int) -> Signal:
    """Angle from the rolling direction to the velocity of the wheel's centre over the ground."""

    def angle(at: Moment) -> list[Scalar]:
        _, _, _, vx, vy, _, rolling, *_ = _deepest(at, number)
        return [atan2(vy, maximum(abs(vx + rolling), _CRAWL))]

    return Signal.of(name, (), "rad", angle)


def sinkage(name: str, model: Model, number: int) -> Signal:
    """How deep the wheel is in the ground; zero above it."""
    return Signal.of(name, (), "m", lambda at: [maximum(_deepest(at, number)[7], 0.0)])


def point(name: str, model: Model, number: int) -> Signal:
    """The place of contact in the world."""
    return Signal.of(name, ("x", "y", "z"), "m", lambda at: _deepest(at, number)[8:11])


def _deepest(at: Moment, number: int) -> list[Scalar]:
    """Force, velocity, rolling speed, depth and point of a wheel's deepest contact."""
    chosen: list[Scalar] = []
    for contact in at.contacts:
        if contact.wheel.name != at.model.wheels[number].name:
            continue
        speeds = contact.speeds(at.v)
        values = [*contact.force(speeds)[:3], *speeds, contact.touch.depth, *contact.touch.point]
        if chosen:
            deeper = values[7] > chosen[7]
            values = [where(deeper, new, old) for new, old in zip(values, chosen, strict=True)]
        chosen = values
    return chosen
