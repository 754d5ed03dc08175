"""Signals of contact sensors, each a function of the signal's name, the model and the sensor's number.

Sensors are the links that have collision shapes, and the shapes (see `treadle.sim.contacts.sensors`); all
are means over the last step.
"""

from __future__ import annotations

from treadle.model.model import Model
from treadle.sim.contacts.sensors import FELT
from treadle.sim.recording.signals.signal import Signal

__all__ = ["force", "penetration", "torque", "work"]

_XYZ = ("x", "y", "z")


def force(name: str, model: Model, number: int) -> Signal:
    """Force of all that touches it, in world axes."""
    return _felt(name, _XYZ, "N", number, slice(0, 3))


def torque(name: str, model: Model, number: int) -> Signal:
    """Moment of that force about the link's origin, in world axes."""
    return _felt(name, _XYZ, "N m", number, slice(3, 6))


def penetration(name: str, model: Model, number: int) -> Signal:
    """Depth of its deepest contact point; zero where nothing touches."""
    return _felt(name, (), "m", number, slice(6, 7))


def work(name: str, model: Model, number: int) -> Signal:
    """Work of its contacts in the step, negative where they took energy from the machine."""
    return _felt(name, (), "J", number, slice(7, 8))


def _felt(name: str, components: tuple[str, ...], unit: str, number: int, part: slice) -> Signal:
    start = FELT * number
    place = slice(start + part.start, start + part.stop)
    return Signal.of(name, components, unit, lambda at: at.felt[place], felt=True)
