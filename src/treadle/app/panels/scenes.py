"""Other machines to be opened in place of the one on the page: built-in ones, and files of your own."""

from __future__ import annotations

import base64
import logging
import sys
import threading
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import viser

from treadle.app.panels.panel import Panel
from treadle.app.transfers import LARGEST_UPLOAD
from treadle.app.uploads import DESCRIPTIONS, KINDS
from treadle.app.viser_private import broadcast, messages, uuid_of
from treadle.errors import TreadleError
from treadle.model.model import suggest
from treadle.scenes import SCENES, scene, scene_names
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["ScenesPanel", "picture", "scene_of", "scene_text"]


class ScenesPanel(Panel):
    """A button for files, and one for every scene."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        self.upload = gui.add_upload_button(
            "Open a file of yours",
            hint=f"A robot's description ({', '.join(DESCRIPTIONS)}), or a .zip of one with its meshes, "
            f"up to {LARGEST_UPLOAD / 1e6:g} MB",
            mime_type=",".join(KINDS),
        )
        self.upload.on_upload(
            lambda event: self.open_file(event.target.value.name, event.target.value.content)
        )
        transfers = stage.server.guard.transfers
        transfers.button, transfers.refused = uuid_of(self.upload), self._refused
        self._opening = threading.Lock()
        #: buttons by name of scene
        self.buttons: dict[str, viser.GuiButtonHandle] = {}
        for name in scene_names():
            gui.add_html(_card(name))
            button = self.buttons[name] = gui.add_button(
                f"Open {name}",
                disabled=name == scene_of(stage.sim.model.name),
                hint="Put this machine on the page",
            )
            button.on_click(lambda _, name=name: self.open(name))

    def open(self, name: str) -> None:
        """Put a scene on the page."""
        stage = self.stage
        stage.forgive()
        if name not in SCENES:
            stage.complain(f"there is no scene {name[:80]!r}; {suggest(name, list(SCENES))}")
            return
        for button in self.buttons.values():
            button.disabled = True

        def make() -> Simulation:
            try:
                return Simulation(scene(name))
            except BaseException:
                for other, button in self.buttons.items():
                    button.disabled = other == scene_of(stage.sim.model.name)
                raise

        stage.switch(make)

    def open_file(self, name: str, content: bytes) -> None:
        """Put the machine of an uploaded file on the page; it is compiled while the present one goes on."""
        stage = self.stage
        if not self._opening.acquire(blocking=False):
            stage.complain("another file is being opened; wait until it is there")
            return
        try:
            stage.forgive()
            model = stage.server.uploads.open(name, content)
            sim = Simulation(model)
            findings = [line for line in model.report if getattr(line, "severity", "") == "warning"]
            stage.switch(lambda: sim, "; ".join(str(line) for line in findings))
        except TreadleError as error:
            stage.complain(error)
        except Exception as error:
            logging.getLogger(__name__).exception("an uploaded file")
            stage.complain(f"{name[:80]!r} cannot be read ({type(error).__name__})")
        finally:
            self._opening.release()

    def _refused(self, message: messages.FileTransferStartUpload) -> None:
        self.stage.complain(f"{message.filename[:80]!r} is larger than {LARGEST_UPLOAD / 1e6:g} MB, or empty")
        # the page waits for a sign that all of it has come
        done = messages.FileTransferPartAck(uuid_of(self.upload), message.transfer_uuid, 1, 1)
        broadcast(self.stage.server, done)


def scene_of(model: str) -> str | None:
    """The scene that a machine of this name is, also where its name says how many parts it has."""
    name = model.partition(" of ")[0]
    return name if name in SCENES else None


def scene_text(name: str) -> str:
    """What a scene is, in a sentence or two."""
    return " ".join((sys.modules[SCENES[name].__module__].__doc__ or "").split("\n\n")[0].split())


def picture(name: str) -> bytes | None:
    """The picture of a scene, a JPEG file."""
    file = files("treadle.app").joinpath("pictures", f"{name}.jpg")
    return file.read_bytes() if file.is_file() else None


def _card(name: str) -> str:
    content, image = picture(name), ""
    if content is not None:
        source = f"data:image/jpeg;base64,{base64.b64encode(content).decode()}"
        style = "width: 128px; height: 72px; object-fit: cover; border-radius: 4px; flex: none"
        image = f'<img src="{source}" alt="{escape(name)}" style="{style}">'
    words = f"<div><b>{escape(name)}</b><br>{escape(scene_text(name))}</div>"
    style = "display: flex; gap: 0.8em; margin: 0.6em 1em 0.2em; font-size: 0.8em; line-height: 1.35"
    return f'<div style="{style}">{image}{words}</div>'
