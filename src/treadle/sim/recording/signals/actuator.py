"""Signals of actuators, each a function of the signal's name, the model and the actuator's number."""

from __future__ import annotations

from treadle.model.model import Model
from treadle.sim.recording.signals.signal import Signal

__all__ = ["force"]


def force(name: str, model: Model, number: int) -> Signal:
    """Force on its freedom: N m where that turns, N where it slides."""
    actuator = model.actuators[number]
    turns = model.joint(actuator.joint).type.velocity_units[actuator.freedom] == "rad/s"
    # that of a rigid motor follows from everything else that acts
    return Signal.of(
        name, (), "N m" if turns else "N", lambda at: [at.actuator_forces[number]], actuator.rigid
    )
