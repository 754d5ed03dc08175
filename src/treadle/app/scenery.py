"""Which of a machine's surroundings are seen."""

from __future__ import annotations

import viser

from treadle.app.scene import Scene

__all__ = ["add_scenery_folder"]


def add_scenery_folder(gui: viser.GuiApi, scene: Scene) -> dict[str, viser.GuiCheckboxHandle]:
    """A checkbox for every component of the surroundings, if there are any."""
    boxes: dict[str, viser.GuiCheckboxHandle] = {}
    if not scene.scenery:
        return boxes
    with gui.add_folder("Surroundings", expand_by_default=False):
        for name, node in scene.scenery.items():
            box = boxes[name] = gui.add_checkbox(name.replace("_", " "), True, hint=f"Show {name}")
            box.on_update(lambda _, box=box, node=node: setattr(node, "visible", box.value))
    return boxes
