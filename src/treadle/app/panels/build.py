"""Putting parts into the machine while it runs, and taking them out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.app.additions import ADDED, Ends, add_part, removable, remove_part
from treadle.app.html import note_html
from treadle.app.panels.panel import Panel, put
from treadle.model.describe import describe
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["BuildPanel"]

#: The word for the world.
_WORLD = "the world"


class BuildPanel(Panel):
    """Adds rods, ropes, springs, loops and bodies between points of bodies, and removes parts."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        spec = describe(stage.sim.model)
        bodies = tuple(body.name for body in spec.bodies)
        with gui.add_folder("Add a part", expand_by_default=False):
            self.kind = gui.add_dropdown("part", tuple(ADDED), hint="What is added")
            self.first = gui.add_dropdown("from", (_WORLD, *bodies), hint="The body that it begins on")
            self.first_point = gui.add_vector3(
                "from point (m)", (0.0, 0.0, 0.0), step=0.01, hint="In m in the axes of the first body"
            )
            self.second = gui.add_dropdown(
                "to", (_WORLD, *bodies), initial_value=bodies[-1], hint="The body that it ends on"
            )
            self.second_point = gui.add_vector3(
                "to point (m)", (0.0, 0.0, 0.0), step=0.01, hint="In m in the axes of the second body"
            )
            self.meaning = gui.add_html(note_html(ADDED["spring"]))
            self.number = gui.add_number("number", 0.0, hint="What it means is said above it")
            self.add = gui.add_button("Add it", hint="Put it into the machine where it is now; can be undone")
        with gui.add_folder("Remove a part", expand_by_default=False):
            self.part: Any = gui.add_dropdown("what", tuple(removable(spec)), hint="What is removed")
            self.remove = gui.add_button(
                "Remove it", color="gray", hint="Take it out; a joint leaves its body free; can be undone"
            )
        self._connect()
        stage.selection.changed.append(self._selected)

    def build(self, kind: str, ends: Ends, number: float = 0.0) -> None:
        """Add a part; the run waits for it, since a loop has to close where the machine is."""
        self.stage.edit.begin()

        def edit(sim: Simulation) -> str:
            def pose(link: str | None) -> np.ndarray:
                return np.eye(4) if link is None else np.array(sim.body(link).pose)

            with sim.edit() as spec:
                name = add_part(spec, kind, ends, number, pose)
            if kind == "motion":
                sim.actuator(name).command = number
                return f"added {name}: the joint of {ends.second} moves at {number:g}"
            return f"added {name} from {ends.first or _WORLD} to {ends.second or _WORLD}"

        self.stage.edit.make(edit)

    def take_out(self, kind: str, name: str) -> None:
        """Remove a part."""
        self.stage.edit.begin()

        def edit(sim: Simulation) -> str:
            with sim.edit() as spec:
                remove_part(spec, kind, name)
            return f"removed {kind} {name}"

        self.stage.edit.make(edit)

    def _selected(self, body: str | None) -> None:
        # the one that was chosen before is the other end
        if body in self.second.options and body != self.second.value:
            put(self.first, self.second.value)
            put(self.first_point, self.second_point.value)
            put(self.second, body)
        if body in self.second.options:
            put(self.second_point, self.stage.selection.place)

    def _connect(self) -> None:
        def add(_: Any) -> None:
            points = [tuple(float(x) for x in field.value) for field in (self.first_point, self.second_point)]
            ends = Ends(_link(self.first.value), _link(self.second.value), *points)
            self.build(self.kind.value, ends, float(self.number.value))

        def remove(_: Any) -> None:
            kind, _, name = str(self.part.value).partition(" ")
            self.take_out(kind, name)

        self.kind.on_update(lambda _: setattr(self.meaning, "content", note_html(ADDED[self.kind.value])))
        self.add.on_click(add)
        self.remove.on_click(remove)


def _link(name: str) -> str | None:
    return None if name == _WORLD else name
