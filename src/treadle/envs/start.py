"""How an episode begins: draws of random numbers over traced scalars."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from treadle.graph import Scalar, cos, log, sqrt
from treadle.model.model import Model

__all__ = ["Begin", "Start", "standard_normal"]


class Begin(NamedTuple):
    """Positions and velocities at the start, and what else the task keeps for the episode (a goal)."""

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    variables: Sequence[Scalar] = ()


class Start:
    """The machine before an episode, and random numbers for it: every call draws others."""

    def __init__(self, model: Model, draws: Callable[[], Scalar]) -> None:
        self.model = model
        self._draw = draws
        #: positions and velocities of the machine itself
        self.q, self.v = (list(values) for values in model.initial())

    def uniform(self, low: Scalar = 0.0, high: Scalar = 1.0) -> Scalar:
        """A number between two others, all being equally likely."""
        return low + (high - low) * self._draw()

    def normal(self, mean: Scalar = 0.0, stddev: Scalar = 1.0) -> Scalar:
        """A normally distributed number."""
        return mean + stddev * standard_normal(self._draw)


def standard_normal(draw: Callable[[], Scalar]) -> Scalar:
    """A normally distributed number from two between 0 and 1, by the method of Box and Muller."""
    radius = sqrt(-2.0 * log(draw()))
    return radius * cos(2.0 * math.pi * draw())
