"""One world that runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.forces.law import ForceLaw
from treadle.forces.load import LOAD_SIZE, frame_load
from treadle.model.model import Model
from treadle.model.notebook import Shown, shown_number
from treadle.sim.arrays import CARRIED, DEFAULTS
from treadle.sim.attributes import MEANT, Guarded, check_keywords
from treadle.sim.checks import (
    check_count,
    check_duration,
    check_functions,
    check_meshes,
    check_model,
    check_step,
    check_vector,
)
from treadle.sim.choices import Choices
from treadle.sim.controller import Controllers
from treadle.sim.event import Event, Events
from treadle.sim.ledger import curved_freedoms
from treadle.sim.lock import rotors
from treadle.sim.parts import Parts
from treadle.sim.processes import Processes
from treadle.sim.run_log import RunLog
from treadle.sim.start import start_state
from treadle.sim.state import State
from treadle.sim.step.options import StepOptions
from treadle.sim.stepper import Stepper
from treadle.sim.watcher import Watcher
from treadle.sim.world import World

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.geometry.collision_meshes import MeshChoice
    from treadle.model.spec import ModelSpec
    from treadle.sim.observer import Observer
    from treadle.sim.quality import Quality
    from treadle.sim.reaction import Accelerations, Reactions
    from treadle.sim.recording import Recorder, Wanted
    from treadle.sim.sensing import Sampling
    from treadle.sim.step.contact_step import ContactStep
    from treadle.terrain import Terrain

__all__ = ["Simulation"]

#: Arrays that users may hold views of: they stay the same under other options.
_LIVE = ("q", "v", "tau", "dt", "commands", "locked", "parameters")


class Simulation(Guarded, Parts, Choices, Shown):
    """A machine in motion, from its keyframe "initial" or else neutral and at rest.

    `q`, `v` and `tau` are live vectors in the order of `model.joints`; write into them, or use
    `joint(name)`. Joint forces and loads stay until they are changed. Steps run in machine code made
    for this model; the first call compiles it (or finds it in the disk cache). `laws` are the user's own
    force laws, functions that are traced into the step (see `treadle.forces.law`); `controllers` are
    functions of the same form that are called once at the start of every step (see
    `treadle.sim.controller`); `events` are moments at which a function of the state crosses zero
    (see `treadle.sim.event`); `motions` prescribe positions of joints as functions of time, by joint
    name (see `treadle.constraints.motion`); `stabilization` says how loops stay closed, "projection",
    "baumgarte" (with a `closing_time` in seconds) or "none" (see `treadle.solvers.stabilization`). Wheels run
    on the `terrain`, by default the plane z = 0; `rolling` says how, "balance", "direct" or "kinematic" (see
    `treadle.sim.ground`). The `solver` finds the forces of loops, limits and friction, "direct" or "simgc"
    (see `treadle.solvers`). Contact is on where separate objects can touch (see
    `treadle.sim.contact_default`), unless `contact` says otherwise; contact acts by the midpoint rule, and
    between contacts the machine moves by its integrator (see `treadle.sim.step`). Meshes that touch are read
    from the machine's files, those that move as their convex hulls, unless `meshes` is "parts" (see
    `convex_parts`) or "mesh", or has others by name (see `collision_meshes`). With `sleep`, islands of free
    bodies at rest are left out until something comes near (see `treadle.sim.step.sleep`); with
    `time_stepping`, contacts begin and end with steps: faster where many do, and less exact. Step,
    integrator, stabilization, terrain, rolling, solver and contact come from the model's settings unless they
    are given; further arguments are options of the integrator, such as tolerance=1e-9 for "dopri5".
    """

    _meant = MEANT
    _counters = frozenset({
        "contact_step", "fresh", "measured_time", "observers", "reference", "step_options", "wall_time",
        "world",
    })  # fmt: skip

    def __init__(
        self,
        model: Model,
        dt: float | None = None,
        integrator: str | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        laws: Sequence[ForceLaw] = (),
        controllers: Sequence[ForceLaw] = (),
        motions: Mapping[str, Motion] | None = None,
        events: Sequence[Event] = (),
        stabilization: str | None = None,
        closing_time: float | None = None,
        terrain: Terrain | Mapping[str, Any] | None = None,
        rolling: str | None = None,
        solver: str | None = None,
        contact: bool | None = None,
        meshes: MeshChoice | None = None,
        sleep: bool = False,
        time_stepping: bool = False,
        **options: float,
    ) -> None:
        check_keywords(Simulation, options)
        check_functions("laws", laws)
        check_functions("controllers", controllers)
        check_meshes(meshes)
        chosen = StepOptions.of(
            check_model(model, "Simulation"),
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
            sleep=sleep,
            time_stepping=time_stepping,
        )
        settings: dict[str, Any] = DEFAULTS | dict(model.settings)
        self._set_up(model, chosen, check_step(settings["dt"] if dt is None else dt), events)
        # a method that lets joints lag behind their motions may be told where they start
        placed, moving = (chosen.driven or given is None for given in (q, v))
        self._place(q, v, chosen.motions if placed else {}, chosen.motions if moving else {})

    @classmethod
    def with_options(
        cls,
        model: Model,
        options: StepOptions,
        dt: float,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        events: Sequence[Event] = (),
    ) -> Simulation:
        """A simulation with all options of another one's, see `step_options`."""
        made = cls.__new__(cls)
        made._set_up(model, options, check_step(dt), events)
        made._place(q, v)
        return made

    def _set_up(self, model: Model, options: StepOptions, dt: float, events: Sequence[Event]) -> None:
        self.model = model
        #: everything that was chosen about a step
        self.step_options = options
        cut = events and (options.contact or not options.method.adaptive)
        why = "acts beside events, which cut steps" if cut else None
        self.controllers = Controllers(model, options.controllers, why)
        self.events = Events(model, events)
        #: work on material by name, as the machine's settings have it
        self.processes = Processes(model)
        #: what looks at the state on the way, such as recorders
        self.observers: list[Observer] = []
        #: seconds spent in machine code, and simulated in them
        self.wall_time = self.measured_time = 0.0
        #: forces on the bodies, see `treadle.forces.load`
        self.loads = np.zeros((LOAD_SIZE * len(model.bodies), 1))
        #: the contact step that was taken last; None before, and without contact
        self.contact_step: ContactStep | None = None
        self.watcher = Watcher(self)
        self.run_log = RunLog(self)
        self.curved = curved_freedoms(model)
        self._live: dict[str, np.ndarray] = {}
        self.stepper = Stepper(self)
        #: the samples of the sensors; None where there are none
        self.sampling: Sampling | None = None
        self._choose(options, dt)
        if model.sensors:
            from treadle.sim.sensing import Sampling, SimulationPort

            self.sampling = Sampling(model, 1, SimulationPort(self), terrain=options.terrain)

    def _place(
        self,
        q: ArrayLike | None,
        v: ArrayLike | None,
        places: Mapping[str, Motion] | None = None,
        rates: Mapping[str, Motion] | None = None,
    ) -> None:
        """Go to where the run starts, some joints on the positions or velocities of their motions."""
        if q is not None:
            self.q = q
        if v is not None:
            self.v = v
        self.q[:], self.v[:] = start_state(self.model, self.q, self.v, places or {}, rates or {})
        self.fresh = True
        self.reference = self.save()
        self._seal(Simulation)

    @property
    def dt(self) -> float:
        """Time step in seconds; may be changed between steps."""
        return float(self.arrays["dt"][0, 0])

    @dt.setter
    def dt(self, value: float) -> None:
        value = check_step(value)
        self.world.start, self.world.steps = self.time, 0
        self.arrays["dt"][0, 0] = value

    @property
    def time(self) -> float:
        """Simulated time in seconds."""
        return self.world.start + self.world.steps * self.dt

    @property
    def q(self) -> np.ndarray:
        """Positions (nq), live."""
        return self.arrays["q"][:, 0]

    @q.setter
    def q(self, value: ArrayLike) -> None:
        numbers = check_vector(f"q of {self.model.name!r}", value, self.model.nq)
        for joint in self.model.joints:
            try:
                numbers[joint.q] = joint.type.normalize(numbers[joint.q].tolist())
            except ValueError as error:
                raise InputError(f"q of joint {joint.name!r}: {error}") from None
        self.q[:] = numbers

    @property
    def v(self) -> np.ndarray:
        """Velocities (nv), live."""
        return self.arrays["v"][:, 0]

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self.v[:] = check_vector(f"v of {self.model.name!r}", value, self.model.nv)

    @property
    def tau(self) -> np.ndarray:
        """Joint forces (nv), live: N m for rotations, N for translations."""
        return self.arrays["tau"][:, 0]

    @tau.setter
    def tau(self, value: ArrayLike) -> None:
        self.tau[:] = check_vector(f"tau of {self.model.name!r}", value, self.model.nv)

    def _title(self) -> str:
        return f"Simulation of {self.model.name!r}"

    def _shown(self) -> list[tuple[str, str]]:
        return [
            ("time", shown_number(self.time, "s")),
            ("step", shown_number(self.dt, "s")),
            ("integrator", self.step_options.integrator),
            ("contact", "on" if self.step_options.contact else "off"),
            ("q", shown_number(self.q)),
            ("v", shown_number(self.v)),
        ]

    def apply_force(
        self,
        body: str,
        force: Sequence[float] = (0.0, 0.0, 0.0),
        torque: Sequence[float] = (0.0, 0.0, 0.0),
        point: Sequence[float] = (0.0, 0.0, 0.0),
        axes: str = "world",
    ) -> None:
        """Add a force (N) at a point of a link or frame (m, in its axes) and a torque (N m).

        `axes` says in which the force and torque are given, and keep their direction: "world" or
        "body". They act until `clear_forces()`.
        """
        part, load = frame_load(self.model, body, force, torque, point, axes)
        if load.ndim > 1:
            raise InputError(f"one world takes one force on {body!r} at a time, not {len(load)}")
        self.loads[part, 0] += load

    def clear_forces(self) -> None:
        """Remove all forces and torques from the bodies."""
        self.loads[:] = 0.0

    def step(self, count: int = 1) -> None:
        """Advance by a number of steps, in machine code; an event may end them before."""
        direct, left = self.stepper.direct, count
        if direct is not None and not self.observers:
            left = direct(count)
            if left == 0:
                return
        left = check_count("steps", left, least=0)
        self.events.stopped_by = None
        while left and self.events.stopped_by is None:
            due = [observer.due() for observer in self.observers]
            if self.sampling is not None:
                due.append(self.sampling.due())
            piece = min([self.stepper.pieces.next(left), *due])
            taken = self._advance(piece)
            left -= piece
            if self.sampling is not None:
                self.sampling.after_steps(taken)
            for observer in tuple(self.observers if taken else ()):
                observer.advanced(taken)

    def run(self, seconds: float) -> None:
        """Advance by a time, rounded to whole steps."""
        self.step(round(check_duration("run: seconds", seconds) / self.dt))

    def save(self) -> State:
        """The complete state, as a copy."""
        vectors = [self.arrays[name][:, 0].copy() for name in ("q", "v", "tau")]
        loads, memory = self.loads[:, 0].copy(), self.arrays["memory"][:, 0].copy()
        drives = {name: self.arrays[name][:, 0].copy() for name in ("commands", "drives", "locked")}
        touch = self.contact_step.memory if self.contact_step is not None else np.zeros(0)
        sensors = np.zeros(0) if self.sampling is None else self.sampling.save()[:, 0]
        kept = {"loads": loads, "memory": memory, "touch": touch, "sensors": sensors}
        kept["processes"] = self.processes.save()
        return State(self.world.start, self.world.steps, self.dt, *vectors, **kept, **drives)

    def restore(self, state: State) -> None:
        """Return to a saved state; what follows is the same bit for bit."""
        if not isinstance(state, State):
            raise InputError(f"restore needs a State from save(), not {type(state).__name__}")
        sizes = (len(state.q), len(state.v), len(state.loads))
        if sizes != (self.model.nq, self.model.nv, len(self.loads)):
            raise InputError(
                f"restore: the state does not belong to {self.model.name!r} (its sizes are {sizes})"
            )
        self.world.start, self.world.steps = state.start, state.steps
        self.arrays["dt"][0, 0] = state.dt
        for name in ("q", "v", "tau"):
            self.arrays[name][:, 0] = getattr(state, name)
        self.loads[:, 0] = state.loads
        memory = self.arrays["memory"]
        # that of another integrator is of no use: this one starts afresh
        memory[:, 0] = state.memory if len(state.memory) == len(memory) else 0.0
        for name in ("commands", "drives"):
            if len(getattr(state, name)) == len(self.arrays[name]):
                self.arrays[name][:, 0] = getattr(state, name)
        self.lock(state.locked if len(state.locked) == self.model.nv else np.zeros(self.model.nv))
        if self.contact_step is not None or len(state.touch):
            self.stepper.ready_contact_step().memory = state.touch
        if self.sampling is not None:
            self.sampling.restore(state.sensors[:, None])
        self.processes.restore(state.processes)
        self.events.forget_after(self.time)
        self.stepper.acted = False
        self.run_log.restart()

    def reset(self) -> None:
        """Return to the state before the first step."""
        self.restore(self.reference)

    @contextmanager
    def edit(self, gap: float = 1e-3) -> Iterator[ModelSpec]:
        """Change the machine between steps: `with sim.edit() as spec:` gives its description to change.

        At the end of the block the machine is compiled again and continues from its state: time, positions,
        velocities, forces, commands and pressures are kept by name, and handles, recorders and events stay.
        Loops that are open by at most `gap` (m, rad) are closed. If anything is wrong, or the block raises an
        error, the simulation stays as it was.
        """
        from treadle.model.describe import describe
        from treadle.sim.edit import adopt, edited

        spec = describe(self.model)
        yield spec
        adopt(self, edited(spec), gap)

    def record(
        self, path: str | PathLike[str], signals: Sequence[Wanted] | None = None, rate: float | None = None
    ) -> Recorder:
        """Record signals by name into an .mcap or .parquet file, `rate` times per second, until closed.

        See `treadle.sim.recording`; without `signals` those of `DEFAULT_SIGNALS`, without `rate` 100 per
        second.
        """
        from treadle.sim.recording import Recorder

        return Recorder(self, path, signals, rate)

    def quality(self, thorough: bool = False, keep: float | None = None) -> Quality:
        """How far the run since its state was last set can be trusted, in numbers and in words.

        `thorough` repeats the run with half and twice the step for an error bar on its end; `keep` (m) asks
        for the largest step that keeps that error. Neither leaves a trace in the simulation.
        """
        from treadle.sim.quality import measure

        return measure(self, thorough, keep)

    @property
    def effort(self) -> tuple[float, float]:
        """Rounds of the integrator's solver so far (or substeps tried), and the worst that was left over."""
        rounds, worst = self.arrays["effort"][:, 0].tolist()
        return rounds, worst

    @cached_property
    def reactions(self) -> Reactions:
        """Forces through the joints."""
        from treadle.sim.reaction import Reactions

        return Reactions(self)

    @cached_property
    def accelerations(self) -> Accelerations:
        """Accelerations of joints and bodies."""
        from treadle.sim.reaction import Accelerations

        return Accelerations(self)

    def _choose(self, options: StepOptions, dt: float) -> None:
        """Make the world of these options; arrays that users may hold views of stay the same."""
        self.watcher.check()
        self.step_options = options
        self.world = World(
            self.model, options, dt, controllers=self.controllers.traced, inputs=self.controllers.inputs
        )
        arrays = self.world.arrays
        arrays |= {name: np.zeros((self.model.nv, 1)) for name in ("locked", "parameters")}
        for name in _LIVE:
            self._live[name] = arrays[name] = self._live.get(name, arrays[name])
        arrays |= {"loads": self.loads, "ledger": self.run_log.ledger} | self.watcher.arrays()
        arrays |= {f"next_{name}": arrays[name] for name in CARRIED}
        self.stepper.restart()
        self.watcher.restart()
        self.run_log.restart()

    def keep_views(self, live: Mapping[str, np.ndarray]) -> None:
        """Let arrays that users may hold views of be those of this simulation, where their shapes fit."""
        for name, array in live.items():
            if array.shape == self.arrays[name].shape:
                self._live[name] = self.arrays[name] = self.arrays[f"next_{name}"] = array
        self.run_log.bound = None

    def rechoose(self, **given: Any) -> None:
        """Continue with other options."""
        chosen = self.step_options.changed(self.model, **given)
        before = self.save()
        self._choose(chosen, self.dt)
        self.restore(before)

    def refresh(self, changed: bool) -> None:
        """Read the live inputs; where the data of traced controllers changed, compile the step again."""
        if changed:
            self.world.retrace(self.controllers.traced, self.controllers.inputs)
            self.stepper.restart()
            self.watcher.restart()
            self.run_log.disturb()
        self.world.read_inputs()

    def lock(self, locked: np.ndarray) -> None:
        """Lock these degrees of freedom and no others."""
        self.arrays["locked"][:, 0] = locked
        self.arrays["parameters"][:, 0] = rotors(self.model, locked)

    def _advance(self, count: int) -> int:
        """Run steps in one go, or one by one where something acts between them; how many were taken."""
        if self.fresh:
            # whatever was set before the first step is where the run starts
            if self.sampling is not None:
                self.sampling.begin()
            self.reference, self.fresh = self.save(), False
        controllers = self.controllers
        if controllers.watched or self.world.inputs.size:
            self.refresh(controllers.refresh(self.arrays.values()))
        # the action of an event may change what controllers read
        acted = controllers.watched and any(event.acts for event in self.events)
        if not (controllers.called_back or acted or self.processes.active):
            return self.stepper.run(count)
        for taken in range(count):
            given = self.tau.copy()
            if self.processes.active:
                self.processes.work(self)
            self.refresh(controllers.force(self.q, self.v, self.time, self.arrays.values()))
            commanded = given + controllers.commanded + self.processes.commanded
            self.tau[:] = commanded
            try:
                finished = self.stepper.run(1)
            finally:
                # what the action of an event changed stays
                self.tau[:] = np.where(self.tau == commanded, given, self.tau - (commanded - given))
            if not finished:
                return taken
        return count
