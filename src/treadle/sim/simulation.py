"""One world that runs."""

from __future__ import annotations

import time
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
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model
from treadle.native.executable import Runner
from treadle.native.program import compile_program
from treadle.sim.arrays import CARRIED, DEFAULTS, allocate, check_options
from treadle.sim.checks import (
    check_choice,
    check_closes,
    check_contact,
    check_count,
    check_model,
    check_motions,
    check_stabilization,
    check_step,
    check_vector,
)
from treadle.sim.controller import Controllers
from treadle.sim.event import Event, Events
from treadle.sim.ground import check_rolling, ground
from treadle.sim.handles import Parts
from treadle.sim.journal import Journal
from treadle.sim.ledger import curved_freedoms
from treadle.sim.lock import rotor_names, rotors
from treadle.sim.state import State
from treadle.sim.step import step_program
from treadle.sim.watcher import Watcher
from treadle.solvers import SOLVERS

if TYPE_CHECKING:
    from treadle.constraints.motion import Motion
    from treadle.model.spec import ModelSpec
    from treadle.sim.observer import Observer
    from treadle.sim.quality import Quality
    from treadle.sim.reaction import Reactions
    from treadle.sim.recording import Recorder, Wanted
    from treadle.sim.touching.touching import Touching
    from treadle.terrain import Terrain

__all__ = ["Simulation"]


class Simulation(Parts):
    """A machine in motion, from its keyframe "initial" or else neutral and at rest.

    `q`, `v` and `tau` are live vectors in the order of `model.joints`; write into them, or use
    `joint(name)`. Joint forces and loads stay until they are changed. Steps run in machine code made
    for this model; the first call compiles it (or finds it in the disk cache). `laws` are the user's own
    force laws, functions that are traced into the step (see `treadle.forces.law`); `controllers` are
    functions of the same form that are asked once at the start of every step (see
    `treadle.sim.controller`); `events` are looked out for by integrators with error control and beside
    contact (see `treadle.sim.event`); `motions` prescribe positions of joints as functions of time, by joint
    name (see `treadle.constraints.motion`); `stabilization` says how loops stay closed, "projection",
    "baumgarte" (with a `closing_time` in seconds) or "none" (see `treadle.solvers.stabilization`). Wheels run
    on the `terrain`, by default the plane z = 0; `rolling` says how, "balance", "direct" or "kinematic" (see
    `treadle.sim.ground`). The `solver` finds the forces of loops, stops and friction, "direct" or "simgc"
    (see `treadle.solvers`). Shapes touch where things can meet that are not one machine (see
    `treadle.sim.partners`), unless `contact` says otherwise; such steps follow Moreau's rule, whatever the
    integrator (see `treadle.sim.touching`). Meshes that touch are read from the machine's files, those that
    move as their convex hulls, unless `meshes` has others (see `collision_meshes`). Step, integrator,
    stabilization, terrain, rolling, solver and contact come from the model's settings unless they are given;
    further arguments are options of the integrator, such as tolerance=1e-9 for "dopri5".
    """

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
        meshes: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
        **options: float,
    ) -> None:
        self.model = check_model(model, "Simulation")
        settings: dict[str, Any] = DEFAULTS | dict(model.settings)
        dt = check_step(settings["dt"] if dt is None else dt)
        self.laws = tuple(laws)
        self.controllers = Controllers(model, controllers)
        self.motions = dict(motions or {})
        self.events = Events(model, events)
        self._watcher = Watcher(self)
        self._curved = curved_freedoms(model)
        # the code that holds stops is long: it is made when a joint first meets one
        self._bounded = bool(model.held or motions)
        self.terrain = ground(model, terrain, settings, contact)
        self.rolling = check_rolling(settings.get("rolling", "balance") if rolling is None else rolling)
        self._loads = np.zeros((LOAD_SIZE * len(model.bodies), 1))
        self._runners: dict[tuple, Runner | Touching] = {}
        # the one that ran last, which runs again unless forces or loads were changed
        self._running: Runner | Touching | None = None
        self._journal = Journal(self)
        self._start, self._steps = 0.0, 0
        # what looks at the state on the way, such as recorders
        self._observers: list[Observer] = []
        # seconds spent in machine code, and simulated in them
        self.wall_time = self.measured_time = 0.0
        self._arrays: dict[str, np.ndarray] = {}
        self._stabilization = settings["stabilization"] if stabilization is None else stabilization
        self._closing_time = closing_time
        self.solver = settings["solver"] if solver is None else solver
        # what was asked for, which an edit asks for again
        self._contact = contact
        #: whether shapes touch
        self.contact = check_contact(
            model, self.terrain, settings.get("contact") if contact is None else contact
        )
        self._meshes = dict(meshes or {})
        if self.contact:
            # reading geometry takes long to import
            from treadle.sim.meshes import contact_meshes

            self._meshes = contact_meshes(model, meshes)
        self._touched: Touching | None = None
        self._choose(settings["integrator"] if integrator is None else integrator, dt, options)
        if q is not None:
            self.q = q
        if v is not None:
            self.v = v
        if model.closed:
            from treadle.solvers.assembly import assemble

            assembly = assemble(model, self.q, self.v)
            self.q[:], self.v[:] = assembly.q, assembly.v
        self._fresh = True
        self.reference = self.save()

    @property
    def dt(self) -> float:
        """Time step in seconds; may be changed between steps."""
        return float(self._arrays["dt"][0, 0])

    @dt.setter
    def dt(self, value: float) -> None:
        value = check_step(value)
        self._start, self._steps = self.time, 0
        self._arrays["dt"][0, 0] = value

    @property
    def integrator(self) -> str:
        """Name of the integrator; may be changed between steps."""
        return self._integrator

    @integrator.setter
    def integrator(self, name: str) -> None:
        before = self.save()
        self._choose(name, self.dt, {})
        self.restore(before)

    @property
    def stabilization(self) -> str:
        """How loops stay closed; may be changed between steps."""
        return self._stabilization

    @stabilization.setter
    def stabilization(self, name: str) -> None:
        check_stabilization(self._integrator, name, None)
        before = self.save()
        self._stabilization, self._closing_time = name, None
        self._choose(self._integrator, self.dt, self.options)
        self.restore(before)

    @property
    def solver(self) -> str:
        """What finds the forces of loops, stops and friction; may be changed between steps."""
        return self._solver

    @solver.setter
    def solver(self, name: str) -> None:
        check_choice("solver", name, SOLVERS)
        self._solver = name
        self._runners.clear()
        self._running = None

    @property
    def options(self) -> dict[str, float]:
        """Options of the integrator."""
        names = INTEGRATORS[self._integrator].options
        return dict(zip(names, self._arrays["options"][:, 0].tolist(), strict=True))

    @property
    def time(self) -> float:
        """Simulated time in seconds."""
        return self._start + self._steps * self.dt

    @property
    def q(self) -> np.ndarray:
        """Positions (nq), live."""
        return self._arrays["q"][:, 0]

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
        return self._arrays["v"][:, 0]

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self.v[:] = check_vector(f"v of {self.model.name!r}", value, self.model.nv)

    @property
    def tau(self) -> np.ndarray:
        """Joint forces (nv), live: N m for turning freedoms, N for sliding ones."""
        return self._arrays["tau"][:, 0]

    @tau.setter
    def tau(self, value: ArrayLike) -> None:
        self.tau[:] = check_vector(f"tau of {self.model.name!r}", value, self.model.nv)

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
        self._loads[part, 0] += load

    def clear_forces(self) -> None:
        """Remove all forces and torques from the bodies."""
        self._loads[:] = 0.0

    def step(self, count: int = 1) -> None:
        """Advance by a number of steps, in machine code; an event may end them before."""
        left = check_count("steps", count, least=0)
        self.events.stopped_by = None
        while left and self.events.stopped_by is None:
            piece = min([left, self._journal.due(), *[observer.due() for observer in self._observers]])
            taken = self._advance(piece)
            left -= piece
            for observer in tuple(self._observers if taken else ()):
                observer.advanced(taken)

    def run(self, seconds: float) -> None:
        """Advance by a time, rounded to whole steps."""
        try:
            valid = np.isfinite(seconds) and seconds >= 0.0
        except TypeError:
            valid = False
        if not valid:
            raise InputError(f"run: seconds must be a number that is not negative, not {seconds!r}")
        self.step(round(seconds / self.dt))

    def save(self) -> State:
        """The complete state, as a copy."""
        vectors = [self._arrays[name][:, 0].copy() for name in ("q", "v", "tau")]
        loads, memory = self._loads[:, 0].copy(), self._arrays["memory"][:, 0].copy()
        drives = {name: self._arrays[name][:, 0].copy() for name in ("commands", "drives", "locked")}
        touch = self._touched.memory if self._touched is not None else np.zeros(0)
        kept = {"loads": loads, "memory": memory, "touch": touch}
        return State(self._start, self._steps, self.dt, *vectors, **kept, **drives)

    def restore(self, state: State) -> None:
        """Return to a saved state; what follows is the same bit for bit."""
        if not isinstance(state, State):
            raise InputError(f"restore needs a State from save(), not {type(state).__name__}")
        sizes = (len(state.q), len(state.v), len(state.loads))
        if sizes != (self.model.nq, self.model.nv, len(self._loads)):
            raise InputError(
                f"restore: the state does not belong to {self.model.name!r} (its sizes are {sizes})"
            )
        self._start, self._steps = state.start, state.steps
        self._arrays["dt"][0, 0] = state.dt
        for name in ("q", "v", "tau"):
            self._arrays[name][:, 0] = getattr(state, name)
        self._loads[:, 0] = state.loads
        memory = self._arrays["memory"]
        # that of another integrator is of no use: this one starts afresh
        memory[:, 0] = state.memory if len(state.memory) == len(memory) else 0.0
        for name in ("commands", "drives"):
            if len(getattr(state, name)) == len(self._arrays[name]):
                self._arrays[name][:, 0] = getattr(state, name)
        self._lock(state.locked if len(state.locked) == self.model.nv else np.zeros(self.model.nv))
        if self._touched is not None or len(state.touch):
            self._touching().memory = state.touch
        self.events.forget_after(self.time)
        self._journal.restart()

    def reset(self) -> None:
        """Return to the state before the first step."""
        self.restore(self.reference)

    @contextmanager
    def edit(self, gap: float = 1e-3) -> Iterator[ModelSpec]:
        """Change the machine between steps: `with sim.edit() as spec:` gives its description to change.

        At the end of the block the machine is compiled anew and goes on from where it is: time, positions,
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
        rounds, worst = self._arrays["effort"][:, 0].tolist()
        return rounds, worst

    @cached_property
    def _reactions(self) -> Reactions:
        """Forces through the joints."""
        from treadle.sim.reaction import Reactions

        return Reactions(self)

    def _choose(self, integrator: Any, dt: float, options: dict[str, float]) -> None:
        """Make the arrays that an integrator needs."""
        check_choice("integrator", integrator, INTEGRATORS)
        check_closes(self.model, integrator)
        check_motions(self.model, self.motions, integrator)
        self._watcher.check(integrator)
        closing_time = check_stabilization(integrator, self._stabilization, self._closing_time)
        checked = check_options(integrator, options)
        self._integrator = integrator
        arrays = allocate(self.model, integrator, dt, checked, closing_time=closing_time)
        arrays |= {name: np.zeros((self.model.nv, 1)) for name in ("locked", "parameters")}
        for name in ("q", "v", "tau", "dt", "commands", "locked", "parameters"):
            # the arrays that users may hold views of stay the same
            arrays[name] = self._arrays.get(name, arrays[name])
        arrays |= {"loads": self._loads, "ledger": self._journal.ledger} | self._watcher.arrays()
        arrays |= {f"next_{name}": arrays[name] for name in CARRIED}
        self._arrays = arrays
        self._runners.clear()
        self._running = None
        self._watcher.restart()
        self._journal.restart()

    def _lock(self, locked: np.ndarray) -> None:
        """Lock these freedoms and no others."""
        self._arrays["locked"][:, 0] = locked
        self._arrays["parameters"][:, 0] = rotors(self.model, locked)

    def _advance(self, count: int) -> int:
        """Run steps in one go, or one by one where a controller has to be asked; how many were taken."""
        if self._fresh:
            # whatever was set before the first step is where the run starts
            self.reference, self._fresh = self.save(), False
        if not self.controllers.called_back:
            return self._run(count)
        for taken in range(count):
            given = self.tau.copy()
            commanded = given + self.controllers.force(self.q, self.v, self.time)
            self.tau[:] = commanded
            try:
                finished = self._run(1)
            finally:
                # what the action of an event changed stays
                self.tau[:] = np.where(self.tau == commanded, given, self.tau - (commanded - given))
            if not finished:
                return taken
        return count

    def _run(self, count: int) -> int:
        same = self._journal.before()
        if self._watcher.active:
            return self._watcher.run(count)
        if self.contact and self.events and not self.events.muted:
            return self._watcher.beside.run(count)
        if not same or self._running is None:
            self._running = self._runner()
        clock, alive = self._arrays["clock"], self._arrays["alive"]
        clock[0, 0], clock[1, 0] = self._start, self._steps
        alive[0, 0], alive[1, 0] = 1.0, 0.0
        self._timed(self._running, count)
        taken = int(alive[1, 0])
        self.measured_time += taken * self.dt
        self._steps += taken
        self._journal.after(taken)
        if taken == count:
            return count
        if self._hold_bounds():
            return taken + self._run(count - taken)
        self._halted()
        return taken

    def _hold_bounds(self) -> bool:
        """Let stops and friction hold from here on, if there are any and they did not yet."""
        if not self.model.limited or self._bounded:
            return False
        from treadle.sim.divergence import check_given

        check_given(self)
        self._bounded, self._running = True, None
        return True

    def _timed(self, run: Runner | Touching, count: int) -> None:
        started = time.perf_counter()
        run(0, 1, count)
        self.wall_time += time.perf_counter() - started

    def _halted(self) -> None:
        """Explain a step that was not taken: the state is the last good one."""
        from treadle.sim.divergence import check_given, diverged, stuck

        check_given(self)
        if self.contact:
            raise diverged(self, self.v)
        state, effort = self.save(), self._arrays["effort"].copy()
        self._arrays["effort"][:] = 0.0
        self._runner(guarded=False)(0, 1, 1)
        attempt, (tried, left) = self.v.copy(), self.effort
        self.restore(state)
        self._arrays["effort"][:] = effort
        if left > 0.0 and INTEGRATORS[self._integrator].adaptive:
            raise stuck(self, tried, left)
        raise diverged(self, attempt)

    def _touching(self) -> Touching:
        """The step with contact."""
        from treadle.sim.touching.machine import MachineCode
        from treadle.sim.touching.programs import FreeMotion
        from treadle.sim.touching.step import take_steps
        from treadle.sim.touching.touching import Touching

        locked = bool(self._arrays["locked"].any())
        if ("touching", locked) not in self._runners:
            names = rotor_names(self.model) if locked else ()
            motion = FreeMotion(self.model, self.laws, self.controllers.traced, self.motions, names)
            made = Touching(MachineCode(motion), self._arrays, self.terrain, self._meshes)
            # none: what there is to compile is compiled here, and not counted as computing
            take_steps(made._table.ctypes.data, self.dt, self.time, 0)
            self._runners["touching", locked] = made
        touching: Any = self._runners["touching", locked]
        if self._touched is not None and self._touched is not touching:
            touching.memory = self._touched.memory
        self._touched = touching
        return touching

    def _runner(self, guarded: bool = True) -> Runner | Touching:
        """The compiled step; the one with loads only when there are any."""
        if self.contact:
            return self._touching()
        loaded = bool(self._loads.any())
        # the work of forces on joints that turn in space is dear: it is counted where there are any
        pushed = guarded and bool(self._curved) and bool(self.tau[self._curved].any())
        watched = guarded and self._watcher.active
        locked = bool(self._arrays["locked"].any())
        kind = loaded, guarded, pushed, self._bounded, watched, locked
        if kind not in self._runners:
            program = step_program(
                self.model,
                self._integrator,
                loaded,
                rotor_names(self.model) if locked else (),
                laws=self.laws,
                controllers=self.controllers.traced,
                motions=self.motions,
                guarded=guarded,
                bounded=self._bounded,
                accounted=guarded,
                pushed=pushed,
                events=self.events if watched else None,
                switches=self._watcher.switches,
                stabilization=self._stabilization,
                terrain=self.terrain,
                rolling=self.rolling,
                solver=self._solver,
            )
            self._runners[kind] = compile_program(program).runner(self._arrays)
        return self._runners[kind]
