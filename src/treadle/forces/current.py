"""Currents: velocity of a fluid by place and time, and the acceleration of its particles.

A current is the sum of three numbers (m/s), or formulas over x, y, z (m) and t (s), and of a profile over the
height z: rows of height and velocity, linear between them, constant beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from treadle.graph import Expr, Scalar, clip, evaluate, forward, trace
from treadle.graph.formula import formula_value
from treadle.spatial import Vec3

__all__ = ["Current", "is_uniform"]


class Current(NamedTuple):
    """What a fluid's parameters say of its current."""

    velocity: Sequence[Scalar | str]
    profile: Sequence[Sequence[float]] = ()

    def at(self, place: Vec3, time: Scalar) -> Vec3:
        """Velocity (m/s) of the fluid at a place in the world."""
        if self.uniform:
            return Vec3(*self.velocity)  # type: ignore[arg-type]
        return Vec3(*self._values([*place, time]))

    def acceleration(self, place: Vec3, time: Scalar) -> Vec3:
        """Acceleration (m/s2) of the fluid's particle there: dU/dt + (U . grad) U."""
        if self.uniform:
            return Vec3()

        def rates(inputs: list[Expr]) -> list[Scalar]:
            velocity = self._values(inputs)
            rows = forward(velocity, {x: {k: 1.0} for k, x in enumerate(inputs)}, 4)
            return [row[3] + sum((row[k] * velocity[k] for k in range(3)), 0.0) for row in rows]

        graph, outputs = trace(rates, 4)
        return Vec3(*evaluate(graph, outputs, [*place, time]))

    @property
    def uniform(self) -> bool:
        """Whether it is the same everywhere, at all times."""
        return is_uniform(self.velocity, self.profile)

    def _values(self, at: Sequence[Scalar]) -> list[Scalar]:
        names = dict(zip("xyzt", at, strict=True))
        values = [formula_value(x, names) if isinstance(x, str) else x for x in self.velocity]
        if self.profile:
            values = [a + b for a, b in zip(values, _interpolated(self.profile, at[2]), strict=True)]
        return values


def is_uniform(velocity: Sequence[Scalar | str], profile: Sequence[Sequence[float]]) -> bool:
    """Whether a current is the same everywhere, at all times."""
    return not profile and not any(isinstance(x, str) for x in velocity)


def _interpolated(profile: Sequence[Sequence[float]], height: Scalar) -> list[Scalar]:
    values: list[Scalar] = list(profile[0][1:])
    for (low, *first), (high, *last) in pairwise(profile):
        share = clip((height - low) / (high - low), 0.0, 1.0)
        values = [x + share * (b - a) for x, a, b in zip(values, first, last, strict=True)]
    return values
