"""Functions of the present state of every world, compiled in lanes and run on all threads when asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from treadle.native.executable import Executable
from treadle.native.program import Program, compile_program
from treadle.sensors.contact import touch_zones
from treadle.sim.moment_program import MeasureKind

if TYPE_CHECKING:
    from treadle.batch.batch import Batch
    from treadle.batch.workers import Workers
    from treadle.collision.collider import Collider
    from treadle.forces.input import InputTable
    from treadle.forces.law import ForceLaw
    from treadle.model.model import Model

__all__ = ["CompiledFunction", "WorldFunctions"]


@dataclass(frozen=True, eq=False)
class CompiledFunction:
    """A function: its code, all its arrays, its outputs, and what it was compiled for."""

    code: Executable
    arrays: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]
    #: whether it depends on the time
    timed: bool
    given: Mapping[str, np.ndarray] | None
    loads: np.ndarray | None
    controllers: tuple[ForceLaw, ...]
    inputs: InputTable


class WorldFunctions:
    """Runs programs made by `moment_program` on the worlds of a batch, and keeps their code."""

    def __init__(self, batch: Batch, workers: Workers, refresh: Callable[[], None]) -> None:
        self._batch = batch
        #: what runs code on all worlds
        self.workers = workers
        #: takes over live inputs and what controllers became, before a step
        self.refresh = refresh
        self._compiled: dict[Hashable, CompiledFunction] = {}
        self._columns = batch.arrays["q"].shape[1]
        #: (1, columns) of functions that read the time
        self.time = np.zeros((1, self._columns), dtype=batch.precision)

    def evaluate(
        self,
        key: Hashable,
        program: Callable[[MeasureKind], Program],
        given: Mapping[str, np.ndarray] | None = None,
        time: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Outputs (rows, columns) of a function of the present states, written again by its next call.

        `key` names the function, `program` gives it for what the worlds are like now; `given` are its further
        arrays (rows, columns), best the same mapping at every call; `time` (worlds) is the present one unless
        it is given. An output "next_x" is written where the array x of the batch, or a given "next_x", is.
        """
        found = self.compiled(key, program, given)
        if found.timed:
            self._tell_time(time)
        self.workers.run(found.code, found.arrays)
        return found.outputs

    def compiled(
        self,
        key: Hashable,
        program: Callable[[MeasureKind], Program],
        given: Mapping[str, np.ndarray] | None = None,
    ) -> CompiledFunction:
        """A function, see `evaluate`, for what the worlds are like now."""
        batch, found = self._batch, self._compiled.get(key)
        world, loads = batch.world, batch.arrays.get("loads")
        if (
            found is None
            or found.given is not given
            or found.loads is not loads
            or found.controllers is not world.controllers
            or found.inputs is not world.inputs
        ):
            found = self._compiled[key] = self._compile(program(self.kind), given)
        return found

    def step_program(self) -> Executable | None:
        """The program of a step, for code that runs it itself and counts the batch's `steps`.

        None where steps are more than a program: with contact, sensors, events, or on a cluster.
        """
        if self._batch.sampling is not None or self._batch.events.logs:
            return None
        self.refresh()
        return self.workers.step_program()

    def _tell_time(self, time: np.ndarray | None) -> None:
        arrays, count = self._batch.arrays, self._batch.worlds
        if time is not None:
            self.time[0, :count] = time
            return
        base, row = arrays["time_base"], self.time[0]
        np.subtract(arrays["alive"][1], base[1], out=row)
        row *= arrays["dt"][0]
        row += base[0]

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

    def _compile(self, program: Program, given: Mapping[str, np.ndarray] | None) -> CompiledFunction:
        batch, world = self._batch, self._batch.world
        code = compile_program(program, batch.lanes, batch.precision)
        arrays = batch.arrays | {"time": self.time, "held": batch.arrays["tau"]}
        if batch.contact:
            arrays |= {"shapes": batch.arrays["shape_forces"], "zones": batch.arrays["zone_forces"]}
        arrays |= {f"next_{name}": array for name, array in arrays.items()}
        arrays |= given or {}
        outputs = {
            name: arrays[name] if name in arrays else self.room(rows)
            for name, rows in code.layout.outputs.items()
        }
        timed = "time" in code.layout.inputs and "time" not in code.layout.unread
        return CompiledFunction(
            code,
            arrays | outputs,
            outputs,
            timed,
            given,
            arrays.get("loads"),
            world.controllers,
            world.inputs,
        )
