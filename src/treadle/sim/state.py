"""The complete state of one world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """Everything that the next step depends on. Restoring it continues bit for bit.

    Time is kept as a start, a whole number of steps and the step, so that it does not drift.
    """

    start: float
    steps: int
    dt: float
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    loads: np.ndarray

    @property
    def time(self) -> float:
        """Simulated time in seconds."""
        return self.start + self.steps * self.dt

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return all(np.array_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]
