"""The loop of a simulation with events or switches: machine code up to a crossing, then Python.

After the substep in which something crossed zero, its dense output is computed, the crossings are
located, and the state is taken back to the first of them that acts; what is left of the step continues from
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treadle.errors import InputError, TreadleError
from treadle.forces.switch import switch_count
from treadle.native.executable import Executable
from treadle.native.program import compile_program
from treadle.sim.event import Event, Occurrence
from treadle.sim.event_steps import EventSteps
from treadle.sim.lock import locked_model
from treadle.sim.step.watched import CONTINUED, FRESH, STOPPED, WATCHED, Pause, watched_sizes

if TYPE_CHECKING:
    from treadle.sim.crossing import Crossing
    from treadle.sim.interpolant import Interpolant
    from treadle.sim.simulation import Simulation

__all__ = ["Watcher"]

#: Most steps in one go: those after a stop are for nothing.
_MOST = 256

#: So many stops within so many seconds are too many.
_STOPS, _MOMENT = 100, 1e-9


class Watcher:
    """Runs the steps of a simulation whose integrator controls its error."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self.switches = switch_count(sim.model, sim.laws) if sim.laws else 0
        self._dense: dict[tuple[bool, bool, bytes], Executable] = {}
        self._places = Pause(sim.model)
        self._stops: list[float] = []
        #: takes steps again up to an event, where there is no dense output
        self.stepwise = EventSteps(sim)
        #: where the motion during every substep is kept, if anywhere
        self.collected: list[Interpolant] | None = None

    def belong(self, sim: Simulation) -> None:
        """Go over to a simulation that took over the arrays of this one's."""
        self._sim = sim
        self.stepwise = EventSteps(sim)

    @property
    def active(self) -> bool:
        """Whether steps are watched now."""
        return self.needed or self.collected is not None

    @property
    def needed(self) -> bool:
        """Whether there is anything to locate by dense output."""
        if not (self._sim.events or self.switches):
            return False
        adaptive = self._sim.step_options.method.adaptive and not self._sim.contact
        return adaptive and self._sim.model.nv > 0

    def check(self) -> None:
        """That events can be looked out for, if there are any."""
        if self._sim.events and not self._sim.model.nv:
            raise InputError(f"{self._sim.model.name!r} does not move, so that no events can happen")

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a watched step that others do not have, or longer than those of others."""
        sim = self._sim
        sizes = watched_sizes(sim.model, sim.events, self.switches, controlled=True)
        names = [*WATCHED, "memory"] if self.needed else WATCHED
        return {name: np.zeros((sizes[name], 1)) for name in names}

    def restart(self) -> None:
        """Forget what belongs to another integrator."""
        self._dense.clear()

    def run(self, count: int) -> int:
        """Take steps until they are done or an event ends the run; the number that was taken."""
        sim, pause = self._sim, self._pause
        sim.events.check_idle()
        sim.events.stopped_by = None
        pause[Pause.STATUS], pause[Pause.EVERY] = FRESH, 0.0 if self.collected is None else 1.0
        done, piece = 0, 1
        while done < count and sim.events.stopped_by is None:
            piece = min(piece, count - done)
            fired = self._fired.copy()
            resumed = pause[Pause.DONE] if pause[Pause.STATUS] == CONTINUED else 0.0
            taken = self._take(piece)
            done += taken
            if pause[Pause.STATUS] == STOPPED:
                # flags belong to the first substep after they were set
                first = taken == 0 and pause[Pause.BEGIN] == resumed
                done += self._resolve(fired if first else np.zeros_like(fired))
                piece = 1
            elif taken < piece:
                if sim.stepper.hold_bounds():
                    continue
                if pause[Pause.STATUS] == CONTINUED:
                    sim.world.start, sim.world.steps = sim.time + float(pause[Pause.DONE]), 0
                sim.run_log.after(done)
                sim.stepper.halted()
            else:
                piece = min(2 * piece, _MOST)
        sim.run_log.after(done)
        return done

    @property
    def _arrays(self) -> dict[str, np.ndarray]:
        return self._sim.arrays

    @property
    def _pause(self) -> np.ndarray:
        """Where the step is, live."""
        return self._arrays["pause"][:, 0]

    @property
    def _fired(self) -> np.ndarray:
        """Which events happened just now, live."""
        return self._arrays["memory"][1:, 0]

    def _take(self, count: int) -> int:
        """Steps in machine code; the number that was finished."""
        sim, arrays = self._sim, self._arrays
        arrays["clock"][:, 0] = sim.world.start, sim.world.steps
        arrays["alive"][:, 0] = 1.0, 0.0
        sim.stepper.timed(sim.stepper.runner(), count)
        taken = int(arrays["alive"][1, 0])
        sim.world.steps += taken
        sim.measured_time += taken * sim.dt
        return taken

    def _resolve(self, fired: np.ndarray) -> int:
        """Deal with the substep after which the step stopped; 1 if the step was left, else 0."""
        from treadle.sim.crossing import SAME, crossings

        sim, pause, modes = self._sim, self._pause, self._arrays["modes"][:, 0]
        motion = self._motion()
        found = crossings(sim.model, motion, sim.events, fired.tolist(), sim.laws, modes.tolist())
        loud = not sim.events.muted
        acting = [c for c in found if c.event is None or (sim.events[c.event].acts and loud)]
        pause[Pause.STATUS] = CONTINUED
        over = acting[0].after if acting else motion.span
        sim.run_log.ledger[:, 0] += motion.gain(over)
        if self.collected is not None:
            self.collected.append(motion.until(over))
        if not acting:
            self._write_down(motion, found)
            return 0
        present = [c for c in found if c.after <= over + SAME]
        self._write_down(motion, present)
        sim.q[:], sim.v[:] = motion.after(over)
        pause[Pause.DONE] = pause[Pause.BEGIN] + over
        self._fired[:] = 0.0
        for crossing in present:
            if crossing.event is None:
                modes[crossing.switch] = 1.0 - modes[crossing.switch]
            else:
                self._fired[crossing.event] = 1.0
        self._count_stops(motion.start + over, acting[0])
        return 0 if sim.events.muted else self._act(motion.start + over, present)

    def _motion(self) -> Interpolant:
        """Dense output of the last substep."""
        from treadle.sim.interpolant import Interpolant, dense_program

        sim, (nq, nv) = self._sim, (self._sim.model.nq, self._sim.model.nv)
        span, state = float(self._pause[Pause.SPAN]), self._pause[self._places.begin].copy()
        start = sim.time + float(self._pause[Pause.BEGIN])
        rotors = self._arrays["parameters"][:, 0] if self._arrays["locked"].any() else np.zeros(0)
        loaded, pushed = bool(sim.loads.any()), bool(sim.curved) and bool(sim.tau[sim.curved].any())
        kind = loaded, pushed, rotors.tobytes()
        if kind not in self._dense:
            machine = locked_model(sim.model, rotors.tolist()) if len(rotors) else sim.model
            program = dense_program(
                machine, sim.integrator, loaded, sim.laws, self.switches, pushed, sim.world.inputs.inputs
            )
            self._dense[kind] = compile_program(program)
        values = {name: array[:, 0] for name, array in self._arrays.items()} | {
            "q": state[:nq],
            "v": state[nq:],
            "tau": sim.tau + self._arrays["held"][:, 0],
            "span": [start, span],
        }
        dense = self._dense[kind]
        given = dense(*[values[name] for name in dense.layout.inputs])
        assert given is not None
        terms = given[0].reshape(-1, 2 * nv + len(sim.run_log.ledger))
        return Interpolant(sim.model, start, span, state[:nq], state[nq:], terms)

    def _write_down(self, motion: Interpolant, found: Sequence[Crossing]) -> None:
        if self._sim.events.muted:
            return
        for crossing in found:
            if crossing.event is not None:
                name = self._sim.events[crossing.event].name
                entry = Occurrence(motion.start + crossing.after, name, *motion.after(crossing.after))
                self._sim.events.log.append(entry)

    def _act(self, time: float, present: Sequence[Crossing]) -> int:
        """Call the actions, at the time of the event; 1 if they left the step, else 0."""
        sim = self._sim
        clock, dt = (sim.world.start, sim.world.steps), sim.dt
        events = [(c.event, sim.events[c.event]) for c in present if c.event is not None]
        values = [self._value_and_change(event, time) for _, event in events]
        sim.world.start, sim.world.steps = time, 0
        changed = sim.events.act(sim, [event for _, event in events])
        if changed or sim.events.stopped_by is not None:
            # no balance can be drawn across that
            sim.run_log.restart()
            sim.run_log.before()
            self._pause[Pause.COUNTED] = self._pause[Pause.DONE]
            self._pause[self._places.origin] = sim.q
        if (sim.world.start, sim.world.steps, sim.dt) != (time, 0, dt):
            # the action went to another state or changed the step: the next one starts here
            self._pause[Pause.STATUS] = FRESH
            return 1
        for (number, event), (value, rate) in zip(events, values, strict=True):
            new_value, new_rate = self._value_and_change(event, time)
            if new_value != value:
                self._fired[number] = 0.0
            elif rate * new_rate <= 0.0 and rate != 0.0:
                self._fired[number] = -2.0 * np.sign(rate)
        if sim.events.stopped_by is None:
            sim.world.start, sim.world.steps = clock
        return 0

    def _value_and_change(self, event: Event, time: float) -> tuple[float, float]:
        """Value of an event's function now, and by how much it changes if the velocity lasts."""
        model, (q, v), h = self._sim.model, (self._sim.q.tolist(), self._sim.v.tolist()), 1e-6

        def after(h: float) -> float:
            moved = [x for j in model.joints for x in j.type.integrate(q[j.q], [h * x for x in v[j.v]])]
            return float(event.value(model, moved, v, time + h))

        return float(event.value(model, q, v, time)), after(h) - after(-h)

    def _count_stops(self, time: float, crossing: Crossing) -> None:
        """Give up where stops follow each other without end."""
        self._stops = [*self._stops[1 - _STOPS :], time]
        if len(self._stops) < _STOPS or not 0.0 <= time - self._stops[0] < _MOMENT:
            return
        self._stops.clear()
        if crossing.event is None:
            what = f"switch {crossing.switch} of the force laws"
            remedy = "a smooth law, such as td.tanh(v / 0.01)"
        else:
            what = f"event {self._sim.events[crossing.event].name!r}"
            remedy = "an action that returns True, which ends the run, when the motion comes to rest"
        raise TreadleError(
            f"{what} crossed zero {_STOPS} times within {_MOMENT:g} s at t = {time:.9g} s; it needs {remedy}"
        )
