"""Lumps of cut rock as bodies: they wait, fall when as much was cut, and are carried off at an outlet.

The bodies are there from the start, locked where they wait. A share of the cut volume comes as lumps; while
none waits, that share is fines too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treadle.dynamics.compiled import frame_pose
from treadle.errors import InputError
from treadle.model.model import Model, ModelJoint
from treadle.process.process import Worked

__all__ = ["Lumps"]

#: Steps between looks at the outlet.
_EVERY = 10

#: Deepest (m) under the floor that a lump may be before it counts as lost.
_LOST = 1.0


class Lumps:
    """Free bodies of a machine that stand for lumps.

    `share` of the cut volume; `throw` (m/s) with which they leave the face; `floor` (m) under which none
    begins; `outlet`: {"frame", "low", "high"}, the box in a frame (m) in which they are carried off.
    """

    def __init__(
        self,
        model: Model,
        bodies: Sequence[str],
        density: float,
        share: float = 0.15,
        throw: float = 2.5,
        floor: float = 0.0,
        outlet: Mapping[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        self._model, self._joints = model, [_free_joint(model, name) for name in bodies]
        if len(bodies) < 2 or not 0.0 <= share <= 1.0 or density <= 0.0:
            raise InputError("lumps need at least two bodies, a share from 0 to 1 and a positive density")
        by_name = {body.joint.name: body for body in model.bodies}
        masses = [float(by_name[joint.name].inertia.mass) for joint in self._joints]  # type: ignore[arg-type]
        self.volumes = np.array(masses) / density
        #: how far a lump reaches (m): of a cube of its volume, to the corner
        self._sizes = 0.87 * np.cbrt(self.volumes)
        self._share, self._throw, self._floor, self._seed = share, throw, floor, seed
        self._outlet = None if outlet is None else _Outlet(model, outlet)
        #: 1 for those that wait
        self.waiting = np.ones(len(bodies))
        #: volume (m3) that has not come as a lump yet, lumps released, carried off, lost, and steps
        self.counts = np.zeros(5)

    def add(self, volume: float) -> None:
        """So much was cut (m3)."""
        self.counts[0] += self._share * volume

    @property
    def released(self) -> int:
        """How many fell."""
        return int(self.counts[1])

    @property
    def carried(self) -> int:
        """How many were carried off."""
        return int(self.counts[2])

    @property
    def memory(self) -> np.ndarray:
        """What the next step depends on."""
        return np.concatenate([self.waiting, self.counts])

    def recall(self, memory: np.ndarray) -> None:
        """Go back to such a memory."""
        count = len(self.waiting)
        self.waiting[:], self.counts[:] = memory[:count], memory[count:]

    def move(self, sim: Worked, place: np.ndarray, out: np.ndarray) -> None:
        """Carry off what is at the outlet, and let a lump fall near a place, thrown along `out` (world)."""
        self.counts[4] += 1.0
        if self.counts[4] % _EVERY == 0.0:
            self._carry_off(sim)
        ready = self.waiting.nonzero()[0]
        # one always waits: a machine without any locked body has another compiled step
        if len(ready) > 1 and self.counts[0] >= self.volumes[ready[0]]:
            self._release(sim, int(ready[0]), place, out)
        elif len(ready) <= 1:
            self.counts[0] = min(self.counts[0], float(self.volumes.max()))
        self._hold(sim)

    def _release(self, sim: Worked, index: int, place: np.ndarray, out: np.ndarray) -> None:
        draw = np.random.default_rng([self._seed, int(self.counts[1])])
        side = np.cross(out, (0.0, 0.0, 1.0))
        start = place + self._sizes[index] * out + draw.uniform(-0.35, 0.35) * side
        start[2] = max(start[2], self._floor + self._sizes[index])
        for other in (self.waiting == 0.0).nonzero()[0]:
            away = self._position(sim, int(other)) - start
            if np.linalg.norm(away) < self._sizes[index] + self._sizes[other]:
                return
        speed = self._throw * draw.uniform(0.7, 1.2) * out + draw.uniform(-0.9, 0.9) * side
        turn = draw.standard_normal(4)
        self._place(sim, index, start, turn / np.linalg.norm(turn), speed, draw.uniform(-3.0, 3.0, 3))
        self.waiting[index] = 0.0
        self.counts[0] -= self.volumes[index]
        self.counts[1] += 1.0

    def _carry_off(self, sim: Worked) -> None:
        box = None if self._outlet is None else self._outlet.pose(sim)
        for index in (self.waiting == 0.0).nonzero()[0]:
            position = self._position(sim, int(index))
            gone = box is not None and self._outlet is not None and self._outlet.contains(box, position)
            if gone or position[2] < self._floor - _LOST:
                self.counts[2 if gone else 3] += 1.0
                self.waiting[index] = 1.0

    def _hold(self, sim: Worked) -> None:
        """Lock those that wait at their places, and no others."""
        locked = sim.arrays["locked"][:, 0].copy()
        before = locked.copy()
        for wait, joint in zip(self.waiting, self._joints, strict=True):
            if locked[joint.v.start] != wait:
                locked[joint.v] = wait
                if wait:
                    sim.q[joint.q] = joint.type.neutral()
                    sim.v[joint.v] = 0.0
        if (locked != before).any():
            sim.lock(locked)

    def _position(self, sim: Worked, index: int) -> np.ndarray:
        joint = self._joints[index]
        return sim.q[joint.q][4:] + self._origin(joint)

    def _place(
        self,
        sim: Worked,
        index: int,
        position: np.ndarray,
        turn: np.ndarray,
        speed: np.ndarray,
        rate: np.ndarray,
    ) -> None:
        joint = self._joints[index]
        sim.q[joint.q] = [*turn, *(position - self._origin(joint))]
        sim.v[joint.v] = [*rate, *speed]

    def _origin(self, joint: ModelJoint) -> np.ndarray:
        body = next(body for body in self._model.bodies if body.joint.name == joint.name)
        return np.array([float(x) for x in body.placement.translation])  # type: ignore[arg-type]


class _Outlet:
    """A box in a frame."""

    def __init__(self, model: Model, given: Mapping[str, Any]) -> None:
        self._model, self._frame = model, model.frame(given["frame"]).name
        self._low, self._high = np.array(given["low"], dtype=float), np.array(given["high"], dtype=float)

    def pose(self, sim: Worked) -> np.ndarray:
        return frame_pose(self._model, sim.q, self._frame)

    def contains(self, pose: np.ndarray, point: np.ndarray) -> bool:
        local = (point - pose[:3, 3]) @ pose[:3, :3]
        return bool(((self._low <= local) & (local <= self._high)).all())


def _free_joint(model: Model, name: str) -> ModelJoint:
    for joint in model.joints:
        if joint.name == name:
            if joint.type.kind != "free":
                raise InputError(f"the lump {name!r} needs a free joint")
            return joint
    raise InputError(f"the machine {model.name!r} has no joint {name!r} for a lump")
