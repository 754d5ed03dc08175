"""Steps of a batch on a cluster: columns of worlds go to the workers and come back advanced.

The arrays stay here and are live as ever; only steps are taken elsewhere. Workers keep nothing of a world, so
that a lost one costs no more than the columns it held, which are sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treadle.batch.cluster import Cluster
from treadle.batch.workers import Workers
from treadle.forces.input import Input
from treadle.forces.law import ForceLaw
from treadle.model.model import Model
from treadle.sim.step.options import StepOptions
from treadle.sim.world import World

__all__ = ["RemoteWorkers"]


class _Columns(NamedTuple):
    """Worlds to advance: columns of all arrays, what their contacts start from, and by how many steps."""

    arrays: dict[str, np.ndarray]
    memory: list[np.ndarray] | None
    worlds: int
    steps: int


class _Advanced(NamedTuple):
    """The columns that changed, and what the next contacts start from."""

    arrays: dict[str, np.ndarray]
    memory: list[np.ndarray] | None


class RemoteWorkers(Workers):
    """Takes the steps of a batch on a cluster; everything else is computed here, on threads."""

    interruptible = True

    def __init__(self, world: World, count: int, threads: int, cluster: Cluster) -> None:
        super().__init__(world, count, threads)
        self._cluster = cluster
        self._memory: list[np.ndarray] | None = None
        self._sent: tuple[object, object, object] | None = None

    def take(self, steps: int) -> None:
        """Steps of all worlds, in as many blocks as there are workers."""
        world, shares = self.world, self._blocks()
        if self.start is None:
            self.start = world.arrays["q"][:, 0].copy()
        items = [
            _Columns(
                arrays={name: array[:, begin:end].copy() for name, array in self._own_arrays()},
                memory=None if self._memory is None else self._memory[begin : min(end, self._count)],
                worlds=min(end, self._count) - begin,
                steps=steps,
            )
            for begin, end in shares
        ]
        memory: list[list[np.ndarray] | None] = [None] * len(shares)
        for number, found in self._cluster.run(self._shared(), items):
            begin, end = shares[number]
            for name, columns in found.arrays.items():
                world.arrays[name][:, begin:end] = columns
            memory[number] = found.memory
        self._memory = None if memory[0] is None else [row for part in memory for row in part or ()]

    def step_program(self) -> None:
        """There is none: steps are taken on the cluster."""

    @property
    def memory(self) -> list[np.ndarray] | None:
        """See `Workers`."""
        return None if self._memory is None else [row.copy() for row in self._memory]

    @memory.setter
    def memory(self, memory: list[np.ndarray] | None) -> None:
        self._memory = memory

    def forget(self, worlds: np.ndarray) -> None:
        """See `Workers`."""
        if self._memory is not None:
            for world in worlds:
                self._memory[world] = np.zeros(0)

    def _own_arrays(self) -> Iterator[tuple[str, np.ndarray]]:
        """Those that are not another name of one before them."""
        arrays = self.world.arrays
        for name, array in arrays.items():
            if arrays.get(name.removeprefix("next_")) is not array or not name.startswith("next_"):
                yield name, array

    def _blocks(self) -> list[tuple[int, int]]:
        """Ranges of worlds for the workers of the cluster, in whole blocks of lanes."""
        lanes = self.world.lanes
        blocks = -(-self._count // lanes)
        count = min(self._cluster.workers, blocks)
        edges = [blocks * k // count * lanes for k in range(count + 1)]
        return list(pairwise(edges))

    def _shared(self) -> object:
        """A reference to what workers make the steps from, sent again where controllers changed."""
        world = self.world
        if self._sent is None or self._sent[:2] != (world.controllers, world.inputs):
            machine = _Machine(
                model=world.model,
                options=world.options,
                controllers=world.controllers,
                inputs=world.inputs.inputs,
                parameters=world.parameters,
                precision=world.precision,
                lanes=world.lanes,
                start=self.start,
            )
            self._sent = world.controllers, world.inputs, self._cluster.share(machine)
        return self._sent[2]


@dataclass(frozen=True)
class _Machine:
    """What a world is made from."""

    model: Model
    options: StepOptions
    controllers: tuple[ForceLaw, ...]
    inputs: tuple[Input, ...]
    parameters: tuple[str, ...]
    precision: str
    lanes: int
    start: np.ndarray | None

    def make(self) -> Callable[[_Columns], _Advanced]:
        """What advances columns of worlds, on one thread; programs are kept by number of columns."""
        made: dict[tuple[int, int], Workers] = {}

        def advance(columns: _Columns) -> _Advanced:
            size = columns.arrays["q"].shape[1], columns.worlds
            if size not in made:
                made[size] = Workers(self._world(size[0]), columns.worlds, 1, self.start)
            return _advanced(made[size], columns)

        return advance

    def _world(self, columns: int) -> World:
        return World(
            self.model,
            self.options,
            1e-3,
            controllers=self.controllers,
            inputs=self.inputs,
            parameters=self.parameters,
            columns=columns,
            precision=self.precision,
            lanes=self.lanes,
        )


def _advanced(workers: Workers, columns: _Columns) -> _Advanced:
    arrays = workers.world.arrays
    if "loads" not in columns.arrays:
        arrays.pop("loads", None)
    for name, sent in columns.arrays.items():
        if name in arrays and arrays[name].shape == sent.shape:
            arrays[name][:] = sent
        else:
            arrays[name] = sent.copy()
    # a world that was not stepped yet begins with nothing to remember
    fresh = [np.zeros(0) for _ in range(columns.worlds)]
    if workers.world.options.contact:
        workers.memory = columns.memory or fresh
    workers.take(columns.steps)
    changed = {
        name: arrays[name] for name, sent in columns.arrays.items() if not np.array_equal(arrays[name], sent)
    }
    return _Advanced({name: np.array(array) for name, array in changed.items()}, workers.memory)
