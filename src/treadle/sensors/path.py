"""The motion before a sample: what a sensor measured at earlier instants, which sweeps and exposures need."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["Path"]

#: Longest interval between two instants of a path (s).
_LONGEST = 0.01


class Path:
    """The last instants of a sensor in all worlds, at even intervals that end at its samples.

    There are `every` instants per sample, of which those that lie more than `span` seconds before one are
    left out.
    """

    def __init__(self, span: float, rate: float, size: int, worlds: int) -> None:
        self.every = math.ceil(1.0 / (rate * min(span, _LONGEST)) - 1e-9)
        self.interval = 1.0 / (rate * self.every)
        self.count = math.ceil(span / self.interval - 1e-9) + 1
        #: (instants, 1 + size, worlds) time (-inf: none) and measured numbers, in any order
        self.kept = np.zeros((self.count, 1 + size, worlds))
        self.forget()

    def forget(self, worlds: slice | np.ndarray = slice(None)) -> None:
        """Return these worlds to before the first instant."""
        self.kept[:, 0, worlds] = -np.inf

    def add(self, numbers: np.ndarray, time: np.ndarray, index: np.ndarray, taken: np.ndarray) -> None:
        """Keep the numbers (size, worlds) that some worlds measured at their instants with this index."""
        chosen = np.flatnonzero(taken)
        slot = index[chosen].astype(int) % self.count
        self.kept[slot, 0, chosen] = time[chosen]
        self.kept[slot, 1:, chosen] = numbers[:, chosen].T

    def before(self, time: np.ndarray) -> np.ndarray:
        """(instants * (1 + size), worlds) those up to a time (worlds), the last one at the end."""
        age = time - self.kept[:, 0]
        slack = 1e-6 * self.interval
        known = (age >= -slack) & (age <= (self.count - 1) * self.interval + slack)
        moments = np.where(known, self.kept[:, 0], -np.inf)
        order = np.argsort(moments, axis=0, kind="stable")
        found = np.take_along_axis(self.kept, order[:, None], axis=0)
        found[:, 0] = np.take_along_axis(moments, order, axis=0)
        return found.reshape(-1, self.kept.shape[-1])

    @staticmethod
    def split(flat: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Times (instants, worlds) and numbers (instants, size, worlds) of what `before` gave."""
        instants = flat.reshape(-1, 1 + size, flat.shape[-1])
        return instants[:, 0], instants[:, 1:]
