"""The fluid around the machine while it runs, and what is drawn of forces."""

from __future__ import annotations

import threading
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

from treadle.app.changes import Machine
from treadle.app.html import note_html
from treadle.app.panels.panel import Panel, put
from treadle.app.precompile import compile_step, knows, twin
from treadle.app.surroundings import Surroundings, is_tie
from treadle.errors import TreadleError
from treadle.model.describe import describe
from treadle.model.hydrodynamics import Fluid, the_fluid
from treadle.model.model import Model
from treadle.model.spec import ModelSpec
from treadle.sim.edit import adopt, edited
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["FluidPanel", "has_forces"]

#: Seconds to wait for the loop to take a new fluid.
_PATIENCE = 5.0

#: Sliders: field of the fluid, place in it, lowest, highest, step, unit.
_SLIDERS: dict[str, tuple[str, int | None, float, float, float, str]] = {
    "density": ("density", None, 0.0, 1500.0, 5.0, "kg/m3"),
    "viscosity": ("viscosity", None, 0.0, 2.0, 0.01, "Pa s"),
    "current x": ("current", 0, -3.0, 3.0, 0.05, "m/s"),
    "current y": ("current", 1, -3.0, 3.0, 0.05, "m/s"),
    "current z": ("current", 2, -3.0, 3.0, 0.05, "m/s"),
    "surface": ("surface", None, -10.0, 10.0, 0.05, "m"),
    "wave height": ("waves", None, 0.0, 3.0, 0.05, "times"),
}


def has_forces(model: Model) -> bool:
    """Whether a machine has anything that this panel shows."""
    return bool(model.elements or model.tendons) or any(map(is_tie, model.loops))


class FluidPanel(Panel):
    """Sliders of the fluid, and checkboxes of what is drawn."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        self.drawn = Surroundings(stage.server, stage.scene, stage.sim.model)
        self.sliders: dict[str, Any] = {}
        self._original = the_fluid(stage.sim.model)
        self._wanted: Fluid | None = None
        self._busy = threading.Lock()
        if self._original is not None:
            gui.add_html(note_html("The machine goes on in the fluid that the sliders make."))
            for name, (low, high, step, unit, value) in self._ranges(self._original).items():
                slider = gui.add_slider(name, low, high, step, value, hint=f"{name} of the fluid ({unit})")
                slider.on_update(lambda _: self.change(self._stated()))
                self.sliders[name] = slider
        with gui.add_folder("Draw"):
            self.boxes = {
                name: gui.add_checkbox(name, shown, hint=f"Draw {name}")
                for name, shown in self.drawn.shown.items()
            }
        for name, box in self.boxes.items():
            box.on_update(lambda _, name=name, box=box: self.drawn.shown.update({name: box.value}))

    def frame(self, sim: Simulation) -> None:
        """Springs and tendons move with the bodies."""
        self.drawn.frame(sim, self.stage.run.shown(sim))

    def numbers(self, sim: Simulation) -> None:
        """Waves, current and forces."""
        self.drawn.draw(sim, self.stage.run.shown(sim))

    def edited(self, sim: Simulation) -> None:
        """Show the fluid as it is now."""
        fluid = the_fluid(sim.model)
        if fluid is not None and self._wanted is None:
            for name, (_, _, _, _, value) in self._ranges(fluid).items():
                if name in self.sliders and name != "wave height":
                    put(self.sliders[name], value)

    def change(self, fluid: Fluid) -> None:
        """Put the machine into another fluid; while one is compiled, only the last of the others is kept."""
        self._wanted = fluid
        if not self._busy.acquire(blocking=False):
            return
        try:
            while self._wanted is not None:
                wanted, self._wanted = self._wanted, None
                self._adopt(wanted)
        finally:
            self._busy.release()

    def _adopt(self, fluid: Fluid) -> None:
        """Compile the machine in its new fluid aside, and hand it to the loop."""
        stage = self.stage
        stage.forgive()
        before = stage.sim.model
        try:
            model = _in_fluid(before, fluid)
            if knows(stage.sim):
                compile_step(twin(stage.sim, model), stage.sim.stepper.bounded, bool(stage.sim.loads.any()))
        except TreadleError as error:
            stage.complain(error)
            return

        def edit(sim: Simulation) -> None:
            last = Machine.of(sim)
            adopt(sim, model if sim.model is before else _in_fluid(sim.model, fluid))
            stage.changes.note(last, "another fluid")
            stage.edited(sim)

        done = stage.commands.send(edit)
        if done is not None:
            # what comes next starts from this machine; a page that is closed meanwhile runs nothing any more
            wait([done], timeout=_PATIENCE)

    def _ranges(self, fluid: Fluid) -> dict[str, tuple[float, float, float, str, float]]:
        """Lowest, highest, step, unit and value of the sliders that this fluid has."""
        found = {}
        for name, (field, place, low, high, step, unit) in _SLIDERS.items():
            value: Any = getattr(fluid, field)
            if field == "waves":
                value = 1.0 if value else None
            elif place is not None:
                value = value[place]
            if isinstance(value, (int, float)):
                found[name] = (min(low, value), max(high, value), step, unit, float(value))
        return found

    def _stated(self) -> Fluid:
        """The fluid that the sliders state; what has none stays as it is."""
        now = the_fluid(self.stage.sim.model)
        assert now is not None and self._original is not None
        values: dict[str, Any] = now.to_dict()
        for name, slider in self.sliders.items():
            field, place, *_ = _SLIDERS[name]
            if field == "waves":
                height = float(slider.value)
                values["waves"] = [(height * a, *rest) for a, *rest in self._original.waves]
            elif place is None:
                values[field] = float(slider.value)
            else:
                values[field][place] = float(slider.value)
        return Fluid.of(values)


def _in_fluid(model: Model, fluid: Fluid) -> Model:
    spec: ModelSpec = describe(model)
    fluid.surround(spec)
    return edited(spec)
