"""Gaps of closed loops and what a step costs, against MuJoCo and Exudyn.

Peaucellier's linkage follows a sine with its motor, the slider-crank and the four-bar chain of the IFToMM
library (A02) run freely, and every actuator of the roadheader goes through its range. Gaps are the largest
after any step. MuJoCo gets its loops as single points and whichever setting is the fastest for its times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.peers import MissingPeer, peer_name
from treadle.bench.race import FULL, QUICK, Contestant, race
from treadle.bench.results import Check, at_least, at_most
from treadle.graph.functions import sin
from treadle.model import ModelSpec
from treadle.scenes import SCENES, scene
from treadle.sim import Simulation, State
from treadle.studies.exudyn_linkage import ExudynLinkage
from treadle.studies.linkages import MujocoLinkage, pinned
from treadle.studies.loop_references import four_bar_row, squeezer_row
from treadle.studies.roadheader_sweep import sweep_row
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]


class _GapColumn(Column):
    """The gap, or when the linkage came apart."""

    def text(self, row: dict[str, Any]) -> str:
        return f"apart, {row['apart']:.2g} s" if "apart" in row else super().text(row)


_COLUMNS = (
    Column("machine", "machine"),
    Column("engine", "engine"),
    Column("dt", "step (ms)", ".3g"),
    _GapColumn("gap", "gap (m, rad)", ".1e"),
    Column("error", "error", ".1e"),
    Column("step_time", "µs per step", ".3g"),
    Column("ratio", "ratio", ".1f"),
)

#: Amplitude (rad) and rate (rad/s) of Peaucellier's motor; the position (rad) that Exudyn's servo goes to.
_SWING, _RATE, _SERVO = 0.7, 2.0, 0.6
#: Steps (s): of Peaucellier's linkage, and of the machines that run freely.
_LARGE, _SMALL = 1e-2, 1e-3
#: What may be left of a gap and of the way from the line (m), of the four-bar's table and of the squeezer's.
_CLOSED, _TABLE, _SQUEEZED = 1e-9, 1e-6, 1e-8
#: How many times faster than MuJoCo a step has to be; the margin of a cost that grows with the cells, whose
#: code outgrows the processor's caches; and the longest frame (ms).
_FASTER, _MARGIN, _FRAME = 3.0, 1.3, 1.0
#: Cells of the four-bar chains; steps per call when they are timed.
_CELLS, _QUICK_CELLS, _CALL = (2, 10, 20, 40), (2, 4), 100


def run(quick: bool, report: Report) -> Findings:
    """Run every machine in every engine."""
    effort, seconds = (QUICK, 1.0) if quick else (FULL, 60.0)
    cells = _QUICK_CELLS if quick else _CELLS
    rows: list[dict[str, Any]] = []
    checks: list[Check] = []
    notes: list[str] = []
    report(0.0, "Peaucellier's linkage")
    rows += _peaucellier(seconds, effort.seconds, notes)
    checks += [
        at_most("peaucellier: loop gap (m, rad)", rows[0]["gap"], _CLOSED),
        at_most("peaucellier: way from the straight line (m)", rows[0]["error"], _CLOSED),
        _faster(rows),
    ]
    report(0.3, "slider-crank")
    rows += _free("slider-crank", min(seconds, 10.0), effort.seconds, notes)
    chains = []
    for number, count in enumerate(cells):
        report(0.4 + 0.3 * number / len(cells), f"four-bar chain of {count}")
        chains.append(_free("four-bar-chain", min(seconds, 10.0), effort.seconds, notes, cells=count))
        rows += chains[-1]
    checks.append(_growth(cells, [chain[0]["step_time"] for chain in chains]))
    report(0.7, "four-bar chain and squeezer against their references")
    rows += [four_bar_row(), squeezer_row()]
    checks += [
        at_most("four-bar chain of 2: from the published table (m, m/s)", rows[-2]["error"], _TABLE),
        at_most("squeezer: from the published angles (rad)", rows[-1]["error"], _SQUEEZED),
    ]
    report(0.8, "roadheader")
    rows.append(sweep_row())
    checks += [
        at_most("roadheader: loop gap (m, rad)", rows[-1]["gap"], _CLOSED),
        at_least("roadheader: least share of its range that a joint went through", rows[-1]["range"], 0.99),
        at_most("roadheader: ms per frame of 1/60 s", rows[-1]["frame_time"], _FRAME),
    ]
    return Findings(_COLUMNS, rows, lambda: _draw(rows), checks, notes)


def _growth(cells: tuple[int, ...], costs: list[float]) -> Check:
    """The longest chain by one of a quarter of its length: the shortest pays for the call as well."""
    first = max(0, len(cells) - 3)
    more = cells[-1] / cells[first]
    name = f"four-bar chain of {cells[-1]}: step, times the cost of {cells[first]} cells"
    return at_most(name, costs[-1] / costs[first], _MARGIN * more)


def _faster(rows: list[dict[str, Any]]) -> Check:
    """Against whichever setting of MuJoCo is the fastest."""
    ratios = [row["ratio"] for row in rows if row["engine"].startswith("MuJoCo")]
    return at_least("peaucellier: step, times the speed of MuJoCo", min(ratios, default=None), _FASTER)


def _peaucellier(seconds: float, effort: float, notes: list[str]) -> list[dict[str, Any]]:
    """The motor's motion is prescribed; MuJoCo's servo is commanded to it, Exudyn's to one position."""
    sim = Simulation(scene("peaucellier"), _LARGE, motions={"motor": lambda t: _SWING * sin(_RATE * t)})
    start = sim.save()
    line, across = sim.body("pen").position[0], 0.0
    for _ in range(round(seconds / _LARGE)):
        sim.step()
        across = max(across, abs(float(sim.body("pen").position[0] - line)))
    row = _row(sim) | {"error": across}
    rivals = _rivals("peaucellier", (1e-3, 5e-3, _LARGE), notes)
    rows = _timed(sim, start, row, rivals, effort)
    for other, linkage in zip(rows[1:], rivals.values()):
        places = _follow(other, linkage, seconds, lambda t: _SWING * np.sin(_RATE * t), "pen")
        if places is not None:
            other["error"] = float(np.abs(places[:, 0] - line).max())
    return rows + _exudyn(rows[0], SCENES["peaucellier"](), _LARGE, seconds, notes)


def _free(name: str, seconds: float, effort: float, notes: list[str], **options: Any) -> list[dict[str, Any]]:
    """Steps of the symplectic Euler method, from the machine's own start."""
    sim = Simulation(scene(name, **options), _SMALL, "symplectic_euler")
    start = sim.save()
    sim.run(seconds)
    rivals = _rivals(name, (_SMALL,), notes, **options)
    rows = _timed(sim, start, _row(sim), rivals, effort)
    for other, linkage in zip(rows[1:], rivals.values()):
        _follow(other, linkage, seconds, None, sim.model.frames[-1].name)
    if name == "four-bar-chain":
        rows += _exudyn(rows[0], SCENES[name](**options), _SMALL, min(seconds, 2.0), notes)
    return rows


def _row(sim: Simulation) -> dict[str, Any]:
    gap = sim.quality()["loop residual"]
    return {"machine": sim.model.name, "engine": "Treadle", "dt": sim.dt * 1e3, "gap": gap}


def _rivals(
    name: str, steps: tuple[float, ...], notes: list[str], **options: Any
) -> dict[tuple[str, float], MujocoLinkage]:
    """MuJoCo with its defaults and with stiff loops at several steps, and with its other solver."""
    settings = [(setting, dt) for setting in ("defaults", "stiffened") for dt in steps]
    try:
        spec = pinned(name, **options)
        return {key: MujocoLinkage(spec, key[1], key[0]) for key in [*settings, ("CG solver", steps[0])]}
    except MissingPeer as error:
        notes += [] if str(error) in notes else [str(error)]
        return {}


def _timed(
    sim: Simulation,
    start: State,
    row: dict[str, Any],
    rivals: dict[tuple[str, float], MujocoLinkage],
    seconds: float,
) -> list[dict[str, Any]]:
    """The rows of Treadle and of every rival, with the time of a step in turns from the start."""
    contestants = {"treadle": Contestant(lambda: sim.step(_CALL), lambda: sim.restore(start))}
    for key, linkage in rivals.items():
        contestants[f"{key}"] = Contestant(lambda linkage=linkage: linkage.step(_CALL), linkage.restart)
    best = {name: value / _CALL * 1e6 for name, value in race(contestants, seconds).items()}
    rows = [{**row, "step_time": best["treadle"]}]
    for key in rivals:
        setting, dt = key
        rows.append({
            "machine": row["machine"], "engine": f"MuJoCo, {setting}", "dt": dt * 1e3,
            "peer": peer_name("mujoco"), "step_time": best[f"{key}"],
            "ratio": best[f"{key}"] / best["treadle"],
        })  # fmt: skip
    return rows


def _follow(
    row: dict[str, Any],
    linkage: MujocoLinkage,
    seconds: float,
    control: Callable[[float], float] | None,
    frame: str,
) -> np.ndarray | None:
    """Run a linkage in MuJoCo and note the gap, or when it came apart; the places of a frame."""
    linkage.restart()
    found = linkage.follow(seconds, control, frame)
    if "apart" in found:
        row["apart"] = found["apart"]
        return None
    row["gap"] = found["gap"]
    return found["places"]


def _exudyn(
    ours: dict[str, Any], spec: ModelSpec, dt: float, seconds: float, notes: list[str]
) -> list[dict[str, Any]]:
    """The same linkage in Exudyn: the gap, and the time of a step."""
    try:
        gap = ExudynLinkage(spec, dt, _SERVO).gap(seconds)
        cost = ExudynLinkage(spec, dt, _SERVO).step_time(2 * _CALL) * 1e6
    except MissingPeer as error:
        notes += [] if str(error) in notes else [str(error)]
        return []
    return [{
        "machine": ours["machine"], "engine": "Exudyn", "dt": dt * 1e3, "gap": gap, "step_time": cost,
        "peer": peer_name("exudyn"), "ratio": cost / ours["step_time"],
    }]  # fmt: skip


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure(2)
    left, right = figure.axes
    shown = [row for row in rows if row["machine"] == "peaucellier"]
    labels = [f"{row['engine']}, {row['dt']:g} ms" for row in shown]
    colors = [{"MuJoCo": "C1", "Exudyn": "C2"}.get(row["engine"].split(",")[0], "C0") for row in shown]
    gaps = [max(row.get("gap") or 0.1, 1e-17) for row in shown]
    left.barh(labels, gaps, color=colors)
    for place, row in enumerate(shown):
        left.text(gaps[place] * 2, place, _COLUMNS[3].text(row), va="center")
    left.set(
        xscale="log", xlim=(1e-17, 1e4), xlabel="largest gap of a loop (m)", title="Peaucellier's linkage"
    )
    left.invert_yaxis()
    chains = [row for row in rows if row["machine"].startswith("four-bar") and "step_time" in row]
    for engine in dict.fromkeys(row["engine"] for row in chains):
        points = [(_cells(row), row["step_time"]) for row in chains if row["engine"] == engine]
        right.loglog(*zip(*points, strict=True), "o-", label=engine)
    counts = sorted({_cells(row) for row in chains})
    right.set_xticks(counts, [f"{count}" for count in counts], minor=False)
    right.set_xticks([], minor=True)
    right.set(xlabel="cells", ylabel="time per step (µs)", title="Cost of a step of a four-bar chain")
    right.grid(alpha=0.3, which="both")
    right.legend()
    return figure


def _cells(row: dict[str, Any]) -> int:
    return int(row["machine"].split()[-1])
