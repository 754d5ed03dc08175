"""Iterations and residuals of a baseline, added up over its steps."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Effort"]


@dataclass(frozen=True)
class Effort:
    """What a number of steps took: iterations in all, most in one step, and the worst residual left."""

    steps: int = 0
    iterations: int = 0
    most: int = 0
    residual: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        return Effort(
            self.steps + other.steps,
            self.iterations + other.iterations,
            max(self.most, other.most),
            max(self.residual, other.residual),
        )

    @property
    def mean(self) -> float:
        """Iterations per step."""
        return self.iterations / self.steps if self.steps else 0.0
