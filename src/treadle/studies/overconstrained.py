"""Overconstrained linkages with rounded numbers, against exact ones.

Linkages of Bennett, Bricard and Sarrus, planar four-bars in any plane of space and scissors move although
their constraints outnumber their degrees of freedom. With numbers rounded to six decimals some constraints
contradict each other. Each runs for 10 s at 5 ms with exact numbers, with rounded ones, and as CAD systems
write it: with every body in a frame of its own, and all frames rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import at_least, at_most
from treadle.constraints.rows import residuals
from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.errors import InputError, ModelError, SimulationDiverged
from treadle.forces.energy import elastic_energy
from treadle.model.model import Model
from treadle.sim import Simulation
from treadle.sim.quality.loops import loop_residual
from treadle.sim.quality.run import Run
from treadle.solvers.assembly import assemble
from treadle.studies.overconstrained_linkages import LINKAGES, Linkage, in_frames_of_files, scissors
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["drawn", "passage", "reported_gap", "run"]

#: Seeds of each kind, also in a quick study; of scissors of ten cells, whose programs are long.
_SEEDS, _QUICK_SEEDS, _LONG_SEEDS = 100, 1, 5

#: Methods: one for all seeds, and two that take turns.
_DEFAULT, _TURNS = "symplectic_euler", ("rk4", "implicit_midpoint")

#: Step, time and interval of looks at the energy (s); decimals.
_DT, _SECONDS, _LOOK, _DIGITS = 5e-3, 10.0, 0.05, 6

#: How numbers are written.
_FORMS = ("exact", "rounded", "frames")

#: Gaps (m, rad) at the level of the rounding; times the energy error of exact numbers that rounded ones may
#: have, and what is rounding (shares of the most kinetic energy).
_GAP, _TIMES, _ROUNDING = 2e-5, 1.5, 1e-4

_COLUMNS = (
    Column("linkage", "linkage"),
    Column("integrator", "integrator"),
    Column("form", "numbers"),
    Column("runs", "runs", "d"),
    Column("failed", "failed", "d"),
    Column("gap", "largest gap (m, rad)", ".1e"),
    Column("median", "energy error, median", ".1e"),
    Column("largest", "largest", ".1e"),
    Column("times", "x exact, largest", ".2f"),
)


@dataclass(frozen=True)
class Passage:
    """What a run showed: gaps, reported and not, and the error of the energy by the most kinetic energy."""

    failed: str = ""
    gap: float = 0.0
    unreported: float = 0.0
    error: float = 0.0


def run(quick: bool, report: Report) -> Findings:
    """A hundred seeds of each kind, scissors of ten cells five times; quick: one, and no long scissors."""
    found: dict[tuple[str, str, str], list[Passage]] = {}
    tasks = _tasks(quick)
    for number, (name, seed, integrator) in enumerate(tasks):
        report(number / len(tasks), f"{name}, {integrator}, seed {seed}")
        for form in _FORMS:
            found.setdefault((name, integrator, form), []).append(
                passage(*drawn(name, seed, form), integrator)
            )
    rows = [_row(found, key) for key in found]
    findings = Findings(_COLUMNS, rows, lambda: _draw(found), timed=False)
    every = [each for passages in found.values() for each in passages]
    excess = [_times(found, key, k) for key in found for k in range(len(found[key])) if key[2] != "exact"]
    findings.checks = [
        at_most("runs that were refused or stopped", float(sum(bool(each.failed) for each in every)), 0.0),
        at_most("largest gap (m, rad)", max(each.gap for each in every), _GAP),
        at_most("largest gap at the end that is not reported", max(each.unreported for each in every), 1e-15),
        at_most("energy error by that with exact numbers", max(excess), _TIMES),
    ]
    if not quick:
        seeds = min(len({seed for name, seed, _ in tasks if name == kind}) for kind in LINKAGES)
        findings.checks.append(at_least("seeds of each kind", float(seeds), _SEEDS))
    findings.notes += [each.failed for each in every if each.failed]
    return findings


def _tasks(quick: bool) -> list[tuple[str, int, str]]:
    """Kinds, seeds and methods."""
    tasks = []
    for name in LINKAGES:
        for seed in range(_QUICK_SEEDS if quick else _SEEDS):
            tasks += [(name, seed, _DEFAULT), (name, seed, _TURNS[seed % len(_TURNS)])]
    if not quick:
        tasks += [(_LONG_SCISSORS, seed, _DEFAULT) for seed in range(_LONG_SEEDS)]
    return tasks


_LONG_SCISSORS = "scissors of 10"


def drawn(name: str, seed: int, form: str, digits: int = _DIGITS) -> Linkage:
    """A linkage by its kind and seed; `form` says how its numbers are written."""
    rng = np.random.default_rng([seed, *name.encode()])
    kept = digits if form == "rounded" else None
    if name == _LONG_SCISSORS:
        spec, q, v = scissors(rng, kept, cells=10)
    else:
        spec, q, v = LINKAGES[name](rng, kept)
    return (in_frames_of_files(spec, rng, digits) if form == "frames" else spec), q, v


def passage(spec: Any, q: list[float], v: list[float], integrator: str) -> Passage:
    """Run a linkage."""
    model = spec.compile()
    try:
        mobility = assemble(model, q, v).mobility
        sim = Simulation(model, _DT, integrator, q=q, v=v)
        first, moving, errors = _energy(model, sim.q, sim.v)[1], 0.0, []
        for _ in range(round(_SECONDS / _LOOK)):
            sim.run(_LOOK)
            kinetic, energy = _energy(model, sim.q, sim.v)
            moving = max(moving, kinetic)
            errors.append(abs(energy - first))
    except (InputError, ModelError, SimulationDiverged) as error:
        return Passage(failed=f"{spec.name}, {integrator}: {error}")
    gap, reported = (
        float(np.abs(np.array(residuals(model, sim.q.tolist()), dtype=float)).max()),
        reported_gap(sim),
    )
    failed = "" if mobility == 1 else f"{spec.name}: mobility {mobility}"
    return Passage(failed, max(gap, reported), max(gap - reported, 0.0), max(errors) / moving)


def reported_gap(sim: Simulation) -> float:
    """`sim.quality()["loop residual"]`, without the other measures, some of which repeat the run."""
    measure = loop_residual(Run(sim, False, None))
    assert measure is not None
    return measure.value


def _energy(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and whole energy (J)."""
    kinetic = kinetic_energy(model, q, v)
    return kinetic, kinetic + potential_energy(model, q) + float(elastic_energy(model, q.tolist()))  # type: ignore[arg-type]


def _times(found: dict[tuple[str, str, str], list[Passage]], key: tuple[str, str, str], k: int) -> float:
    """The energy error of a run, less rounding, by that of its linkage with exact numbers."""
    exact = found[key[0], key[1], "exact"][k].error
    return max(found[key][k].error - _ROUNDING, 0.0) / max(exact, _ROUNDING)


def _row(found: dict[tuple[str, str, str], list[Passage]], key: tuple[str, str, str]) -> dict[str, Any]:
    passages = found[key]
    errors = [each.error for each in passages if not each.failed] or [np.nan]
    return {
        "linkage": key[0],
        "integrator": key[1],
        "form": key[2],
        "runs": len(passages),
        "failed": sum(bool(each.failed) for each in passages),
        "gap": max(each.gap for each in passages),
        "median": float(np.median(errors)),
        "largest": float(np.max(errors)),
        "times": max(_times(found, key, k) for k in range(len(passages))),
    }


def _draw(found: dict[tuple[str, str, str], list[Passage]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    for number, integrator in enumerate((_DEFAULT, *_TURNS)):
        for form, marker in zip(_FORMS[1:], ".x", strict=True):
            keys = [key for key in found if key[1:] == (integrator, form)]
            exact = [each.error for key in keys for each in found[key[0], integrator, "exact"]]
            errors = [each.error for key in keys for each in found[key]]
            axes.loglog(exact, errors, marker, color=f"C{number}", label=f"{integrator}, {form}")
    ends = [1e-9, 1.0]
    axes.plot(ends, ends, color="grey", linewidth=0.8)
    axes.set(xlabel="energy error with exact numbers", ylabel="energy error with rounded numbers")
    axes.set_title("Overconstrained linkages: error of the energy, of the most kinetic energy")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", fontsize="small")
    return figure
