"""A quantity that can be recorded under a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treadle.graph import Scalar

if TYPE_CHECKING:
    from treadle.sim.recording.signals.moment import Moment

__all__ = ["Layout", "Signal"]


@dataclass(frozen=True)
class Layout:
    """Name of a signal, and of its components with their units; a plain number has no components."""

    name: str
    components: tuple[str, ...]
    units: tuple[str, ...]
    #: whether it is a function of the user's
    own: bool = False

    @property
    def columns(self) -> list[str]:
        """Names of its numbers: that of the signal, followed by that of the component."""
        return [f"{self.name}.{c}" for c in self.components] or [self.name]


@dataclass(frozen=True)
class Signal:
    """A signal that is a function of the machine's state, over traced scalars."""

    layout: Layout
    values: Callable[[Moment], Sequence[Scalar]]
    #: whether it depends on the forces of the instant, those of stops and friction among them
    dynamic: bool = False
    #: whether it is what a contact sensor felt in the last step
    felt: bool = False
    #: the sensor that it is the reading of
    sensor: str | None = None

    @classmethod
    def of(
        cls,
        name: str,
        components: Sequence[str],
        units: Sequence[str] | str,
        values: Callable[[Moment], Sequence[Scalar]],
        dynamic: bool = False,
        felt: bool = False,
    ) -> Signal:
        """A signal with these components, all of one unit or each with its own; a single one has no name."""
        units = [units] * max(len(components), 1) if isinstance(units, str) else units
        named = tuple(components) if len(components) > 1 else ()
        return cls(Layout(name, named, tuple(units)), values, dynamic, felt)
