"""The sensors of one simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treadle.native.executable import Runner
from treadle.native.program import compile_program
from treadle.sensors.bank import Group
from treadle.sensors.contact import touch_zones
from treadle.sim.contacts.sensors import shape_forces, zone_forces
from treadle.sim.moment_program import MeasureKind
from treadle.sim.sensing.program import measure_program
from treadle.sim.trial_steps import TrialSteps

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["SimulationPort"]


class _Compiled(NamedTuple):
    """A measurement of one group: what it was made for, its code, and its arrays."""

    made_for: tuple
    run: Runner
    arrays: dict[str, np.ndarray]


class SimulationPort:
    """One simulation, as the sampling of its sensors sees it."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self._compiled: dict[int, _Compiled] = {}
        self._shapes: tuple[tuple[str, int], ...] | None = None
        self._zones: tuple[str, ...] = ()
        #: whether the state is that of a trial step
        self._trial = False

    def times(self) -> np.ndarray:
        """(1) seconds."""
        return np.array([self._sim.time])

    def steps(self) -> np.ndarray:
        """(1) length of the next step in seconds."""
        return np.array([self._sim.dt])

    def running(self) -> np.ndarray:
        """(1) it moves."""
        return np.ones(1, bool)

    def fresh(self) -> bool:
        """Whether no step was taken yet."""
        return self._sim.fresh

    def measured(self, group: Group, time: np.ndarray) -> np.ndarray:
        """(numbers, 1) of a group at the present state."""
        sim, kind = self._sim, self._kind()
        made_for = kind, sim.world, sim.world.controllers, sim.world.inputs
        found = self._compiled.get(id(group))
        if found is None or found.made_for != made_for:
            found = self._compiled[id(group)] = self._compile(group, kind, made_for)
        arrays = found.arrays
        arrays["time"][0, 0] = time[0]
        # what controllers that are called back command is not part of tau between steps
        arrays["held"][:, 0] = sim.tau + (0.0 if sim.stepper.inside else sim.controllers.commanded)
        for name in ("q", "v", "dt", "commands", "drives", "parameters", "inputs", "loads"):
            if name in arrays:
                arrays[name][:] = sim.arrays[name]
        if kind.shapes:
            arrays["shapes"][:, 0] = shape_forces(sim, self._trial).ravel()
        if kind.zones:
            arrays["zones"][:, 0] = zone_forces(sim, self._trial)
        found.run(0, 1, 1)
        return arrays["measured"]

    def after(self, spans: np.ndarray, look: Callable[[], None]) -> None:
        """Look at the state so many seconds into the next step."""
        trial = TrialSteps(self._sim)
        with trial.without_trace():
            trial.take(self._sim.time, float(spans[0]))
            self._trial = True
            try:
                look()
            finally:
                self._trial = False

    def _kind(self) -> MeasureKind:
        sim = self._sim
        if self._shapes is None:
            self._shapes = ()
            if sim.contact:
                collider = sim.stepper.ready_contact_step().collider
                bodies = [int(body) - 1 for body in collider.shapes.body]
                self._shapes = tuple(zip(collider.names, bodies, strict=True))
                self._zones = tuple(zone.sensor for zone in touch_zones(sim.model))
        return MeasureKind(
            loaded=bool(sim.loads.any()),
            bounded=sim.stepper.limits_act(),
            locked=bool(sim.arrays["locked"].any()),
            shapes=self._shapes,
            zones=self._zones,
        )

    def _compile(self, group: Group, kind: MeasureKind, made_for: tuple) -> _Compiled:
        sensors = [reading.kind for reading in group.readings]
        code = compile_program(measure_program(self._sim.world, sensors, kind))
        sizes = {**code.layout.inputs, **code.layout.outputs}
        arrays = {name: np.zeros((size, 1)) for name, size in sizes.items()}
        arrays = {"time": np.zeros((1, 1)), "held": np.zeros((self._sim.model.nv, 1))} | arrays
        return _Compiled(made_for, code.runner(arrays), arrays)
