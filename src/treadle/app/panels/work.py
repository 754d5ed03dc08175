"""Work on material while the machine runs: the surface as it is now, and the numbers of the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from treadle.app.depth_colors import depth_colors, legend_html, scale_of
from treadle.app.html import rows_html
from treadle.app.panels.panel import Panel
from treadle.app.panels.tool_path import PathPanel
from treadle.process.process import Process
from treadle.process.rock_face import RockFace
from treadle.process.worked_surface import WorkedSurface
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["WorkPanel", "face_mesh"]

#: Points of a face along its longer side, at most: a page is sent all of them when it changes.
_POINTS = 120

#: Colours of rock, and of other workpieces.
_ROCK, _METAL = (128, 120, 112), (176, 180, 188)

#: What is plotted from the start, where a process has it.
_PLOTTED = ("normal force", "power", "specific energy")


@runtime_checkable
class _Faced(Protocol):
    face: WorkedSurface


class WorkPanel(Panel):
    """The numbers of every process, plots of its force and power, and its surface in the picture.

    The removed depth is shown as colours, with a legend; tool paths are drawn and edited (`PathPanel`).
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        gui = stage.server.gui
        self._texts = {name: gui.add_html("") for name in stage.sim.processes}
        self._legends = {
            name: gui.add_html("") for name, x in stage.sim.processes.items() if isinstance(x, _Faced)
        }
        self.colored = gui.add_checkbox(
            "Colour the removed depth", True, visible=bool(self._legends), hint="Or the bare material"
        )
        self.colored.on_update(lambda _: self._drawn.clear())
        self._nodes: dict[str, Any] = {}
        self._drawn: dict[str, np.ndarray] = {}
        #: the tool paths, by process
        self.paths = {
            name: PathPanel(stage, name)
            for name, process in stage.sim.processes.items()
            if getattr(process, "plan", None) is not None
        }
        for name, process in stage.sim.processes.items():
            units = {what: unit for what, (_, unit) in process.quantities().items()}
            for what in _PLOTTED:
                if what in units:
                    stage.plots.plot_function(f"{what} [{units[what]}]", _Quantity(name, what))
        self.numbers(stage.sim)

    def numbers(self, sim: Simulation) -> None:
        """Show the numbers, and the surface where it changed."""
        for name, process in sim.processes.items():
            if name in self._texts:
                self._texts[name].content = rows_html(_rows(process.quantities()), (name, "", ""))
            self._show(name, process)

    def edited(self, sim: Simulation) -> None:
        """Show the tool paths as they are now."""
        for panel in self.paths.values():
            panel.edited(sim)

    def _show(self, name: str, process: Process) -> None:
        if not isinstance(process, _Faced):
            return
        face = process.face
        if name in self._drawn and np.array_equal(self._drawn[name], face.heights):
            return
        self._drawn[name] = face.heights.copy()
        scale = scale_of(face.depth)
        points, triangles, colors = face_mesh(face, scale if self.colored.value else np.inf)
        self._legends[name].content = legend_html(_material(face), scale) if self.colored.value else ""
        # colours of a mesh cannot be changed in place
        node = f"{self.stage.scene.under}/scenery/{name} face"
        import trimesh

        mesh = trimesh.Trimesh(points, triangles, vertex_colors=colors, process=False)
        self._nodes[name] = self.stage.server.scene.add_mesh_trimesh(node, mesh)


class _Quantity:
    """A number of a process, of whatever simulation is shown."""

    def __init__(self, process: str, name: str) -> None:
        self._process, self._name = process, name

    def __call__(self, sim: Simulation) -> float:
        return sim.processes[self._process].quantities()[self._name][0]


def face_mesh(face: WorkedSurface, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, 3) in the world, triangles (m, 3) that face out of the material, and colours (n, 4).

    Colours show the removed depth on a scale up to so many metres.
    """
    stride = max(1, -(-max(face.heights.shape) // _POINTS))
    points = face.points()[::stride, ::stride]
    rows, columns = points.shape[:2]
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.column_stack([corner, corner + 1, corner + columns + 1])
    second = np.column_stack([corner, corner + columns + 1, corner + columns])
    colors = depth_colors(face.depth[::stride, ::stride].ravel(), _material(face), scale)
    return points.reshape(-1, 3).astype(np.float32), np.vstack([first, second]), colors


def _material(face: WorkedSurface) -> tuple[int, int, int]:
    return _ROCK if isinstance(face, RockFace) else _METAL


def _rows(quantities: Mapping[str, tuple[float, str]]) -> list[tuple[str, str, str]]:
    return [(name, f"{value:.4g}", "" if unit == "1" else unit) for name, (value, unit) in quantities.items()]
