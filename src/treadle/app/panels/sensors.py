"""What the sensors of a machine show: readouts, plots, pictures, and drawings over the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.app.html import plain, rows_html
from treadle.app.panels.panel import Panel
from treadle.app.sensor_drawings import SensorDrawing
from treadle.app.sensor_images import camera_image
from treadle.errors import TreadleError
from treadle.sensors import sensor_type
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["SensorsPanel"]

#: Components of a sensor that are read out; sensors with more are summed up.
_MOST = 16


class SensorsPanel(Panel):
    """A table of readings; choose a sensor to plot it, to draw what it sees or to see its picture."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        names = tuple(sensor.name for sensor in stage.sim.model.sensors)
        self.chosen = gui.add_dropdown("sensor", names, hint="The sensor to read, plot and draw")
        self.plot = gui.add_button("Plot", hint="Plot the numbers of the sensor over time")
        self.draw = gui.add_checkbox(
            "draw", False, hint="Draw its axes, beams, points, or lines to satellites (red: hidden)"
        )
        self.reading = gui.add_html("")
        self.picture: Any = None
        self.drawings: dict[str, SensorDrawing] = {}
        self._connect()

    def numbers(self, sim: Simulation) -> None:
        """Read the chosen sensor, and draw those that are drawn."""
        if self.chosen.value not in {sensor.name for sensor in sim.model.sensors}:
            return
        sensor = sim.model.sensor(self.chosen.value)
        handle = sim.sensor(sensor.name)
        values = np.atleast_1d(handle.value)
        self.reading.content = rows_html(
            _rows(handle.components, handle.units, values), ("", "value", "unit")
        )
        self._show_picture(sensor, values)
        for drawing in tuple(self.drawings.values()):
            drawing.show(sim, self.stage.run.shown(sim))

    def edited(self, sim: Simulation) -> None:
        """After the machine was changed: its sensors may be others."""
        for drawing in self.drawings.values():
            drawing.remove()
        self.drawings.clear()
        self.chosen.options = tuple(sensor.name for sensor in sim.model.sensors)
        self.draw.value = False

    def show(self, name: str, drawn: bool = True) -> None:
        """Draw a sensor, or take its drawing away."""
        if not drawn:
            if name in self.drawings:
                self.drawings.pop(name).remove()
        elif name not in self.drawings:
            stage = self.stage
            self.drawings[name] = SensorDrawing(stage.server, stage.scene, stage.sim, name)

    def _show_picture(self, sensor: Any, values: np.ndarray) -> None:
        """The picture of a camera below its numbers."""
        if self.picture is not None:
            self.picture.visible = sensor.type == "camera"
        if sensor.type != "camera":
            return
        image = camera_image(sensor.parameters, values)
        if self.picture is None:
            self.picture = self.stage.server.gui.add_image(image, label="picture", format="png")
        else:
            self.picture.image = image

    def _connect(self) -> None:
        def plot(_: Any) -> None:
            self.stage.forgive()
            try:
                self.stage.plots.plot(f"sensor.{self.chosen.value}.value")
            except TreadleError as error:
                self.stage.complain(error)

        def draw(_: Any) -> None:
            name, drawn = self.chosen.value, self.draw.value
            sensor = self.stage.sim.model.sensor(name)
            placed = sensor_type(sensor.type).mount == "frame" or sensor.parameters.get("zone") is not None
            if drawn and not placed:
                self.stage.complain(f"sensor {name!r} is on no link: there is nothing to draw")
                return
            self.stage.commands.do(lambda sim: self.show(name, drawn))

        def chosen(_: Any) -> None:
            self.draw.value = self.chosen.value in self.drawings

        self.plot.on_click(plot)
        self.draw.on_update(draw)
        self.chosen.on_update(chosen)


def _rows(components: Any, units: Any, values: np.ndarray) -> list[tuple[str, str, str]]:
    if len(values) <= _MOST:
        return [(c, _number(x, u), u) for c, x, u in zip(components, values.tolist(), units, strict=True)]
    seen = values[np.isfinite(values)]
    ends = [("least", seen.min()), ("mean", seen.mean()), ("most", seen.max())] if len(seen) else []
    shown = [(name, plain(float(x)), units[0]) for name, x in ends]
    return [("components", str(len(values)), ""), ("finite", str(len(seen)), ""), *shown]


def _number(value: float, unit: str) -> str:
    if not np.isfinite(value):
        return str(value)
    if unit == "deg":
        # of latitude, a centimetre on the ground
        return f"{value:.7f}"
    return f"{value:.3e}" if 0.0 < abs(value) < 1e-3 else plain(value)
