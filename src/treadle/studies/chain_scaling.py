"""Cost of a step against the length of a chain, for one world and for many.

The experiment of Wang, "Interactive virtual prototyping of a mechanical system considering the environment
effect. Part 2: Simulation quality", figure 2: a chain of 10 to 250 bodies. There the processors of a graphics
card work side by side; here it is the lanes and threads of the computer's own processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.bench.machines import Machine
from treadle.bench.race import FULL, QUICK
from treadle.bench.results import Row
from treadle.bench.step import growth, measure_step
from treadle.bench.worlds import measure_worlds
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

_LINKS, _QUICK_LINKS = (10, 25, 50, 100, 150, 200, 250), (10, 25, 50)

_COLUMNS = (
    Column("links", "links", "d"),
    Column("step_time", "one: µs/step"),
    Column("cost", "ns/link", ".1f"),
    Column("peer_step_time", "MuJoCo"),
    Column("ratio", "ratio", ".1f"),
    Column("world_time", "many: µs/step"),
    Column("peer_world_time", "MuJoCo"),
    Column("world_ratio", "ratio", ".1f"),
)


def run(quick: bool, report: Report) -> Findings:
    """Time chains of growing length; quick: the short ones only."""
    effort = QUICK if quick else FULL
    sizes = _QUICK_LINKS if quick else _LINKS
    findings = Findings(_COLUMNS, [], lambda: _draw(findings.rows))
    steps: list[Row] = []
    for number, links in enumerate(sizes):
        machine = Machine(f"chain{links}", links=links)
        report(number / len(sizes), f"{links} links, one world")
        one = measure_step(machine, effort)
        report((number + 0.5) / len(sizes), f"{links} links, {effort.worlds} worlds")
        many = measure_worlds(machine, effort)
        findings.rows.append(_row(links, effort.worlds, one.rows[0], many.rows[0]))
        findings.checks += one.checks
        findings.notes += [note for note in (*one.notes, *many.notes) if note not in findings.notes]
        steps += one.rows
    findings.checks += growth(steps).checks
    return findings


def _row(links: int, worlds: int, one: Row, many: Row) -> dict[str, Any]:
    """Times of one step in µs; in a batch those of all worlds together, divided by their number."""
    return {
        "links": links,
        "step_time": one.value,
        "cost": one.value / links * 1e3,
        "peer": one.peer,
        "peer_step_time": one.peer_value,
        "ratio": one.ratio,
        "agreement": one.agreement,
        "worlds": worlds,
        "world_time": 1.0 / many.value,
        "peer_world_time": None if many.peer_value is None else 1.0 / many.peer_value,
        "world_ratio": many.ratio,
        "world_agreement": many.agreement,
    }


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure(2)
    lines = {
        "step_time": ("Treadle, one world", "C0", "o-"),
        "world_time": ("Treadle, per world of many", "C0", "s--"),
        "peer_step_time": ("MuJoCo, one world", "C1", "o-"),
        "peer_world_time": ("MuJoCo, per world of many", "C1", "s--"),
    }
    left, right = figure.axes
    for key, (label, color, style) in lines.items():
        points = [(row["links"], row[key]) for row in rows if row[key] is not None]
        if points:
            left.loglog(*zip(*points, strict=True), style, color=color, label=label)
    left.set(xlabel="links", ylabel="time per step (µs)", title="Cost of a step of a chain")
    for key, label, style in (("ratio", "one world", "o-"), ("world_ratio", "many worlds", "s--")):
        points = [(row["links"], row[key]) for row in rows if row[key] is not None]
        if points:
            right.plot(*zip(*points, strict=True), style, color="C2", label=label)
    right.set(xlabel="links", ylabel="times as fast as MuJoCo", title="Ratio", ylim=(0.0, None))
    for axes in (left, right):
        axes.grid(alpha=0.3, which="both")
        if axes.lines:
            axes.legend()
    return figure
