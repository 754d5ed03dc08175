"""Potential energy of all that is not gravity: the springs of joints, and force elements."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.energy import spring_energy
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["elastic_energy"]


def elastic_energy(model: Model, q: Sequence[Scalar]) -> Scalar:
    """Energy stored in the joint springs and in force elements, in joules."""
    stored = spring_energy(model, q)
    if model.elements:
        from treadle.forces.element import element_energy

        stored = stored + element_energy(model, q)
    return stored
