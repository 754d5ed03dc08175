"""What differs from episode to episode, declared in one place.

    Randomization(
        parameters={"torso.mass": Scaled(0.8, 1.2), "material.floor.friction": Uniform(0.4, 1.0)},
        observation_noise=0.01,
        action_delay=(0, 2),
        push=Push(every=2.0, speed=0.5),
    )

Values are drawn per world at every reset, inside compiled code, and are functions of the world's seed and of
the number of its episode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from treadle.envs.start import Start
from treadle.errors import InputError
from treadle.graph import Scalar, exp, floor, log, where
from treadle.model.parameters import parameter_value

__all__ = ["Choice", "Distribution", "LogUniform", "Normal", "Push", "Randomization", "Scaled", "Uniform"]


class Distribution(Protocol):
    """Where values of a parameter are drawn from."""

    def draw(self, start: Start, value: float) -> Scalar:
        """A value, from random numbers of the start and from the machine's own value."""
        ...


@dataclass(frozen=True)
class Uniform:
    """All values between two are equally likely."""

    low: float
    high: float

    def draw(self, start: Start, value: float) -> Scalar:
        """See `Distribution`."""
        return start.uniform(self.low, self.high)


@dataclass(frozen=True)
class LogUniform:
    """All orders of magnitude between two positive values are equally likely."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0.0 < self.low <= self.high:
            raise InputError(f"LogUniform needs 0 < low <= high, not {self.low:g} and {self.high:g}")

    def draw(self, start: Start, value: float) -> Scalar:
        """See `Distribution`."""
        return exp(start.uniform(log(self.low), log(self.high)))


@dataclass(frozen=True)
class Normal:
    """Normally distributed."""

    mean: float
    stddev: float

    def draw(self, start: Start, value: float) -> Scalar:
        """See `Distribution`."""
        return start.normal(self.mean, self.stddev)


@dataclass(frozen=True)
class Scaled:
    """The machine's own value times a factor between two."""

    low: float
    high: float

    def draw(self, start: Start, value: float) -> Scalar:
        """See `Distribution`."""
        return value * start.uniform(self.low, self.high)


@dataclass(frozen=True)
class Choice:
    """One of several values, all being equally likely."""

    values: Sequence[float]

    def draw(self, start: Start, value: float) -> Scalar:
        """See `Distribution`."""
        place = floor(start.uniform(0.0, float(len(self.values))))
        chosen: Scalar = self.values[0]
        for k, other in enumerate(self.values[1:], start=1):
            chosen = where(place >= k, other, chosen)
        return chosen


@dataclass(frozen=True)
class Push:
    """A sudden change of the base's horizontal velocity, up to `speed` (m/s), `every` so many seconds."""

    every: float
    speed: float


@dataclass(frozen=True)
class Randomization:
    """What is drawn at every reset; see `td.parameter_names` for the names of parameters."""

    parameters: Mapping[str, Distribution] = field(default_factory=dict)
    #: standard deviation of what is added to observations: one, or one per entry
    observation_noise: float | Sequence[float] = 0.0
    #: actions act so many control steps late: between two whole numbers
    action_delay: tuple[int, int] = (0, 0)
    push: Push | None = None

    def __post_init__(self) -> None:
        low, high = self.action_delay
        if not 0 <= low <= high:
            raise InputError(f"action_delay needs 0 <= low <= high, not {self.action_delay}")

    def values(self, start: Start) -> list[Scalar]:
        """Of the parameters, in their order."""
        model = start.model
        return [
            distribution.draw(start, parameter_value(model, name))
            for name, distribution in self.parameters.items()
        ]
