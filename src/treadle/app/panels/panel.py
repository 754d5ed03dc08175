"""What all panels have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.app.viser_private import send_value
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["Panel", "put"]


class Panel:
    """A part of the page; its methods are called by the simulation's loop."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def frame(self, sim: Simulation) -> None:
        """After the steps of every frame."""

    def numbers(self, sim: Simulation) -> None:
        """A few times per second, for what people read."""

    def edited(self, sim: Simulation) -> None:
        """After the machine was changed."""

    def close(self) -> None:
        """When the machine leaves the page."""


def put(field: Any, value: Any) -> None:
    """Show a value in a field as it is, without doing what the field does when it is moved."""
    if field.value != value:
        send_value(field, value)
