"""Readings of sensors, as functions of the signal's name, the model and the sensor's number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.sensors import bind_sensor
from treadle.sim.recording.signals.signal import Layout, Signal

if TYPE_CHECKING:
    from treadle.sim.recording.signals.moment import Moment

__all__ = ["value"]


def value(name: str, model: Model, number: int) -> Signal:
    """What the sensor shows, held from sample to sample."""
    sensor = model.sensors[number]
    channels = bind_sensor(model, sensor).channels()
    names = tuple(channel.name for channel in channels) if len(channels) > 1 else ()
    layout = Layout(name, names, tuple(channel.unit for channel in channels))
    return Signal(layout, _read, sensor=sensor.name)


def _read(at: Moment) -> Sequence[Scalar]:
    raise NotImplementedError("readings of sensors are not computed from the state")
