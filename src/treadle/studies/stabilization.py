"""Loop of a slider-crank: left to drift, with Baumgarte's feedback, projected.

The experiment of Wang, "Interactive virtual prototyping of a mechanical system considering the environment
effect. Part 2: Simulation quality", figure 1: how far the piston leaves its cylinder, whose joint closes the
loop. The loop is satisfied on the level of accelerations (index 1), of velocities (index 2, the paper's
equation (9)) or of positions (index 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.errors import SimulationDiverged
from treadle.model.model import Model
from treadle.scenes import scene
from treadle.sim import Simulation
from treadle.solvers.gaps import loop_gaps
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Step, time simulated (and quickly), time between the moments at which residuals are taken (s).
_DT, _SECONDS, _QUICK, _SAMPLE = 1e-3, 10.0, 2.0, 5e-3

#: Samples of which the plot shows the largest, so that lines are not lost in their oscillations.
_SHOWN = 20

#: Integrator, index of its equations, and the ways to keep the loop closed that it leaves open.
_METHODS = (
    ("symplectic_euler", 1, ("none", "baumgarte", "projection")),
    ("rk4", 1, ("none", "baumgarte", "projection")),
    ("index2_euler", 2, ("none", "baumgarte", "projection")),
    ("variational", 3, ("none",)),
)

#: Residuals that count as rounding (m, rad and m/s, rad/s).
_ROUNDING, _ROUNDING_RATE = 1e-13, 1e-11

_COLUMNS = (
    Column("integrator", "integrator"),
    Column("index", "index", "d"),
    Column("stabilization", "stabilization"),
    Column("position", "gap (m)", ".1e"),
    Column("velocity", "its rate (m/s)", ".1e"),
    Column("energy", "energy error (%)", ".1e"),
    Column("step_time", "µs/step", ".2f"),
)


@dataclass(frozen=True)
class _Run:
    """Times (s), gaps of the loop (m, rad), their rates, and errors of the energy (J)."""

    times: np.ndarray
    gaps: np.ndarray
    rates: np.ndarray
    energies: np.ndarray


def run(quick: bool, report: Report) -> Findings:
    """Run every form of the equations with every way to keep the loop closed; quick: for a shorter time."""
    model = scene("slider-crank")
    seconds = _QUICK if quick else _SECONDS
    runs: dict[tuple[str, str], _Run] = {}
    findings = Findings(_COLUMNS, [], lambda: _draw(runs))
    tasks = [(name, index, way) for name, index, ways in _METHODS for way in ways]
    start = kinetic_energy(model, *model.initial())
    for number, (integrator, index, way) in enumerate(tasks):
        report(number / len(tasks), f"{integrator}, {way}")
        found = runs[integrator, way] = _simulate(model, integrator, way, _DT, seconds)
        findings.rows.append({
            "integrator": integrator, "index": index, "stabilization": way,
            "position": float(found.gaps.max()), "velocity": float(found.rates.max()),
            "energy": float(100.0 * np.abs(found.energies).max() / start),
            "step_time": _step_time(model, integrator, way, 200 if quick else 2000),
        })  # fmt: skip
    findings.checks = _checks(runs)
    finer = _simulate(model, "index2_euler", "none", _DT / 2, seconds)
    order = np.log2(runs["index2_euler", "none"].gaps.max() / finer.gaps.max())
    findings.notes.append(
        f"without stabilization the gap of index2_euler falls with the power {order:.2f} of the step"
    )
    return findings


def _simulate(model: Model, integrator: str, way: str, dt: float, seconds: float) -> _Run:
    sim = Simulation(model, dt, integrator, stabilization=way)
    gaps, first, found = loop_gaps(model), _energy(sim), []
    for _ in range(round(seconds / _SAMPLE)):
        try:
            sim.run(_SAMPLE)
        except SimulationDiverged:
            break
        c, rate = gaps(sim.q, sim.v)
        found.append((sim.time, np.abs(c).max(), np.abs(rate).max(), _energy(sim) - first))
    return _Run(*np.array(found).T)


def _energy(sim: Simulation) -> float:
    return kinetic_energy(sim.model, sim.q, sim.v) + potential_energy(sim.model, sim.q)


def _step_time(model: Model, integrator: str, way: str, steps: int) -> float:
    """Microseconds of a step: the shortest of ten turns."""
    sim = Simulation(model, _DT, integrator, stabilization=way)
    sim.step()
    times = []
    for _ in range(10):
        sim.reset()
        before = sim.wall_time
        sim.step(steps)
        times.append(sim.wall_time - before)
    return min(times) / steps * 1e6


def _checks(runs: dict[tuple[str, str], _Run]) -> list[Check]:
    """What each way promises."""

    def gap(integrator: str, way: str) -> float:
        return float(runs[integrator, way].gaps.max())

    checks = []
    for integrator in ("symplectic_euler", "rk4", "index2_euler"):
        name, found = f"{integrator}, projection:", runs[integrator, "projection"]
        checks.append(at_most(f"{name} gap (m)", gap(integrator, "projection"), _ROUNDING))
        checks.append(at_most(f"{name} its rate (m/s)", float(found.rates.max()), _ROUNDING_RATE))
    drift = gap("symplectic_euler", "none") / gap("symplectic_euler", "baumgarte")
    checks.append(
        at_least("symplectic_euler: gap without stabilization, in gaps of Baumgarte's", drift, 100.0)
    )
    halves = np.array_split(runs["symplectic_euler", "baumgarte"].gaps, 2)
    checks.append(
        at_most("symplectic_euler, baumgarte: gap in the second half by the first", _ratio(*halves), 1.1)
    )
    free = runs["index2_euler", "none"]
    rate = float(free.rates.max())
    checks.append(at_most("index2_euler, none: rate of the gap (m/s)", rate, _ROUNDING_RATE))
    halves = np.array_split(free.gaps, 2)
    checks.append(at_most("index2_euler, none: gap in the second half by the first", _ratio(*halves), 1.1))
    checks.append(at_most("variational, none: gap (m)", gap("variational", "none"), _ROUNDING))
    return checks


def _ratio(first: np.ndarray, second: np.ndarray) -> float:
    return float(second.max() / first.max())


def _draw(runs: dict[tuple[str, str], _Run]) -> Figure:
    figure = new_figure(3)
    colors = {name: f"C{number}" for number, (name, _, _) in enumerate(_METHODS)}
    styles = {"none": "-", "baumgarte": ":", "projection": "--"}
    indices = {name: index for name, index, _ in _METHODS}
    panels = ("gaps", "gap of the loop (m)"), ("rates", "its rate (m/s)"), ("energies", "energy error (J)")
    for axes, (key, label) in zip(figure.axes, panels, strict=True):
        for (integrator, way), found in runs.items():
            largest, times = _largest(np.abs(getattr(found, key))), _largest(found.times)
            name = f"index {indices[integrator]}, {integrator}, {way}"
            axes.semilogy(
                times, np.maximum(largest, 1e-17), styles[way], color=colors[integrator], label=name
            )
        axes.set(xlabel="time (s)", ylabel=label)
        axes.grid(alpha=0.3)
    figure.axes[1].set_title("Slider-crank, steps of 1 ms: left to drift, pulled shut, projected")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.set_size_inches(17.0, 6.2)
    return figure


def _largest(values: np.ndarray) -> np.ndarray:
    """The largest of every few samples."""
    whole = len(values) // _SHOWN * _SHOWN
    return values[:whole].reshape(-1, _SHOWN).max(axis=1)
