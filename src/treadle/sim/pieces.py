"""Many steps in pieces: Python answers Ctrl-C between calls of machine code."""

from __future__ import annotations

__all__ = ["Pieces"]

#: Seconds of machine code in one piece.
_LONGEST = 0.05


class Pieces:
    """How many steps to take in one go, from how long the last ones took."""

    def __init__(self) -> None:
        #: steps in one go
        self.most = 1

    def next(self, left: int) -> int:
        """The steps to take now, of those that are left."""
        return min(left, self.most)

    def took(self, count: int, seconds: float) -> None:
        """Learn from a piece of so many steps; pieces grow fourfold at most."""
        fit = count * _LONGEST / max(seconds, 1e-9)
        self.most = max(1, int(min(fit, 4.0 * self.most)))
