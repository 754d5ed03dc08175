"""LandTamer over a ramp: wheel forces by force balance and by direct addition.

The first test of Seegmiller and Kelly, "Modular Dynamic Simulation of Wheeled Mobile Robots" (figures 4-6):
tyres by Pacejka's formula, a ramp of 20 degrees, then turns to the left and to the right at 2 m/s. Direct
addition takes the forces as they are, with steps under error control.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
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

#: Processor time (s) that a method drives for before the next one's turn.
TURN = 0.02

#: Times (s) of a steady turn, and the pitch (rad) of the hull from which on it is on the ramp.
STEADY, INCLINED = (12.0, 15.0), radians(19.5)

#: Method and options of its simulation.
_RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("balance", {"dt": STEP}),
    ("balance", {"dt": 0.01}),
    *[
        ("direct, controlled", {"dt": STEP, "integrator": "dopri5", "tolerance": tolerance})
        for tolerance in (1.0, 1e-2, 1e-4)
    ],
    # as near to factors of 1.25 as steps that end with the samples come
    *[("direct, fixed", {"dt": STEP / n, "rolling": "direct"}) for n in (1, 4, 5, 6, 8, 10, 12, 15, 19, 24)],
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

    @property
    def steady(self) -> np.ndarray:
        """Which samples lie in the steady turn."""
        return (self.times > STEADY[0]) & (self.times < STEADY[1])


def run(quick: bool, report: Report) -> Findings:
    """Drive with every method; quick: time them once."""
    tasks = [("reference", {"dt": 1e-3 if quick else 2e-4}), *_RUNS]
    sims, runs = [], []
    for number, (method, options) in enumerate(tasks):
        report(number / len(tasks), f"{method}, steps of {1e3 * options['dt']:g} ms")
        sims.append(_simulation(options))
        runs.append(_drive(sims[-1]))
    reference, *found = runs
    balance = found[0]
    assert reference is not None and balance is not None
    lasting = [sim if run else None for sim, run in zip(sims[1:], found, strict=True)]
    walls = _times(lasting, turns=1 if quick else 7)
    findings = Findings(_COLUMNS, [], lambda: _draw(balance, found[3]))
    for (method, options), one, wall in zip(_RUNS, found, walls, strict=True):
        findings.rows.append({"method": method, **_row(options, one, reference, wall)})
    findings.checks = _checks(findings.rows, balance)
    findings.notes += [
        "all wheels are driven by velocity servos of 2000 N m s/rad, as error control cannot hold rigid ones",
        f"path errors are the largest against force balance with steps of {1e3 * tasks[0][1]['dt']:g} ms; "
        "times are the processor's, the shortest of several turns",
        "rounds are those of force balance and substeps of error control; jitter is that of slip ratios from "
        "sample to sample in a steady turn",
    ]
    return findings


def terrain() -> Grid:
    """The ramp as an elevation grid with points 10 cm apart, so wide that its sides are not met."""
    ramp = Ramp(2.0, radians(20.0), 4.0, center=(11.0, 0.0))
    x, y = np.arange(4.0, 18.01, 0.1), np.arange(-3.0, 3.01, 0.1)
    return Grid(ramp.height(x[:, None], y[None, :]), (0.1, 0.1), (4.0, -3.0), friction=1.0)


def _simulation(options: dict[str, Any]) -> Simulation:
    return Simulation(scene("landtamer", speed=1.0, drive="velocity"), terrain=terrain(), **options)


def _drive(sim: Simulation) -> _Run | None:
    """The whole drive; None where it leaves all bounds."""
    sampler = Sampler(sim, matching(sim.model, ["wheel.*.slip", "wheel.*.slip_angle"], strict=True))
    rows, states, effort = [], [], [0.0]
    try:
        for _ in _steps(sim):
            rows.append(np.empty(sampler.width))
            sampler.sample(rows[-1])
            states.append(sim.q[:7].copy())
            effort.append(sim.effort[0])
    except SimulationDiverged:
        return None
    table, q, count = np.array(rows), np.array(states), len(sim.model.wheels)
    pitch = np.arcsin(2.0 * (q[:, 0] * q[:, 2] - q[:, 3] * q[:, 1]))
    slips, angles = table[:, 1 : 1 + count], table[:, 1 + count :]
    return _Run(table[:, 0], q[:, 4:], pitch, slips, angles, np.diff(effort))


def _times(sims: list[Simulation | None], turns: int) -> list[float]:
    """The shortest processor time (s) of every drive.

    They take turns of equal length, so that what else runs on the computer hinders all alike.
    """
    best = [np.inf] * len(sims)
    for turn in range(turns + 1):
        for number, sim in enumerate(sims):
            if sim is None:
                continue
            # the first turn tells how many drives fill one
            count = 1 if turn == 0 else max(1, round(TURN / best[number]))
            mean = sum(_time(sim) for _ in range(count)) / count
            best[number] = mean if turn < 2 else min(best[number], mean)
    return best


def _time(sim: Simulation) -> float:
    """Processor time (s) of the steps of a drive."""
    sim.reset()
    total = 0.0
    for end in _phases(sim):
        started = time.thread_time()
        sim.run(end - sim.time)
        total += time.thread_time() - started
    return total


def _steps(sim: Simulation) -> Iterator[None]:
    """Drive by the commands, stopping after every sample."""
    for end in _phases(sim):
        while sim.time < end - 1e-9:
            sim.run(min(STEP, end - sim.time))
            yield


def _phases(sim: Simulation) -> Iterator[float]:
    """Set the commands one after the other; until when (s) they hold."""
    for end, speed, turning in COMMANDS:
        for actuator in sim.model.actuators:
            side = 1.0 if "left" in actuator.name else -1.0
            sim.actuator(actuator.name).command = (speed - side * turning * HALF_TRACK) / RADIUS
        yield end


def _row(options: dict[str, Any], found: _Run | None, reference: _Run, wall: float) -> dict[str, Any]:
    row = {"step": 1e3 * options["dt"], "tolerance": options.get("tolerance")}
    if found is None:
        return row
    return row | {
        "error": float(np.linalg.norm(found.path - reference.path, axis=1).max()),
        "jitter": float(np.abs(np.diff(found.slips[found.steady], axis=0)).max()),
        "rounds": float(found.effort.mean()),
        "wall": 1e3 * wall,
        "speed": COMMANDS[-1][0] / wall,
    }


def _checks(rows: list[dict[str, Any]], balance: _Run) -> list[Check]:
    first, direct = rows[0], [row for row in rows if "wall" in row]
    controlled = [row["wall"] for row in direct if row["method"] == "direct, controlled"]
    fixed = _time_of_error([row for row in direct if row["method"] == "direct, fixed"], first["error"])
    rounds = float(balance.effort[balance.steady].max())
    up = balance.slips[balance.pitch < -INCLINED].mean(axis=0)
    down = balance.slips[balance.pitch > INCLINED].mean(axis=0)
    name = "force balance at 40 ms:"
    return [
        at_least(f"{name} faster than direct under error control by", min(controlled) / first["wall"], 10.5),
        # the factor of the paper is that above: its direct addition is under error control
        at_least(f"{name} faster than direct with fixed steps of equal error by", fixed / first["wall"], 1.0),
        at_most(f"{name} path error (m)", first["error"], 0.2),
        at_most(f"{name} jitter of slip in a steady turn", first["jitter"], 1e-4),
        at_most(f"{name} rounds per step in a steady turn", rounds, 1.0),
        at_least("least mean slip ratio of a wheel on the way up", float(up.min()), 1e-3),
        at_most("largest mean slip ratio of a wheel on the way down", float(down.max()), -1e-3),
    ]


def _time_of_error(rows: list[dict[str, Any]], error: float) -> float:
    """Time at which the error is this one, between the first two steps of which the second falls below it.

    Logarithms of time are linear in those of the error.
    """
    for coarse, fine in pairwise(rows):
        if fine["error"] <= error < coarse["error"]:
            share = np.log(coarse["error"] / error) / np.log(coarse["error"] / fine["error"])
            return float(coarse["wall"] * (fine["wall"] / coarse["wall"]) ** share)
    return np.inf


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
