"""A grinding pad on a simulated machine: a process that presses on a workpiece and wears it away.

    stated = {"type": "grinding", "frame": "pad_tip", "workpiece": {...}, "pad": {...}}
    spec.settings["processes"] = {"grinding": stated}
    tool = sim.processes["grinding"]
    tool.normal_force, tool.volume, tool.face.depth

The arm's compliance is that of the machine itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treadle.dynamics.compiled import frame_jacobian, frame_pose
from treadle.errors import InputError
from treadle.geometry.files import file_inside
from treadle.model.model import Model
from treadle.process.grinding import ArmCompliance, GrindingSetup
from treadle.process.pad import Pad
from treadle.process.path_plan import PathPlan
from treadle.process.process import Worked
from treadle.process.worked_surface import WorkedSurface
from treadle.process.workpiece import workpiece as workpiece_of

__all__ = ["GrindingTool"]

#: Speed of the tip (m/s) below which the tangential force fades: it has no direction at rest.
_SLOW = 1e-4

#: In place of the arm of a setup.
_NO_ARM = ArmCompliance(1.0, 0.0, 1.0)


class GrindingTool:
    """The process at a frame whose z axis goes into the material.

    `workpiece` as in `process.workpiece`; `pad` has a law, "foundation" or "hertz", and its numbers as in
    `Pad`; `preston` (1/Pa), `speed` (m/s), `friction` and `specific_energy` as in `GrindingSetup`; `plan`, if
    there is one, is the tool path (see `PathPlan`). At the last step: `normal_force`, `tangential_force` (N),
    `pressure` (Pa, the largest) and `area` (m2); since the start `volume` (m3) removed, and `impulse` (N s),
    which times k v is the same volume.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        workpiece: WorkedSurface | Mapping[str, Any],
        pad: Pad | Mapping[str, Any],
        preston: float = 0.0,
        speed: float = 0.0,
        friction: float = 0.3,
        specific_energy: float | None = None,
        path: PathPlan | Mapping[str, Any] | None = None,
    ) -> None:
        self._model, self.frame = model, model.frame(frame).name
        self.face = workpiece if isinstance(workpiece, WorkedSurface) else _workpiece(model, workpiece)
        self.pad = pad if isinstance(pad, Pad) else _pad(pad)
        #: the process without the arm, which is the machine's own
        self.setup = GrindingSetup(self.pad, _NO_ARM, preston, speed, friction, specific_energy)
        self.plan = PathPlan.of(path) if isinstance(path, Mapping) else path
        self._X_SW = np.linalg.inv(self.face.X_WS)
        self._grid = self.face.grid
        self._pad = self.pad.coefficient, self.pad.exponent, self.pad.share, self.pad.radius, self.pad.dome
        self._forces = np.zeros(model.nv)
        # volume, impulse, normal force, tangential force, pressure, area
        self._numbers = np.zeros(6)

    @property
    def force(self) -> np.ndarray:
        """Joint forces (nv) of the pad."""
        return self._forces

    @property
    def volume(self) -> float:
        """Removed (m3)."""
        return float(self._numbers[0])

    @property
    def impulse(self) -> float:
        """Of the normal force (N s)."""
        return float(self._numbers[1])

    @property
    def normal_force(self) -> float:
        """In the last step (N)."""
        return float(self._numbers[2])

    @property
    def tangential_force(self) -> float:
        """In the last step (N)."""
        return float(self._numbers[3])

    @property
    def pressure(self) -> float:
        """The largest in the last step (Pa)."""
        return float(self._numbers[4])

    @property
    def area(self) -> float:
        """Of the contact in the last step (m2)."""
        return float(self._numbers[5])

    def work(self, sim: Worked) -> None:
        """Press, and remove what a step removes."""
        from treadle.process.pad_contact import press

        pose = frame_pose(self._model, sim.q, self.frame)
        if not np.isfinite(pose).all():
            # the step that follows reports it
            return
        local = self._X_SW @ pose
        tip, axis = np.ascontiguousarray(local[:3, 3]), np.ascontiguousarray(-local[:3, 2])
        removal = self.setup.preston * self.setup.speed * sim.dt
        force, _, area, peak = press(self.face.heights, self._grid, tip, axis, self._pad, removal)
        self._forces[:] = 0.0
        tangential = self.setup.tangential_share * force
        if force > 0.0:
            J = frame_jacobian(self._model, sim.q, self.frame)[3:]
            velocity, out = J @ sim.v, -pose[:3, 2]
            along = velocity - (velocity @ out) * out
            drag = along * (-tangential / np.hypot(np.linalg.norm(along), _SLOW))
            self._forces[:] = J.T @ (force * out + drag)
        self._numbers[:2] += removal * force, sim.dt * force
        self._numbers[2:] = force, tangential, peak, area

    def save(self) -> np.ndarray:
        """Heights and counters."""
        return np.concatenate([self.face.heights.ravel(), self._numbers, self._forces])

    def restore(self, memory: np.ndarray) -> None:
        """Go back."""
        heights, numbers = self.face.heights, self._numbers
        heights[...] = memory[: heights.size].reshape(heights.shape)
        numbers[:] = memory[heights.size : heights.size + numbers.size]
        self._forces[:] = memory[heights.size + numbers.size :]

    def quantities(self) -> dict[str, tuple[float, str]]:
        """Forces, pressure, and what was removed."""
        return {
            "normal force": (self.normal_force, "N"),
            "tangential force": (self.tangential_force, "N"),
            "power": (self.tangential_force * self.setup.speed, "W"),
            "largest pressure": (1e-3 * self.pressure, "kPa"),
            "contact area": (1e6 * self.area, "mm2"),
            "removed volume": (1e9 * self.volume, "mm3"),
            "removed depth, largest": (1e6 * float(self.face.depth.max()), "um"),
        }

    def describe(self) -> dict[str, Any]:
        """Pad and wear."""
        return {
            "Preston's k (1/Pa)": self.setup.preston,
            "speed of the abrasive (m/s)": self.setup.speed,
            "radius of the pad (mm)": 1e3 * self.pad.radius,
        }


def _workpiece(model: Model, given: Mapping[str, Any]) -> WorkedSurface:
    """The workpiece of settings; the file of its mesh is one of the description's folder."""
    mesh = given.get("mesh")
    if isinstance(mesh, str):
        given = {**given, "mesh": file_inside(model.file, mesh, "workpiece")}
    return workpiece_of(**given)


def _pad(given: Mapping[str, Any]) -> Pad:
    options = {name: value for name, value in given.items() if name != "law"}
    laws = {"foundation": Pad.foundation, "hertz": Pad.hertz}
    law = given.get("law", "foundation")
    if law not in laws:
        raise InputError(f"the law of a pad is one of {', '.join(laws)}, not {law!r}")
    return laws[law](**options)
