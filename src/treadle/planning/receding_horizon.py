"""A receding horizon: plan, act for a cycle, plan again from where the machine has got to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import InputError
from treadle.planning.plan import Plan, Planner
from treadle.sim.simulation import Simulation

__all__ = ["RecedingHorizon"]


class RecedingHorizon:
    """Drives a simulation by plans that are made every `cycle` seconds and act `latency` seconds late.

    With a latency the plan begins at the state that the last controls are predicted to lead to by then: the
    time that planning takes costs no accuracy but that of the prediction. `actuate` turns controls (1, n)
    into commands (1, actuators), as the planner's own.
    """

    def __init__(
        self,
        planner: Planner,
        sim: Simulation,
        cycle: float,
        latency: float = 0.0,
        actuate: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        dt = sim.dt
        self._steps, self._late = round(cycle / dt), round(latency / dt)
        if self._steps < 1 or self._late < 0:
            raise InputError(f"a cycle of {cycle:g} s is shorter than a step of {dt:g} s")
        self.planner, self.sim = planner, sim
        self._actuate = actuate or (lambda controls: controls)
        self._ahead = Simulation(sim.model, dt, terrain=sim.terrain) if self._late else None
        #: the plan that acts, and the steps since it began
        self.plan: Plan | None = None
        self._since = 0

    def advance(self, goal: ArrayLike = ()) -> Plan:
        """Plan, and take the steps of one cycle; the new plan begins to act after the latency."""
        q, v = self._state_ahead()
        elapsed = 0.0 if self.plan is None else (self._since + self._late) * self.sim.dt
        new = self.planner.plan(q, v, goal, elapsed=elapsed)
        late = 0 if self.plan is None else min(self._late, self._steps)
        self._take(late)
        # time that is spent waiting counts for the old plan
        self.plan, self._since = new, 0
        self._take(self._steps - late)
        return new

    def _state_ahead(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the machine will be when the plan begins to act."""
        sim = self.sim
        if self._ahead is None or self.plan is None:
            return sim.q, sim.v
        self._ahead.q, self._ahead.v = sim.q, sim.v
        for k in range(self._late):
            self._command(self._ahead, (self._since + k) * sim.dt)
            self._ahead.step(1)
        return self._ahead.q, self._ahead.v

    def _take(self, steps: int) -> None:
        for _ in range(steps):
            self._command(self.sim, self._since * self.sim.dt)
            self.sim.step(1)
            self._since += 1

    def _command(self, sim: Simulation, time: float) -> None:
        if self.plan is None:
            return
        commands = self._actuate(self.plan.at(time)[None])[0]
        for actuator, value in zip(sim.model.actuators, commands.tolist(), strict=True):
            sim.actuator(actuator.name).command = value
