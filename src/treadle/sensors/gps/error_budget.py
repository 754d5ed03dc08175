"""Errors of pseudoranges: a budget of standard deviations, and errors drawn from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.sensors.gps.atmosphere import ionosphere_mapping

__all__ = ["ErrorBudget", "RangeErrors"]

#: Waves that make up one correlated error.
_WAVES = 16

#: Elevation (rad) at which the budget holds where it depends on the elevation.
_REFERENCE_ELEVATION = np.radians(45.0)


@dataclass(frozen=True)
class ErrorBudget:
    """Standard deviations (m) of what is left in a pseudorange after the broadcast corrections.

    All but the receiver's noise are Gauss-Markov processes with the `times` of correlation (s). With
    `by_elevation` the ionosphere and the troposphere are those at 45 degrees and grow towards the horizon.
    """

    ephemeris: float = 2.0
    clock: float = 2.0
    ionosphere: float = 4.0
    troposphere: float = 0.7
    multipath: float = 1.4
    receiver: float = 0.5
    #: of a range rate (m/s)
    range_rate: float = 0.05
    #: of ephemeris, clock, ionosphere, troposphere and multipath
    times: tuple[float, float, float, float, float] = (7200.0, 3600.0, 1800.0, 3600.0, 60.0)
    by_elevation: bool = False

    def __post_init__(self) -> None:
        numbers = (*self.slow, self.receiver, self.range_rate)
        if not (np.isfinite(numbers).all() and min(numbers) >= 0.0 and min(self.times) > 0.0):
            raise InputError("an error budget has standard deviations of 0 or more and times above 0")

    @property
    def slow(self) -> tuple[float, ...]:
        """Standard deviations of the correlated errors (m)."""
        return (self.ephemeris, self.clock, self.ionosphere, self.troposphere, self.multipath)

    @property
    def total(self) -> float:
        """The root of the sum of squares (m): the user equivalent range error."""
        return float(np.hypot(np.linalg.norm(self.slow), self.receiver))

    def scaled(self, factor: float) -> ErrorBudget:
        """The budget with all standard deviations times a factor."""
        names = ("ephemeris", "clock", "ionosphere", "troposphere", "multipath", "receiver", "range_rate")
        return replace(self, **{name: factor * getattr(self, name) for name in names})

    def scale(self, elevation: ArrayLike) -> np.ndarray:
        """Factors (5, ...) on the correlated errors at elevations (rad)."""
        E = np.asarray(elevation, dtype=float)
        factors = np.ones((5, *E.shape))
        if self.by_elevation:
            low = np.maximum(E, np.radians(2.0))
            factors[2] = ionosphere_mapping(low) / ionosphere_mapping(_REFERENCE_ELEVATION)
            factors[3] = np.sin(_REFERENCE_ELEVATION) / np.sin(low)
        return factors

    def sigma(self, elevation: ArrayLike) -> np.ndarray:
        """Standard deviation (m) of a pseudorange at elevations (rad)."""
        slow = self.scale(elevation) * np.reshape(self.slow, (5,) + (1,) * np.ndim(elevation))
        return np.sqrt((slow**2).sum(axis=0) + self.receiver**2)


class RangeErrors:
    """Errors of the ranges of `count` satellites as functions of time, for all of them, seen or not.

    A correlated error is a sum of waves a cos(w t) + b sin(w t) with normal a, b and w from Cauchy's
    distribution of scale 1 / tau, whose covariance is that of a Gauss-Markov process, exp(-|dt| / tau).
    Without a state, errors are the same in whatever order times are taken.
    """

    def __init__(self, budget: ErrorBudget, count: int, seed: tuple[int, ...]) -> None:
        self._budget, self._count, self._seed = budget, count, seed
        rng = np.random.default_rng(seed)
        shape = (len(budget.times), count, _WAVES)
        self._rate = rng.standard_cauchy(shape) / np.reshape(budget.times, (-1, 1, 1))
        self._waves = rng.standard_normal((2, *shape)) / np.sqrt(_WAVES)
        self._sigma = np.array(budget.slow)[:, None]

    def ranges(self, time: float, elevation: np.ndarray) -> np.ndarray:
        """Errors (m) of all pseudoranges at a time (s) and elevations (rad)."""
        angle = self._rate * time
        unit = (self._waves[0] * np.cos(angle) + self._waves[1] * np.sin(angle)).sum(axis=-1)
        slow = (self._budget.scale(elevation) * self._sigma * unit).sum(axis=0)
        return slow + self._budget.receiver * self._white(time, 1)

    def rates(self, time: float) -> np.ndarray:
        """Errors (m/s) of all range rates at a time (s)."""
        return self._budget.range_rate * self._white(time, 2)

    def _white(self, time: float, stream: int) -> np.ndarray:
        """Standard normal numbers (count,) that belong to this time alone, to the microsecond."""
        moment = round(time * 1e6)
        key = (*self._seed, stream, abs(moment), int(moment < 0))
        return np.random.default_rng(key).standard_normal(self._count)
