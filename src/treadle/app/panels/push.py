"""Pushing and pulling: the mouse, and forces, torques and pulls that stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import viser

from treadle.app.arrows import LoadArrow
from treadle.app.grabs import Grabs
from treadle.app.html import note_html, rows_html
from treadle.app.loads import COURSES, Load, Loads, Spring, newtons
from treadle.app.panels.panel import Panel, put
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["PushPanel"]

#: What can be put on a body, with units and what its numbers mean.
_KINDS = {
    "force": ("force (N)", "Force in N; the handle at its tip changes it, too"),
    "torque": ("torque (N m)", "Torque in N m; the handle at its tip changes it, too"),
    "pull": ("place (m)", "Place in the world in m that the point is pulled to; move the ball to change it"),
}

#: What a new force is, as a share of the machine's weight.
_SHARE = 0.1

#: How many loads there may be.
_MOST = 32


class PushPanel(Panel):
    """The loads that people put on the machine."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui, model = stage.server.gui, stage.sim.model
        mass = sum(float(link.mass) for link in model.links)  # type: ignore[arg-type]
        self._weight = max(mass, 1e-3) * (float(np.linalg.norm(model.gravity)) or 9.81)
        self.loads = Loads(stage.sim)
        self.grabs = Grabs(stage, self.loads)
        bodies = tuple(stage.scene.nodes) or ("",)
        with gui.add_folder("By mouse"):
            text = "Hold Ctrl and drag a body: a spring pulls it; with Shift, too, it is turned."
            gui.add_html(note_html(f"{text} While paused it is moved."))
            self.plain = gui.add_checkbox(
                "without Ctrl", False, hint="Drag bodies with the mouse or a finger alone; empty space turns"
            )
            # twice its weight lifts any machine; of such a number one digit is enough
            most = float(f"{2.0 * self._weight:.0e}")
            self.limit = gui.add_number(
                "strongest pull (N)", most, min=0.0, hint="Largest force of a pull in N; 0: no limit"
            )
            self.grabs.limit = most
            self.stiffness = gui.add_number(
                "stiffness (N/m)", 0.0, min=0.0, hint="Of the spring in N/m; 0: one that suits the body"
            )
            self.pulls = gui.add_html("")
        with gui.add_folder("Add a load"):
            self.body = gui.add_dropdown("body", bodies, hint="The body that it acts on")
            self.kind = gui.add_dropdown("kind", tuple(_KINDS), hint="What is put on the body")
            self.point = gui.add_vector3(
                "point (m)", (0.0, 0.0, 0.0), step=0.01, hint="Where it acts, in m in the axes of the body"
            )
            self.axes = gui.add_dropdown("axes", ("world", "body"), hint="Axes it keeps its direction in")
            self.course = gui.add_dropdown(
                "course", COURSES, hint="At once, growing, once for a while, or on and off"
            )
            self.seconds = gui.add_number(
                "seconds", 1.0, min=1e-3, hint="How long a ramp grows, or a pulse lasts, in s"
            )
            self.add = gui.add_button("Add", hint="Put it on the body, with an arrow to be changed")
        self._folder = gui.add_folder("Loads", visible=False)
        #: what was added, by name: its load, arrow, field and folder
        self.items: dict[str, tuple[Load | Spring, LoadArrow, Any, viser.GuiFolderHandle]] = {}
        self._count = 0
        self._connect()
        stage.selection.changed.append(self._selected)

    def frame(self, sim: Simulation) -> None:
        """Put the loads on the bodies, and draw them."""
        self.loads.apply(sim, self.stage.scene.pose)
        self.grabs.frame(sim)
        for _, arrow, _, _ in tuple(self.items.values()):
            arrow.frame()

    def numbers(self, sim: Simulation) -> None:
        """The forces of the pulls."""
        rows = [(body, newtons(force)) for body, force in self.grabs.forces.items()]
        self.pulls.content = rows_html(rows, ("pulled", "force")) if rows else ""

    def settle(self, sim: Simulation) -> None:
        """After the state was set from elsewhere."""
        self.loads.settle(sim)

    def edited(self, sim: Simulation) -> None:
        """Another machine is moved by hand in another way."""
        self.grabs.forget()
        self.loads.edited(sim)

    def close(self) -> None:
        """Let go of everything."""
        self.grabs.close()

    def _selected(self, body: str | None) -> None:
        if body in self.stage.scene.nodes:
            put(self.body, body)
            put(self.point, self.stage.selection.place)

    def put_on(
        self,
        body: str,
        kind: str,
        point: tuple[float, ...],
        axes: str = "world",
        course: tuple[str, float] = ("constant", 1.0),
    ) -> str:
        """Put a new load on a body, up to now a tenth of the machine's weight; its name."""
        if len(self.items) >= _MOST:
            self.stage.complain(f"there are {_MOST} loads already; remove some before you add more")
            return ""
        self._count += 1
        name, size = f"{kind} {self._count}", _SHARE * self._weight
        scene = self.stage.scene
        load: Load | Spring
        if kind == "pull":
            place = (scene.pose(body) @ np.array([*point, 1.0]))[:3]
            load = Spring.on(self.stage.sim.model, body, tuple(point), tuple(place.tolist()))
            self.loads.springs[name] = load
        else:
            load = Load(body, kind, (0.0, 0.0, size), tuple(point), axes, *course)
            self.loads.loads[name] = load
        arrow = LoadArrow(self.stage.server, scene, name, load, self._weight, lambda: self._changed(name))
        self._add_fields(name, kind, load, arrow)
        self.stage.commands.do(lambda sim: None)
        return name

    def remove(self, name: str) -> None:
        """Take a load away."""
        item = self.items.pop(name, None)
        if item is not None:
            self.loads.loads.pop(name, None)
            self.loads.springs.pop(name, None)
            item[1].remove()
            item[3].remove()
            self._folder.visible = bool(self.items)
            self.stage.commands.do(lambda sim: None)

    def _add_fields(self, name: str, kind: str, load: Load | Spring, arrow: LoadArrow) -> None:
        gui = self.stage.server.gui
        label, hint = _KINDS[kind]
        with self._folder, gui.add_folder(f"{name} on {load.body}") as folder:
            field = gui.add_vector3(label, _numbers(load), hint=hint)
            button = gui.add_button("Remove", color="gray", hint="Take it off the body")
        self._folder.visible = True
        field.on_update(lambda _: _set(load, tuple(float(x) for x in field.value)))
        button.on_click(lambda _: self.remove(name))
        self.items[name] = (load, arrow, field, folder)
        self.stage.introduce()

    def _changed(self, name: str) -> None:
        item = self.items.get(name)
        if item is not None:
            put(item[2], tuple(round(x, 4) for x in _numbers(item[0])))

    def _connect(self) -> None:
        def add(_: Any) -> None:
            course = str(self.course.value), float(self.seconds.value)
            self.put_on(self.body.value, self.kind.value, tuple(self.point.value), self.axes.value, course)

        self.add.on_click(add)
        self.plain.on_update(lambda _: self.grabs.without_key(self.plain.value))
        self.limit.on_update(lambda _: setattr(self.grabs, "limit", float(self.limit.value) or float("inf")))
        self.stiffness.on_update(lambda _: setattr(self.grabs, "stiffness", float(self.stiffness.value)))


def _numbers(load: Load | Spring) -> tuple[float, float, float]:
    """What a field shows of a load."""
    x, y, z = load.target if isinstance(load, Spring) else load.vector
    return float(x), float(y), float(z)


def _set(load: Load | Spring, numbers: tuple[float, ...]) -> None:
    if isinstance(load, Spring):
        load.target = numbers
    else:
        load.vector = numbers
