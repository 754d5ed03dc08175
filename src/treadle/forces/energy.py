"""Potential energy of all that is not gravity: the springs of joints, and force elements."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.dynamics.energy import spring_energy
from treadle.forces.frame_law import FrameLaw
from treadle.forces.law import ForceLaw
from treadle.graph import Scalar
from treadle.model.model import Model

__all__ = ["elastic_energy"]


def elastic_energy(model: Model, q: Sequence[Scalar], laws: Sequence[ForceLaw] = ()) -> Scalar:
    """Energy stored in the joint springs, in force elements and in laws that have one, in joules."""
    stored = spring_energy(model, q)
    if model.elements:
        from treadle.forces.element import element_energy

        stored = stored + element_energy(model, q)
    for law in laws:
        if isinstance(law, FrameLaw):
            stored = stored + law.stored(model, q)
    return stored
