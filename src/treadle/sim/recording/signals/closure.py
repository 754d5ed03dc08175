"""Signals of loops and couplings, each a function of the signal's name, the model and the part's number."""

from __future__ import annotations

from treadle.graph import Scalar, maximum
from treadle.model.model import Model
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.recording.signals.signal import Signal

__all__ = ["coupling_force", "coupling_gap", "loop_gap", "reaction_force", "reaction_torque"]

_XYZ = ("x", "y", "z")


def reaction_force(name: str, model: Model, number: int) -> Signal:
    """Force of the loop's joint on its successor, in world axes."""
    return Signal.of(name, _XYZ, "N", lambda at: list(at.loop_reactions[number].linear), True)


def reaction_torque(name: str, model: Model, number: int) -> Signal:
    """Moment of that force about the joint's origin on the successor, in world axes."""
    return Signal.of(name, _XYZ, "N m", lambda at: list(at.loop_reactions[number].angular), True)


def loop_gap(name: str, model: Model, number: int) -> Signal:
    """How far the loop is open: the largest of its lengths (m) and of the sines of its angles."""
    loop = model.loops[number].name
    return Signal.of(name, (), "m", lambda at: [_largest(at, loop)])


def coupling_force(name: str, model: Model, number: int) -> Signal:
    """Force of the coupling on its joint: N m where that turns, N where it slides."""
    joint = model.joint(model.couplings[number].joint)
    unit = "N m" if joint.type.velocity_units[0] == "rad/s" else "N"
    return Signal.of(name, (), unit, lambda at: [at.coupling_forces[number]], True)


def coupling_gap(name: str, model: Model, number: int) -> Signal:
    """By how much the coupled joint is off its place."""
    coupling = model.couplings[number]
    unit = model.joint(coupling.joint).type.position_units[0]
    return Signal.of(name, (), unit, lambda at: [_largest(at, coupling.name)])


def _largest(at: Moment, name: str) -> Scalar:
    largest: Scalar = 0.0
    for residual in at.residuals[name]:
        largest = maximum(largest, abs(residual))
    return largest
