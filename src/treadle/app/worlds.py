"""Some worlds of a batch on the page, side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from treadle.app.closing import Closing
from treadle.app.html import rows_html
from treadle.app.overlays import size
from treadle.app.scene import Scene
from treadle.app.server import Server
from treadle.app.stage import RATE
from treadle.batch import Batch
from treadle.errors import InputError

__all__ = ["Worlds"]

#: Worlds that are shown unless they are named, and at most; distance in sizes of the machine.
_FIRST, _MOST, _APART = 9, 64, 1.3


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
        server.gui.add_html(rows_html([("worlds", f"{len(chosen)} of {count}")]))
        self._boxes = {
            world: server.gui.add_checkbox(f"world {world}", True, hint=f"Show world {world} of the batch")
            for world in chosen
        }
        for world, box in self._boxes.items():
            root = self.scenes[world].root
            box.on_update(lambda _, box=box, root=root: setattr(root, "visible", box.value))
        self._shown = 0.0
        self.show()
        super().__init__()

    def show(self) -> None:
        """Bring the page up to date, at most 60 times per second."""
        now = time.monotonic()
        if now - self._shown < 1.0 / RATE:
            return
        self._shown = now
        for world, scene in self.scenes.items():
            scene.show(self.batch.q[world])

    def _close(self) -> None:
        """Free the port."""
        self.server.stop()

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.server.url}" width="100%" height="600"></iframe>'
