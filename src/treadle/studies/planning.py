"""Rocky 7 plans its way over rough ground: MPPI against driving straight.

Every trial is a place of its own on a large terrain: hills, and twelve mounds, too steep to climb, anywhere
between the rover and its goal, 7 m away. Places, heights and widths of the mounds are drawn from the uniform
distributions below, with one seed for all of it. Every 40 ms the planner simulates 512 candidates of 2 s,
with all wheels in contact with the ground, from the state that is predicted for the end of the cycle, when
its plan begins to act. Candidates are weighed by the cost-to-go of the ground: a map that is made once per
goal, from the heights alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.batch.situation import Situation
from treadle.bench.results import Check, at_least, at_most
from treadle.errors import InputError
from treadle.graph import Scalar, maximum
from treadle.planning.cost_to_go import cost_to_go
from treadle.planning.receding_horizon import RecedingHorizon
from treadle.planning.sampling import MPPI
from treadle.scenes import scene
from treadle.scenes.rovers.rocky7 import SINKAGE, ackermann
from treadle.sim import Simulation
from treadle.studies.study import Column, Findings, Report, new_figure
from treadle.terrain import Grid, random_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["commands", "run"]

#: Bounds of speed (m/s) and curvature (1/m), and the spread of the candidates.
LOW, HIGH, SPREAD = (-0.3, -1.5), (0.8, 1.5), (0.25, 0.8)
CANDIDATES, HORIZON, PIECES, STEP, THREADS = 512, 2.0, 10, 0.04, 2

#: Step of the candidates (s), whose numbers have 24 bits: they are compared, not kept.
_COARSE, _PRECISION = 0.1, "float32"

#: Of the hills, and with the number of a place that of its mounds, unless another is given.
_SEED = 1959

#: Places in a row, their size (m), mounds on each; start and goal from the middle of a place.
_ROW, _SIZE, _MOUNDS = 10, 12.0, 12
_START, _GOAL = np.array([-3.5, 0.0]), np.array([3.5, 0.0])
#: Height (m) and width (m) of mounds.
_TALL, _WIDE = (0.5, 0.8), (0.22, 0.32)
_SPACING, _FRICTION = 0.1, 0.6

#: Of the cost-to-go: size of the rover and slope that it avoids, points of the map (m).
_FOOTPRINT, _STEEPEST, _LATTICE = 0.6, 0.35, 0.15

#: A trial ends so near the goal (m), after so long (s), or when the body leans by more than this (rad).
_NEAR, _LONGEST, _TIPPED = 0.4, 40.0, 1.0

_COLUMNS = (
    Column("way", "way"),
    Column("trials", "trials", "d"),
    Column("success", "reached", ".0%"),
    Column("stuck", "stuck", ".0%"),
    Column("tipped", "tipped over", ".0%"),
    Column("seconds", "time (s)", ".1f"),
    Column("length", "path (m)", ".2f"),
    Column("plan_ms", "ms per plan", ".1f"),
)


@dataclass
class _Trial:
    """How one drive went: its path (samples, 2), and the time of its plans (s)."""

    place: int
    end: str
    seconds: float
    path: np.ndarray
    plan_times: list[float]


def run(quick: bool, report: Report, only: list[str] | None = None, seed: int = _SEED) -> Findings:
    """Drive on 100 places, or the first so many; quick: on five of them, with a plan every 200 ms."""
    count, cycle = (5, 0.2) if quick else (_ROW * _ROW, STEP)
    count = count if only is None else _count(only)
    ground, model = terrain(seed), scene("rocky7")
    starts = _settled(model, ground, count)
    planner = _planner(model, ground, ways(ground, count))
    drives: dict[str, list[_Trial]] = {"straight": [], "MPPI": []}
    for place in range(count):
        report(place / count, f"place {place + 1} of {count}")
        for way, trials in drives.items():
            sim = Simulation(model, STEP, q=starts[place], terrain=ground)
            trials.append(_drive(sim, place, planner if way == "MPPI" else None, cycle))
    rows = [_row(way, trials) for way, trials in drives.items()]
    findings = Findings(_COLUMNS, rows, lambda: _draw(ground, drives))
    findings.checks = _checks(rows)
    return findings


def _count(only: list[str]) -> int:
    """How many places, from `--only N`."""
    if len(only) != 1 or not only[0].isdigit() or not 2 <= int(only[0]) <= _ROW * _ROW:
        raise InputError(f"the parts of this study are places: --only needs a number from 2 to {_ROW * _ROW}")
    return int(only[0])


def commands(controls: np.ndarray) -> np.ndarray:
    """Commands of Rocky 7's actuators for speed and curvature (n, 2), by Ackermann's geometry."""
    return np.stack(ackermann(controls[:, 0], controls[:, 1]), axis=1)


def terrain(seed: int = _SEED) -> Grid:
    """One grid with all places, so that code is compiled once; each place has mounds of its own."""
    side = _ROW * _SIZE
    hills = random_grid(
        (side, side), _SPACING, roughness=0.05, correlation=0.8, seed=seed, friction=_FRICTION
    )
    heights = np.array(hills.heights)
    axis = np.linspace(-0.5 * side, 0.5 * side, len(heights))
    for place in range(_ROW * _ROW):
        rng = np.random.default_rng([seed, place])
        for _ in range(_MOUNDS):
            x, y = _middle(place) + rng.uniform((-2.2, -3.5), (2.2, 3.5))
            tall, wide = rng.uniform(*_TALL), rng.uniform(*_WIDE)
            near = [np.abs(axis - at) < 4.0 * wide for at in (x, y)]
            away = [
                np.exp(-0.5 * ((axis[part] - at) / wide) ** 2) for part, at in zip(near, (x, y), strict=True)
            ]
            heights[np.ix_(*near)] += tall * np.outer(*away)
    return Grid(heights, hills.spacing, hills.origin, friction=_FRICTION)


def ways(ground: Grid, count: int) -> Grid:
    """Cost-to-go (m) of every place to its own goal, in one map, so that code is compiled once."""
    points, half = round(_SIZE / _LATTICE), 0.5 * _SIZE
    found = np.zeros((_ROW * points + 1, _ROW * points + 1))
    for place in range(count):
        middle, (row, column) = _middle(place), divmod(place, _ROW)
        field = cost_to_go(
            ground, middle + _GOAL, middle - half, middle + half,
            footprint=_FOOTPRINT, steepest=_STEEPEST, spacing=_LATTICE,
        )  # fmt: skip
        i, j = column * points, row * points
        found[i : i + points + 1, j : j + points + 1] = field.heights
    side = _ROW * _SIZE
    return Grid(found, (_LATTICE, _LATTICE), (-0.5 * side, -0.5 * side))


def _cost(field: Grid) -> Callable[[Situation], Scalar]:
    def cost(now: Situation) -> Scalar:
        """Way to the goal (m), and leaning by more than 18 degrees."""
        place, upright = now.position("body"), now.pose("body").rotation.to_rows()[2][2]
        return field.height(place.x, place.y) + 30.0 * maximum(0.95 - upright, 0.0)

    return cost


def _middle(place: int) -> np.ndarray:
    row, column = divmod(place, _ROW)
    return (np.array([column, row]) + 0.5 - 0.5 * _ROW) * _SIZE


def _planner(model: Any, ground: Grid, field: Grid) -> MPPI:
    return MPPI(
        model, _cost(field), low=LOW, high=HIGH, spread=SPREAD, candidates=CANDIDATES, horizon=HORIZON,
        pieces=PIECES, actuate=commands, dt=_COARSE, precision=_PRECISION, terrain=ground, threads=THREADS,
    )  # fmt: skip


def _settled(model: Any, ground: Grid, count: int) -> np.ndarray:
    """(places, nq) rovers at rest at the starts, heading for the goals."""
    from treadle.batch import Batch

    worlds = Batch(model, count, dt=0.005, terrain=ground)
    for place in range(count):
        x, y = _middle(place) + _START
        worlds.q[place, 4:6] = x, y
        worlds.q[place, 6] += float(ground.height(x, y)) + SINKAGE + 0.1
    worlds.step(600)
    return worlds.q.copy()


def _drive(sim: Simulation, place: int, planner: MPPI | None, cycle: float) -> _Trial:
    """Until the goal is reached, the rover tips over or the time is up."""
    goal, path, plan_times = _middle(place) + _GOAL, [], []
    horizon = None
    if planner is not None:
        planner.restart()
        horizon = RecedingHorizon(planner, sim, cycle, latency=STEP, actuate=commands)
    end = "stuck"
    while sim.time < _LONGEST and end == "stuck":
        if horizon is None:
            _steer(sim, goal)
            sim.step(round(cycle / STEP))
        else:
            started = time.process_time()
            horizon.advance()
            plan_times.append((time.process_time() - started) / THREADS)
        where = np.array(sim.q[4:6])
        path.append(where)
        if np.linalg.norm(where - goal) < _NEAR:
            end = "reached"
        elif 1.0 - 2.0 * (sim.q[1] ** 2 + sim.q[2] ** 2) < np.cos(_TIPPED):
            end = "tipped"
        elif np.abs(where - _middle(place)).max() > 0.5 * _SIZE:
            end = "left"
    return _Trial(place, end, sim.time, np.array(path), plan_times)


def _steer(sim: Simulation, goal: np.ndarray) -> None:
    """Head for the goal, whatever the ground."""
    w, x, y, z = sim.q[:4]
    heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    away = goal - sim.q[4:6]
    off = (np.arctan2(away[1], away[0]) - heading + np.pi) % (2.0 * np.pi) - np.pi
    controls = np.array([[0.5, np.clip(2.0 * off, LOW[1], HIGH[1])]])
    for actuator, value in zip(sim.model.actuators, commands(controls)[0].tolist(), strict=True):
        sim.actuator(actuator.name).command = value


def _row(way: str, trials: list[_Trial]) -> dict[str, Any]:
    reached = [trial for trial in trials if trial.end == "reached"]
    lengths = [float(np.linalg.norm(np.diff(t.path, axis=0), axis=1).sum()) for t in reached]
    times = [x for trial in trials for x in trial.plan_times]
    return {
        "way": way,
        "trials": len(trials),
        "success": len(reached) / len(trials),
        "stuck": sum(trial.end in ("stuck", "left") for trial in trials) / len(trials),
        "tipped": sum(trial.end == "tipped" for trial in trials) / len(trials),
        "seconds": float(np.mean([t.seconds for t in reached])) if reached else None,
        "length": float(np.mean(lengths)) if lengths else None,
        "plan_ms": 1e3 * float(np.median(times)) if times else None,
    }


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    straight, planned = rows
    return [
        at_least("goals reached with MPPI", planned["success"], 0.95),
        at_most("goals reached straight on", straight["success"], 0.70),
        at_most("CPU time of a plan on two threads (ms)", planned["plan_ms"], 1e3 * STEP),
        at_least("candidates of 2 s", float(CANDIDATES), 500.0),
    ]


def _draw(ground: Grid, drives: dict[str, list[_Trial]]) -> Figure:
    """Paths of both ways on the first places."""
    figure = new_figure(2)
    for axes, place in zip(figure.axes, (0, 1), strict=True):
        middle = _middle(place)
        x, y = (np.linspace(at - 5.0, at + 5.0, 201) for at in middle)
        heights = ground.height(*np.meshgrid(x, y, indexing="ij"))
        shown = axes.pcolormesh(x - middle[0], y - middle[1], np.asarray(heights).T, cmap="terrain")
        figure.colorbar(shown, ax=axes, label="height (m)")
        for (way, trials), color in zip(drives.items(), ("k", "C3"), strict=True):
            path = trials[place].path - middle
            axes.plot(path[:, 0], path[:, 1], color=color, label=f"{way}: {trials[place].end}")
        axes.plot(*_GOAL, "*", color="C1", markersize=14, label="goal")
        axes.set(xlabel="x (m)", ylabel="y (m)", title=f"place {place + 1}", aspect="equal")
        axes.legend(loc="lower left")
    return figure
