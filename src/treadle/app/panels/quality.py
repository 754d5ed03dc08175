"""How far the numbers can be trusted, and whether the machine keeps up, with warnings in plain words."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from treadle.app.html import message_html, note_html, rows_html
from treadle.app.panels.panel import Panel
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["QualityPanel"]

#: Seconds between two looks, which cost more than the rest of the page: while a page shows them, or none.
_EVERY, _UNSEEN = 2.0, 20.0


class QualityPanel(Panel):
    """Real-time factor, frame rate, times of frames and steps, and what `sim.quality()` says."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        self.warnings = gui.add_html("")
        self.speed = gui.add_html("")
        self.quality = gui.add_html("")
        self._looked = -_UNSEEN
        # clients whose page shows this panel
        self._watching: set[int] = set()
        self._before = (0.0, 0.0, 0.0)

    def numbers(self, sim: Simulation) -> None:
        """Show all of it, every other second where someone sees it."""
        now, seen = time.monotonic(), self._watching & set(self.stage.line.clients)
        if now - self._looked < (_EVERY if seen else _UNSEEN):
            return
        self._looked = now
        warnings = self._speed(sim)
        found = sim.quality()
        rows = [(m.name, f"{m.value:.3g} {m.unit}", m.rating or "") for m in found.measures]
        self.quality.content = rows_html(rows, ("quality", "value", "")) + note_html(found.verdict)
        if found.rating == "poor":
            warnings.append(found.verdict)
        self.warnings.content = "".join(message_html(text) for text in warnings)

    def watched(self, client: int, seen: bool) -> None:
        """A page shows this panel, or another one."""
        (self._watching.add if seen else self._watching.discard)(client)
        if seen:
            self._looked = -_UNSEEN

    def _speed(self, sim: Simulation) -> list[str]:
        """Show how fast it is; what is wrong with that."""
        pace, meter = self.stage.pace, self.stage.meter
        wall, done, rounds = sim.wall_time, sim.measured_time, sim.effort[0]
        spent, simulated, solved = (
            now - before for now, before in zip((wall, done, rounds), self._before, strict=True)
        )
        self._before = (wall, done, rounds)
        steps = simulated / sim.dt
        rows = [
            ("real-time factor", "paused" if pace.paused else f"{pace.factor:.2f}", ""),
            ("frames per second", f"{meter.rate:.0f}", ""),
            ("frame time", f"{1e3 * meter.percentile(50.0):.2f} ms", "median"),
            ("", f"{1e3 * meter.percentile(99.0):.2f} ms", "99 of 100"),
            ("late frames", str(pace.late), ""),
        ]
        if steps >= 1.0:
            rows.append(("step time", f"{1e6 * spent / steps:.1f} us", f"of {1e3 * sim.dt:g} ms"))
            rows.append(("solver rounds per step", f"{solved / steps:.1f}", ""))
        self.speed.content = rows_html(rows, ("speed", "", ""))
        if not pace.paused and 0.0 < pace.factor < 0.95 * pace.speed < float("inf"):
            return [
                f"The simulation does not keep up: {pace.factor:.2f} s per second instead of "
                f"{pace.speed:g}. A larger time step or a lower speed helps."
            ]
        return []
