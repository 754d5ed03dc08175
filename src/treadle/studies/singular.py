"""Linkages through flat positions, where their loops lose rank.

Parallelograms, scissors and a rhombus of random lengths and masses swing through positions in which all of
their bars lie in one line and other motions branch off. Momentum decides: the linkage goes on along its own
branch. Steps are random from 1 to 8 ms, tolerances from 1e-4 to 1e-12; a third of the steps is such that
one of them ends at a flat position, or next to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import at_least, at_most
from treadle.dynamics.compiled import kinetic_energy, potential_energy
from treadle.errors import SimulationDiverged
from treadle.integrators import INTEGRATORS
from treadle.model.model import Model
from treadle.sim import Simulation
from treadle.studies.flat_landings import landing
from treadle.studies.flat_linkages import FLAT_LINKAGES, FlatLinkage
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["passage_of", "run"]

#: Runs of a linkage with a method, also in a quick study; runs that have to be shown.
_RUNS, _QUICK_RUNS, _ALL = 18, 1, 1000

#: Methods of a quick study.
_QUICK_METHODS = ("symplectic_euler", "rk4", "dopri5")

#: Seconds of a run; steps (s) of methods with fixed steps, from least to most; tolerances of the others,
#: and their step.
_SECONDS, _STEPS, _TOLERANCES, _LONG = 4.0, (1e-3, 8e-3), (1e-12, 1e-4), 1e-2

#: How far (sine) past a flat position steps end that are to end there.
_ENDS = (0.0, 1e-7, -1e-6, 3e-6, -1e-5, 1e-4)

#: Flatness (sine) below which a step is near a flat position; all others are usual ones.
_NEAR = 0.05

#: An angle (rad) off the branch that is more than a method's error; how much more energy a step may change.
_OFF, _TIMES = 0.05, 10.0

#: What rounding changes of the energy in a step, of the largest kinetic energy: anywhere, and over the
#: flatness, which divides the rounding of positions.
_ROUNDING, _ROUNDING_FLAT = 1e-12, 1e-15

_COLUMNS = (
    Column("linkage", "linkage"),
    Column("integrator", "integrator"),
    Column("runs", "runs", "d"),
    Column("passes", "passes", "d"),
    Column("stopped", "stopped", "d"),
    Column("off", "off branch (rad)", ".1e"),
    Column("ratio", "energy, x usual", ".1f"),
    Column("told", "told", "d"),
)


@dataclass(frozen=True)
class _Passage:
    """What a run through flat positions showed."""

    step: float
    passes: int
    #: the largest angle (rad) off the branch
    off: float
    #: the largest change of energy in a step near a flat position, over that of other steps
    ratio: float
    #: whether it ended before its time
    stopped: bool
    #: flat positions that the quality report counts
    told: int


def run(quick: bool, report: Report) -> Findings:
    """Run every linkage with every method; quick: with three methods, and once instead of 18 times."""
    rows: list[dict[str, Any]] = []
    every: list[tuple[str, _Passage]] = []
    runs, methods = (_QUICK_RUNS, _QUICK_METHODS) if quick else (_RUNS, tuple(INTEGRATORS))
    for number, (name, make) in enumerate(FLAT_LINKAGES.items()):
        for place, integrator in enumerate(methods):
            report((number + place / len(methods)) / len(FLAT_LINKAGES), f"{name}, {integrator}")
            rng = np.random.default_rng([number, list(INTEGRATORS).index(integrator)])
            linkage = make(rng)
            chosen = [_drawn(rng, integrator) for _ in range(runs)]
            if not INTEGRATORS[integrator].adaptive:
                for k, off in enumerate(_ENDS[: max(runs // 3, 1)]):
                    chosen[k] = landing(linkage, integrator, chosen[k], off) or chosen[k]
            found = [passage_of(linkage, integrator, value) for value in chosen]
            rows.append({"linkage": name, "integrator": integrator, **_summed(found)})
            every += [(integrator, passage) for passage in found]
    findings = Findings(_COLUMNS, rows, lambda: _draw(every), timed=False)
    passages = [passage for _, passage in every]
    findings.checks = [
        at_most("runs that stopped", float(sum(p.stopped for p in passages)), 0.0),
        at_most("largest angle off the branch (rad)", max(p.off for p in passages), _OFF),
        at_most(
            "energy changed by a step at a flat position, of a usual step",
            max(p.ratio for p in passages),
            _TIMES,
        ),
        at_most(
            "runs past a flat position that do not report it",
            float(sum(p.passes > p.told for p in passages)),
            0.0,
        ),
    ]
    if not quick:
        findings.checks.append(at_least("runs", float(len(every)), _ALL))
    findings.notes.append(f"{sum(p.passes for p in passages)} flat positions passed in {len(every)} runs")
    return findings


def _drawn(rng: np.random.Generator, integrator: str) -> float:
    """A step, or a tolerance."""
    least, most = _TOLERANCES if INTEGRATORS[integrator].adaptive else _STEPS
    return float(np.exp(rng.uniform(np.log(least), np.log(most))))


def passage_of(linkage: FlatLinkage, integrator: str, chosen: float) -> _Passage:
    """Run a linkage with a method and a step, or a tolerance where the method controls its error."""
    adaptive = INTEGRATORS[integrator].adaptive
    dt = _LONG if adaptive else chosen
    options: dict[str, Any] = {"tolerance": chosen} if adaptive else {}
    sim = Simulation(linkage.model, dt, integrator, q=linkage.q, v=linkage.v, **options)
    states, stopped = [(sim.q.copy(), sim.v.copy())], False
    for _ in range(round(_SECONDS / dt)):
        try:
            sim.step()
        except SimulationDiverged:
            stopped = True
            break
        states.append((sim.q.copy(), sim.v.copy()))
    flat = np.array([linkage.flatness(q) for q, _ in states])
    kinetic = np.array([kinetic_energy(linkage.model, *state) for state in states])
    energy = kinetic + [
        potential_energy(linkage.model, q) + _spring_energy(linkage.model, q) for q, _ in states
    ]
    changes = np.abs(np.diff(energy))
    nearest = np.minimum(flat[1:], flat[:-1])
    floor = _ROUNDING * float(kinetic.max()) + (chosen * dt * float(kinetic.max()) if adaptive else 0.0)
    usual = max(float(changes[nearest >= _NEAR].max(initial=0.0)), floor)
    bounds = np.maximum(usual, _ROUNDING_FLAT * float(kinetic.max()) / np.maximum(nearest, 1e-6))
    signs = np.sign(linkage.side(np.array([q for q, _ in states])))
    return _Passage(
        step=chosen,
        # one in the very last step is reported after the next
        passes=int((signs[1:-1] * signs[:-2] < 0).sum()),
        off=max(linkage.off_branch(q) for q, _ in states),
        ratio=float((changes / bounds)[nearest < _NEAR].max(initial=0.0)),
        stopped=stopped,
        told=_told(sim),
    )


def _told(sim: Simulation) -> int:
    """Singular positions that the quality report counts."""
    counts = [measure.value for measure in sim.quality().measures if measure.name == "singular positions"]
    return int(sum(counts))


def _spring_energy(model: Model, q: np.ndarray) -> float:
    """Of springs on hinges."""
    springs = [(float(j.stiffness[0]), float(j.reference[0]), float(q[j.q.start])) for j in model.joints]  # type: ignore[arg-type]
    return sum(0.5 * stiffness * (place - rest) ** 2 for stiffness, rest, place in springs)


def _summed(found: list[_Passage]) -> dict[str, Any]:
    return {
        "runs": len(found),
        "passes": sum(passage.passes for passage in found),
        "stopped": sum(passage.stopped for passage in found),
        "off": max(passage.off for passage in found),
        "ratio": max(passage.ratio for passage in found),
        "told": sum(passage.told for passage in found),
    }


def _draw(every: list[tuple[str, _Passage]]) -> Figure:
    from matplotlib import colormaps

    figure = new_figure()
    (axes,) = figure.axes
    for number, integrator in enumerate(INTEGRATORS):
        color = colormaps["tab20"](number)
        found = [passage for name, passage in every if name == integrator]
        axes.loglog(
            [p.step for p in found], [max(p.ratio, 1e-3) for p in found], ".", color=color, label=integrator
        )
    axes.axhline(_TIMES, color="grey", linewidth=0.8)
    axes.set(xlabel="step (s), or tolerance", ylabel="largest change of energy, of a usual step")
    axes.set_title("Energy that one step at a flat position changes")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", fontsize="small")
    return figure
