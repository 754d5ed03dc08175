"""One world on several processes: speed, the same results, and 10^6 bodies.

Boxes that stand on a plane, slide, hit each other and lie on each other are split over processes by recursive
bisection. The same scenes in one process are what they are compared with. A model of the cost, made from
measured computing and measured exchanges, says what a million bodies would take.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.distributed.launch import run_ranks
from treadle.model import Model
from treadle.sim import Simulation
from treadle.studies.mpi_scenes import SCENES
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["checks", "compare", "cost", "cross_borders", "momentum", "run"]

#: Step (s), and seconds after which processes are given up.
_DT, _PATIENCE = 5e-3, 1500.0

#: Scenes that are compared with one process: bodies and steps.
_SAME = {
    "field": (400, 100), "walls": (120, 100), "sliding": (200, 100), "pile": (60, 100), "paddle": (24, 100),
    "balls": (24, 100),
}  # fmt: skip

#: What the solver leaves (m/s). Where bodies hit each other it grows from hit to hit; how much is seen from
#: runs in one process that start with velocities changed by this much, at random.
_TOLERANCE, _DISTURBED = 1e-8, 5

#: Change of the starting velocities (m/s) that stands for rounding.
_ROUNDING = 1e-14

#: Bodies of the extrapolation, and processes.
_MANY, _PROCESSES = 10**6, (1, 4, 16, 64, 256, 1024)

_COLUMNS = (
    Column("run", "run"),
    Column("bodies", "bodies", "d"),
    Column("ranks", "processes", "d"),
    Column("ms", "step (ms)", ".3g"),
    Column("computing", "computing (ms)", ".3g"),
    Column("exchanging", "exchanging (ms)", ".3g"),
    Column("speedup", "by one process", ".3g"),
    Column("difference", "largest difference", ".2g"),
    Column("tolerance", "by the solver's tolerance", ".2g"),
    Column("rounding", "by rounding", ".2g"),
    Column("gathered", "gathered", "d"),
    Column("migrated", "moved", "d"),
)


def run(quick: bool, report: Report) -> Findings:
    """10,000 boxes, or 2,000 when quick."""
    bodies, steps = (2000, 23) if quick else (10_000, 43)
    rows: list[dict[str, Any]] = []
    for k, ranks in enumerate((1, 2)):
        report(0.05 + 0.2 * k, f"{bodies} boxes on {ranks} processes")
        rows.append(_speed("field", bodies, ranks, steps, rows))
    small = _speed("field", bodies // 4, 1, steps, [])
    report(0.5, "exchanges")
    exchanges = run_ranks(2, "treadle.studies.mpi_task", [json.dumps({"scene": "exchanges"})], _PATIENCE)
    for k, (scene, (count, length)) in enumerate(_SAME.items()):
        report(0.55 + 0.07 * k, f"{scene} on 4 processes")
        rows.append(compare(scene, count, length, 4))
    report(0.95, "a body across all borders")
    crossed = cross_borders()
    rows.append(crossed)
    walls = next(row for row in rows if row["run"] == "walls")
    model = _fitted(rows[0], rows[1], small, exchanges) | {"border_bytes": _at_border(walls)}
    extrapolated = [cost(model, _MANY, ranks) for ranks in _PROCESSES]
    findings = Findings(_COLUMNS, rows + extrapolated, lambda: _draw(rows[:2], extrapolated))
    findings.checks = checks(rows, crossed, bodies)
    findings.notes = [
        f"Cost of a step: {1e6 * model['body']:.3g} us per body, {1e3 * model['fixed']:.3g} ms at least, "
        f"{1e6 * model['latency']:.3g} us per exchange between two processes, "
        f"{1e6 * model['agreeing']:.3g} us for agreeing on the decisions of a step, "
        f"{1e-9 / max(model['per_byte'], 1e-15):.3g} GB/s, {model['border_bytes']:.3g} bytes per body at a "
        "border (walls).",
        "Rows of 1000000 bodies are computed from these, for a field with one border of sqrt(bodies per "
        "process) boxes on each side.",
    ]
    return findings


def _task(scene: str, bodies: int, ranks: int, steps: int, **further: Any) -> dict[str, Any]:
    given = {"scene": scene, "bodies": bodies, "steps": steps, "dt": _DT, **further}
    return run_ranks(ranks, "treadle.studies.mpi_task", [json.dumps(given)], _PATIENCE)


def _speed(scene: str, bodies: int, ranks: int, steps: int, before: list[dict[str, Any]]) -> dict[str, Any]:
    found = _task(scene, bodies, ranks, steps)["ranks"]
    wall = max(rank["wall"] for rank in found)
    return {
        "run": scene,
        "bodies": bodies,
        "ranks": ranks,
        "ms": 1e3 * wall,
        "computing": 1e3 * max(rank["computing"] for rank in found),
        "exchanging": 1e3 * min(rank["exchanging"] for rank in found),
        "speedup": before[0]["ms"] / (1e3 * wall) if before else 1.0,
        "bytes": max(rank["bytes"] for rank in found),
        "agreements": max(rank["agreements"] for rank in found),
        "gathered": sum(rank["gathered"] for rank in found),
        "migrated": sum(rank["migrated"] for rank in found),
    }


def compare(scene: str, bodies: int, steps: int, ranks: int) -> dict[str, Any]:
    """The largest difference of positions (m) and velocities (m/s) from one process."""
    found = _task(scene, bodies, ranks, steps, state=True)
    model = SCENES[scene](bodies)
    one = _one_process(model, bodies, steps)
    several = np.array(found["q"]), np.array(found["v"])
    grown = {
        size: max(_largest(one, _one_process(model, bodies, steps, size, k)) for k in range(_DISTURBED))
        for size in (_TOLERANCE, _ROUNDING)
    }
    return {
        "run": scene,
        "bodies": bodies,
        "ranks": ranks,
        "difference": _largest(one, several),
        "tolerance": max(grown[_TOLERANCE], _TOLERANCE),
        "rounding": grown[_ROUNDING],
        "bytes": max(rank["bytes"] for rank in found["ranks"]),
        "gathered": sum(rank["gathered"] for rank in found["ranks"]),
        "migrated": sum(rank["migrated"] for rank in found["ranks"]),
    }


def _largest(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True))


def _one_process(
    model: Model, bodies: int, steps: int, disturbed: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """States of the boxes, from velocities that are disturbed by so much (m/s, rad/s)."""
    sim = Simulation(model, _DT, contact=True)
    sim.v += disturbed * np.random.default_rng(seed).uniform(-1.0, 1.0, len(sim.v))
    sim.step(steps)
    places = [sim.model.joint(f"box{k}") for k in range(bodies)]
    return np.array([sim.q[x.q] for x in places]), np.array([sim.v[x.v] for x in places])


def cross_borders() -> dict[str, Any]:
    """A body that flies through all subdomains: change of its momentum, relative."""
    bodies, steps = 40, 220
    found = _task("crossing", bodies, 4, steps, state=True, watch=0)
    model = SCENES["crossing"](bodies)
    q0, v0 = (np.array(x) for x in model.initial())
    before, _ = momentum(model, q0[:7], v0[:6])
    after, turning = momentum(model, np.array(found["q"][0]), np.array(found["v"][0]))
    # how turning changes is the integrator's, as in one process
    q, v = _one_process(model, bodies, steps)
    _, expected = momentum(model, q[0], v[0])
    pairs = [(before, after), (expected, turning)]
    change = max(float(np.linalg.norm(b - a) / np.linalg.norm(a)) for a, b in pairs)
    return {
        "run": "crossing",
        "bodies": bodies,
        "ranks": 4,
        "difference": change,
        "owners": found["owners"],
        "migrated": sum(rank["migrated"] for rank in found["ranks"]),
    }


def momentum(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum (kg m/s), and angular momentum (kg m2/s) about its centre, of the first body."""
    inertia = model.bodies[0].inertia
    w, x, y, z = q[:4]
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    rows = np.array([[float(x) for x in row] for row in inertia.rotational.rows])
    return float(inertia.mass) * v[3:], R @ rows @ v[:3]


def _fitted(one: dict, two: dict, small: dict, exchanges: dict[str, float]) -> dict[str, float]:
    """Seconds per body and at least, and what an exchange takes."""
    body = 1e-3 * (one["ms"] - small["ms"]) / (one["bodies"] - small["bodies"])
    return {
        "body": body,
        "fixed": max(1e-3 * one["ms"] - body * one["bodies"], 0.0),
        "latency": exchanges["latency"],
        "agreeing": two["agreements"] * exchanges["agreement"],
        "per_byte": exchanges["per_byte"],
    }


def _at_border(row: dict[str, Any]) -> float:
    """Bytes that a process sends in a step per body at its borders, in a scene with contacts across these."""
    return row["bytes"] / (4.0 * (row["bodies"] / row["ranks"]) ** 0.5)


#: Exchanges of a step: extents and speeds of all, ghosts, islands, who solves, what moves (twice).
_EXCHANGES = 8


def cost(model: dict[str, float], bodies: int, ranks: int) -> dict[str, Any]:
    """Time of a step (ms): exchanges among all take log2(processes) rounds, and 8 sides have ghosts."""
    own = bodies / ranks
    computing = model["body"] * own + model["fixed"]
    rounds = np.log2(ranks) if ranks > 1 else 0.0
    sent = 0.0 if ranks == 1 else 4.0 * own**0.5 * model["border_bytes"]
    exchanging = (_EXCHANGES * model["latency"] + model["agreeing"]) * rounds + sent * model["per_byte"]
    alone = model["body"] * bodies + model["fixed"]
    return {
        "run": "computed",
        "bodies": bodies,
        "ranks": ranks,
        "ms": 1e3 * (computing + exchanging),
        "computing": 1e3 * computing,
        "exchanging": 1e3 * exchanging,
        "speedup": alone / (computing + exchanging),
    }


def checks(rows: list[dict[str, Any]], crossed: dict[str, Any], bodies: int) -> list[Check]:
    """What the study has to show."""
    found = [at_least(f"speed of 2 processes on {bodies} boxes, by one", rows[1]["speedup"], 1.6)]
    for row in rows:
        if row["run"] in _SAME and row["ranks"] == 4:
            name = f"{row['run']}: difference of 4 processes from one (m, m/s)"
            found.append(at_most(name, row["difference"], row["tolerance"]))
    found.append(at_least("processes that owned a body across all borders", crossed["owners"], 4))
    found.append(at_most("change of its momentum, relative", crossed["difference"], 1e-12))
    return found


def _draw(measured: list[dict[str, Any]], extrapolated: list[dict[str, Any]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    ranks = [row["ranks"] for row in extrapolated]
    axes.loglog(ranks, [row["ms"] for row in extrapolated], "o-", label=f"{_MANY} boxes, computed")
    axes.loglog(ranks, [row["exchanging"] for row in extrapolated], "--", label="of it exchanges")
    axes.loglog([row["ranks"] for row in measured], [row["ms"] for row in measured], "s",
                label=f"{measured[0]['bodies']} boxes, measured")  # fmt: skip
    axes.set(xlabel="processes", ylabel="time of a step (ms)", title="One world on several processes")
    axes.legend()
    return figure
