"""How far a run can be trusted: drift of what should be conserved, and the error of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.dynamics import compiled
from treadle.dynamics.energy import spring_energy

if TYPE_CHECKING:
    from treadle.sim.simulation import Simulation

__all__ = ["Measure", "Quality", "measure"]


@dataclass(frozen=True)
class Measure:
    """One line of the quality table."""

    name: str
    value: float
    unit: str
    meaning: str


@dataclass(frozen=True)
class Quality:
    """The measures of a run, and a verdict in words."""

    measures: tuple[Measure, ...]
    verdict: str

    def __getitem__(self, name: str) -> float:
        return {m.name: m.value for m in self.measures}[name]

    def __str__(self) -> str:
        width = max(len(m.name) for m in self.measures)
        lines = [f"{m.name:<{width}}  {m.value:>12.4g} {m.unit:<4}  {m.meaning}" for m in self.measures]
        return "\n".join([*lines, self.verdict])


def measure(sim: Simulation) -> Quality:
    """Measure the run from the simulation's reference state to now."""
    now = sim.save()
    start = now if sim._fresh else sim.reference
    energy_start, energy_now = _energy(sim, start.q, start.v), _energy(sim, now.q, now.v)
    kinetic = compiled.kinetic_energy(sim.model, now.q, now.v)
    scale = max(abs(energy_now - energy_start), kinetic, 1e-300)
    conservative = _conservative(sim)
    drift = energy_now - energy_start
    error = _step_error(sim)
    measures = (
        Measure("time", now.time, "s", f"simulated, in steps of {sim.dt:g} s"),
        Measure("energy", energy_now, "J", "kinetic, gravity and springs together"),
        Measure(
            "energy drift",
            drift,
            "J",
            "since the start; should be zero" if conservative else "since the start; forces do work here",
        ),
        Measure("kinetic energy", kinetic, "J", "to judge the drift by"),
        Measure("step error", error * 1e3, "mm", "largest move of a link if the last step were halved"),
        Measure(
            "real-time factor",
            sim.measured_time / sim.wall_time if sim.wall_time > 0.0 else 0.0,
            "",
            "simulated seconds per second of computing",
        ),
    )
    steps = round(abs(now.time - start.time) / sim.dt)
    return Quality(measures, _verdict(drift / scale, error, conservative, sim.dt, steps))


def _energy(sim: Simulation, q: np.ndarray, v: np.ndarray) -> float:
    springs = spring_energy(sim.model, q.tolist())
    return (
        compiled.kinetic_energy(sim.model, q, v) + compiled.potential_energy(sim.model, q) + float(springs)  # type: ignore[arg-type]
    )


def _conservative(sim: Simulation) -> bool:
    """Whether nothing does work on the machine now: no joint forces, loads, dampers or laws."""
    damped = any(d != 0.0 for joint in sim.model.joints for d in joint.damping)
    return not (damped or sim.tau.any() or sim._loads.any() or sim.laws or sim.controllers)


def _step_error(sim: Simulation) -> float:
    """Distance (m) between the links after one step and after two of half the size, at the worst link."""
    state, start = sim.save(), (sim.reference, sim._fresh)
    clocks = (sim.wall_time, sim.measured_time)
    # recorders must not see these steps
    observers, sim._observers = sim._observers, []
    try:
        sim.step(1)
        once = compiled.frame_poses(sim.model, sim.q)[:, :3, 3]
        sim.restore(state)
        sim.dt = state.dt / 2.0
        sim.step(2)
        twice = compiled.frame_poses(sim.model, sim.q)[:, :3, 3]
    finally:
        sim.restore(state)
        sim.wall_time, sim.measured_time = clocks
        sim.reference, sim._fresh = start
        sim._observers = observers
    return float(np.abs(once - twice).max(initial=0.0))


#: Fewer steps than this say nothing about a drift.
_FEW_STEPS = 100


def _verdict(drift: float, error: float, conservative: bool, dt: float, steps: int) -> str:
    accuracy = f"{error * 1e3:.2g} mm"
    if error > 1e-2:
        return f"Poor: one step is off by {accuracy}; try dt = {dt / 10:g} s or integrator = 'rk4'."
    if conservative and abs(drift) > 0.05 and steps >= _FEW_STEPS:
        return (
            f"Poor: the energy moved by {abs(drift):.1%} of the kinetic energy although nothing does work; "
            f"try dt = {dt / 10:g} s or integrator = 'rk4'."
        )
    if error > 1e-4:
        return f"Fair: one step is off by {accuracy}; try a smaller step than dt = {dt:g} s."
    if steps < _FEW_STEPS:
        return f"Too early to judge the run after {steps} steps; the last one is accurate to {accuracy}."
    if conservative:
        moved = f"the energy moved by {abs(drift):.2g} of the kinetic energy"
        return f"Good: {moved}, and the last step is accurate to {accuracy}."
    return f"Good: the last step is accurate to {accuracy}."
