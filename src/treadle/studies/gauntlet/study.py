"""Contact under stress: towers, arches, clutter, grasps and robots.

Every case is drawn by a seed and described once, as a model of Treadle, from which the other engines make
their worlds. It is run with steps of 1, 2, 5 and 10 ms and judged by what should become of it, by the share
of solves that were left unfinished, by its drift at rest, by the energy that a step gains, and by what a step
costs beside the fastest setting of MuJoCo that does what it should.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.bench.results import Check, at_least, at_most
from treadle.studies.gauntlet.engines import ENGINES
from treadle.studies.gauntlet.run import choose, make_case, work
from treadle.studies.gauntlet.standing import FOLDERS, missing_collections
from treadle.studies.gauntlet.worker import Task, Worker
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["chosen_cases", "chosen_steps", "least_ratio", "run", "run_case"]

#: Steps (s), and quickly; CPU time (s) that a run may take.
_STEPS, _QUICK_STEPS = (1e-3, 2e-3, 5e-3, 1e-2), (2e-3, 1e-2)
_BUDGET, _QUICK_BUDGET = 120.0, 4.0

#: Cases of a quick run.
_QUICK = (
    "tower-10", "tower-20", "card-house", "arch-1.05", "1-t-on-1-kg-on-1-t", "pile-24", "grasp-turned",
    "incline box", "disk", "rattleback", "robot go2", "robot solo12",
)  # fmt: skip

#: Settings of peers in a quick run.
_QUICK_SETTINGS = {"Treadle": ("",), "MuJoCo": ("default", "stiff elliptic"), "Bullet": ()}

#: CPU time (s) beyond three budgets after which a run does not return: code is compiled in it too.
_PATIENCE = 150.0

#: Contacts up to which a step has to cost half of MuJoCo's, and robots' up to which it is two thirds.
_FEW, _FEW_OF_ROBOTS = 100, 20

_COLUMNS = (
    Column("case", "case"),
    Column("engine", "engine"),
    Column("step_ms", "ms", "g"),
    Column("right", "right"),
    Column("unfinished", "left", ".1%"),
    Column("drift", "drift (m)", ".0e"),
    Column("gain", "gain", ".0e"),
    Column("energy_error", "energy", ".0e"),
    Column("contacts", "points", "d"),
    Column("step_us", "µs/step", ".0f"),
    Column("longest_medians", "longest", ".0f"),
    Column("ratio", "ratio", ".2f"),
)


def run(quick: bool, report: Report, only: list[str] | None = None, seed: int = 0) -> Findings:
    """All cases, or those named, in all engines; quickly: a few cases, for a short time, with two steps."""
    findings = Findings(_COLUMNS, [], lambda: _draw(findings.rows))
    names, steps = chosen_cases(quick, only), chosen_steps(quick)
    worker, done = Worker(work), 0
    try:
        for name in names:
            for dt in steps:
                report(done / (len(names) * len(steps)), f"{name}, {1e3 * dt:g} ms")
                findings.rows += run_case(worker, name, seed, dt, quick, findings.notes)
                done += 1
    finally:
        worker.close()
    findings.notes.append(
        "left: share of solves left unfinished; gain: the most that a step adds to the energy, as a share of "
        "what is there; energy: the largest change where it has to be kept; longest: longest step over the "
        "median; ratio: MuJoCo's time over Treadle's; MuJoCo has its fastest setting that is right"
    )
    findings.notes += [
        f"{row['case']}, {row['engine']}, {row['step_ms']:g} ms: {row['verdict']}"
        for row in findings.rows
        if not row["ok"]
    ]
    if any(name.startswith("standing") for name in names) or only in (None, ["standing"]):
        findings.notes += _left_out()
    findings.checks = checks(findings.rows)
    return findings


def _left_out() -> list[str]:
    """Which collections of robots were not there."""
    missing = ", ".join(missing_collections())
    note = (
        f"robots that stand: those of {missing} are left out, for they are not installed; {FOLDERS} may name "
    )
    return [note + "folders of further MJCF files"] if missing else []


def chosen_cases(quick: bool, only: list[str] | None) -> list[str]:
    """Those named, or all, or those of a quick run."""
    return choose(only) if only else list(_QUICK) if quick else choose(None)


def chosen_steps(quick: bool) -> tuple[float, ...]:
    """Steps (s) of a run."""
    return _QUICK_STEPS if quick else _STEPS


def run_case(
    worker: Worker, name: str, seed: int, dt: float, quick: bool, notes: list[str]
) -> list[dict[str, Any]]:
    """Rows of a case with a step (s): Treadle's, and of each peer that of its best setting."""
    seconds = _seconds(name, seed, quick)
    budget = _QUICK_BUDGET if quick else _BUDGET
    rows = []
    for engine, (_, all_settings) in ENGINES.items():
        settings = _QUICK_SETTINGS[engine] if quick else all_settings
        records = []
        for setting in settings:
            task = Task(name, seed, engine, setting, dt, seconds, budget)
            record = worker.run(task, 3.0 * budget + _PATIENCE)
            if record.get("unfit"):
                note = f"{engine} left out of {name}: {record['what']}"
                notes += [note] if note not in notes else []
                break
            records.append(record)
        if records:
            rows.append(_row(_best(records)))
    own = next((row for row in rows if row["engine"] == "Treadle"), None)
    other = next((row for row in rows if row["engine"] == "MuJoCo"), None)
    if own and other and own.get("step_us") and other.get("step_us") and other["ok"]:
        own["ratio"] = other["step_us"] / own["step_us"]
    return rows


def _seconds(name: str, seed: int, quick: bool) -> float:
    """Time to simulate (s)."""
    case = make_case(name, seed)
    return case.quick_seconds if quick and case.quick_seconds is not None else case.seconds


def _best(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the settings of an engine the fastest one that is right, or else the first."""
    right = [record for record in records if record["ok"] and record.get("step_us")]
    return min(right, key=lambda record: record["step_us"]) if right else records[0]


def _row(record: dict[str, Any]) -> dict[str, Any]:
    row = {key: value for key, value in record.items() if key not in ("dt", "budget", "what")}
    right = "yes" if record["ok"] else "no"
    return row | {
        "step": record["dt"],
        "step_ms": 1e3 * record["dt"],
        "right": right,
        "verdict": record["what"],
    }


def checks(rows: list[dict[str, Any]]) -> list[Check]:
    """The lines that every case has to show, over its steps."""
    own = [row for row in rows if row["engine"] == "Treadle"]
    found = []
    for name in dict.fromkeys(row["case"] for row in own):
        mine = [row for row in own if row["case"] == name]
        found.append(at_least(f"{name}: steps at which it is right", sum(r["ok"] for r in mine), len(mine)))
        robot = name.startswith(("robot", "standing"))
        worst = {
            "unfinished": ("share of solves left unfinished", 1e-3),
            "drift": ("drift at rest (m)", 1e-6),
            "gain": ("energy that a step gains, as a share", 1e-9),
            "slip": ("slip (m)", 1e-6),
            "longest_medians": ("longest step in medians", 100.0 if robot else 20.0),
        }
        for key, (what, limit) in worst.items():
            values = [row[key] for row in mine if row.get(key) is not None]
            if values:
                found.append(at_most(f"{name}: {what}", max(values), limit))
        finest = min(mine, key=lambda row: row["step"])
        for key, (what, limit) in {
            "energy_error": ("change of the energy at the finest step, as a share", 1e-3),
            "precession_error": ("error of the precession at the finest step", 5e-3),
        }.items():
            if finest.get(key) is not None:
                found.append(at_most(f"{name}: {what}", finest[key], limit))
        found += _cost_check(name, mine)
    return found


def _cost_check(name: str, rows: list[dict[str, Any]]) -> list[Check]:
    """Cost of a step beside MuJoCo's, where there is something to compare with."""
    ratios = [row["ratio"] for row in rows if row.get("ratio") is not None]
    if not ratios:
        return []
    least = max(least_ratio(name, row) for row in rows)
    return [at_least(f"{name}: times the speed of MuJoCo, at the worst step", min(ratios), least)]


def least_ratio(name: str, row: dict[str, Any]) -> float:
    """How many times faster than MuJoCo a case has to be, by the number of its contacts."""
    contacts = row.get("contacts", 0)
    if name.startswith(("robot", "standing")):
        return 1.5 if contacts <= _FEW_OF_ROBOTS else 1.0
    return 2.0 if contacts <= _FEW else 1.0


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure(2)
    own = [row for row in rows if row["engine"] == "Treadle"]
    names = list(dict.fromkeys(row["case"] for row in own))
    cost, unsolved = figure.axes
    for number, step in enumerate(sorted({row["step_ms"] for row in own})):
        chosen = [row for row in own if row["step_ms"] == step]
        ratios = [(names.index(row["case"]), row["ratio"]) for row in chosen if row.get("ratio")]
        shares = [
            (names.index(row["case"]), max(row["unfinished"], 1e-5))
            for row in chosen
            if row.get("unfinished") is not None
        ]
        for axes, points in ((cost, ratios), (unsolved, shares)):
            if points:
                axes.semilogy(*zip(*points, strict=True), "o", color=f"C{number}", label=f"{step:g} ms")
    cost.axhline(1.0, color="0.5", linewidth=0.8)
    for axes, label in ((cost, "times the speed of MuJoCo"), (unsolved, "share of unfinished solves")):
        axes.set_xticks(range(len(names)), names, rotation=90)
        axes.set(ylabel=label)
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend()
    return figure
