"""Error bars and verdicts of random machines against their true errors.

Machines of every family run with random methods and steps; `quality(thorough=True)` states an error bar and a
verdict on each run. The true error is the distance from a reference: the same machine with a method of
order 8 at rounding where its forces are smooth, else with steps 64 times smaller.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.studies.calibration.judge import FLOOR, Judged, draw_trials, judge
from treadle.studies.calibration.machines import FAMILIES
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["calibrate", "run"]

#: Machines of a family, also in a quick run, and runs of a machine.
_MACHINES, _QUICK_MACHINES, _RUNS = 21, 2, 1

#: What has to be shown: share of errors within 3 times the bar, share of wrong verdicts, machines judged.
_WITHIN, _WRONG, _JUDGED = 0.95, 0.01, 300

_COLUMNS = (
    Column("family", "machines"),
    Column("runs", "runs", "d"),
    Column("halved", "halved", "d"),
    Column("within_2", "within 2x", ".1%"),
    Column("within_3", "within 3x", ".1%"),
    Column("worst_3", "largest, 3x", ".1%"),
    Column("good", "good", "d"),
    Column("fair", "fair", "d"),
    Column("poor", "poor", "d"),
    Column("wrong", "wrong", "d"),
)

#: Runs by family.
_Results = dict[str, list[Judged]]


def run(quick: bool, report: Report) -> Findings:
    """Judge random runs of every family; quick: of fewer machines."""
    findings = calibrate(_QUICK_MACHINES if quick else _MACHINES, FAMILIES, report)
    if not quick:
        findings.checks.append(at_least("machines judged", float(findings.rows[-1]["runs"] / _RUNS), _JUDGED))
    return findings


def calibrate(machines: int, families: Iterable[str], report: Report) -> Findings:
    """Judge runs of so many machines of these families; the same numbers draw the same machines."""
    results: _Results = {name: [] for name in families}
    findings = Findings(_COLUMNS, [], lambda: _draw(results), timed=False)
    left_out: dict[str, int] = {}
    for number, name in enumerate(results):
        for seed in range(machines):
            report((number + seed / machines) / len(results), f"{name}, machine {seed + 1}")
            rng = np.random.default_rng([list(FAMILIES).index(name), seed])
            for trial in draw_trials(FAMILIES[name](rng), rng, _RUNS):
                found = judge(trial)
                if isinstance(found, Judged):
                    results[name].append(found)
                else:
                    left_out[f"{name}: {found}"] = left_out.get(f"{name}: {found}", 0) + 1
    findings.rows = [_row(name, found) for name, found in results.items()]
    every = [judged for found in results.values() for judged in found]
    findings.rows.append(_row("all", every))
    findings.checks = [
        *_checks(every),
        at_most("runs that could not be judged", float(sum(left_out.values())), 0.0),
    ]
    findings.notes = [f"left out, {count} runs of {what}" for what, count in left_out.items()]
    findings.notes.append(_below_floor(every))
    return findings


def _row(name: str, found: list[Judged]) -> dict[str, Any]:
    ratings = [judged.quality.rating for judged in found]
    return {
        "family": name,
        "runs": len(found),
        "halved": sum(judged.halved > 0 for judged in found),
        "within_2": _share(judged.within(2.0) for judged in found),
        "within_3": _share(judged.within(3.0) for judged in found),
        "worst_3": _share(judged.largest_within(3.0) for judged in found),
        **{rating: ratings.count(rating) for rating in ("good", "fair", "poor")},
        "wrong": sum(judged.wrong is not None for judged in found),
    }


def _checks(every: list[Judged]) -> list[Check]:
    good = [judged.wrong == "good though off by more than stated" for judged in every]
    poor = [judged.wrong == "poor though right" for judged in every]
    return [
        at_least(
            "share of true errors within 3 times the bar", _share(j.within(3.0) for j in every), _WITHIN
        ),
        at_most("share of wrong verdicts", _share(j.wrong is not None for j in every), _WRONG),
        at_most("share that is good though off by more than stated", _share(good), _WRONG),
        at_most("share that is poor though right", _share(poor), _WRONG),
    ]


def _share(answers: Iterable[bool]) -> float | None:
    """The share of those that are true; None of none."""
    given = list(answers)
    return sum(given) / len(given) if given else None


def _below_floor(every: list[Judged]) -> str:
    small = sum(max(judged.true, judged.bar) < FLOOR * judged.size for judged in every)
    return f"{small} of {len(every)} runs have a bar and an error below {FLOOR:g} of the machine's size"


def _draw(results: _Results) -> Figure:
    from matplotlib import colormaps

    figure = new_figure()
    (axes,) = figure.axes
    for number, (name, found) in enumerate(results.items()):
        bars = [max(judged.bar / judged.size, FLOOR) for judged in found]
        true = [max(judged.true / judged.size, FLOOR) for judged in found]
        axes.loglog(bars, true, ".", color=colormaps["tab20"](number), label=name)
    line = np.array([FLOOR, 3.0])
    for factor in (1.0, 3.0, 1.0 / 3.0):
        axes.loglog(line, factor * line, "-" if factor == 1.0 else ":", color="grey", linewidth=0.8)
    axes.set(xlabel="error bar, of the machine's size", ylabel="true error, of the machine's size")
    axes.set_title("Error bars at the end of runs; dotted: three times too small or too large")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", fontsize="small")
    figure.set_size_inches(9.0, 6.0)
    return figure
