"""What may look at a simulation while it steps."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Observer"]


class Observer(Protocol):
    """Something that wants to see the state every so many steps; steps run in pieces that end there."""

    def due(self) -> int:
        """Steps from now until it wants to see the state, at least one."""
        ...

    def advanced(self, count: int) -> None:
        """Called after every piece with the number of steps it had, at most `due()`."""
        ...

    def rebuilt(self) -> None:
        """Called after the machine was changed between steps."""
        ...
