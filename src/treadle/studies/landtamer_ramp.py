"""LandTamer over a ramp: wheel forces by force balance and by direct addition.

The first test of Seegmiller and Kelly, "Modular Dynamic Simulation of Wheeled Mobile Robots" (figures 4-6):
tyres by Pacejka's formula, a ramp of 20 degrees, then turns to the left and to the right at 2 m/s. Direct
addition takes the forces as they are, with steps under error control.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.errors import SimulationDiverged
from treadle.scenes import scene
from treadle.scenes.rovers.landtamer import HALF_TRACK, RADIUS
from treadle.sim import Simulation
from treadle.sim.recording.signals.sampler import Sampler
from treadle.sim.recording.signals.select import matching
from treadle.studies.study import Column, Findings, Report, new_figure
from treadle.terrain import Grid, Ramp

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Step of the force balance and time between samples (s).
STEP = 0.04

#: Until when (s), forward speed (m/s) and turning rate (rad/s) that the wheels are driven for.
COMMANDS = ((1.0, 1.0, 0.0), (10.0, 2.0, 0.0), (15.0, 2.0, 1.0), (20.0, 2.0, -1.0))

#: Times (s) of a steady turn, and the pitch (rad) of the hull from which on it is on the ramp.
STEADY, INCLINED = (12.0, 15.0), radians(19.5)

#: Method and options of its simulation.
_RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("balance", {"dt": STEP}),
    ("balance", {"dt": 0.01}),
    ("direct, controlled", {"dt": STEP, "integrator": "dopri5", "tolerance": 1e-2}),
    ("direct, controlled", {"dt": STEP, "integrator": "dopri5", "tolerance": 1e-4}),
    ("direct, fixed", {"dt": STEP, "rolling": "direct"}),
    ("direct, fixed", {"dt": 0.01, "rolling": "direct"}),
    ("direct, fixed", {"dt": 0.005, "rolling": "direct"}),
    ("direct, fixed", {"dt": STEP / 12, "rolling": "direct"}),
    ("direct, fixed", {"dt": 0.0025, "rolling": "direct"}),
)

_COLUMNS = (
    Column("method", "method"),
    Column("step", "step (ms)", ".3g"),
    Column("tolerance", "tolerance", ".0e"),
    Column("error", "error (m)", ".1e"),
    Column("jitter", "jitter", ".1e"),
    Column("rounds", "rounds/40 ms", ".2f"),
    Column("wall", "time (ms)", ".1f"),
    Column("speed", "x real time", ".0f"),
)


@dataclass(frozen=True)
class _Run:
    """Samples: times (s), path (m), pitch (rad), slips by wheel, and effort since the sample before."""

    times: np.ndarray
    path: np.ndarray
    pitch: np.ndarray
    slips: np.ndarray
    angles: np.ndarray
    effort: np.ndarray
    wall: float

    @property
    def steady(self) -> np.ndarray:
        """Which samples lie in the steady turn."""
        return (self.times > STEADY[0]) & (self.times < STEADY[1])


def run(quick: bool, report: Report) -> Findings:
    """Drive with every method; quick: time them once."""
    runs: list[_Run | None] = []
    tasks = [("reference", {"dt": 1e-3 if quick else 2e-4}), *_RUNS]
    for number, (method, options) in enumerate(tasks):
        report(number / len(tasks), f"{method}, steps of {1e3 * options['dt']:g} ms")
        runs.append(_drive(options, turns=1 if quick or not number else 5))
    reference, *found = runs
    balance = found[0]
    assert reference is not None and balance is not None
    findings = Findings(_COLUMNS, [], lambda: _draw(balance, found[2]))
    for (method, options), one in zip(_RUNS, found, strict=True):
        findings.rows.append({"method": method, **_row(options, one, reference)})
    findings.checks = _checks(findings.rows, balance)
    findings.notes += [
        "all wheels are driven by velocity servos of 2000 N m s/rad, as error control cannot hold rigid ones",
        f"path errors are the largest against force balance with steps of {1e3 * tasks[0][1]['dt']:g} ms",
        "rounds are those of force balance and substeps of error control; jitter is that of slip ratios from "
        "sample to sample in a steady turn",
    ]
    return findings


def terrain() -> Grid:
    """The ramp as an elevation grid with points 10 cm apart, so wide that its sides are not met."""
    ramp = Ramp(2.0, radians(20.0), 4.0, center=(11.0, 0.0))
    x, y = np.arange(4.0, 18.01, 0.1), np.arange(-3.0, 3.01, 0.1)
    return Grid(ramp.height(x[:, None], y[None, :]), (0.1, 0.1), (4.0, -3.0), friction=1.0)


def _drive(options: dict[str, Any], turns: int) -> _Run | None:
    """The whole drive, and the shortest time of some turns; None where it leaves all bounds."""
    sim = Simulation(scene("landtamer", speed=1.0, drive="velocity"), terrain=terrain(), **options)
    sampler = Sampler(sim, matching(sim.model, ["wheel.*.slip", "wheel.*.slip_angle"], strict=True))
    rows, states, effort = [], [], [0.0]
    try:
        for _ in _steps(sim, STEP):
            rows.append(np.empty(sampler.width))
            sampler.sample(rows[-1])
            states.append(sim.q[:7].copy())
            effort.append(sim.effort[0])
        walls = []
        for _ in range(turns):
            sim.reset()
            started = sim.wall_time
            for _ in _steps(sim, 1.0):
                pass
            walls.append(sim.wall_time - started)
    except SimulationDiverged:
        return None
    table, q, count = np.array(rows), np.array(states), len(sim.model.wheels)
    pitch = np.arcsin(2.0 * (q[:, 0] * q[:, 2] - q[:, 3] * q[:, 1]))
    slips, angles = table[:, 1 : 1 + count], table[:, 1 + count :]
    return _Run(table[:, 0], q[:, 4:], pitch, slips, angles, np.diff(effort), min(walls))


def _steps(sim: Simulation, sample: float) -> Iterator[None]:
    """Drive by the commands, stopping after every sample (s)."""
    for end, speed, turning in COMMANDS:
        for actuator in sim.model.actuators:
            side = 1.0 if "left" in actuator.name else -1.0
            sim.actuator(actuator.name).command = (speed - side * turning * HALF_TRACK) / RADIUS
        while sim.time < end - 1e-9:
            sim.run(min(sample, end - sim.time))
            yield


def _row(options: dict[str, Any], found: _Run | None, reference: _Run) -> dict[str, Any]:
    row = {"step": 1e3 * options["dt"], "tolerance": options.get("tolerance")}
    if found is None:
        return row
    return row | {
        "error": float(np.linalg.norm(found.path - reference.path, axis=1).max()),
        "jitter": float(np.abs(np.diff(found.slips[found.steady], axis=0)).max()),
        "rounds": float(found.effort.mean()),
        "wall": 1e3 * found.wall,
        "speed": COMMANDS[-1][0] / found.wall,
    }


def _checks(rows: list[dict[str, Any]], balance: _Run) -> list[Check]:
    first, direct = rows[0], [row for row in rows if "direct" in row["method"] and "wall" in row]
    controlled = min(row["wall"] for row in direct if row["method"] == "direct, controlled")
    equal = min(row["wall"] for row in direct if row["error"] <= first["error"])
    rounds = float(balance.effort[balance.steady].max())
    up = balance.slips[balance.pitch < -INCLINED].mean(axis=0)
    down = balance.slips[balance.pitch > INCLINED].mean(axis=0)
    name = "force balance at 40 ms:"
    return [
        at_least(f"{name} faster than direct under error control by", controlled / first["wall"], 10.5),
        at_least(f"{name} faster than direct of no larger error by", equal / first["wall"], 10.5),
        at_most(f"{name} path error (m)", first["error"], 0.2),
        at_most(f"{name} jitter of slip in a steady turn", first["jitter"], 1e-4),
        at_most(f"{name} rounds per step in a steady turn", rounds, 1.0),
        at_least("least mean slip ratio of a wheel on the way up", float(up.min()), 1e-3),
        at_most("largest mean slip ratio of a wheel on the way down", float(down.max()), -1e-3),
    ]


def _draw(balance: _Run, direct: _Run | None) -> Figure:
    figure = new_figure(3)
    ratios, angles, effort = figure.axes
    names = [wheel.name.replace("_", " ") for wheel in scene("landtamer").wheels]
    for axes, key, label in ((ratios, "slips", "slip ratio"), (angles, "angles", "slip angle (rad)")):
        for number, name in enumerate(names):
            if direct is not None:
                axes.plot(direct.times, getattr(direct, key)[:, number], "--", color=f"C{number}", lw=0.9)
            values = getattr(balance, key)[:, number]
            axes.plot(balance.times, values, color=f"C{number}", lw=0.9, label=name)
        axes.set(xlabel="time (s)", ylabel=label, ylim=(-0.6, 0.6))
    ratios.set_title("force balance, steps of 40 ms")
    angles.set_title("dashed: direct addition under error control")
    ratios.legend(ncols=2, fontsize="small")
    effort.semilogy(balance.times, balance.effort, label="rounds of force balance per step of 40 ms")
    if direct is not None:
        effort.semilogy(direct.times, direct.effort, label="substeps of direct addition per 40 ms")
    effort.set(xlabel="time (s)", ylabel="count")
    effort.legend(loc="center right")
    for axes in figure.axes:
        axes.grid(alpha=0.3)
    return figure
