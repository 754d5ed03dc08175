"""Recursive coordinate bisection: a subdomain for every process, with equal shares of the work."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Subdomains"]

#: Halvings of an interval until a cut is found; the cut is exact to this share of it.
_HALVINGS = 40


class _Cut(NamedTuple):
    """Processes from `first` up to `last`; those from `middle` on are beyond the cut."""

    first: int
    middle: int
    last: int
    axis: int
    place: float


class Subdomains:
    """Boxes that fill space, one per process, as a tree of cuts."""

    def __init__(self, cuts: list[_Cut] | None = None) -> None:
        self.cuts = cuts or []

    @staticmethod
    def of(comm: Any, points: np.ndarray, work: np.ndarray) -> Subdomains:
        """Those in which the points (n, 3) of all processes together have equal shares of their work.

        A set of processes is cut across the longest side of the box around its points, in the ratio of the
        processes on both sides, and each part is cut in turn (Berger and Bokhari, 1987).
        """
        cuts: list[_Cut] = []
        _bisect(comm, points, work, 0, comm.size, cuts)
        return Subdomains(cuts)

    def owners(self, points: np.ndarray) -> np.ndarray:
        """The process of every point."""
        owner = np.zeros(len(points), dtype=np.int64)
        for cut in self.cuts:
            # cuts come before those of their parts
            beyond = (owner == cut.first) & (points[:, cut.axis] >= cut.place)
            owner[beyond] = cut.middle
        return owner


def _bisect(comm: Any, points: np.ndarray, work: np.ndarray, first: int, last: int, cuts: list[_Cut]) -> None:
    if last - first < 2:
        return
    middle = (first + last) // 2
    axis, place = _cut(comm, points, work, (middle - first) / (last - first))
    cuts.append(_Cut(first, middle, last, axis, place))
    beyond = points[:, axis] >= place
    _bisect(comm, points[~beyond], work[~beyond], first, middle, cuts)
    _bisect(comm, points[beyond], work[beyond], middle, last, cuts)


def _cut(comm: Any, points: np.ndarray, work: np.ndarray, share: float) -> tuple[int, float]:
    """Axis and place of the plane below which there is a share of the work."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
    lows, highs = zip(*comm.allgather((low, high)), strict=True)
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    if not np.isfinite(low).all():
        return 0, 0.0
    axis = int(np.argmax(high - low))
    begin, end = float(low[axis]), float(high[axis])
    wanted = share * float(comm.total(np.array([work.sum()]))[0])
    for _ in range(_HALVINGS):
        place = 0.5 * (begin + end)
        below = float(comm.total(np.array([work[points[:, axis] < place].sum()]))[0])
        if below < wanted:
            begin = place
        else:
            end = place
    return axis, end
