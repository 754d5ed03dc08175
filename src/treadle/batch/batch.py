"""Many worlds of one machine: vector lanes times threads."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from treadle.batch.cluster import Cluster, find_cluster
from treadle.batch.materials import ContactParameters
from treadle.batch.readouts import Readouts
from treadle.batch.remote_workers import RemoteWorkers
from treadle.batch.sensing import BatchPort
from treadle.batch.workers import Workers
from treadle.batch.world_events import WorldEvents
from treadle.batch.world_functions import WorldFunctions
from treadle.batch.world_views import WorldViews
from treadle.constraints.motion import Motion
from treadle.errors import InputError
from treadle.forces.input import Input
from treadle.forces.law import ForceLaw
from treadle.forces.load import LOAD_SIZE, frame_load
from treadle.geometry.collision_meshes import MeshChoice
from treadle.model.model import Model
from treadle.model.parameters import check_values, of_material
from treadle.native.program import default_lanes
from treadle.sim.arrays import CARRIED, DEFAULTS
from treadle.sim.attributes import MEANT, Guarded, check_keywords
from treadle.sim.checks import (
    check_choice,
    check_count,
    check_functions,
    check_meshes,
    check_model,
    check_step,
)
from treadle.sim.controller import Controllers
from treadle.sim.pieces import Pieces
from treadle.sim.sensing import Sampling
from treadle.sim.start import start_state
from treadle.sim.step.options import StepOptions
from treadle.sim.step.shape_forces import SHAPE_FORCES
from treadle.sim.world import World
from treadle.terrain import Terrain

__all__ = ["Batch"]

#: Worlds and threads beyond which a number is a mistake.
_MOST_WORLDS, _MOST_THREADS = 100_000_000, 4096


class Batch(Guarded, WorldViews):
    """`worlds` copies of a machine, each with its own state, joint forces and, if named, constants.

    `q`, `v`, `tau` are live arrays of shape (worlds, nq or nv); `parameter(name)` is the live vector
    of a constant named in `parameters`. Every world is computed by the same instructions whatever its
    place, the number of worlds and the number of threads: the bits are the same. Only forces on bodies,
    in any world, make all of them take another program, which agrees to rounding. A world that diverges
    stops alone, at its last good state, until it is revived. `precision` is float64 or float32, which
    holds twice as many worlds in a vector. Step, integrator, stabilization, solver, contact, meshes,
    `time_stepping` and options are those of a `Simulation`; worlds with contact are stepped one by one, on
    all threads, and have the bits of a `Simulation`. With the `backend` "ray", or a `Cluster`, steps are
    taken on its workers: the same bits; worth it for many steps at a time.
    """

    _meant: ClassVar = {**MEANT, "gravity": "it belongs to the model: change it there and make another Batch"}
    _counters = frozenset({"steps"})

    def __init__(
        self,
        model: Model,
        worlds: int,
        dt: float | None = None,
        integrator: str | None = None,
        threads: int | None = None,
        parameters: Sequence[str] = (),
        lanes: int | None = None,
        precision: str = "float64",
        laws: Sequence[ForceLaw] = (),
        controllers: Sequence[ForceLaw] = (),
        motions: Mapping[str, Motion] | None = None,
        stabilization: str | None = None,
        closing_time: float | None = None,
        terrain: Terrain | Mapping[str, Any] | None = None,
        rolling: str | None = None,
        solver: str | None = None,
        contact: bool | None = None,
        meshes: MeshChoice | None = None,
        backend: str | Cluster = "local",
        time_stepping: bool = False,
        **options: float,
    ) -> None:
        self.model = check_model(model, "Batch")
        self.worlds = check_count("worlds", worlds, most=_MOST_WORLDS)
        if options.pop("sleep", False):
            raise InputError(
                "worlds of a Batch do not sleep, for each is small: leave sleep=True out, or use a Simulation"
            )
        check_keywords(Batch, options)
        check_functions("laws", laws)
        check_functions("controllers", controllers)
        if model.settings.get("processes"):
            raise InputError(
                f"{model.name!r} has processes, which a Batch does not run: use a Simulation, or take "
                "'processes' out of its settings"
            )
        check_meshes(meshes)
        #: everything that was chosen about a step
        self.step_options = StepOptions.of(
            model,
            integrator=integrator,
            stabilization=stabilization,
            closing_time=closing_time,
            solver=solver,
            terrain=terrain,
            rolling=rolling,
            contact=contact,
            meshes=meshes,
            laws=laws,
            controllers=controllers,
            motions=motions,
            tuning=options,
            time_stepping=time_stepping,
        )
        check_choice("precision", precision, ("float64", "float32"))
        self.precision = precision
        self.lanes = default_lanes(precision) if lanes is None else check_count("lanes", lanes)
        widest = 8 if precision == "float64" else 16
        if self.lanes > widest or self.lanes & (self.lanes - 1):
            raise InputError(f"lanes must be a power of two up to {widest}, not {lanes}")
        self.threads = check_count(
            "threads", (os.cpu_count() or 1) if threads is None else threads, most=_MOST_THREADS
        )
        self.controllers = Controllers(model, controllers)
        self.controllers.require_traced()
        if self.contact and precision == "float32":
            raise InputError("contact needs precision='float64'; without it give Batch contact=False")
        self.steps = 0
        settings: dict[str, Any] = DEFAULTS | dict(model.settings)
        padded = -(-self.worlds // self.lanes) * self.lanes
        self.world = World(
            model,
            self.step_options,
            check_step(settings["dt"] if dt is None else dt),
            controllers=self.controllers.traced,
            inputs=self.controllers.inputs,
            parameters=[name for name in parameters if not of_material(model, name)],
            # rows a multiple of 4 KiB apart would all fall into one set of the cache
            columns=padded + (8 if padded % 512 == 0 else 0),
            precision=precision,
            lanes=self.lanes,
        )
        motions = self.step_options.motions
        if model.closed or motions:
            q, v = (np.array(x) for x in model.initial())
            self.q, self.v = start_state(model, q, v, motions, motions)
        cluster = find_cluster(backend)
        self._workers = (
            Workers(self.world, self.worlds, self.threads)
            if cluster is None
            else RemoteWorkers(self.world, self.worlds, self.threads, cluster)
        )
        columns = self.arrays["q"].shape[1]
        #: time and steps taken when the step was last changed
        self.arrays["time_base"] = np.zeros((2, columns))
        #: functions of the present states
        self.functions = WorldFunctions(self, self._workers, self._refresh)
        if self.contact:
            self.arrays["shape_forces"] = np.zeros((SHAPE_FORCES * len(self.functions.shapes), columns))
            self.arrays["zone_forces"] = np.zeros((len(self.functions.zones), columns))
        self._known_values = self._view("parameters").copy()
        self._materials = ContactParameters(self, [name for name in parameters if of_material(model, name)])
        #: signals by name
        self.readouts = Readouts(self)
        known = (*CARRIED, "time_base", "shape_forces")
        #: events that are written down
        self.events = WorldEvents(self)
        #: by name, one column: the arrays of a world that was not stepped yet
        self.fresh = {name: self.arrays[name][:, 0].copy() for name in known if name in self.arrays}
        #: the samples of the sensors; None where there are none
        self.sampling: Sampling | None = None
        if model.sensors:
            port = BatchPort(self, self._workers)
            self.sampling = Sampling(model, self.worlds, port, terrain=self.step_options.terrain)
        self._pieces = Pieces()
        self._seal(Batch)

    @property
    def integrator(self) -> str:
        """Name of the integrator."""
        return self.step_options.integrator

    @property
    def contact(self) -> bool:
        """Whether shapes touch."""
        return self.step_options.contact

    @property
    def parameters(self) -> tuple[str, ...]:
        """Constants that each world has its own values of."""
        return self.world.parameters + self._materials.names

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of the worlds, a column each."""
        return self.world.arrays

    @property
    def q(self) -> np.ndarray:
        """Positions (worlds, nq), live."""
        return self._view("q")

    @q.setter
    def q(self, value: ArrayLike) -> None:
        before = self.q.copy()
        self._assign("q", value)
        try:
            self._normalize(self.q, np.arange(self.worlds))
        except InputError:
            self._view("q")[:] = before
            raise

    @property
    def v(self) -> np.ndarray:
        """Velocities (worlds, nv), live."""
        return self._view("v")

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._assign("v", value)

    @property
    def tau(self) -> np.ndarray:
        """Joint forces (worlds, nv), live: N m for rotations, N for translations."""
        return self._view("tau")

    @tau.setter
    def tau(self, value: ArrayLike) -> None:
        self._assign("tau", value)

    @property
    def commands(self) -> np.ndarray:
        """Commands (worlds, actuators) in the order of `model.actuators`, live."""
        return self._view("commands")

    @commands.setter
    def commands(self, value: ArrayLike) -> None:
        self._assign("commands", value)

    @property
    def dt(self) -> np.ndarray:
        """Time step of every world (worlds), in seconds; may be set between steps, also world by world."""
        return self._view("dt")[:, 0].copy()

    @dt.setter
    def dt(self, value: ArrayLike) -> None:
        try:
            steps = np.broadcast_to(np.asarray(value, dtype=float), (self.worlds,))
        except (TypeError, ValueError):
            steps = np.zeros(1)
        if not (np.isfinite(steps) & (steps > 0.0)).all():
            raise InputError(f"dt must be one positive number of seconds or {self.worlds}, not {value!r}")
        base = self._view("time_base")
        base[:, 0], base[:, 1] = self.time, self.taken
        clock = self._view("clock")
        clock[:, 0] += clock[:, 1] * self._view("dt")[:, 0]
        clock[:, 1] = 0.0
        self._view("dt")[:, 0] = steps

    @property
    def alive(self) -> np.ndarray:
        """Which worlds still run (worlds): not those whose next step would leave all bounds."""
        return np.asarray(self._view("alive")[:, 0] > 0.5)

    def revive(self, worlds: Any = slice(None)) -> None:
        """Let worlds that stopped run on, from the states they have or were given."""
        self._view("alive")[worlds, 0] = 1.0

    def reset(
        self, worlds: Any = slice(None), q: ArrayLike | None = None, v: ArrayLike | None = None
    ) -> None:
        """Return worlds, chosen by an index, slice or mask, to the start: time, actuators, contact, sensors.

        Their positions and velocities become `q` and `v` (one state, or a row per chosen world), by default
        those of the machine. Parameters, joint forces, commands and loads stay as they are.
        """
        try:
            chosen = np.arange(self.worlds)[worlds]
        except IndexError as error:
            raise InputError(f"reset: these are not some of {self.worlds} worlds: {error}") from None
        for name, column in self.fresh.items():
            self.arrays[name][:, chosen] = column[:, None]
        for name, given in (("q", q), ("v", v)):
            if given is not None:
                self.arrays[name][:, chosen] = self._checked(name, given, chosen).T
        self.forget(chosen)

    def forget(self, worlds: np.ndarray) -> None:
        """Let worlds, by number, forget what is in no array: the contacts of the last step, and samples."""
        self._workers.forget(worlds)
        if self.sampling is not None:
            self.sampling.forget(worlds)

    def parameter(self, name: str) -> np.ndarray:
        """Values of a constant named in `parameters`, one per world, live."""
        check_choice("lifted parameter", name, self.parameters)
        if name in self._materials.names:
            return self._materials.values(name)
        return self._view("parameters")[:, self.parameters.index(name)]

    def input(self, wanted: Input) -> np.ndarray:
        """Values of a live input, one per world (worlds, ...), live; setting the input itself sets all."""
        place = self.world.inputs.place(wanted)
        self.world.read_inputs()
        return self._view("inputs")[:, place].reshape(self.worlds, *wanted.shape)

    def apply_force(
        self,
        body: str,
        force: ArrayLike = (0.0, 0.0, 0.0),
        torque: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike = (0.0, 0.0, 0.0),
        axes: str = "world",
        worlds: Any = slice(None),
    ) -> None:
        """As `Simulation.apply_force`, in the worlds chosen by an index, slice or mask.

        Each vector is one for all of them or has a row per chosen world.
        """
        try:
            part, load = frame_load(self.model, body, force, torque, point, axes)
            loads = self.arrays.get("loads")
            if loads is None:
                # many rows, which most batches never need
                shape = (LOAD_SIZE * len(self.model.bodies), self.arrays["q"].shape[1])
                loads = np.zeros(shape, dtype=self.precision)
            loads[:, : self.worlds].T[worlds, part] += load
            self.arrays["loads"] = loads
        except InputError:
            raise
        except (IndexError, ValueError) as error:
            raise InputError(f"the forces on {body!r} and the chosen worlds do not fit: {error}") from None

    def clear_forces(self) -> None:
        """Remove all forces and torques from the bodies of all worlds."""
        self.arrays.pop("loads", None)

    def step(self, count: int = 1) -> None:
        """Advance all worlds by a number of steps, in machine code on `threads` threads."""
        if check_count("steps", count, least=0) == 0:
            return
        self.events.before_steps()
        while count:
            whole = count if self._workers.interruptible else self._pieces.next(count)
            piece = 1 if self.events.logs else whole
            if self.sampling is not None:
                piece = min(piece, self.sampling.due())
            started = time.perf_counter()
            self._take(piece)
            if self.events.logs:
                self.events.after_step()
            self._pieces.took(piece, time.perf_counter() - started)
            self.steps, count = self.steps + piece, count - piece

    def _take(self, count: int) -> None:
        """Steps of all worlds in one go, on all threads."""
        self._refresh()
        if self.sampling is None:
            self._workers.take(count)
            return
        if self.steps == 0:
            self.sampling.begin()
        self.sampling.before_steps()
        self._workers.take(count)
        self.sampling.after_steps(count)

    def save(self) -> dict[str, np.ndarray]:
        """State of all worlds, as copies; live inputs are not part of it."""
        state = {name: array.copy() for name, array in self.arrays.items() if name != "inputs"}
        memory = self._workers.memory
        if memory is not None:
            state["contact"], state["contacts"] = np.concatenate(memory), np.array([len(x) for x in memory])
        if self.sampling is not None:
            state["sensors"] = self.sampling.save()
        return state | {"steps": np.array(self.steps)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Return to a saved state; what follows is the same bit for bit."""
        for name, array in self.arrays.items():
            if name not in ("loads", "inputs") and (name not in state or state[name].shape != array.shape):
                raise InputError(f"restore: the state does not belong to this batch ({name} does not fit)")
        self.arrays.pop("loads", None)
        for name in self.arrays.keys() - {"inputs"}:
            self.arrays[name][:] = state[name]
        if "loads" in state:
            self.arrays["loads"] = state["loads"].copy()
        if self.contact and ("contact" in state or self._workers.memory is not None):
            sizes = state.get("contacts", np.zeros(self.worlds, int))
            memory = np.split(state.get("contact", np.zeros(0)), np.cumsum(sizes)[:-1])
            self._workers.memory = memory
        if self.sampling is not None:
            self.sampling.restore(state.get("sensors", np.zeros((0, self.worlds))))
        self.steps = int(state["steps"])

    def _refresh(self) -> None:
        """Read the live inputs; where the data of controllers changed, compile the steps again."""
        if self.controllers.watched and self.controllers.refresh(self.arrays.values()):
            self.controllers.require_traced()
            memory = self._workers.memory
            self.world.retrace(self.controllers.traced, self.controllers.inputs)
            self._workers.memory = None
            self._workers.memory = memory
        self.world.read_inputs()
        values = self._view("parameters")
        if not np.array_equal(values, self._known_values):
            for name, column in zip(self.world.parameters, values.T, strict=True):
                check_values(self.model, name, column)
            self._known_values = values.copy()
        self._materials.refresh()

    def _view(self, name: str) -> np.ndarray:
        return self.arrays[name][:, : self.worlds].T

    def _checked(self, name: str, value: ArrayLike, worlds: np.ndarray) -> np.ndarray:
        """A state of each of these worlds (worlds, nq or nv)."""
        shape = len(worlds), len(self.arrays[name])
        numbers = np.array(_numbers(name, value, shape, worlds))
        if name == "q":
            self._normalize(numbers, worlds)
        return numbers

    def _normalize(self, q: np.ndarray, worlds: np.ndarray) -> None:
        """Give quaternions in positions (worlds, nq) unit length."""
        for joint in self.model.joints:
            if joint.type.nq != joint.type.nv:
                # quaternions come first in the positions of joints that have one
                part = q[:, joint.q.start : joint.q.start + 4]
                length = np.linalg.norm(part, axis=1, keepdims=True)
                if not (length > 1e-8).all():
                    world = int(worlds[np.argmin(length)])
                    raise InputError(f"q: the quaternion of joint {joint.name!r} is zero in world {world}")
                # those of unit length up to rounding keep their bits
                part /= np.where(np.abs(length - 1.0) < 1e-12, 1.0, length)

    def _assign(self, name: str, value: ArrayLike) -> None:
        view = self._view(name)
        view[:] = _numbers(name, value, view.shape, np.arange(self.worlds))


def _numbers(name: str, value: ArrayLike, shape: tuple[int, ...], worlds: np.ndarray) -> np.ndarray:
    """Finite numbers of a shape (worlds, n), or one row for all of them."""
    try:
        numbers = np.broadcast_to(np.asarray(value, dtype=float), shape)
    except (TypeError, ValueError):
        raise InputError(f"{name} must have shape {shape} or {shape[1:]}, not {np.shape(value)}") from None
    if not np.isfinite(numbers).all():
        row, index = (int(x) for x in np.argwhere(~np.isfinite(numbers))[0])
        raise InputError(
            f"{name} must be finite, but entry {index} of world {worlds[row]} is {numbers[row, index]}"
        )
    return numbers
