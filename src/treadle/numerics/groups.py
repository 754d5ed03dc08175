"""Groups of things that are linked to each other, directly or through others."""

from __future__ import annotations

import numpy as np

__all__ = ["connected_groups"]


def connected_groups(count: int, first: np.ndarray, second: np.ndarray) -> tuple[int, np.ndarray]:
    """How many groups `count` things form by links from `first` to `second`, and the group of each (count,).

    Groups are numbered in the order of their first members. Every thing takes the least number among those
    it is linked to, and then the number of that one, until none changes.
    """
    least = np.arange(count)
    while True:
        before = least.copy()
        low = np.minimum(least[first], least[second])
        np.minimum.at(least, least[first], low)
        np.minimum.at(least, least[second], low)
        least = least[least]
        if np.array_equal(least, before):
            break
    roots, group = np.unique(least, return_inverse=True)
    return len(roots), group
