"""Rock cutting: a head with picks on a machine cuts a rock face; see `cutting_kernel` for how.

    cutting = sim.processes["rock"]
    cutting.power, cutting.specific_energy, cutting.face.heights

The forces of the picks act on the head, and so on boom and cylinders, through its Jacobian.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.dynamics.compiled import frame_jacobian, frame_pose
from treadle.model.model import Model
from treadle.process.cutting_head import CuttingHead
from treadle.process.lumps import Lumps
from treadle.process.pick_force import Pick, Rock, force_coefficient
from treadle.process.process import Worked
from treadle.process.rock_face import RockFace

__all__ = ["RockCutting"]

#: Time (s) over which the plotted rates are averaged: about one turn of a head.
_AVERAGED = 1.0


class RockCutting:
    """The process at a body whose x axis is that of the head.

    `tips` and `starts` as in `CuttingHead`; `face` as in `RockFace.flat`; `lumps` as in `Lumps`. Counters
    since the start: `volume` (m3) removed, `energy` (J) of the picks. At the last step: `power` (W), `torque`
    (N m) about the head's axis, `wrench` on the head (moment and force in the world's axes about its origin),
    `chips` (m) of the picks, and how many are `engaged`.
    """

    def __init__(
        self,
        model: Model,
        body: str,
        tips: ArrayLike,
        face: RockFace | Mapping[str, Any],
        starts: int = 1,
        rock: Rock | Mapping[str, float] | None = None,
        pick: Pick | Mapping[str, Any] | None = None,
        lumps: Mapping[str, Any] | None = None,
    ) -> None:
        from treadle.process.cutting_kernel import NEVER, PICK_MEMORY, SECTORS, WALL_MEMORY

        self._model, self._frame = model, model.frame(body).name
        self.head = CuttingHead(tips, starts)
        self.face = face if isinstance(face, RockFace) else RockFace.flat(**face)
        self.rock = rock if isinstance(rock, Rock) else Rock(**(rock or {}))
        self.pick = pick if isinstance(pick, Pick) else Pick(**(pick or {}))
        self._law = np.array([force_coefficient(self.rock, self.pick), self.pick.normal, self.pick.reach])
        self._X_SW = np.ascontiguousarray(np.linalg.inv(self.face.X_WS)[:3])
        self._grid = self.face.grid
        picks = len(self.head.tips)
        self._last, self._picks = np.full(6, NEVER), np.full((picks, PICK_MEMORY), NEVER)
        self._walls = np.full((self.head.lines, SECTORS, WALL_MEMORY), NEVER)
        self._picks[:, 0] = -1.0
        self.chips, self.wrench = np.zeros(picks), np.zeros(6)
        self._forces = np.zeros(model.nv)
        # volume, energy, their averages per second, power, torque, engaged picks
        self._numbers = np.zeros(7)
        self.lumps = None if lumps is None else Lumps(model, density=self.rock.density, **lumps)

    @property
    def frame(self) -> str:
        """The frame of the head."""
        return self._frame

    @property
    def force(self) -> np.ndarray:
        """Joint forces (nv) of the picks."""
        return self._forces

    @property
    def volume(self) -> float:
        """Removed (m3)."""
        return float(self._numbers[0])

    @property
    def energy(self) -> float:
        """Work of the picks (J)."""
        return float(self._numbers[1])

    @property
    def specific_energy(self) -> float:
        """Work of the picks by removed volume (J/m3), 0 before anything is removed."""
        return self.energy / self.volume if self.volume > 0.0 else 0.0

    @property
    def power(self) -> float:
        """Of the picks in the last step (W)."""
        return float(self._numbers[4])

    @property
    def torque(self) -> float:
        """Of the picks about the head's axis in the last step, against its turning (N m)."""
        return float(self._numbers[5])

    @property
    def engaged(self) -> int:
        """Picks in rock."""
        return int(self._numbers[6])

    def work(self, sim: Worked) -> None:
        """Cut for one step."""
        pose = frame_pose(self._model, sim.q, self._frame)
        if not np.isfinite(pose).all():
            # the step that follows reports it
            return
        removed = self._cut(sim, pose) if self._near(pose) else self._idle()
        self._count(sim.dt, removed)
        if self.lumps is not None:
            self.lumps.add(removed)
            self.lumps.move(sim, *self._fall(pose))

    def save(self) -> np.ndarray:
        """Heights, walls, picks, counters and lumps."""
        own = [part.ravel() for part in self._memory()]
        return np.concatenate(own if self.lumps is None else [*own, self.lumps.memory])

    def restore(self, memory: np.ndarray) -> None:
        """Go back."""
        place = 0
        for part in self._memory():
            part[...] = memory[place : place + part.size].reshape(part.shape)
            place += part.size
        if self.lumps is not None:
            self.lumps.recall(memory[place:])

    def _memory(self) -> list[np.ndarray]:
        parts = [self.face.heights, self._walls, self._last, self._picks, self._numbers, self._forces]
        return [*parts, self.chips, self.wrench]

    def quantities(self) -> dict[str, tuple[float, str]]:
        """Power, torque, rate of cutting and specific energy, over about a turn of the head."""
        rate, power = self._numbers[2:4].tolist()
        found = {
            "power": (1e-3 * power, "kW"),
            "torque": (1e-3 * self.torque, "kN m"),
            "rate": (3600.0 * rate, "m3/h"),
            "specific energy": (1e-6 * power / rate if rate > 1e-5 else 0.0, "MJ/m3"),
            "picks in rock": (float(self.engaged), "1"),
            "deepest chip": (1e3 * float(self.chips.max()), "mm"),
            "volume": (self.volume, "m3"),
        }
        if self.lumps is not None:
            found["lumps carried off"] = (float(self.lumps.carried), "1")
        return found

    def describe(self) -> dict[str, Any]:
        """Law and rock."""
        return {
            "law": self.pick.law,
            "compressive strength (MPa)": 1e-6 * self.rock.compressive,
            "tensile strength (MPa)": 1e-6 * self.rock.tensile,
            "picks": len(self.head.tips),
        }

    def _near(self, pose: np.ndarray) -> bool:
        """Whether a pick may be in rock."""
        local = self._X_SW[:, :3] @ pose[:3, 3] + self._X_SW[:, 3]
        reach = self.head.reach + self.pick.reach
        surface = self.face.surface
        return bool(
            surface.x[0] - reach < local[0] < surface.x[-1] + reach
            and surface.y[0] - reach < local[1] < surface.y[-1] + reach
            and local[2] < self.face.fresh.max() + reach
        )

    def _cut(self, sim: Worked, pose: np.ndarray) -> float:
        from treadle.process.cutting_kernel import CutMemory, Field, Picks, cut

        J = frame_jacobian(self._model, sim.q, self._frame)
        velocity = J @ sim.v
        if not np.isfinite(velocity).all():
            return 0.0
        removed, power, torque, engaged = cut(
            Field(heights=self.face.heights, grid=self._grid, X_SW=self._X_SW),
            Picks(tips=self.head.tips, normals=self.head.normals, strips=self.head.strips, law=self._law),
            CutMemory(last=self._last, picks=self._picks, walls=self._walls),
            np.ascontiguousarray(pose),
            velocity,
            self.wrench,
            self.chips,
        )
        self._forces[:] = J.T @ self.wrench
        self._numbers[4:] = power, torque, engaged
        return float(removed)

    def _idle(self) -> float:
        from treadle.process.cutting_kernel import NEVER

        self._forces[:], self.wrench[:], self.chips[:], self._numbers[4:] = 0.0, 0.0, 0.0, 0.0
        self._last[:], self._picks[:], self._walls[:] = NEVER, NEVER, NEVER
        self._picks[:, 0] = -1.0
        return 0.0

    def _count(self, dt: float, removed: float) -> None:
        work = self._numbers[4] * dt
        self._numbers[0] += removed
        self._numbers[1] += work
        share = dt / (_AVERAGED + dt)
        self._numbers[2] += share * (removed / dt - self._numbers[2])
        self._numbers[3] += share * (work / dt - self._numbers[3])

    def _fall(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where lumps begin to fall: before the face, under the head; and the way out of the rock."""
        out = self.face.X_WS[:3, 2]
        middle = pose[:3, 3] + 0.5 * self.head.reach * pose[:3, 0]
        away = self.face.fresh.max() - (middle - self.face.X_WS[:3, 3]) @ out
        return middle + away * out - np.array([0.0, 0.0, 0.8 * self.head.radii.max()]), out
