"""The processes of a simulation: work on material that has a memory, see `treadle.process.process`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from treadle.model.model import Model
from treadle.process.process import Process

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Processes"]


class Processes(Mapping[str, Process]):
    """The processes of one simulation by name; what they command holds until the next step."""

    def __init__(self, model: Model) -> None:
        self._named: dict[str, Process] = {}
        if model.settings.get("processes"):
            # their kernels import Numba
            from treadle.process.types import processes_of

            self._named = processes_of(model)
        #: joint forces (nv) in the last step
        self.commanded = np.zeros(model.nv)
        #: whether they are left alone
        self.muted = False

    def work(self, sim: Simulation) -> None:
        """Let all of them work before a step."""
        total = np.zeros(sim.model.nv)
        for process in self._named.values():
            process.work(sim)
            total += process.force
        self.commanded = total

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Steps in which none works."""
        before, self.muted = self.muted, True
        try:
            yield
        finally:
            self.muted = before

    @property
    def active(self) -> bool:
        """Whether there are any that work."""
        return bool(self._named) and not self.muted

    def save(self) -> np.ndarray:
        """The memories of all, one after the other."""
        return np.concatenate([process.save() for process in self._named.values()] or [np.zeros(0)])

    def restore(self, memory: np.ndarray) -> None:
        """Go back to memories; those of other processes are of no use."""
        sizes = [len(process.save()) for process in self._named.values()]
        if not self._named or sum(sizes) != len(memory):
            return
        place = 0
        for process, size in zip(self._named.values(), sizes, strict=True):
            process.restore(memory[place : place + size])
            place += size
        self.commanded = sum((p.force for p in self._named.values()), np.zeros(len(self.commanded)))

    def __getitem__(self, name: str) -> Process:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)
