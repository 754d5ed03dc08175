"""Some worlds of a batch on the page, side by side, to be watched, paused and driven."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from treadle.app.closing import Closing
from treadle.app.controls import controls
from treadle.app.html import rows_html
from treadle.app.overlays import size
from treadle.app.panels.drive import command_field
from treadle.app.scene import Scene
from treadle.app.server import Server
from treadle.app.stage import RATE
from treadle.batch import Batch
from treadle.errors import InputError

__all__ = ["Worlds"]

#: Worlds that are shown unless they are named, and at most; distance in sizes of the machine.
_FIRST, _MOST, _APART = 9, 64, 1.3

#: The choice to command every world of the batch.
_ALL = "all worlds"


class Worlds(Closing):
    """Shows worlds of a batch that the user steps: `page.show()` after steps brings the page up to date."""

    def __init__(self, server: Server, batch: Batch, worlds: Sequence[int] | None = None) -> None:
        count = len(batch.q)
        chosen = list(range(min(_FIRST, count)) if worlds is None else worlds)
        if not chosen or len(chosen) > _MOST or not all(0 <= world < count for world in chosen):
            raise InputError(f"worlds must be 1 to {_MOST} numbers from 0 to {count - 1}, not {worlds!r}")
        self.server, self.batch, self.worlds = server, batch, chosen
        #: the machines by number of world
        self.scenes: dict[int, Scene] = {}
        columns = int(np.ceil(np.sqrt(len(chosen))))
        with server.atomic():
            for place, world in enumerate(chosen):
                around = "ground" if place == 0 else "nothing"
                scene = Scene(server, batch.model, f"/world {world}", around)
                step = _APART * size(scene)
                scene.root.position = np.array([-step * (place // columns), step * (place % columns), 0.0])
                self.scenes[world] = scene
        self._pending: list[tuple[slice | int, int, float]] = []
        self.paused = False
        self._add_panel()
        self._shown = 0.0
        self.show()
        super().__init__()

    @property
    def url(self) -> str:
        """The address of the page."""
        return self.server.url

    def show(self) -> None:
        """Bring the page up to date, at most 60 times per second, and give the commands of the people there.

        While the page is paused this waits.
        """
        now = time.monotonic()
        if now - self._shown < 1.0 / RATE:
            return
        self._shown = now
        self._frame()
        while self.paused:
            time.sleep(1.0 / RATE)
            self._frame()

    def _frame(self) -> None:
        while self._pending:
            worlds, number, value = self._pending.pop(0)
            self._driven[worlds, number] = value
        for world, scene in self.scenes.items():
            scene.show(self.batch.q[world])

    @property
    def _driven(self) -> np.ndarray:
        """What the fields set, (worlds, actuators or freedoms)."""
        return self.batch.commands if self.batch.model.actuators else self.batch.tau

    def _add_panel(self) -> None:
        gui = self.server.gui
        gui.add_html(rows_html([("worlds", f"{len(self.worlds)} of {len(self.batch.q)}")]))
        self.run = gui.add_button("Pause", hint="Pause the script at its next show(), or let it go on")
        self.run.on_click(lambda _: self._toggle())
        found = controls(self.batch.model)
        title = "Commands" if self.batch.model.actuators else "Joint torques"
        if found:
            with gui.add_folder(title):
                names = (_ALL, *(f"world {world}" for world in self.worlds))
                self.driven = gui.add_dropdown("of", names, hint="The worlds that the fields below command")
                #: sliders, or fields where a range has no ends, by name of actuator or joint
                self.fields = {control.name: command_field(gui, control, 0.0) for control in found}
            for number, field in zip(self._columns(), self.fields.values(), strict=True):
                field.on_update(lambda _, number=number, field=field: self._command(number, field.value))
        with gui.add_folder("Shown"):
            for world in self.worlds:
                box = gui.add_checkbox(f"world {world}", True, hint=f"Show world {world} of the batch")
                root = self.scenes[world].root
                box.on_update(lambda _, box=box, root=root: setattr(root, "visible", box.value))

    def _columns(self) -> list[int]:
        """Where the controls are among actuators or freedoms."""
        model = self.batch.model
        if model.actuators:
            return list(range(len(model.actuators)))
        return [joint.v.start for joint in model.joints if joint.type.nv == 1]

    def _toggle(self) -> None:
        self.paused = not self.paused
        self.run.label = "Go on" if self.paused else "Pause"

    def _command(self, number: int, value: float) -> None:
        """Have a command given when the script next shows its worlds."""
        one = self.driven.value
        worlds = slice(None) if one == _ALL else int(one.removeprefix("world "))
        self._pending.append((worlds, number, float(value)))

    def _close(self) -> None:
        """Free the port."""
        self.paused = False
        self.server.stop()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="600"></iframe>'
