"""SimBenchmark of rigid contact, against MuJoCo, Bullet and DART.

The tests of Kang and Hwangbo with their parameters and their measures of error: rolling, bouncing, 666,
elastic 666, and ANYmal under PD control. All engines that are installed run the same scenes with the same
steps. An engine's figure at a step is its error times the CPU seconds it took: the smaller it is, the better
an engine used its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from treadle.bench.peers import MissingPeer
from treadle.bench.race import FULL, QUICK
from treadle.bench.results import Check, at_least, at_most
from treadle.studies.simbenchmark import anymal, anymal_worlds, bouncing, pile, rolling
from treadle.studies.simbenchmark.measure import Run
from treadle.studies.simbenchmark.worlds import ELASTIC, WORLDS
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Robots along a side, and quickly.
_ROBOTS, _QUICK_ROBOTS = (1, 2), (1,)

#: How many times faster than MuJoCo at its fastest one world of robots, and many worlds, have to be.
_RATIO, _WORLDS_RATIO = 2.0, 2.5

#: Balls along a side, time simulated (s) and steps of a quick run.
_QUICK_SIDE, _QUICK_SECONDS, _QUICK_STEPS = 2, 1.0, (4e-2, 1e-1)

_COLUMNS = (
    Column("test", "test"),
    Column("engine", "engine"),
    Column("step", "step (s)", "g"),
    Column("error", "error", ".1e"),
    Column("published", "published", ".1e"),
    Column("publisher", "of"),
    Column("cpu", "CPU (s)", ".2g"),
    Column("step_time", "µs/step", ".1f"),
    Column("figure", "x CPU", ".1e"),
)


@dataclass(frozen=True)
class _Task:
    """A test in an engine with a step (s), and the smallest published error with its engine."""

    test: str
    engine: str
    step: float
    published: tuple[float, str]
    work: Callable[[], Run]


def run(quick: bool, report: Report) -> Findings:
    """All tests in all engines; quick: for a shorter time, with fewer steps and fewer balls."""
    findings = Findings(_COLUMNS, [], lambda: _draw(findings.rows))
    findings.notes.append(
        "errors: mean squares, of rolling in m2/s2, of 666 in m2, of bouncing and elastic 666 in J2; of "
        "ANYmal the way in m that a foot slipped; last column: error times CPU seconds"
    )
    tasks, missing = list(_tasks(quick)), set[str]()
    for number, task in enumerate(tasks):
        report(0.9 * number / len(tasks), f"{task.test}, {task.engine}, {task.step:g} s")
        if task.engine in missing:
            continue
        try:
            findings.rows.append(_row(task, task.work()))
        except MissingPeer as absent:
            missing.add(task.engine)
            findings.notes.append(str(absent))
    for side in _QUICK_ROBOTS if quick else _ROBOTS:
        test = f"ANYmal PD, {side * side}"
        report(0.9, test)
        try:
            rows, notes = anymal.standing(side, QUICK if quick else FULL, quick)
        except MissingPeer as absent:
            rows, notes = [], [str(absent)]
        findings.rows += [{"test": test, "step": anymal.DT} | row for row in rows]
        findings.notes += [note for note in notes if note not in findings.notes]
    _add_worlds(findings, quick, report)
    findings.checks = _checks(findings.rows)
    return findings


def _add_worlds(findings: Findings, quick: bool, report: Report) -> None:
    """Rows of many worlds of the robot."""
    test = f"ANYmal PD, {anymal_worlds.WORLDS} worlds"
    report(0.95, test)
    rows, notes = anymal_worlds.standing_worlds(QUICK if quick else FULL)
    findings.rows += [{"test": test, "step": anymal.DT} | row for row in rows]
    findings.notes += [note for note in notes if note not in findings.notes]


def _tasks(quick: bool) -> Iterator[_Task]:
    seconds, side = (_QUICK_SECONDS, _QUICK_SIDE) if quick else (inf, pile.SIDE)
    time = min(0.05 * seconds, rolling.SECONDS)
    for direction, along in rolling.DIRECTIONS.items():
        for engine, make in WORLDS.items():
            work = partial(rolling.roll, make, along, time)
            yield _Task(f"rolling, {direction}", engine, rolling.DT, rolling.PUBLISHED[direction], work)
    time = min(2.0 * seconds, bouncing.SECONDS)
    for step in _QUICK_STEPS if quick else bouncing.STEPS:
        best = min((found[step], name) for name, found in bouncing.PUBLISHED.items())
        for engine in ELASTIC:
            yield _Task("bouncing", engine, step, best, partial(bouncing.bounce, WORLDS[engine], step, time))
    time = min(seconds, pile.SECONDS)
    for test, engines in (("666", tuple(WORLDS)), ("elastic 666", ELASTIC)):
        for step in _QUICK_STEPS if quick else pile.STEPS:
            for engine in engines:
                work = partial(pile.drop, WORLDS[engine], step, time, test != "666", side)
                yield _Task(test, engine, step, pile.PUBLISHED[test][step], work)


def _row(task: _Task, found: Run) -> dict[str, Any]:
    error, publisher = task.published
    return {
        "test": task.test, "engine": task.engine, "step": task.step, "error": found.error, "published": error,
        "publisher": publisher, "cpu": found.cpu, "step_time": 1e6 * found.cpu / found.steps,
        "figure": found.error * found.cpu,
    }  # fmt: skip


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    own = [row for row in rows if row["engine"] == "Treadle"]
    checks = [at_most(f"{row['test']}: error", row["error"], 1e-9) for row in own if "rolling" in row["test"]]
    share = max((row["error"] / row["published"] for row in own if row["test"] == "bouncing"), default=inf)
    checks.append(at_most("bouncing: error at any step, by the best published one", share, 1.0))
    for test in ("666", "elastic 666"):
        name = f"{test}: error x CPU at any step, by the best of the others"
        checks.append(at_most(name, _worst_share(rows, test), 1.0))
    for row in own:
        if "ANYmal" in row["test"]:
            others = [other["step_time"] for other in rows if other["test"] == row["test"] and other != row]
            ratio = min(others) / row["step_time"] if others else None
            least = _WORLDS_RATIO if "worlds" in row["test"] else _RATIO
            checks.append(at_least(f"{row['test']}: times the speed of MuJoCo at its fastest", ratio, least))
            if row["error"] is not None:
                checks.append(at_most(f"{row['test']}: way that a foot slips (m)", row["error"], 1e-6))
    return checks


def _worst_share(rows: list[dict[str, Any]], test: str) -> float | None:
    """Treadle's figure by the smallest of the others, at the step where that is most; None without others."""
    shares = []
    for row in rows:
        if row["test"] == test and row["engine"] == "Treadle":
            others = [
                other["figure"]
                for other in rows
                if other["test"] == test and other["step"] == row["step"] and other["engine"] != "Treadle"
            ]
            shares += [row["figure"] / min(others)] if others else []
    return max(shares, default=None)


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure(3)
    tests = {
        "bouncing": "mean square error of the energy (J²)",
        "666": "mean of squared depths (m²)",
        "elastic 666": "mean square error of the energy (J²)",
    }
    for axes, (test, label) in zip(figure.axes, tests.items(), strict=True):
        for number, engine in enumerate(WORLDS):
            found = [row for row in rows if row["test"] == test and row["engine"] == engine]
            points = [(row["cpu"], max(row["error"], 1e-30)) for row in found if row["error"] < inf]
            if points:
                axes.loglog(*zip(*points, strict=True), "o-", color=f"C{number}", label=engine)
        axes.set(xlabel="CPU time (s)", ylabel=label, title=test)
        axes.tick_params(axis="x", which="minor", labelbottom=False)
        axes.grid(alpha=0.3)
        axes.legend()
    return figure
