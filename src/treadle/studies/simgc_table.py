"""Sequential impulses in maximal and generalized coordinates: time, iterations.

Table 1 of Mikhaylyuk, Strashnov and Timokhin, "Algorithms of multibody dynamics simulation using
articulated-body method": a chain with friction, the Peaucellier linkage and a gripper that takes a box, with
steps of 10 ms and impulses exact to 1e-6.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least
from treadle.model.model import Model
from treadle.scenes import scene
from treadle.studies.baselines import PointContact
from treadle.studies.study import Column, Findings, Report, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: Step (s), and how far impulses may change in the last iteration (N s, N m s); iterations at most.
DT, TOLERANCE, _LIMIT = 0.01, 1e-6, 10_000

_COLUMNS = (
    Column("scene", "scene"),
    Column("method", "method"),
    Column("step_time", "µs/step"),
    Column("iterations", "iterations", ".1f"),
    Column("ratio", "faster by", ".1f"),
    Column("iteration_ratio", "fewer by", ".1f"),
    Column("published_ratio", "in paper", ".0f"),
    Column("published_iterations", "and", ".0f"),
    Column("error", "error (m)", ".1e"),
)

#: A simulation in either kind of coordinates, and a part of a run: motors are set, then so many steps taken.
Machine = Any
Part = tuple[int, Callable[[Machine], None]]


@dataclass(frozen=True)
class _Scene:
    """A machine, what happens to it, where it should end, and what the paper found."""

    name: str
    build: Callable[[], Model]
    parts: Callable[[bool], Iterator[Part]]
    #: distance (m) from where a part of it should be at the end
    error: Callable[[Machine], float | None]
    #: time and iterations, maximal over generalized coordinates
    published: tuple[float, float]
    contacts: Sequence[PointContact] = ()


def run(quick: bool, report: Report) -> Findings:
    """Run the three scenes by every method in turn; quick: shorter, and once."""
    rows: list[dict[str, Any]] = []
    checks: list[Check] = []
    scenes = _scenes()
    for number, one in enumerate(scenes):
        report(number / len(scenes), one.name)
        found = _measure(one, quick, 1 if quick else 3)
        rows += found
        ours, (less, fewer) = found[-1], one.published
        name = f"{one.name}: SIMGC against SIMMC"
        checks.append(at_least(f"{name}, times the speed", ours["ratio"], less))
        checks.append(at_least(f"{name}, times fewer iterations", ours["iteration_ratio"], fewer))
    return Findings(_COLUMNS, rows, lambda: _draw(rows), checks)


def _measure(one: _Scene, quick: bool, turns: int) -> list[dict[str, Any]]:
    """The methods turn by turn, and the shortest time of each."""
    from treadle.solvers.sequential.rows import IN_TURN, TOGETHER
    from treadle.studies.baselines import Simgc, Simmc

    model = one.build()
    common = {"dt": DT, "iterations": _LIMIT, "tolerance": TOLERANCE, "contacts": one.contacts}
    methods: dict[str, Callable[[], Machine]] = {
        "SIMMC": lambda: Simmc(model, **common),
        "SIMGC in turn": lambda: Simgc(model, **common, way=IN_TURN),
        "SIMGC": lambda: Simgc(model, **common, way=TOGETHER),
    }
    best = dict.fromkeys(methods, np.inf)
    rows: dict[str, dict[str, Any]] = {}
    for turn in range(turns + 1):
        for name, build in methods.items():
            machine = build()
            if turn == 0:
                # the kernels are compiled, or read from the cache
                machine.step(2)
                continue
            seconds = _play(machine, one.parts(quick))
            best[name] = min(best[name], seconds / machine.effort.steps)
            rows[name] = {
                "scene": one.name,
                "method": name,
                "iterations": machine.effort.mean,
                "most_iterations": machine.effort.most,
                "residual": machine.effort.residual,
                "error": None if quick else one.error(machine),
            }
    for name, row in rows.items():
        row["step_time"] = best[name] * 1e6
        if name != "SIMMC":
            row["ratio"] = best["SIMMC"] / best[name]
            row["iteration_ratio"] = rows["SIMMC"]["iterations"] / row["iterations"]
            row["published_ratio"], row["published_iterations"] = one.published
    return list(rows.values())


def _play(machine: Machine, parts: Iterator[Part]) -> float:
    """Seconds of the processor that all steps took."""
    seconds = 0.0
    for steps, command in parts:
        command(machine)
        start = time.thread_time()
        machine.step(steps)
        seconds += time.thread_time() - start
    return seconds


# ----------------------------------------------------------------------------------------------------------
# the scenes
# ----------------------------------------------------------------------------------------------------------


def _scenes() -> list[_Scene]:
    return [
        _Scene("chain", lambda: scene("friction-chain"), _swing, lambda machine: None, (5.0, 16.0)),
        _Scene("peaucellier", lambda: scene("peaucellier"), _turn, _off_line, (13.0, 57.0)),
        _Scene("gripper", lambda: scene("gripper"), _grasp, _off_hand, (5.0, 20.0), _touching()),
    ]


def _swing(quick: bool) -> Iterator[Part]:
    """From level until it hangs still."""
    yield 200 if quick else 2000, lambda machine: None


def _turn(quick: bool) -> Iterator[Part]:
    """The crank goes up, down and back at 0.7 rad/s."""
    position = 0.0
    for rate in (0.7,) if quick else (0.7, -0.7, -0.7, 0.7):
        yield 100, lambda machine, x=position, r=rate: machine.hold("motor", x, r)
        position += rate


def _off_line(machine: Machine) -> float:
    """How far the pen is from the line that it should draw."""
    # arms of 1 m and sides of 0.45 m; crank and ground of 0.3 m
    line = (1.0**2 - 0.45**2) / (2 * 0.3)
    return abs(float(machine.pose("pen")[0, 3]) - line)


def _grasp(quick: bool) -> Iterator[Part]:
    """Down, close, up, and wait: a second each. The grip is of at most 12 N m."""
    height = 0.0
    for rate, grip in ((-0.15, 0.0), (0.0, 1.0), (0.2, 1.0), (0.0, 1.0)):

        def command(machine: Machine, z: float = height, rate: float = rate, grip: float = grip) -> None:
            machine.hold("reach", 0.0)
            machine.hold("lift", z, rate)
            machine.drive("left_crank", grip, 12.0)

        yield 100, command
        height += rate


def _off_hand(machine: Machine) -> float:
    """How far the box is from 0.2 m above where it stood."""
    return float(np.linalg.norm(machine.pose("box")[:3, 3] - (0.0, 0.0, 0.65)))


def _touching() -> list[PointContact]:
    """Corners of the pads at the sides of the box, and corners of the box on the table."""
    pads = [
        PointContact(f"{side}_tip", (-sign * 0.03, y, z), "box", (sign * 0.05, 0, 0), (sign, 0, 0), 0.6)
        for side, sign in (("left", -1.0), ("right", 1.0))
        for y in (-0.025, 0.025)
        for z in (-0.135, -0.065)
    ]
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    return pads + [PointContact("box", corner, None, (0, 0, 0.4), (0, 0, 1), 0.5) for corner in corners]


def _draw(rows: list[dict[str, Any]]) -> Figure:
    figure = new_figure(2)
    names = list(dict.fromkeys(row["scene"] for row in rows))
    for axes, key, label in zip(
        figure.axes, ("step_time", "iterations"), ("time per step (µs)", "iterations per step"), strict=True
    ):
        for number, method in enumerate(("SIMMC", "SIMGC in turn", "SIMGC")):
            values = [row[key] for row in rows if row["method"] == method]
            places = np.arange(len(names)) + 0.27 * (number - 1)
            axes.bar(places, values, 0.25, label=method)
        axes.set(xticks=range(len(names)), xticklabels=names, ylabel=label, yscale="log")
        axes.grid(alpha=0.3, axis="y")
        axes.legend()
    return figure
