"""Error of every integrator against computing time and evaluations.

The machines are pendulums: the benchmark A01 of the IFToMM library, and those of two and three rods, over
10, 5 and 3 seconds. Every method runs with several steps or tolerances; a row of the table gives the time of
its cheapest run that was as accurate as the head of the column says. The error-controlled methods
have to reach their tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from treadle.bench.results import Check, at_most
from treadle.errors import SimulationDiverged
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model
from treadle.sim import Simulation
from treadle.studies.pendulums import absolute_angles, pendulum_start, point_pendulum, reference_angles
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Names of the machines, and seconds that they swing; the longer ones are chaotic.
_MACHINES = {1: ("A01", 10.0), 2: ("double", 5.0), 3: ("triple", 3.0)}

#: Seconds between the states that are compared.
_OUTPUT = 0.5

#: Steps (s) of the methods with fixed steps, tolerances of the others.
_STEPS = (5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
_TOLERANCES = tuple(10.0**-k for k in range(3, 14))
_QUICK_STEPS, _QUICK_TOLERANCES = (1e-2, 1e-3), (1e-6, 1e-9, 1e-12)

#: Tolerances that have to be reached, up to a factor.
_ASKED, _FACTOR = (1e-6, 1e-9, 1e-12), 10.0

#: Evaluations of the dynamics per step, where not one; methods that iterate count their rounds.
_EVALUATIONS = {"midpoint": 2, "rk4": 4, "rk6": 7}

#: Errors (rad) that a row of the table gives the costs of.
_ERRORS = (1e-3, 1e-6, 1e-9, 1e-12)

_COLUMNS = (
    Column("machine", "machine"),
    Column("integrator", "integrator"),
    *[Column(f"time_{error:.0e}", f"ms for {error:.0e}", ".2g") for error in _ERRORS],
)


@dataclass(frozen=True)
class _Run:
    """A step or tolerance, the largest error (rad), the time (ms), and the evaluations of the dynamics."""

    setting: float
    error: float
    time: float
    evaluations: float


#: Runs by machine and integrator.
_Runs: TypeAlias = dict[tuple[str, str], list[_Run]]


def run(quick: bool, report: Report) -> Findings:
    """Run every method with several steps or tolerances; quick: with few."""
    runs: _Runs = {}
    findings = Findings(_COLUMNS, [], lambda: _draw(runs))
    tasks = [(masses, name) for masses in _MACHINES for name in INTEGRATORS]
    models = {masses: point_pendulum(masses) for masses in _MACHINES}
    tolerances, steps = (_QUICK_TOLERANCES, _QUICK_STEPS) if quick else (_TOLERANCES, _STEPS)
    for number, (masses, integrator) in enumerate(tasks):
        machine = _MACHINES[masses][0]
        report(number / len(tasks), f"{machine}, {integrator}")
        adaptive = INTEGRATORS[integrator].adaptive
        made = [
            _measure(models[masses], masses, integrator, setting)
            for setting in (tolerances if adaptive else steps)
        ]
        runs[machine, integrator] = made
        findings.rows.append({"machine": machine, "integrator": integrator} | _costs(made))
        findings.checks += _checks(f"{machine}: error of {integrator}", made) if adaptive else []
    return findings


def _costs(runs: list[_Run]) -> dict[str, float | None]:
    """Time and evaluations of the cheapest run for every error, where there is one."""
    costs: dict[str, float | None] = {}
    for error in _ERRORS:
        good = [run for run in runs if run.error <= error]
        costs[f"time_{error:.0e}"] = min((run.time for run in good), default=None)
        costs[f"evaluations_{error:.0e}"] = min((run.evaluations for run in good), default=None)
    return costs


def _checks(what: str, runs: list[_Run]) -> list[Check]:
    """That the error stays near the tolerance."""
    return [
        at_most(f"{what}, in tolerances of {run.setting:.0e}", run.error / run.setting, _FACTOR)
        for run in runs
        if run.setting in _ASKED
    ]


def _measure(model: Model, masses: int, integrator: str, setting: float) -> _Run:
    """Largest error of the rods' angles, shortest time of three runs, and evaluations of the dynamics."""
    method, duration = INTEGRATORS[integrator], _MACHINES[masses][1]
    start = pendulum_start(masses)
    count = round(duration / _OUTPUT)
    expected = reference_angles(masses, np.arange(count + 1) * _OUTPUT)
    if method.adaptive:
        sim = Simulation(model, _OUTPUT, integrator, q=start, tolerance=setting)
    else:
        sim = Simulation(model, setting, integrator, q=start)
    # the first step compiles
    sim.step()
    times = []
    error, rounds = 0.0, 0.0
    for _ in range(3):
        sim.reset()
        before, error, rounds = sim.wall_time, 0.0, sim.effort[0]
        try:
            for index in range(1, count + 1):
                sim.run(_OUTPUT)
                error = max(error, float(np.abs(absolute_angles(sim.q) - expected[:, index]).max()))
        except SimulationDiverged:
            error = float("inf")
        times.append(sim.wall_time - before)
        rounds = sim.effort[0] - rounds
    if method.tableau is not None:
        evaluations = rounds * method.tableau().stages
    elif method.iterates:
        evaluations = rounds
    else:
        evaluations = _EVALUATIONS.get(integrator, 1) * duration / setting
    return _Run(setting, error, min(times) * 1e3, evaluations)


def _draw(runs: _Runs) -> Figure:
    from matplotlib import colormaps

    figure = new_figure(len(_MACHINES))
    figure.clear()
    figure.set_size_inches(16.0, 9.5)
    grid = figure.subplots(2, len(_MACHINES), sharey=True, squeeze=False)
    places = {name: number for number, (name, _) in enumerate(_MACHINES.values())}
    colors = {name: colormaps["tab20"](number) for number, name in enumerate(INTEGRATORS)}
    for (machine, integrator), made in runs.items():
        style = {"color": colors[integrator], "label": integrator, "linewidth": 1.2}
        style |= {"marker": "o"} if INTEGRATORS[integrator].adaptive else {"marker": ".", "linestyle": "--"}
        shown = [run for run in made if 0.0 < run.error < 1.0]
        for row, key in enumerate(("time", "evaluations")):
            grid[row, places[machine]].loglog(
                [getattr(run, key) for run in shown], [run.error for run in shown], **style
            )
    for name, duration in _MACHINES.values():
        grid[0, places[name]].set(
            title=f"{name if name == 'A01' else name + ' pendulum'}, {duration:g} s", xlabel="time (ms)"
        )
        grid[1, places[name]].set(xlabel="evaluations of the dynamics, or rounds of the solver")
    for axes in grid.flat:
        axes.grid(alpha=0.3)
    for axes in grid[:, 0]:
        axes.set_ylabel("largest error of an angle (rad)")
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside right center")
    return figure
