"""Worlds whose shapes touch: each has a memory of its own, and steps as a `Simulation` does, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.forces.load import LOAD_SIZE
from treadle.sim.ledger import ledger_size

if TYPE_CHECKING:
    from treadle.sim.touching.programs import FreeMotion
    from treadle.sim.touching.touching import Touching
    from treadle.terrain import Terrain

__all__ = ["TouchingWorlds"]

#: Arrays of a batch that the steps of a world read, and those that they write.
_READ = ("q", "v", "tau", "dt", "clock", "inputs", "parameters", "commands", "drives", "alive")
_WRITTEN = ("q", "v", "clock", "drives", "alive")


class TouchingWorlds:
    """Takes steps of worlds, on arrays with a column for each."""

    def __init__(
        self,
        motion: FreeMotion,
        worlds: int,
        terrain: Terrain | None,
        meshes: Mapping[str, tuple[np.ndarray, np.ndarray]],
    ) -> None:
        from treadle.sim.touching.machine import MachineCode

        self._code, self._ground = MachineCode(motion), (terrain, meshes)
        self._worlds: list[tuple[dict[str, np.ndarray], Touching] | None] = [None] * worlds

    def run(self, arrays: Mapping[str, np.ndarray], begin: int, end: int, count: int) -> None:
        """Steps of the worlds from `begin` up to `end`; one that stopped stays where it is."""
        for world in range(begin, min(end, len(self._worlds))):
            if arrays["alive"][0, world] < 0.5:
                continue
            own, touching = self._world(arrays, world)
            _copy(arrays, own, world)
            touching(0, 1, count)
            for name in _WRITTEN:
                arrays[name][:, world] = own[name][:, 0]

    def memory(self) -> list[np.ndarray]:
        """What the next steps start from, by world."""
        return [np.zeros(0) if world is None else world[1].memory for world in self._worlds]

    def remember(self, arrays: Mapping[str, np.ndarray], memory: Sequence[np.ndarray]) -> None:
        """Go on from what steps started from once."""
        for world, values in enumerate(memory):
            if len(values) or self._worlds[world] is not None:
                self._world(arrays, world)[1].memory = values

    def _world(self, arrays: Mapping[str, np.ndarray], world: int) -> tuple[dict[str, np.ndarray], Touching]:
        """Its arrays and steps, made when it is first asked for."""
        found = self._worlds[world]
        if found is None:
            from treadle.sim.touching.touching import Touching

            own = {name: np.zeros((len(arrays[name]), 1)) for name in _READ}
            own["loads"] = np.zeros((LOAD_SIZE * len(self._code.model.bodies), 1))
            own["ledger"] = np.zeros((ledger_size(self._code.model), 1))
            _copy(arrays, own, world)
            found = self._worlds[world] = own, Touching(self._code, own, *self._ground, followed=False)
        return found


def _copy(arrays: Mapping[str, np.ndarray], own: dict[str, np.ndarray], world: int) -> None:
    for name in _READ:
        own[name][:, 0] = arrays[name][:, world]
    own["loads"][:, 0] = arrays["loads"][:, world] if "loads" in arrays else 0.0
