"""The machine moves by itself while nobody drives."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from treadle.app.panels.panel import Panel
from treadle.sim.routine import Routine
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["DemoPanel"]

#: Seconds of each move, and the number under which they are held.
_EACH, _NOBODY = 2.5, -2


class DemoPanel(Panel):
    """Plays the machine's routine, or holds one move after the other, until someone does something.

    It has nothing on the page.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        moves = stage.drive.holds.moves.values()
        self._moves = [move.name for move in moves if not move.switch]
        self._switches = [move.name for move in moves if move.switch]
        self._begun = time.monotonic()
        self._held = ""
        self._routine, self._start = Routine(stage.sim.model), stage.sim.time

    def frame(self, sim: Simulation) -> None:
        """Go on to the next move, or let go where someone drives."""
        holds = self.stage.drive.holds
        if self.stage.crew.driver is not None:
            if self._held:
                holds.lift(_NOBODY)
                self._held = ""
            return
        if len(self._routine):
            for name, command in self._routine.commands(max(sim.time - self._start, 0.0)).items():
                sim.actuator(name).command = command
            return
        for name in self._switches:
            holds.switch(sim, name)
        self._switches = []
        if self._moves:
            number = int((time.monotonic() - self._begun) / _EACH)
            name = self._moves[number % len(self._moves)]
            if name != self._held:
                holds.lift(_NOBODY)
                holds.press(_NOBODY, name)
                self._held = name
