"""The path of a tool: drawn over the workpiece, edited by fields or by dragging its points, and tuned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from treadle.app.html import message_html, note_html, success_html
from treadle.app.panels.panel import Panel, put
from treadle.errors import InputError, TreadleError
from treadle.model.describe import describe
from treadle.model.model import Model
from treadle.model.values import plain_json
from treadle.planning.tool_plan import planned_routine, tuned_plan
from treadle.process.grinding_tool import GrindingTool
from treadle.process.path_plan import PATTERNS, PathPlan
from treadle.sim.edit import adopt, edited
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["PathPanel", "with_plan"]

#: Colours of the path and of its points, and how high (m) above the surface the path is drawn.
_LINE, _POINT, _ABOVE = (20, 90, 200), (240, 150, 20), 6e-4

#: Fields in mm or mm/s: the names of the plan's numbers, and what they are.
_MILLIMETRES = {
    "offset": ("offset (mm)", "along the normals; negative into the material"),
    "feed": ("feed (mm/s)", "speed of the tool along the path"),
    "spacing": ("spacing (mm)", "distance of the path's points"),
    "pitch": ("pitch (mm)", "distance of curves side by side, or of a spiral's turns"),
}


class PathPanel(Panel):
    """Fields of the plan of a tool path, and the path in the picture."""

    def __init__(self, stage: Stage, process: str) -> None:
        super().__init__(stage)
        self._process = process
        gui, plan = stage.server.gui, self._tool().plan
        assert plan is not None
        self._offset: float | tuple[float, ...] = plan.offset
        self._folder = gui.add_folder("Tool path")
        with self._folder:
            gui.add_html(note_html("Change the numbers or drag the points; Apply makes the machine follow."))
            self.pattern = gui.add_dropdown(
                "pattern", PATTERNS, initial_value=plan.pattern, hint="What the points make"
            )
            self.points = gui.add_text("points (mm)", "", hint="x, y; x, y; ... in the world")
            self.count = gui.add_number("curves, turns", plan.count, min=1, max=200, step=1, hint="How many")
            self.numbers_mm = {
                name: gui.add_number(label, 0.0, step=0.001, hint=hint)
                for name, (label, hint) in _MILLIMETRES.items()
            }
            self.lead = gui.add_text("lead (mm)", "", hint="length and height of the way in and out")
            self.dragging = gui.add_checkbox(
                "Drag the points", False, hint="Handles at the points of the plan"
            )
            self.apply = gui.add_button("Apply the path", hint="Have the routine follow it")
            self.force = gui.add_number("force (N)", 5.0, min=0.01, step=0.1, hint="To tune the path to")
            self.tune = gui.add_button(
                "Tune to the force", hint="Find the offsets at which the force is this one all along the path"
            )
            self.outcome = gui.add_html("", visible=False)
        self._line: Any = None
        self._handles: list[Any] = []
        self._fill(plan)
        self._draw()
        self._connect()

    def stated(self) -> PathPlan:
        """The plan that the fields state; InputError where they make none."""
        numbers = {name: 1e-3 * float(field.value) for name, field in self.numbers_mm.items()}
        # tuned offsets are many: the field shows their mean, and keeps them as long as it is not changed
        if isinstance(self._offset, tuple) and abs(numbers["offset"] - float(np.mean(self._offset))) < 1e-6:
            offset: Any = self._offset
        else:
            offset = numbers["offset"]
        return PathPlan(
            points=_pairs(self.points.value),
            pattern=self.pattern.value,
            count=int(self.count.value),
            lead=cast(tuple[float, float], _pairs(self.lead.value)[0]),
            **(numbers | {"offset": offset}),
        )

    def preview(self) -> None:
        """Draw the path that the fields state, or say what is wrong."""
        try:
            self._draw()
        except TreadleError as error:
            self._say(error)
            return
        self.outcome.visible = False

    def change(self, plan: PathPlan, text: str) -> None:
        """Have the machine follow a plan: it is planned aside, and the change can be undone."""
        stage, before = self.stage, self.stage.sim.model
        model = with_plan(before, self._process, self._tool(), plan)

        def edit(sim: Simulation) -> str:
            if sim.model is not before:
                raise InputError("the machine was changed meanwhile: apply the path again")
            adopt(sim, model)
            return text

        stage.edit.begin()
        stage.edit.make(edit)

    def edited(self, sim: Simulation) -> None:
        """Show the path that the machine has now."""
        plan = self._tool().plan
        if plan is not None:
            self._offset = plan.offset
            self._fill(plan)
            self._draw()

    def _tool(self) -> GrindingTool:
        return cast(GrindingTool, self.stage.sim.processes[self._process])

    def _fill(self, plan: PathPlan) -> None:
        put(self.pattern, plan.pattern)
        put(self.points, "; ".join(f"{1e3 * x:.4g}, {1e3 * y:.4g}" for x, y in plan.points))
        put(self.count, plan.count)
        for name, field in self.numbers_mm.items():
            put(field, round(1e3 * float(np.mean(getattr(plan, name))), 4))
        put(self.lead, ", ".join(f"{1e3 * x:.4g}" for x in plan.lead))

    def _draw(self) -> None:
        """The path as a line a little above the surface, and its points."""
        plan, tool = self.stated(), self._tool()
        path = plan.on(tool.face.surface)
        if plan.lead[0] > 0.0:
            path = path.with_leads(*plan.lead)
        bumps = tool.face.heights - tool.face.surface.heights
        way = path.offset(_ABOVE + float(bumps.max())).points
        segments = np.stack([way[:-1], way[1:]], axis=1)
        server, under = self.stage.server, self.stage.scene.under
        if self._line is not None:
            self._line.remove()
        self._line = server.scene.add_line_segments(
            f"{under}/overlay/tool path", segments, colors=_LINE, thickness=3.0, thickness_units="screen"
        )
        self._show_handles(plan)

    def _show_handles(self, plan: PathPlan) -> None:
        wanted = len(plan.points) if self.dragging.value else 0
        surface = self._tool().face.surface
        places = [surface.point(x, y) for x, y in plan.points[:wanted]]
        if len(self._handles) != wanted:
            for handle in self._handles:
                handle.remove()
            self._handles = [self._handle(number, place) for number, place in enumerate(places)]
        for handle, place in zip(self._handles, places, strict=True):
            handle.position = place

    def _handle(self, number: int, place: np.ndarray) -> Any:
        handle = self.stage.server.scene.add_transform_controls(
            f"{self.stage.scene.under}/overlay/path point {number}",
            scale=0.02,
            active_axes=(True, True, False),
            disable_rotations=True,
            position=tuple(place),
        )
        handle.on_update(lambda _: self.drag(number, tuple(handle.position[:2])))
        return handle

    def drag(self, number: int, place: tuple[float, float]) -> None:
        """Move a point of the plan; the path is drawn where it leads to."""
        points = list(_pairs(self.points.value))
        if number < len(points):
            points[number] = float(place[0]), float(place[1])
            put(self.points, "; ".join(f"{1e3 * x:.4g}, {1e3 * y:.4g}" for x, y in points))
            self.preview()

    def _connect(self) -> None:
        fields = (self.pattern, self.points, self.count, self.lead, self.dragging, *self.numbers_mm.values())
        for field in fields:
            field.on_update(lambda _: self.preview())
        self.apply.on_click(lambda _: self._attempt(self._apply))
        self.tune.on_click(lambda _: self._attempt(self._tune))

    def _apply(self) -> None:
        plan = self.stated()
        self.change(plan, f"tool path: {plan.pattern}, feed {1e3 * plan.feed:g} mm/s")
        self._say(None, "The routine follows the path: play it.")

    def _tune(self) -> None:
        force = float(self.force.value)
        plan, tuned = tuned_plan(self.stage.sim.model, self._tool(), self.stated(), force)
        last = tuned.steps[-1]
        self.change(plan, f"tool path: tuned to {force:g} N")
        self._say(
            None,
            f"{tuned.iterations} iterations: {100 * last.mean:.2g} % off {force:g} N in the mean, "
            f"{100 * last.largest:.2g} % at most. Play the routine.",
        )

    def _attempt(self, action: Any) -> None:
        try:
            action()
        except TreadleError as error:
            self._say(error)

    def _say(self, error: TreadleError | None, text: str = "") -> None:
        self.outcome.content = message_html(error) if error is not None else success_html(text)
        self.outcome.visible = True


def with_plan(model: Model, process: str, tool: GrindingTool, plan: PathPlan) -> Model:
    """The machine with another tool path, and the routine that follows it."""
    spec = describe(model)
    settings: dict[str, Any] = plain_json(spec.settings)
    settings["processes"][process]["path"] = plan.to_dict()
    settings["routine"] = planned_routine(model, tool, plan)
    spec.settings = settings
    return edited(spec)


def _pairs(text: str) -> tuple[tuple[float, float], ...]:
    """Pairs of numbers in m from a text in mm: "x, y; x, y"."""
    try:
        pairs = tuple(tuple(1e-3 * float(x) for x in part.split(",")) for part in text.strip(" ;").split(";"))
    except ValueError:
        raise InputError(f"{text[:40]!r} should be pairs of numbers in mm: x, y; x, y") from None
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(f"{text[:40]!r} should be pairs of numbers in mm: x, y; x, y")
    return cast(tuple[tuple[float, float], ...], pairs)
