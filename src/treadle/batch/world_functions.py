"""Functions of the present state of every world, compiled in lanes and run on all threads when asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program
from treadle.sensors.contact import touch_zones
from treadle.sim.moment_program import MeasureKind

if TYPE_CHECKING:
    from treadle.batch.batch import Batch
    from treadle.batch.workers import Workers
    from treadle.collision.collider import Collider
    from treadle.model.model import Model

__all__ = ["WorldFunctions"]


class _Compiled(NamedTuple):
    """A function: what it was compiled for, its code, and its outputs."""

    made_for: tuple
    code: Executable
    outputs: dict[str, np.ndarray]


class WorldFunctions:
    """Runs programs made by `moment_program` on the worlds of a batch, and keeps their code."""

    def __init__(self, batch: Batch, workers: Workers) -> None:
        self._batch, self._workers = batch, workers
        self._compiled: dict[Hashable, _Compiled] = {}
        self._columns = batch.arrays["q"].shape[1]
        self._time = np.zeros((1, self._columns), dtype=batch.precision)

    def evaluate(
        self,
        key: Hashable,
        program: Callable[[MeasureKind], Program],
        given: Mapping[str, np.ndarray] | None = None,
        time: np.ndarray | None = None,
        worlds: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Outputs (rows, columns) of a function of the present states, written again by its next call.

        `key` names the function, `program` gives it for what the worlds are like now; `given` are its further
        inputs (rows, columns), `time` (worlds) is the present one unless it is given. For chosen `worlds`, by
        number, the outputs are new arrays with a column for each of them.
        """
        batch, found = self._batch, self._compiled.get(key)
        kind = self.kind
        made_for = kind, batch.world.controllers, batch.world.inputs
        if found is None or found.made_for != made_for:
            found = self._compiled[key] = self._compile(program(kind), made_for)
        self._time[0, : batch.worlds] = batch.time if time is None else time
        arrays = batch.arrays | {"time": self._time, "held": batch.arrays["tau"], **found.outputs}
        if kind.shapes:
            arrays |= {"shapes": batch.arrays["shape_forces"], "zones": batch.arrays["zone_forces"]}
        if given:
            arrays |= given
        if worlds is not None:
            return self._some(found.code, arrays, worlds)
        code = found.code
        self._workers.run(lambda _, *share: code.run(arrays, *share), slots=code.layout.slots)
        return found.outputs

    def _some(
        self, code: Executable, arrays: Mapping[str, np.ndarray], worlds: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The outputs of some worlds, side by side."""
        lanes = self._batch.lanes
        # lanes without a world of their own compute with the last one
        columns = np.concatenate([worlds, np.repeat(worlds[-1:], -len(worlds) % lanes)])
        gathered = {name: np.ascontiguousarray(arrays[name][:, columns]) for name in code.layout.inputs}
        outputs = {
            name: np.zeros((rows, len(columns)), dtype=self._batch.precision)
            for name, rows in code.layout.outputs.items()
        }
        code.run(gathered | outputs, 0, len(columns))
        return outputs

    def room(self, rows: int) -> np.ndarray:
        """A further input of so many rows."""
        return np.zeros((rows, self._columns), dtype=self._batch.precision)

    @property
    def kind(self) -> MeasureKind:
        """What functions have to take into account now."""
        model, options = self._batch.model, self._batch.step_options
        return MeasureKind(
            loaded="loads" in self._batch.arrays,
            bounded=bool(model.limited or model.held or options.arrested),
            shapes=self.shapes,
            zones=self.zones,
        )

    @cached_property
    def shapes(self) -> tuple[tuple[str, int], ...]:
        """Names of the collision shapes and the bodies that hold them (-1: the world)."""
        if not self._batch.contact:
            return ()
        _, collider = self.contact_scene
        bodies = [int(body) - 1 for body in collider.shapes.body]
        return tuple(zip(collider.names, bodies, strict=True))

    @cached_property
    def zones(self) -> tuple[str, ...]:
        """Names of the touch sensors with zones."""
        return tuple(zone.sensor for zone in touch_zones(self._batch.model)) if self._batch.contact else ()

    @cached_property
    def contact_scene(self) -> tuple[Model, Collider]:
        """The machine with its ground, and the shapes that touch."""
        from treadle.collision.collider import Collider
        from treadle.sim.step.terrain_shapes import on_terrain

        options = self._batch.step_options
        grounded, fields = on_terrain(self._batch.model, options.terrain)
        return grounded, Collider(grounded, fields=fields, meshes=options.meshes)

    def _compile(self, program: Program, made_for: tuple) -> _Compiled:
        batch = self._batch
        code = compile_program(program, batch.lanes, batch.precision)
        return _Compiled(
            made_for, code, {name: self.room(rows) for name, rows in code.layout.outputs.items()}
        )
