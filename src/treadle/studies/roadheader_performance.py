"""Time that a frame of the roadheader's simulation takes, against MuJoCo.

The experiment of Hou et al., "Interactive Physically-Based Simulation of Roadheader Robot", section 6.3,
without the drawing: a frame is ten substeps (their algorithm 3) in one call from Python. MuJoCo gets the same
machine as MJCF and runs in the same process, turn by turn; where there is a ratio, both computed the same
motion. The complete machine, with its loops and cylinders, has no peer that computes the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.peers import MissingPeer, MujocoModel, peer_name
from treadle.bench.race import FULL, QUICK, Contestant, race
from treadle.bench.results import TOLERANCE, Check, at_most
from treadle.bench.step import step_difference
from treadle.dynamics.compiled import frame_poses
from treadle.model.model import Model
from treadle.scenes import scene
from treadle.sim import Simulation
from treadle.studies.machines import smooth
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Substeps per frame, and the step that makes 60 frames a second of them.
SUBSTEPS, DT = 10, 1.0 / 600.0

_COLUMNS = (
    Column("machine", "machine"),
    Column("method", "method"),
    Column("frame_time", "ms per frame", ".4f"),
    Column("peer", "peer"),
    Column("peer_time", "ms per frame", ".4f"),
    Column("ratio", "ratio", ".1f"),
)


#: How long a frame may take (ms): of the tree, and of the machine with all its loops and cylinders.
_TREE_LIMIT, _COMPLETE_LIMIT = 0.5, 1.0

#: What may be left of a loop's gap (m, rad).
_CLOSED = 1e-9

#: Treadle's integrators, those of MuJoCo that compute the same, and whether the poses of all bodies are read.
_METHODS = (
    ("symplectic_euler", "mjINT_EULER", False),
    ("symplectic_euler", "mjINT_EULER", True),
    ("rk4", "mjINT_RK4", False),
)


def run(quick: bool, report: Report) -> Findings:
    """Time a frame of every form of the machine with every method."""
    effort = QUICK if quick else FULL
    rows: list[dict[str, Any]] = []
    checks: list[Check] = []
    notes: list[str] = []
    total = len(_METHODS) + 2
    model = smooth("roadheader")
    for integrator, other, poses in _METHODS:
        report(len(rows) / total, f"tree, {integrator}")
        row = _against_mujoco(model, integrator, other, poses, effort.seconds, notes)
        rows.append({"machine": "tree", **row})
    checks.append(at_most(_frame_of("tree"), rows[0]["frame_time"], _TREE_LIMIT))
    report(len(rows) / total, "tree, maximal coordinates")
    rows += _maximal("tree", model, effort.seconds)
    report((total - 1) / total, "complete machine")
    complete = _complete(effort.seconds)
    rows.append(complete)
    checks.append(at_most(_frame_of("complete"), complete["frame_time"], _COMPLETE_LIMIT))
    checks.append(at_most("complete: loop residual (m, rad)", complete["residual"], _CLOSED))
    return Findings(_COLUMNS, rows, lambda: _draw(rows), checks, notes)


def _frame_of(machine: str) -> str:
    return f"{machine}: ms per frame of {SUBSTEPS} substeps"


def _complete(seconds: float) -> dict[str, Any]:
    """A frame of the whole machine at work: loops, cylinders, friction and stops, every actuator moving."""
    sim = Simulation(scene("roadheader"), DT)
    for actuator in sim.model.actuators:
        handle = sim.actuator(actuator.name)
        handle.command = 0.5 * handle.range[1]
    start = sim.save()
    best = race({"treadle": Contestant(lambda: sim.step(SUBSTEPS), lambda: sim.restore(start))}, seconds)
    return {
        "machine": "complete",
        "method": "symplectic_euler",
        "freedoms": sim.model.nv,
        "frame_time": best["treadle"] * 1e3,
        "residual": sim.quality()["loop residual"],
    }


def _against_mujoco(
    model: Model, integrator: str, other: str, poses: bool, seconds: float, notes: list[str]
) -> dict[str, Any]:
    """A frame of Treadle by a frame of MuJoCo from the same state."""
    q, v = (np.array(values) for values in model.initial())
    sim = Simulation(model, DT, integrator)

    def restart() -> None:
        sim.q[:], sim.v[:] = q, v

    def frame() -> None:
        sim.step(SUBSTEPS)
        if poses:
            frame_poses(model, sim.q)

    contestants = {"treadle": Contestant(frame, restart)}
    method = f"{integrator}, with all poses" if poses else integrator
    row: dict[str, Any] = {"method": method, "freedoms": model.nv}
    try:
        rival = MujocoModel(model, DT)
        rival.model.opt.integrator = getattr(rival.mujoco.mjtIntegrator, other)
        row["peer"], row["agreement"] = peer_name("mujoco"), step_difference(sim, rival, q, v)

        def rival_frame() -> None:
            rival.step(SUBSTEPS)
            if poses:
                rival.mujoco.mj_kinematics(rival.model, rival.data)

        contestants["mujoco"] = Contestant(rival_frame, lambda: rival.set(q, v))
    except MissingPeer as error:
        notes += [] if str(error) in notes else [str(error)]
    best = race(contestants, seconds)
    row["frame_time"] = best["treadle"] * 1e3
    if "mujoco" in best:
        row["peer_time"] = best["mujoco"] * 1e3
        if row["agreement"] <= TOLERANCE:
            row["ratio"] = row["peer_time"] / row["frame_time"]
        else:
            notes.append(
                f"{method}: Treadle and MuJoCo differ by {row['agreement']:.1e}, so no ratio is given"
            )
    return row


def _maximal(name: str, model: Model, seconds: float) -> list[dict[str, Any]]:
    """The same frame by the methods in maximal coordinates, at the settings they are commonly used with."""
    from treadle.studies.baselines import Simmc, Xpbd

    sims = {
        "sequential impulses, 50 sweeps": Simmc(model, DT, iterations=50),
        "XPBD, one sweep per substep": Xpbd(model, DT, substeps=1),
    }
    best = race({key: Contestant(lambda sim=sim: sim.step(SUBSTEPS)) for key, sim in sims.items()}, seconds)
    return [
        {"machine": name, "method": key, "freedoms": model.nv, "frame_time": value * 1e3}
        for key, value in best.items()
    ]


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure()
    (axes,) = figure.axes
    bars = [(f"Treadle, {row['method']}", row["frame_time"], "C0") for row in rows if "agreement" in row]
    bars += [
        (f"{row['peer']}, {row['method']}", row["peer_time"], "C1") for row in rows if "peer_time" in row
    ]
    alone = [row for row in rows if "peer" not in row]
    bars += [(row["method"], row["frame_time"], "C2") for row in alone if row["machine"] == "tree"]
    bars += [
        ("Treadle, with loops and cylinders", row["frame_time"], "C0")
        for row in alone
        if row["machine"] == "complete"
    ]
    names, values, colors = zip(*reversed(bars), strict=True)
    drawn = axes.barh(range(len(names)), values, color=colors)
    axes.bar_label(drawn, [f"{value:.3g} ms" for value in values], padding=4)
    axes.set_yticks(range(len(names)), names)
    axes.set(
        xlabel="time per frame of 1/60 s (ms)", xscale="log", title="Roadheader: a frame of ten substeps"
    )
    axes.margins(x=0.25)
    axes.grid(axis="x", alpha=0.3)
    return figure
