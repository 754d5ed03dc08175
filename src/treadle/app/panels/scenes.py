"""The built-in machines, with pictures, to be opened in place of the one on the page."""

from __future__ import annotations

import base64
import sys
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import viser

from treadle.app.panels.panel import Panel
from treadle.scenes import SCENES, scene, scene_names
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["ScenesPanel", "picture"]


class ScenesPanel(Panel):
    """A button for every scene."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        #: buttons by name of scene
        self.buttons: dict[str, viser.GuiButtonHandle] = {}
        for name in scene_names():
            gui.add_html(_card(name))
            button = self.buttons[name] = gui.add_button(
                f"Open {name}", disabled=name == stage.sim.model.name, hint="Put this machine on the page"
            )
            button.on_click(lambda _, name=name: self.open(name))

    def open(self, name: str) -> None:
        """Put a scene on the page."""
        for button in self.buttons.values():
            button.disabled = True
        self.stage.forgive()
        self.stage.switch(lambda: Simulation(scene(name)))


def picture(name: str) -> bytes | None:
    """The picture of a scene, a JPEG file."""
    file = files("treadle.app").joinpath("pictures", f"{name}.jpg")
    return file.read_bytes() if file.is_file() else None


def _card(name: str) -> str:
    text = (sys.modules[SCENES[name].__module__].__doc__ or "").split("\n\n")[0]
    content, image = picture(name), ""
    if content is not None:
        source = f"data:image/jpeg;base64,{base64.b64encode(content).decode()}"
        image = f'<img src="{source}" alt="{escape(name)}" style="width: 100%; border-radius: 4px">'
    words = escape(" ".join(text.split()))
    return f'<div style="margin: 0.6em 1em 0.3em; font-size: 0.8em">{image}<div>{words}</div></div>'
