"""Rows with bounded impulses: what holds a velocity as long as its strength lasts.

    w = J v' + softness p,    low <= p <= high,    slowest <= w <= fastest unless p is at a bound

A row wants the velocity J v' at the end of the step to lie between `slowest` and `fastest`, and may spend an
impulse p between `low` and `high` (N m s or N s) on it. At a bound the velocity is what it becomes. A soft
row yields in proportion to its impulse: springs and dampers that act on the end of the step are such rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from treadle.graph import Scalar

__all__ = ["ANY", "Arrest", "BoundedRow", "soft"]

#: An impulse that nothing withstands (N m s, N s), a speed that nothing has.
ANY = 1e30


@dataclass(frozen=True)
class BoundedRow:
    """A velocity J v by degree of freedom, the range it may have, and the impulses to spend.

    `active` tells whether it may have to; `softness` is in rad/s per N m s, or m/s per N s; `loop` says
    on which loop joint it acts, and on which of its degrees of freedom.
    """

    jacobian: dict[int, Scalar]
    slowest: Scalar
    fastest: Scalar
    low: Scalar
    high: Scalar
    active: Any = True
    softness: Scalar = 0.0
    loop: tuple[str, int] | None = None

    def speed(self, v: Sequence[Scalar]) -> Scalar:
        """J v."""
        return sum((x * v[k] for k, x in self.jacobian.items()), 0.0)


class Arrest(NamedTuple):
    """The velocity after bounded impulses, their work (J), their sum on every dof, and each of them."""

    v: list[Scalar]
    work: Scalar
    impulses: list[Scalar]
    rows: list[Scalar]


def soft(stiffness: Scalar, damping: Scalar, dt: Scalar) -> tuple[Scalar, Scalar]:
    """Softness of a spring and damper at the end of the step, and the share of a distance it takes back.

    p = -dt (k (x + dt w) + d w)  is  w + p / (dt r) = (dt k / r) (-x / dt)  with  r = dt k + d
    """
    resistance = dt * stiffness + damping
    return 1.0 / (dt * resistance), dt * stiffness / resistance
