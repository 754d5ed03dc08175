"""What planners give: controls over equal pieces of a horizon, to begin the next plan with as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Plan", "Planner", "shifted"]


@dataclass(frozen=True)
class Plan:
    """A sequence of controls, with the candidates and costs that it was made from."""

    #: (pieces, n)
    controls: np.ndarray
    #: length of a piece (s)
    piece: float
    #: of the best candidate
    cost: float
    #: of all candidates (candidates) or rounds, and what was watched of them (candidates, pieces, numbers)
    costs: np.ndarray
    watched: np.ndarray

    def at(self, time: float) -> np.ndarray:
        """Controls (n) so many seconds after the plan begins; the last ones hold."""
        return self.controls[min(max(int(time / self.piece + 1e-9), 0), len(self.controls) - 1)]


class Planner(Protocol):
    """Whatever plans from a state of the machine towards a goal."""

    def plan(self, q: ArrayLike, v: ArrayLike, goal: ArrayLike = (), elapsed: float = 0.0) -> Plan:
        """Plan from a state, `elapsed` seconds after the last plan began."""
        ...


def shifted(controls: np.ndarray, pieces: float) -> np.ndarray:
    """Controls (pieces, n) from so many pieces on, interpolated between pieces; the last ones hold."""
    place, last = np.arange(len(controls)) + max(pieces, 0.0), len(controls) - 1
    low = np.minimum(np.floor(place).astype(int), last)
    high, share = np.minimum(low + 1, last), (place - np.floor(place))[:, None]
    return (1.0 - share) * controls[low] + share * controls[high]
