"""Energy of closed machines over a million steps of the default integrator.

A pendulum whose pivot closes a loop, a slider-crank in space and a four-bar, without damping, in steps of
1 ms. Errors are shares of the swing, the most kinetic energy that the machine has; drift is the difference
of the mean errors over the last and over the first tenth of a run.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import at_most
from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.model import ModelSpec
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MACHINES", "run", "swing"]

#: Step, times of a minute and of a million steps, and quickly (s).
_DT, _MINUTE, _LONG, _QUICK = 1e-3, 60.0, 1000.0, 5.0

#: Shares of the swing: error at most, and drift in a minute and in a million steps.
_ERROR, _DRIFT, _LONG_DRIFT = 0.01, 1e-3, 3e-3

_COLUMNS = (
    Column("machine", "machine"),
    Column("steps", "steps", ",d"),
    Column("error", "energy error (% of the swing)", ".2g"),
    Column("drift", "drift (%)", ".1e"),
)


def pendulum() -> Simulation:
    """A bob of 1 kg on 1 m that starts level; the joint of its pivot closes a loop."""
    spec = ModelSpec("loop pendulum")
    spec.add_body("bob", 1.0, center=(0, 0, -1), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("free", "free", None, "bob")
    spec.add_joint("pivot", "ball", None, "bob")
    half = sqrt(0.5)
    return Simulation(spec.compile(), _DT, q=[half, 0, half, 0, 0, 0, 0], v=[0.5, 0, 0.7, 0, 0, 0])


def slider_crank() -> Simulation:
    """In space: between the crank and the slider, which closes the loop, is a rod on ball joints."""
    spec = ModelSpec("spatial slider-crank")
    spec.add_body("crank", 1.0, center=(0, 0, 0.05), inertia=(0.01, 0.01, 0.01))
    spec.add_body("rod", 0.5, center=(0, 0, 0.15), inertia=(0.004, 0.004, 0.001))
    spec.add_body("piston", 0.8, inertia=(0.002, 0.002, 0.002))
    spec.add_joint("bearing", "continuous", None, "crank", axis=(0, 1, 0), position=(0, 0.05, 0))
    spec.add_joint("crank_pin", "ball", "crank", "rod", position=(0, 0, 0.1))
    spec.add_joint("piston_pin", "universal", "rod", "piston", position=(0, 0, 0.3), axis=(1, 0, 0))
    spec.add_joint("slider", "prismatic", None, "piston", axis=(0, 0, 1))
    return Simulation(spec.compile(), _DT, v=[5.0, 0, 0, 0, 0, 0])


def four_bar() -> Simulation:
    """A crank of 0.3 m, a coupler and a rocker."""
    spec = ModelSpec("four-bar")
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.7)):
        spec.add_body(name, length, center=(0, 0, length / 2), inertia=(length**3 / 12,) * 3)
    hinge: dict[str, Any] = {"axis": (0, 1, 0)}
    spec.add_joint("a", "revolute", None, "crank", **hinge)
    spec.add_joint("b", "revolute", "crank", "coupler", position=(0, 0, 0.3), **hinge)
    spec.add_joint("d", "revolute", None, "rocker", position=(0.8, 0, 0), **hinge)
    ends: dict[str, Any] = {"position": (0, 0, 0.9), "child_position": (0, 0, 0.7)}
    spec.add_joint("c", "revolute", "coupler", "rocker", **ends, **hinge)
    return Simulation(spec.compile(), _DT, q=[0.0, 1.2, 0.0], v=[4.0, 0.0, 0.0])


#: By name.
MACHINES = {"pendulum": pendulum, "slider-crank": slider_crank, "four-bar": four_bar}


def swing(sim: Simulation, seconds: float, every: float = 0.05) -> tuple[np.ndarray, float]:
    """Errors of the energy (J) along a run, and the most kinetic energy (J) in it."""
    model, moving, energies = sim.model, [], []
    first = kinetic_energy(model, sim.q, sim.v) + potential_energy(model, sim.q)
    for _ in range(round(seconds / every)):
        sim.run(every)
        moving.append(kinetic_energy(model, sim.q, sim.v))
        energies.append(moving[-1] + potential_energy(model, sim.q))
    return np.array(energies) - first, max(moving)


def run(quick: bool, report: Report) -> Findings:
    """Every machine for a minute and for a million steps; quick: for seconds."""
    errors: dict[tuple[str, float], np.ndarray] = {}
    findings = Findings(_COLUMNS, [], lambda: _draw(errors))
    lengths = ((_QUICK, _LONG_DRIFT),) if quick else ((_MINUTE, _DRIFT), (_LONG, _LONG_DRIFT))
    tasks = [(name, *length) for name in MACHINES for length in lengths]
    for number, (name, seconds, most) in enumerate(tasks):
        report(number / len(tasks), f"{name}, {seconds:g} s")
        found, moved = swing(MACHINES[name](), seconds)
        errors[name, seconds] = found / moved
        tenth = len(found) // 10
        largest = float(np.abs(found).max() / moved)
        drift = float(abs(found[-tenth:].mean() - found[:tenth].mean()) / moved)
        findings.rows.append({
            "machine": name, "steps": round(seconds / _DT), "error": 100.0 * largest, "drift": 100.0 * drift,
        })  # fmt: skip
        title = f"{name}, {seconds:g} s"
        findings.checks.append(at_most(f"{title}: error of the energy by the swing", largest, _ERROR))
        findings.checks.append(at_most(f"{title}: drift by the swing", drift, most))
    return findings


def _draw(errors: dict[tuple[str, float], np.ndarray]) -> Figure:
    figure = new_figure(len(MACHINES))
    longest = max(seconds for _, seconds in errors)
    for axes, name in zip(figure.axes, MACHINES, strict=True):
        found = errors[name, longest]
        axes.plot(np.linspace(0.0, longest, len(found)), 100.0 * found, lw=0.4)
        axes.set(xlabel="time (s)", ylabel="energy error (% of the swing)", title=name)
        axes.grid(alpha=0.3)
    return figure
