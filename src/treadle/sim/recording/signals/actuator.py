"""Signals of actuators, each a function of the signal's name, the model and the actuator's number."""

from __future__ import annotations

from treadle.forces.actuator import actuator_units
from treadle.model.model import Model
from treadle.sim.recording.signals.signal import Signal

__all__ = ["force"]


def force(name: str, model: Model, number: int) -> Signal:
    """Force on its coordinate: N m where that turns, N where it slides or is the length of a tendon."""
    actuator = model.actuators[number]
    # that of a rigid motor follows from everything else that acts
    return Signal.of(
        name, (), actuator_units(model, actuator)[2], lambda at: [at.actuator_forces[number]], actuator.rigid
    )
