"""Rocky 7 over random terrain: cost and error against the step.

The third test of Seegmiller and Kelly, "Modular Dynamic Simulation of Wheeled Mobile Robots" (figure 9): ten
seconds at 0.5 m/s with wide turns, thirty times. Errors are those of the pose after 5 m of travel, against
small steps without approximations.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.batch import Batch
from treadle.bench.results import Check, at_least, at_most
from treadle.model.model import Model
from treadle.scenes import scene
from treadle.scenes.rovers.rocky7 import K3, K4, K6X, RADIUS, SINKAGE
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report, new_figure
from treadle.terrain import Grid, random_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

SPEED = 0.5

#: Until when (s) and the radius of the turn (m), to the left if positive.
COMMANDS = ((2.0, None), (6.0, -3.0), (10.0, 3.0))

#: Steps (s), the one that errors are against first; the last is that of the goals.
STEPS = (0.0025, 0.005, 0.01, 0.02, 0.04)

#: Models of the ground, and ways of rolling.
MODELS = ("linear", "ishigami")
WAYS = ("balance", "held_inertia", "rigid_bias")

#: Trials, and worlds and threads of the batch that is timed.
_TRIALS, _WORLDS, _THREADS = 30, 256, 2

_COLUMNS = (
    Column("model", "model"),
    Column("rolling", "rolling"),
    Column("step", "step (ms)", ".3g"),
    Column("position", "position error (m)", ".1e"),
    Column("yaw", "yaw error (rad)", ".1e"),
    Column("step_time", "µs/step", ".2f"),
    Column("speed", "x real time", ".0f"),
)


@dataclass(frozen=True)
class _Trials:
    """States (trials, nq) and (trials, nv) from which all runs start: at rest on the ground."""

    q: np.ndarray
    v: np.ndarray


def run(quick: bool, report: Report) -> Findings:
    """Measure cost and error for all steps, models and ways; quick: a third of the trials."""
    ground, count = terrain(), _TRIALS // 3 if quick else _TRIALS
    findings = Findings(_COLUMNS, [], lambda: _draw(findings.rows))
    batches: dict[str, float] = {}
    tasks = [(model, way) for model in MODELS for way in WAYS]
    references: dict[str, np.ndarray] = {}
    for number, (name, way) in enumerate(tasks):
        report(number / len(tasks), f"{name}, {way}")
        model = scene("rocky7", model=name)
        trials = _settled(model, ground, count)
        for step in STEPS:
            ends = _ends(model, ground, trials, step, way)
            reference = references.setdefault(name, ends)
            row = {"model": name, "rolling": way, "step": 1e3 * step, **_errors(ends, reference)}
            timed = _step_time(model, ground, trials, step, way, turns=3 if quick else 20)
            findings.rows.append(row | {"step_time": 1e6 * timed, "speed": step / timed})
        if way == "balance":
            batches[name] = _batch_speed(model, ground, trials, STEPS[-1])
    findings.checks = _checks(findings.rows, batches)
    return findings


def terrain() -> Grid:
    """Hills with a standard deviation of 10 cm and a correlation length of 80 cm, points 5 cm apart."""
    return random_grid((14.0, 14.0), spacing=0.05, roughness=0.1, correlation=0.8, seed=123, friction=1.0)


def commands(model: Model, radius: float | None) -> np.ndarray:
    """Commands of all actuators for a turn of a radius (m), by Ackermann's geometry."""
    values = []
    length = K4 + K6X
    for actuator in model.actuators:
        side = K3 if "left" in actuator.name else -K3
        ahead = length if "front" in actuator.name or "steering" in actuator.name else 0.0
        if radius is None:
            values.append(0.0 if "steering" in actuator.name else SPEED / RADIUS)
        elif "steering" in actuator.name:
            values.append(np.sign(radius) * atan2(ahead, abs(radius - side)))
        else:
            values.append(SPEED * hypot(radius - side, ahead) / abs(radius) / RADIUS)
    return np.array(values)


def _settled(model: Model, ground: Grid, count: int) -> _Trials:
    """Rovers at random places and headings that have come to rest."""
    rng = np.random.default_rng(7)
    worlds = Batch(model, count, dt=0.005, terrain=ground)
    heading = rng.uniform(-np.pi, np.pi, count)
    # they stay on the grid for the five metres to come
    place = rng.uniform(-1.5, 1.5, (count, 2)) - 2.0 * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    worlds.q[:, 0], worlds.q[:, 3] = np.cos(0.5 * heading), np.sin(0.5 * heading)
    worlds.q[:, 4:6] = place
    worlds.q[:, 6] += ground.height(place[:, 0], place[:, 1]) + SINKAGE + 0.1
    worlds.step(600)
    return _Trials(worlds.q.copy(), np.zeros((count, model.nv)))


def _ends(model: Model, ground: Grid, trials: _Trials, step: float, way: str) -> np.ndarray:
    """Positions (x, y) and headings at the end of all trials."""
    worlds = Batch(model, len(trials.q), dt=step, terrain=ground, rolling=way)
    worlds.q, worlds.v = trials.q, trials.v
    start = 0.0
    for end, radius in COMMANDS:
        worlds.commands = commands(model, radius)
        worlds.step(round((end - start) / step))
        start = end
    w, x, y, z = worlds.q[:, :4].T
    heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.column_stack([worlds.q[:, 4:6], heading, worlds.alive])


def _errors(ends: np.ndarray, reference: np.ndarray) -> dict[str, float]:
    """Means over the trials."""
    turn = (ends[:, 2] - reference[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
    return {
        "position": float(np.linalg.norm(ends[:, :2] - reference[:, :2], axis=1).mean()),
        "yaw": float(np.abs(turn).mean()),
        "alive": float(ends[:, 3].mean()),
    }


def _step_time(model: Model, ground: Grid, trials: _Trials, step: float, way: str, turns: int) -> float:
    """Seconds of a step of one world on one core: the shortest of some turns over a whole run."""
    sim = Simulation(model, step, q=trials.q[0], v=trials.v[0], terrain=ground, rolling=way)
    times = []
    for _ in range(turns + 1):
        sim.reset()
        before, start = sim.wall_time, 0.0
        for end, radius in COMMANDS:
            for actuator, value in zip(model.actuators, commands(model, radius).tolist(), strict=True):
                sim.actuator(actuator.name).command = value
            sim.run(end - start)
            start = end
        times.append((sim.wall_time - before) / round(start / step))
    return min(times[1:])


def _batch_speed(model: Model, ground: Grid, trials: _Trials, step: float) -> float:
    """Simulated seconds per second of many worlds on two threads: the best of some turns."""
    import time

    worlds = Batch(model, _WORLDS, dt=step, terrain=ground, threads=_THREADS)
    worlds.q = trials.q[np.arange(_WORLDS) % len(trials.q)]
    worlds.commands = commands(model, 3.0)
    worlds.step(5)
    best, count = 0.0, 5
    # short turns, of which a busy computer leaves some alone
    for _ in range(60):
        started = time.perf_counter()
        worlds.step(count)
        best = max(best, count * step * _WORLDS / (time.perf_counter() - started))
    return best


def _checks(rows: list[dict[str, Any]], batches: dict[str, float]) -> list[Check]:
    checks = []
    largest = max(row["step"] for row in rows)
    for name in MODELS:
        exact = [row for row in rows if row["model"] == name and row["rolling"] == "balance"]
        goal = next(row for row in exact if row["step"] == largest)
        checks.append(at_least(f"{name}: times real time at 40 ms on one core", goal["speed"], 5000.0))
        checks.append(at_least(f"{name}: simulated s/s of a batch on two threads", batches[name], 8000.0))
        checks.append(at_most(f"{name}: position error at 40 ms (m)", goal["position"], 0.25))
        order = _order(exact)
        checks.append(at_least(f"{name}: power of the step in the error", order, 0.7))
        checks.append(at_most(f"{name}: the same, at most linear", order, 1.4))
        checks.append(at_least(f"{name}: share of trials that end well", min(r["alive"] for r in exact), 1.0))
    return checks


def _order(rows: list[dict[str, Any]]) -> float:
    """Slope of the error over the step, both in logarithms, the reference left out."""
    steps, errors = zip(
        *[(row["step"], row["position"]) for row in rows if row["position"] > 0.0], strict=True
    )
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure(2)
    cost, error = figure.axes
    styles = dict(zip(WAYS, ("-o", "--s", ":^"), strict=True))
    for number, name in enumerate(MODELS):
        for way in WAYS:
            chosen = [row for row in rows if row["model"] == name and row["rolling"] == way]
            steps = [row["step"] for row in chosen]
            label, options = f"{name}, {way}", {"color": f"C{number}"}
            cost.loglog(steps, [1.0 / row["speed"] for row in chosen], styles[way], label=label, **options)
            errors = [(row["step"], row["position"]) for row in chosen if row["position"] > 0.0]
            if errors:
                error.loglog(*zip(*errors, strict=True), styles[way], label=label, **options)
    cost.set(xlabel="step (ms)", ylabel="computation time by simulated time")
    error.set(xlabel="step (ms)", ylabel="position error after 5 m (m)")
    for axes in figure.axes:
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    return figure
