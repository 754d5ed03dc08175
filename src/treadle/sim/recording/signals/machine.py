"""Signals of the whole machine, each a function of the signal's name and the model."""

from __future__ import annotations

from treadle.dynamics.energy import kinetic_energy, potential_energy
from treadle.dynamics.momentum import center_of_mass, momentum
from treadle.forces.energy import elastic_energy
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.sim.recording.signals.moment import Moment
from treadle.sim.recording.signals.signal import Signal

__all__ = [
    "angular_momentum", "center_position", "center_velocity", "kinetic", "linear_momentum", "potential",
    "spring", "total",
]  # fmt: skip

_XYZ = ("x", "y", "z")


def kinetic(name: str, model: Model) -> Signal:
    """Kinetic energy, rotors included."""
    return Signal.of(name, (), "J", lambda at: [kinetic_energy(model, at.q, at.v)])


def potential(name: str, model: Model) -> Signal:
    """Energy in the gravity field, zero at the world's origin."""
    return Signal.of(name, (), "J", lambda at: [potential_energy(model, at.q)])


def spring(name: str, model: Model) -> Signal:
    """Energy in joint springs and force elements."""
    return Signal.of(name, (), "J", lambda at: [elastic_energy(model, at.q, at.laws)])


def total(name: str, model: Model) -> Signal:
    """Kinetic, gravity and spring energy together."""

    def values(at: Moment) -> list[Scalar]:
        stored = potential_energy(model, at.q) + elastic_energy(model, at.q, at.laws)
        return [kinetic_energy(model, at.q, at.v) + stored]

    return Signal.of(name, (), "J", values)


def linear_momentum(name: str, model: Model) -> Signal:
    """Linear momentum in world axes."""
    return Signal.of(name, _XYZ, "N s", lambda at: list(momentum(model, at.q, at.v).linear))


def angular_momentum(name: str, model: Model) -> Signal:
    """Angular momentum about the world's origin, in world axes."""
    return Signal.of(name, _XYZ, "N m s", lambda at: list(momentum(model, at.q, at.v).angular))


def center_position(name: str, model: Model) -> Signal:
    """Centre of mass of the moving bodies."""
    return Signal.of(name, _XYZ, "m", lambda at: list(center_of_mass(model, at.q)))


def center_velocity(name: str, model: Model) -> Signal:
    """Velocity of the centre of mass of the moving bodies."""
    scale = 1.0 / model.mass
    return Signal.of(name, _XYZ, "m/s", lambda at: list(momentum(model, at.q, at.v).linear * scale))
