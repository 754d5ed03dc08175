"""What a process is: work on material that goes along with a simulation, with a memory of its own.

A machine names its processes in its settings, `{"processes": {"rock": {"type": "rock_cutting", ...}}}`. Every
simulation of it has its own: before each step it lets them work and adds their joint forces, and their memory
is part of its state. A new type is a class with these methods, and a line in `process.types`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from treadle.model.model import Model

__all__ = ["Process", "Worked"]


class Worked(Protocol):
    """What a process sees of a simulation, between two steps."""

    @property
    def model(self) -> Model: ...
    @property
    def q(self) -> np.ndarray: ...
    @property
    def v(self) -> np.ndarray: ...
    @property
    def dt(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def arrays(self) -> Mapping[str, np.ndarray]: ...

    def lock(self, locked: np.ndarray) -> None:
        """Lock these degrees of freedom and no others."""
        ...


class Process(Protocol):
    """Work on material."""

    @property
    def force(self) -> np.ndarray:
        """Joint forces (nv) in the coming step."""
        ...

    def work(self, sim: Worked) -> None:
        """Called before every step; it may set bodies of its own elsewhere."""
        ...

    def save(self) -> np.ndarray:
        """Its whole memory, always as many numbers."""
        ...

    def restore(self, memory: np.ndarray) -> None:
        """Go back to a memory that `save` gave."""
        ...

    def quantities(self) -> Mapping[str, tuple[float, str]]:
        """Numbers to plot, with their units."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What it is, for people to read."""
        ...
