"""The machines that an edited machine has been: undo, redo, and the original."""

from __future__ import annotations

from treadle.errors import InputError
from treadle.model.model import Model

__all__ = ["Changes"]

#: Machines that can be gone back to.
_KEPT = 100


class Changes:
    """What can be undone and redone; machines are frozen, so that each is kept as it was."""

    def __init__(self, original: Model) -> None:
        #: the machine as it was opened
        self.original = original
        self._past: list[Model] = []
        self._future: list[Model] = []

    @property
    def count(self) -> int:
        """Changes that can be undone."""
        return len(self._past)

    def note(self, before: Model) -> None:
        """Remember the machine that a change was made to."""
        self._past = [*self._past, before][-_KEPT:]
        self._future = []

    def target(self, which: str) -> Model:
        """The machine that "Undo", "Redo" or "Original" leads to; InputError where there is none."""
        found = {"Undo": self._past, "Redo": self._future, "Original": [self.original]}[which]
        if not found:
            raise InputError(f"there is nothing to {which.lower()}")
        return found[-1]

    def went(self, which: str, before: Model) -> None:
        """Remember that the machine became the target, from what it was before."""
        if which == "Undo":
            self._past.pop()
            self._future.append(before)
        elif which == "Redo":
            self._future.pop()
            self._past.append(before)
        else:
            self.note(before)
