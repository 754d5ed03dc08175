"""Worlds whose shapes touch: one scratch memory per share of the worlds, and the bits of a `Simulation`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from treadle.forces.load import LOAD_SIZE

if TYPE_CHECKING:
    from treadle.sim.world import World

__all__ = ["ContactWorlds"]

#: Arrays that a contact step reads or writes.
_NAMES = ("q", "v", "tau", "dt", "clock", "alive", "inputs", "parameters", "commands", "drives", "memory")

#: Those that there may be none of.
_FURTHER = ("loads", "shape_forces", "zone_forces", "surfaces")


class ContactWorlds:
    """Takes contact steps of the first `count` columns of a world.

    What overlaps at the positions `start` (nq) does not touch.
    """

    def __init__(self, world: World, count: int, start: np.ndarray) -> None:
        self._world, self._count, self._start = world, count, start
        self._shares: dict[tuple[int, int], _Share] = {}
        #: of worlds that were not advanced since they were restored
        self._restored: list[np.ndarray] = [np.zeros(0) for _ in range(count)]

    def run(self, arrays: Mapping[str, np.ndarray], begin: int, end: int, count: int) -> None:
        """Steps of the worlds from `begin` up to `end`; one that stopped stays where it is."""
        end = min(end, self._count)
        share, loaded = self._shares.get((begin, end)), "loads" in arrays
        if share is None or share.loaded != loaded:
            kept = self._restored[begin:end] if share is None else list(share.kept)
            share = self._shares[begin, end] = _Share(self._world, (begin, end), loaded, self._start)
            share.remember(kept)
        share.run(arrays, count)

    def memory(self) -> list[np.ndarray]:
        """What the next steps start from, by world."""
        kept = [row.copy() for row in self._restored]
        for (begin, _), share in self._shares.items():
            for number, row in enumerate(share.kept):
                kept[begin + number] = row.copy()
        return kept

    def remember(self, memory: list[np.ndarray]) -> None:
        """Go on from what steps started from once."""
        self._restored = list(memory)
        for (begin, end), share in self._shares.items():
            share.remember(memory[begin:end])

    def forget(self, worlds: np.ndarray) -> None:
        """Let worlds begin as those that were not stepped yet."""
        for world in worlds:
            self._restored[world] = np.zeros(0)
        for (begin, end), share in self._shares.items():
            share.forget(worlds[(worlds >= begin) & (worlds < end)] - begin)


class _Share:
    """A range of worlds that one thread advances at a time."""

    def __init__(self, world: World, worlds: tuple[int, int], loaded: bool, start: np.ndarray) -> None:
        from treadle.sim.step.contact_step import ContactStep
        from treadle.sim.step.lane_memory import LaneMemory

        begin, end = self._begin, self._end = worlds
        self.loaded = loaded
        own = {name: array[:, begin : begin + 1] for name, array in world.arrays.items()}
        # the shares of all threads find the same overlaps
        own["q"] = start.reshape(-1, 1)
        own |= {"loads": np.zeros((LOAD_SIZE * len(world.model.bodies), 1)), "ledger": np.zeros((1, 1))}
        options, code = world.options, world.contact_code(world.parameters, loaded, accounted=False)
        self._step = ContactStep(code, own, options, traced=False)
        self._step.read_constants()
        self._lanes = LaneMemory(self._step, world.lanes if end - begin > 1 else 1)
        #: (worlds, numbers) see `world_columns`
        self.kept = np.zeros((end - begin, 0))
        self._taken = np.zeros(end - begin, np.int64)
        #: the arrays that the table of the columns was made for
        self._bound: list[np.ndarray | None] = []
        self._reserve()

    def run(self, arrays: Mapping[str, np.ndarray], count: int) -> None:
        """Steps of all its worlds."""
        from treadle.sim.step.world_columns import take_worlds

        world = self._begin
        self._taken[:] = 0
        while world < self._end:
            columns = self._bind(arrays)
            stopped = take_worlds.pointer(self._lanes.address, columns, self._begin, world, self._end, count)
            if stopped == self._end:
                break
            if self._step.make_room():
                self._reserve()
                self._lanes.bind()
            else:
                arrays["alive"][0, stopped] = 0.0
            # others of its group may have steps left
            world = stopped - (stopped - self._begin) % self._lanes.count

    def remember(self, memory: list[np.ndarray]) -> None:
        """Go on from rows that were kept once; worlds without one start afresh."""
        self.kept = np.zeros((len(memory), max(len(row) for row in memory)))
        self._reserve()
        for mine, row in zip(self.kept, memory, strict=True):
            mine[: len(row)] = row
        self.forget(np.array([k for k, row in enumerate(memory) if not len(row)], int))

    def forget(self, rows: np.ndarray) -> None:
        """Let worlds, by their rows, begin afresh."""
        start = self._step.fresh_memory
        self.kept[rows] = 0.0
        self.kept[rows, : len(start)] = start

    def _reserve(self) -> None:
        """Room in every row for as many points as a step may have; new rows are those of fresh worlds."""
        before, start = self.kept, self._step.fresh_memory
        if before.shape[1] < self._step.kept_size:
            self.kept = np.zeros((len(before), self._step.kept_size))
            self.kept[:, : len(start)] = start
            self.kept[:, : before.shape[1]] = before

    def _bind(self, arrays: Mapping[str, np.ndarray]) -> int:
        """Address of the table of the columns, which is made again where an array is another one."""
        from treadle.native.frames import table
        from treadle.sim.step.world_columns import WorldColumns

        found = [self.kept, *[arrays.get(name) for name in (*_NAMES, *_FURTHER)]]
        if len(found) != len(self._bound) or any(x is not y for x, y in zip(found, self._bound)):
            given = {name: arrays[name] for name in _NAMES}
            # many rows, which most batches never need
            further = {name: arrays.get(name, np.zeros((0, 1))) for name in _FURTHER}
            if not len(further["loads"]):
                self._step.clear_loads()
            # the arrays are kept: the table has their addresses
            self._columns = WorldColumns(**given, **further, kept=self.kept, taken=self._taken)
            self._table, self._bound = table(self._columns), found
        return self._table.ctypes.data
