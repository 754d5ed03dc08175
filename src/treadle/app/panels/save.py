"""Pictures, films and recordings, saved by the browser of whoever asks for them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import viser

from treadle.app.html import note_html
from treadle.app.panels.panel import Panel
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage
    from treadle.sim.recording import Recorder

__all__ = ["SavePanel"]


class SavePanel(Panel):
    """Nothing is written on the server but a recording on its way, into a folder that is removed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        with gui.add_folder("Save"):
            self.picture = gui.add_button("Picture", hint="Save the view as a PNG file")
            self.film = gui.add_button("Film", hint="Film the view until it is pressed again: MP4 or WebM")
            self.record = gui.add_button(
                "Record", hint="Record signals until it is pressed again: an .mcap file to replay"
            )
            gui.add_html(note_html("Films and recordings end when their button is pressed again."))
        self._recorder: Recorder | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._filming: set[int] = set()
        name = json.dumps(stage.sim.model.name)
        self.picture.on_click(lambda event: self._script(event, f"window.treadle.picture({name} + '.png')"))
        self.film.on_click(lambda event: self._film(event, f"window.treadle.film({name})"))
        self.record.on_click(lambda event: self.toggle(event.client))

    def toggle(self, client: viser.ClientHandle | None) -> None:
        """Begin a recording, or end it and send it to a page."""
        done = self.stage.commands.send(self._begin if self._recorder is None else self._end)
        if done is None:
            return
        content = done.result(timeout=30)
        self.record.label = "Record" if self._recorder is None else "Stop recording"
        if content is not None and client is not None:
            name = f"{self.stage.sim.model.name}.mcap"
            client.send_file_download(name, content, save_immediately=True)

    def close(self) -> None:
        """End a recording that nobody waits for."""
        if self._recorder is not None:
            self._end(self.stage.sim)

    def _begin(self, sim: Simulation) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="treadle-")
        self._recorder = sim.record(Path(self._folder.name) / "run.mcap")

    def _end(self, sim: Simulation) -> bytes:
        recorder, folder = self._recorder, self._folder
        self._recorder = self._folder = None
        assert recorder is not None
        assert folder is not None
        recorder.close()
        content = (Path(folder.name) / "run.mcap").read_bytes()
        folder.cleanup()
        return content

    def _film(self, event: Any, source: str) -> None:
        if event.client is not None:
            self._filming ^= {event.client.client_id}
            self.film.label = "Stop filming" if self._filming else "Film"
        self._script(event, source)

    def _script(self, event: Any, source: str) -> None:
        if event.client is not None:
            self.stage.script(source, [event.client.client_id])
