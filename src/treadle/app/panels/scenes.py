"""Other machines to be opened in place of the one on the page: built-in ones, and files of your own."""

from __future__ import annotations

import logging
import sys
import threading
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import quote

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

__all__ = ["ScenesPanel", "gallery_html", "picture", "scene_of", "scene_text"]


class ScenesPanel(Panel):
    """A button for files, and a gallery of the scenes."""

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
        for name in scene_names():
            if (content := picture(name)) is not None:
                stage.server.guard.files[_picture_path(name)] = "image/jpeg", content
        #: one button per scene: the page's script says which was pressed, over its own line
        self.gallery = gui.add_html(gallery_html(scene_of(stage.sim.model.name)))

    def open(self, name: str) -> None:
        """Put a scene on the page."""
        stage = self.stage
        stage.forgive()
        if name not in SCENES:
            stage.complain(f"there is no scene {name[:80]!r}; {suggest(name, list(SCENES))}")
            return
        shown = scene_of(stage.sim.model.name)
        self.gallery.content = gallery_html(shown, opening=name)

        def make() -> Simulation:
            try:
                return Simulation(scene(name))
            except BaseException:
                self.gallery.content = gallery_html(shown)
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


def gallery_html(shown: str | None, opening: str | None = None) -> str:
    """A card per scene, each a button: off is that of the one on the page, and all while one opens."""
    names = scene_names()
    cards = "".join(_card(name, name == shown or opening is not None, name == opening) for name in names)
    search = f'<input type="search" placeholder="Search {len(names)} scenes" aria-label="Search the scenes">'
    return f'<div class="treadle-scenes">{search}{cards}</div>'


def _card(name: str, off: bool, opening: bool) -> str:
    image = f'<img src="{_picture_path(name)[1:]}" alt="" loading="lazy">'
    words = "opening ..." if opening else scene_text(name)
    return (
        f'<button type="button" data-scene="{escape(name)}" aria-label="Open {escape(name)}"'
        f"{' disabled' if off else ''}>{image}<span><b>{escape(name)}</b><br>{escape(words)}</span></button>"
    )


def _picture_path(name: str) -> str:
    return f"/pictures/{quote(name)}.jpg"
