"""One world that runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError, SimulationDiverged
from treadle.forces.law import ForceLaw
from treadle.forces.load import LOAD_SIZE, frame_load
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model
from treadle.native.executable import Runner
from treadle.native.program import compile_program
from treadle.sim.checks import check_choice, check_count, check_model, check_step, check_vector
from treadle.sim.handles import BodyHandle, JointHandle
from treadle.sim.observer import Observer
from treadle.sim.quality import Quality, measure
from treadle.sim.state import State
from treadle.sim.step import step_program

if TYPE_CHECKING:
    from treadle.sim.recording import Recorder, Wanted

__all__ = ["Simulation"]


class Simulation:
    """A machine in motion, from its keyframe "initial" or else neutral and at rest.

    `q`, `v` and `tau` are live vectors in the order of `model.joints`; write into them, or use
    `joint(name)`. Joint forces and loads stay until they are changed. Steps run in machine code made
    for this model; the first call compiles it (or finds it in the disk cache). `laws` are the user's own
    force laws, functions that are traced into the step (see `treadle.forces.law`).
    """

    def __init__(
        self,
        model: Model,
        dt: float = 1e-3,
        integrator: str = "symplectic_euler",
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        laws: Sequence[ForceLaw] = (),
    ) -> None:
        self.model = check_model(model, "Simulation")
        check_choice("integrator", integrator, INTEGRATORS)
        self.integrator = integrator
        self.laws = tuple(laws)
        self._clock = np.zeros((2, 1))
        self._dt = np.full((1, 1), check_step(dt))
        initial_q, initial_v = model.initial()
        self._q = np.array(initial_q, dtype=float).reshape(-1, 1)
        self._v = np.array(initial_v, dtype=float).reshape(-1, 1)
        self._tau = np.zeros((model.nv, 1))
        self._loads = np.zeros((LOAD_SIZE * len(model.bodies), 1))
        self._runners: dict[bool, Runner] = {}
        self._start, self._steps = 0.0, 0
        # what looks at the state on the way, such as recorders
        self._observers: list[Observer] = []
        # seconds spent in machine code, and simulated in them
        self.wall_time = self.measured_time = 0.0
        if q is not None:
            self.q = q
        if v is not None:
            self.v = v
        self._fresh = True
        self.reference = self.save()

    @property
    def dt(self) -> float:
        """Time step in seconds; may be changed between steps."""
        return float(self._dt[0, 0])

    @dt.setter
    def dt(self, value: float) -> None:
        value = check_step(value)
        self._start, self._steps = self.time, 0
        self._dt[0, 0] = value

    @property
    def time(self) -> float:
        """Simulated time in seconds."""
        return self._start + self._steps * self.dt

    @property
    def q(self) -> np.ndarray:
        """Positions (nq), live."""
        return self._q[:, 0]

    @q.setter
    def q(self, value: ArrayLike) -> None:
        numbers = check_vector(f"q of {self.model.name!r}", value, self.model.nq)
        for joint in self.model.joints:
            try:
                numbers[joint.q] = joint.type.normalize(numbers[joint.q].tolist())
            except ValueError as error:
                raise InputError(f"q of joint {joint.name!r}: {error}") from None
        self._q[:, 0] = numbers

    @property
    def v(self) -> np.ndarray:
        """Velocities (nv), live."""
        return self._v[:, 0]

    @v.setter
    def v(self, value: ArrayLike) -> None:
        self._v[:, 0] = check_vector(f"v of {self.model.name!r}", value, self.model.nv)

    @property
    def tau(self) -> np.ndarray:
        """Joint forces (nv), live: N m for turning freedoms, N for sliding ones."""
        return self._tau[:, 0]

    @tau.setter
    def tau(self, value: ArrayLike) -> None:
        self._tau[:, 0] = check_vector(f"tau of {self.model.name!r}", value, self.model.nv)

    def joint(self, name: str) -> JointHandle:
        """Position, velocity and torque of a joint."""
        return JointHandle(self, name)

    def body(self, name: str) -> BodyHandle:
        """Pose and velocity of a link or frame."""
        return BodyHandle(self, name)

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
        """Advance by a number of steps, in machine code."""
        left = check_count("steps", count, least=0)
        while left:
            piece = min([left, *[observer.due() for observer in self._observers]])
            self._advance(piece)
            left -= piece
            for observer in tuple(self._observers):
                observer.advanced(piece)

    def _advance(self, count: int) -> None:
        """Run steps in one go."""
        if self._fresh:
            # whatever was set before the first step is where the run starts
            self.reference, self._fresh = self.save(), False
        before_q, before_v = self._q.copy(), self._v.copy()
        run = self._runner()
        self._clock[:, 0] = self._start, self._steps
        started = time.perf_counter()
        run(0, 1, count)
        self.wall_time += time.perf_counter() - started
        self.measured_time += count * self.dt
        if not (np.isfinite(self._q).all() and np.isfinite(self._v).all()):
            self._diverged(before_q, before_v, run, count)
        self._steps += count

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
        vectors = (self._q, self._v, self._tau, self._loads)
        return State(self._start, self._steps, self.dt, *[x[:, 0].copy() for x in vectors])

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
        self._dt[0, 0] = state.dt
        self._q[:, 0], self._v[:, 0] = state.q, state.v
        self._tau[:, 0], self._loads[:, 0] = state.tau, state.loads

    def reset(self) -> None:
        """Return to the state before the first step."""
        self.restore(self.reference)

    def record(
        self, path: str | PathLike[str], signals: Sequence[Wanted] | None = None, rate: float | None = None
    ) -> Recorder:
        """Record signals by name into an .mcap or .parquet file, `rate` times per second, until closed.

        See `treadle.sim.recording`; without `signals` those of `DEFAULT_SIGNALS`, without `rate` 100 per
        second.
        """
        from treadle.sim.recording import Recorder

        return Recorder(self, path, signals, rate)

    def quality(self) -> Quality:
        """How far the run so far can be trusted, in numbers and in words."""
        return measure(self)

    def _runner(self) -> Runner:
        """The compiled step; the one with loads only when there are any."""
        loaded = bool(self._loads.any())
        if loaded not in self._runners:
            executable = compile_program(step_program(self.model, self.integrator, loaded, laws=self.laws))
            arrays = {
                "q": self._q, "v": self._v, "tau": self._tau, "dt": self._dt, "loads": self._loads,
                "clock": self._clock, "next_q": self._q, "next_v": self._v, "next_clock": self._clock,
            }  # fmt: skip
            self._runners[loaded] = executable.runner(arrays)
        return self._runners[loaded]

    def _diverged(self, q: np.ndarray, v: np.ndarray, run: Runner, count: int) -> None:
        """Find the step and the joint where the state stopped being finite, and raise."""
        self._q[:], self._v[:] = q, v
        for name, given in (("q", self.q), ("v", self.v), ("tau", self.tau)):
            bad = np.flatnonzero(~np.isfinite(given))
            if bad.size:
                raise InputError(f"step: {name}[{bad[0]}] ({self._owner(name, bad[0])}) is {given[bad[0]]}")
        for _ in range(count):
            last_q, last_v = self._q.copy(), self._v.copy()
            self._clock[:, 0] = self._start, self._steps
            run(0, 1, 1)
            lost = [(name, np.flatnonzero(~np.isfinite(x))) for name, x in (("v", self.v), ("q", self.q))]
            bad = [(name, places[0]) for name, places in lost if places.size]
            if bad:
                owner = self._owner(*bad[0])
                self._q[:], self._v[:] = last_q, last_v
                raise SimulationDiverged(
                    f"the simulation of {self.model.name!r} diverged at t = {self.time + self.dt:.6g} s, "
                    f"first at {owner}; the largest speed before was {np.abs(last_v).max():.3g}: "
                    f"try a step smaller than dt = {self.dt:g} s, or smaller forces",
                    time=self.time + self.dt,
                    element=owner,
                    last_good_state=self.save(),
                )
            self._steps += 1

    def _owner(self, label: str, index: int) -> str:
        for joint in self.model.joints:
            part = joint.q if label == "q" else joint.v
            if part.start <= index < part.stop:
                return f"joint {joint.name!r}"
        return "an unknown joint"
