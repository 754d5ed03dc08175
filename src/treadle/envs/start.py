"""How an episode begins: draws of random numbers over traced scalars."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from treadle.graph import Scalar, cos, log, sqrt
from treadle.model.model import Model

__all__ = ["Begin", "Start", "count_draws"]


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
        """A normally distributed number, by the method of Box and Muller."""
        radius = sqrt(-2.0 * log(self._draw()))
        return mean + stddev * radius * cos(2.0 * math.pi * self._draw())


def count_draws(model: Model, function: Callable[[Start], Any]) -> tuple[int, Any]:
    """How many numbers a function of a start draws, and what it gives where all of them are 1/2."""
    drawn = 0

    def draw() -> float:
        nonlocal drawn
        drawn += 1
        return 0.5

    given = function(Start(model, draw))
    return drawn, given
