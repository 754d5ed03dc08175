"""Takes the steps of a simulation: chooses the compiled step, runs it, explains one that was not taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treadle.native.executable import Runner
from treadle.sim.continuation import continuation
from treadle.sim.lock import rotor_names
from treadle.sim.near_limits import NearLimits
from treadle.sim.pieces import Pieces
from treadle.sim.step.continued import attend
from treadle.sim.step.program import StepKind

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation
    from treadle.sim.step.contact_step import ContactStep

__all__ = ["Stepper"]

#: Times that steps without contact are taken until code is loaded that takes them in one call.
_MANY = 50


class Stepper:
    """The compiled steps of a simulation, and how many to take in one go."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        self.pieces = Pieces()
        #: whether limits of joints act: their code is long, and made when a joint first meets one
        self.bounded = bool(sim.model.held or sim.step_options.arrested)
        self._near_limits, self._limit_was_near = NearLimits(sim.model), False
        #: whether samples inside the next step are being taken, under the joint forces of that step
        self.inside = False
        self.restart()

    def belong(self, sim: Simulation) -> None:
        """Go over to a simulation that took over the arrays of this one's."""
        self._sim, self.direct, self._continued = sim, None, None

    def restart(self) -> None:
        """Forget the compiled steps: they belong to another world."""
        #: whether the array "rows" has what limits, friction, motors and motions gave in the last step
        self.acted = False
        self.runners: dict[tuple, Runner | ContactStep] = {}
        #: the one that ran last, which runs again unless forces or loads were changed
        self.running: Runner | ContactStep | None = None
        #: takes steps of a run that goes on undisturbed, where nothing has to be done between them: how many
        #: of so many are left
        self.direct: Callable[[int], int] | None = None
        self._continued: Runner | ContactStep | None = None
        self._quiet = 0
        self._sim.run_log.bound = None

    def run(self, count: int) -> int:
        """Take steps until they are done or an event ends the run; how many were taken."""
        left = count if self.direct is None else self.direct(count)
        return count - left + (self._run(left) if left else 0)

    def _run(self, count: int) -> int:
        """The same, whatever happened since the last ones."""
        same = self._sim.run_log.before()
        if self._sim.sampling is not None:
            self.inside = True
            try:
                self._sim.sampling.before_steps()
            finally:
                self.inside = False
        if self._sim.watcher.active:
            return self._sim.watcher.run(count)
        if self._sim.events and not self._sim.events.muted:
            return self._sim.watcher.stepwise.run(count)
        if not same or self.running is None:
            self.running = self.runner()
        sim, arrays = self._sim, self._sim.arrays
        clock, alive = arrays["clock"], arrays["alive"]
        clock[0, 0], clock[1, 0] = sim.world.start, sim.world.steps
        alive[0, 0], alive[1, 0] = 1.0, 0.0
        before = sim.world.steps, sim.measured_time, sim.run_log.steps
        try:
            self.timed(self.running, count)
            taken = self._count_steps(before)
        except KeyboardInterrupt:
            # machine code has ended by then: the state is that of its last step
            self._count_steps(before)
            raise
        if taken == count:
            stale = self._continued is not self.running or sim.run_log.bound is None
            if stale and self._may_continue():
                self.direct, self._continued = continuation(sim, self.running), self.running
            return count
        if self.hold_bounds():
            return taken + self._run(count - taken)
        self.halted()
        return taken

    def _count_steps(self, before: tuple[int, float, int]) -> int:
        """Let clock and log follow the steps that machine code took; may be done twice."""
        taken = int(self._sim.arrays["alive"][1, 0])
        self._sim.world.steps = before[0] + taken
        vars(self._sim)["measured_time"] = before[1] + taken * self._sim.dt
        self._sim.run_log.after(taken, before[2])
        return taken

    def _may_continue(self) -> bool:
        """Whether nothing has to be done between steps but by those who look at them."""
        sim, controllers = self._sim, self._sim.controllers
        self._quiet += 1
        if not sim.contact and (self._quiet < _MANY or not attend.is_stored):
            # short runs are not worth loading it, and nothing else of them needs a compiler of kernels
            return False
        sampled = sim.sampling is not None and bool(sim.sampling.bank.sampling)
        python = controllers.watched or len(controllers) > len(controllers.traced)
        acting = python or bool(sim.world.inputs.size) or len(sim.processes) > 0
        return not (sampled or acting or len(sim.events) > 0 or sim.watcher.switches)

    def hold_bounds(self) -> bool:
        """Let limits and friction act from here on, if there are any and they did not yet."""
        if not self._sim.model.limited or self.bounded:
            return False
        from treadle.sim.divergence import check_given

        check_given(self._sim)
        self.bounded, self.running = True, None
        return True

    def limits_act(self) -> bool:
        """Whether what is computed at the present state has to take limits into account.

        Steps with contact have their own rows for limits, and a state may be set at one: once a limit was
        near, it is so for good.
        """
        arrays = self._sim.arrays
        if not (self.bounded or self._limit_was_near):
            state = arrays["q"][:, 0], arrays["v"][:, 0]
            self._limit_was_near = self._near_limits(*state, self._sim.dt)
        return self.bounded or self._limit_was_near

    def timed(self, run: Runner | ContactStep, count: int) -> None:
        """Take steps in machine code, with samples of the run between them; measure how long that takes."""
        log, left = self._sim.run_log, count
        started = time.perf_counter()
        while left:
            piece = min(left, log.until_sample(count - left))
            run(0, 1, piece)
            left -= piece
        options = self._sim.step_options
        kept = not options.method.flows if options.contact else self.bounded
        self.acted = self.acted or (kept and count > 0)
        seconds = time.perf_counter() - started
        self.pieces.took(count, seconds)
        # past `Guarded`, which would look at every name
        vars(self._sim)["wall_time"] += seconds

    def halted(self) -> None:
        """Explain a step that was not taken: the state is the last good one."""
        from treadle.sim.divergence import check_given, diverged, stuck

        check_given(self._sim)
        if self._sim.contact:
            raise diverged(self._sim, self.ready_contact_step().attempted_velocity)
        state, effort = self._sim.save(), self._sim.arrays["effort"].copy()
        self._sim.arrays["effort"][:] = 0.0
        self.runner(guarded=False)(0, 1, 1)
        attempt, (tried, left) = self._sim.v.copy(), self._sim.effort
        self._sim.restore(state)
        self._sim.arrays["effort"][:] = effort
        if left > 0.0 and self._sim.step_options.method.adaptive:
            raise stuck(self._sim, tried, left)
        raise diverged(self._sim, attempt)

    def ready_contact_step(self) -> ContactStep:
        """The contact step that is taken next; compiled here, which is not counted as computing."""
        from treadle.sim.step.contact_step import ContactStep

        locked, loaded = bool(self._sim.arrays["locked"].any()), bool(self._sim.loads.any())
        step: Any = self.runners.get(("contact", locked, loaded))
        if step is None:
            names = rotor_names(self._sim.model) if locked else ()
            code, options = self._sim.world.contact_code(names, loaded), self._sim.step_options
            step = ContactStep(code, self._sim.arrays, options)
            step.compile()
            self.runners["contact", locked, loaded] = step
        if self._sim.contact_step is not None and self._sim.contact_step is not step:
            step.memory = self._sim.contact_step.memory
        self._sim.contact_step = step
        return step

    def runner(self, guarded: bool = True) -> Runner | ContactStep:
        """The compiled step; the one with loads only when there are any."""
        # the action of an event may have set some
        self._sim.world.read_inputs()
        if self._sim.contact:
            return self.ready_contact_step()
        locked, watched = bool(self._sim.arrays["locked"].any()), guarded and self._sim.watcher.active
        kind = StepKind(
            loaded=bool(self._sim.loads.any()),
            parameters=tuple(rotor_names(self._sim.model)) if locked else (),
            guarded=guarded,
            bounded=self.bounded,
            accounted=guarded,
            # the work of forces on joints that turn in space is dear: it is counted where there are any
            pushed=guarded and bool(self._sim.curved) and bool(self._sim.tau[self._sim.curved].any()),
            events=self._sim.events if watched else None,
            switches=self._sim.watcher.switches,
        )
        key = (*kind._replace(events=None), watched)
        if key not in self.runners:
            self.runners[key] = self._sim.world.fused(kind).runner(self._sim.arrays)
        return self.runners[key]
