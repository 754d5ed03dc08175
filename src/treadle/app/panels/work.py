"""Work on material while the machine runs: the surface as it is now, and the numbers of the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from treadle.app.html import rows_html
from treadle.app.panels.panel import Panel
from treadle.process.process import Process
from treadle.process.rock_face import RockFace
from treadle.sim.simulation import Simulation

if TYPE_CHECKING:
    from treadle.app.stage import Stage

__all__ = ["WorkPanel", "face_mesh"]

#: Points of a face along its longer side, at most: a page is sent all of them when it changes.
_POINTS = 120

#: Colours of the face, fresh and where it was cut.
_ROCK, _CUT = (128, 120, 112), (92, 74, 58)

#: What is plotted from the start, where a process has it.
_PLOTTED = ("power", "specific energy")


@runtime_checkable
class _Faced(Protocol):
    face: RockFace


class WorkPanel(Panel):
    """The numbers of every process, plots of its power and specific energy, and its face in the picture."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._texts = {name: stage.server.gui.add_html("") for name in stage.sim.processes}
        self._nodes: dict[str, Any] = {}
        self._drawn: dict[str, np.ndarray] = {}
        for name, process in stage.sim.processes.items():
            units = {what: unit for what, (_, unit) in process.quantities().items()}
            for what in _PLOTTED:
                if what in units:
                    stage.plots.plot_function(f"{what} [{units[what]}]", _Quantity(name, what))
        self.numbers(stage.sim)

    def numbers(self, sim: Simulation) -> None:
        """Show the numbers, and the face where it changed."""
        for name, process in sim.processes.items():
            if name in self._texts:
                self._texts[name].content = rows_html(_rows(process.quantities()), (name, "", ""))
            self._show(name, process)

    def _show(self, name: str, process: Process) -> None:
        if not isinstance(process, _Faced):
            return
        face = process.face
        if name in self._drawn and np.array_equal(self._drawn[name], face.heights):
            return
        self._drawn[name] = face.heights.copy()
        points, triangles, colors = face_mesh(face)
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


def face_mesh(face: RockFace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, 3) in the world, triangles (m, 3) that face out of the rock, and colours (n, 4)."""
    stride = max(1, -(-max(face.heights.shape) // _POINTS))
    points = face.points()[::stride, ::stride]
    rows, columns = points.shape[:2]
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.column_stack([corner, corner + 1, corner + columns + 1])
    second = np.column_stack([corner, corner + columns + 1, corner + columns])
    depth = (face.fresh - face.heights)[::stride, ::stride].ravel()
    share = np.clip(depth / max(float(depth.max()), 0.2), 0.0, 1.0)[:, None]
    cut = np.where(depth[:, None] > 1e-4, np.array(_CUT) * (1.0 - 0.45 * share), np.array(_ROCK))
    colors = np.column_stack([cut, np.full(len(depth), 255.0)]).astype(np.uint8)
    return points.reshape(-1, 3).astype(np.float32), np.vstack([first, second]), colors


def _rows(quantities: Mapping[str, tuple[float, str]]) -> list[tuple[str, str, str]]:
    return [(name, f"{value:.4g}", "" if unit == "1" else unit) for name, (value, unit) in quantities.items()]
