"""What a script adds to the page: sliders and buttons of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viser

from treadle.app.panels.panel import Panel
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["OwnPanel"]


class OwnPanel(Panel):
    """A folder that is seen once there is something in it."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._folder = stage.server.gui.add_folder("Yours", visible=False)

    def slider(
        self,
        label: str,
        low: float,
        high: float,
        value: float,
        act: Callable[[Simulation, float], Any] | None,
    ) -> viser.GuiSliderHandle[float]:
        """A slider; `act(sim, value)` is called by the loop when it is moved."""
        with self._folder:
            step = (high - low) / 200.0
            handle = self.stage.server.gui.add_slider(label, float(low), float(high), step, float(value))
        self._folder.visible = True
        if act is not None:
            handle.on_update(lambda _: self.stage.commands.do(lambda sim: act(sim, float(handle.value))))
        return handle

    def button(self, label: str, act: Callable[[Simulation], Any]) -> viser.GuiButtonHandle:
        """A button; `act(sim)` is called by the loop when it is pressed."""
        with self._folder:
            handle = self.stage.server.gui.add_button(label)
        self._folder.visible = True
        handle.on_click(lambda _: self.stage.commands.do(act))
        return handle
