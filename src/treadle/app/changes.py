"""The machines that an edited machine has been: undo, redo, and the original."""

from __future__ import annotations

from dataclasses import dataclass

from treadle.errors import InputError
from treadle.model.model import Model
from treadle.sim.simulation import Simulation

__all__ = ["Changes", "Machine"]

#: Machines that can be gone back to.
_KEPT = 100


@dataclass(frozen=True)
class Machine:
    """A machine as it was: its model, and the joints that were locked."""

    model: Model
    locked: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sim: Simulation) -> Machine:
        """That of a simulation now."""
        names = (joint.name for joint in sim.model.joints if joint.type.nv)
        return cls(sim.model, frozenset(name for name in names if sim.joint(name).locked))

    def lock(self, sim: Simulation) -> None:
        """Lock and free joints of a simulation of this machine as they were."""
        for joint in sim.model.joints:
            handle = sim.joint(joint.name) if joint.type.nv else None
            if handle is not None and handle.locked != (joint.name in self.locked):
                handle.lock() if joint.name in self.locked else handle.free()


class Changes:
    """What can be undone and redone; machines are frozen, so that each is kept as it was."""

    def __init__(self, original: Model) -> None:
        #: the machine as it was opened
        self.original = original
        # the machine before a change, or after one that was undone, and what was changed
        self._past: list[tuple[Machine, str]] = []
        self._future: list[tuple[Machine, str]] = []

    @property
    def count(self) -> int:
        """Changes that can be undone."""
        return len(self._past)

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """What was changed, oldest first, and what of it was undone, to be redone in this order."""
        return [text for _, text in self._past], [text for _, text in reversed(self._future)]

    def note(self, before: Machine, text: str) -> None:
        """Remember the machine that a change was made to."""
        self._past = [*self._past, (before, text)][-_KEPT:]
        self._future = []

    def target(self, which: str) -> Machine:
        """The machine that "Undo", "Redo" or "Original" leads to; InputError where there is none."""
        if which == "Original":
            return Machine(self.original)
        found = {"Undo": self._past, "Redo": self._future}[which]
        if not found:
            raise InputError(f"there is nothing to {which.lower()}")
        return found[-1][0]

    def went(self, which: str, before: Machine) -> None:
        """Remember that the machine became the target, from what it was before."""
        if which == "Undo":
            self._future.append((before, self._past.pop()[1]))
        elif which == "Redo":
            self._past.append((before, self._future.pop()[1]))
        else:
            self.note(before, "back to the original")
