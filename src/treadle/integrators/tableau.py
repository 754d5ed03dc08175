"""Coefficients of Runge-Kutta methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Tableau"]

Row = Sequence[float]


@dataclass(frozen=True)
class Tableau:
    """Stage weights A (a row per stage, as long as there are stages before it), weights b and nodes c.

    `errors` are weights whose combination of the stages vanishes up to a lower order: one estimate, or
    the two of Hairer's eighth-order method. `dense` are weights of the terms of dense output after the
    cubic ones (see `dense`); stages after the first `len(b)` serve it only.
    """

    A: Sequence[Row]
    b: Row
    c: Row
    errors: Sequence[Row] = ()
    dense: Sequence[Row] = ()

    @property
    def stages(self) -> int:
        """Stages that a step takes."""
        return len(self.b)
