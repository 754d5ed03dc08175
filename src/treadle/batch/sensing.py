"""The sensors of many worlds: a column each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.native.executable import Executable
from treadle.native.program import compile_program
from treadle.sensors.bank import Group
from treadle.sensors.contact import touch_zones
from treadle.sim.arrays import CARRIED
from treadle.sim.attributes import Guarded
from treadle.sim.sensing.program import MeasureKind, measure_program
from treadle.sim.step.shape_forces import SHAPE_FORCES

if TYPE_CHECKING:
    from treadle.batch.batch import Batch
    from treadle.batch.workers import Workers

__all__ = ["BatchPort", "BatchSensor", "keep_time"]


class BatchSensor(Guarded):
    """What a sensor shows: (worlds) where it has one channel, else (worlds, channels). SI units, radians."""

    __slots__ = ("_batch", "name")

    def __init__(self, batch: Batch, name: str) -> None:
        self._batch, self.name = batch, name
        batch.model.sensor(name)

    @property
    def value(self) -> np.ndarray:
        """The last samples that have come through: held until the next ones."""
        assert self._batch.sampling is not None
        values = self._batch.sampling.value(self.name)
        return values[0] if len(values) == 1 else values.T

    @property
    def time(self) -> np.ndarray:
        """(worlds) when the samples were taken that it shows (s)."""
        assert self._batch.sampling is not None
        return self._batch.sampling.sample_time(self.name)

    @property
    def components(self) -> tuple[str, ...]:
        """Names of what it gives, in order."""
        assert self._batch.sampling is not None
        return tuple(channel.name for channel in self._batch.sampling.bank.readings[self.name].channels)


def keep_time(batch: Batch) -> None:
    """Let the time of every world begin at the present one, before its step is changed."""
    clock, taken = batch.arrays["sampling"][:, : batch.worlds], batch.arrays["alive"][1, : batch.worlds]
    clock[0] += (taken - clock[1]) * batch.arrays["dt"][0, : batch.worlds]
    clock[1] = taken


class _Compiled(NamedTuple):
    """A measurement of one group: what it was made for, its code, and its output."""

    made_for: tuple
    code: Executable
    output: np.ndarray


class BatchPort:
    """The worlds of a batch, as the sampling of their sensors sees them."""

    def __init__(self, batch: Batch, workers: Workers) -> None:
        self._batch, self._workers = batch, workers
        self._compiled: dict[int, _Compiled] = {}
        self._columns = batch.arrays["q"].shape[1]
        #: time and steps taken when the step was last changed
        batch.arrays["sampling"] = np.zeros((2, self._columns))
        self._time = np.zeros((1, self._columns), dtype=batch.precision)
        self._shapes: tuple[tuple[str, int], ...] = ()
        self._zones: tuple[str, ...] = ()
        if batch.contact:
            from treadle.collision.collider import Collider
            from treadle.sim.step.terrain_shapes import on_terrain

            options = batch.step_options
            grounded, fields = on_terrain(batch.model, options.terrain)
            collider = Collider(grounded, fields=fields, meshes=options.meshes)
            bodies = [int(body) - 1 for body in collider.shapes.body]
            self._shapes = tuple(zip(collider.names, bodies, strict=True))
            batch.arrays["shape_forces"] = np.zeros((SHAPE_FORCES * len(self._shapes), self._columns))
            self._zones = tuple(zone.sensor for zone in touch_zones(batch.model))
            batch.arrays["zone_forces"] = np.zeros((len(self._zones), self._columns))

    def times(self) -> np.ndarray:
        """(worlds) seconds."""
        arrays, count = self._batch.arrays, self._batch.worlds
        clock, taken = arrays["sampling"][:, :count], arrays["alive"][1, :count]
        return clock[0] + (taken - clock[1]) * arrays["dt"][0, :count]

    def steps(self) -> np.ndarray:
        """(worlds) length of the next step in seconds."""
        return np.array(self._batch.arrays["dt"][0, : self._batch.worlds], dtype=float)

    def running(self) -> np.ndarray:
        """(worlds) which of them move on."""
        return self._batch.alive

    def fresh(self) -> bool:
        """Whether no step was taken yet."""
        return self._batch.steps == 0 and not self._batch.arrays["alive"][1].any()

    def measured(self, group: Group, time: np.ndarray) -> np.ndarray:
        """(numbers, worlds) of a group at the present state."""
        batch, world = self._batch, self._batch.world
        kind = MeasureKind(
            loaded="loads" in batch.arrays,
            bounded=bool(batch.model.limited or batch.model.held or batch.step_options.arrested),
            shapes=self._shapes,
            zones=self._zones,
        )
        made_for = kind, world.controllers, world.inputs
        found = self._compiled.get(id(group))
        if found is None or found.made_for != made_for:
            found = self._compiled[id(group)] = self._compile(group, kind, made_for)
        self._time[0, : batch.worlds] = time
        arrays = batch.arrays | {"time": self._time, "held": batch.arrays["tau"], "measured": found.output}
        if kind.shapes:
            arrays |= {"shapes": batch.arrays["shape_forces"], "zones": batch.arrays["zone_forces"]}
        self._workers.run(lambda _, *share: found.code.run(arrays, *share))
        return found.output[:, : batch.worlds]

    def after(self, spans: np.ndarray, look: Callable[[], None]) -> None:
        """Look at the states so many seconds into the next step."""
        batch = self._batch
        names = [name for name in (*CARRIED, "dt", "shape_forces", "zone_forces") if name in batch.arrays]
        kept = {name: batch.arrays[name].copy() for name in names}
        memory = self._workers.memory
        try:
            batch.arrays["dt"][0, : batch.worlds] = spans
            self._workers.take(1)
            batch.arrays["dt"][:] = kept["dt"]
            look()
        finally:
            for name, array in kept.items():
                batch.arrays[name][:] = array
            if batch.contact:
                self._workers.memory = memory

    def _compile(self, group: Group, kind: MeasureKind, made_for: tuple) -> _Compiled:
        batch = self._batch
        sensors = [reading.kind for reading in group.readings]
        code = compile_program(measure_program(batch.world, sensors, kind), batch.lanes, batch.precision)
        size = sum(sensor.measured for sensor in sensors)
        return _Compiled(made_for, code, np.zeros((size, self._columns), dtype=batch.precision))
