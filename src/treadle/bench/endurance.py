"""Long runs: ten million steps in one process, which must neither gather memory nor become slower."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path

from treadle.bench.dynamics import Task
from treadle.bench.results import Outcome, Row, limited
from treadle.scenes import scene
from treadle.sim import Event, History, Simulation

__all__ = ["endurance_tasks", "measure_endurance"]

#: Steps of a run, and of a short one.
STEPS, QUICK_STEPS = 10_000_000, 500_000

#: Memory at the end by that after a tenth, in per cent more; time of the last tenth by that of the second.
_GROWTH, _SLOWER = 1.0, 1.1

#: Pieces of a tenth.
_PIECES = 20

#: Steps of a piece -> nothing; called until all are taken.
Take = Callable[[int], None]


def endurance_tasks(quick: bool) -> list[Task]:
    """The runs: in machine code, one step per call, and with events and a history."""
    steps = QUICK_STEPS if quick else STEPS
    runs = {
        "in machine code": _in_machine_code,
        "one step per call": _one_by_one,
        "with events": _with_events,
    }
    return [
        Task(f"endurance, {name}", lambda name=name, start=start: measure_endurance(name, start(), steps))
        for name, start in runs.items()
    ]


def measure_endurance(name: str, take: Take, steps: int) -> Outcome:
    """Take steps in tenths; memory after each, and the processor time of its quickest piece."""
    memory, seconds = [], []
    for _ in range(10):
        # what else the computer does makes some pieces longer, but none shorter
        seconds.append(min(_timed(take, steps // (10 * _PIECES)) for _ in range(_PIECES)))
        gc.collect()
        memory.append(resident_bytes())
    growth = 100.0 * (memory[-1] / memory[0] - 1.0)
    total = Outcome()
    for quantity, unit, value, limit in (
        ("growth of memory", "%", growth, _GROWTH),
        # compiling is part of the first tenth
        ("last tenth by the second", "times", seconds[-1] / seconds[1], _SLOWER),
        ("time per step", "µs", 1e6 * min(seconds) * 10 * _PIECES / steps, None),
        ("steps", "million", steps / 1e6, None),
    ):
        total.add(limited(Row("endurance", name, 0, quantity, unit, value), limit))
    return total


def _timed(take: Take, count: int) -> float:
    started = time.process_time()
    take(count)
    return time.process_time() - started


def resident_bytes() -> int:
    """Memory that this process has in use; where that is not known, the most that it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        from os import sysconf

        return pages * sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _in_machine_code() -> Take:
    sim = Simulation(scene("arm"), 1e-3)
    return sim.step


def _one_by_one() -> Take:
    sim = Simulation(scene("pendulum"), 1e-3, q=[1.0, 0.5])

    def take(count: int) -> None:
        for _ in range(count):
            sim.step()

    return take


def _with_events(seconds: float = 10.0) -> Take:
    """A double pendulum under error control, thrown back at a wall and written down at its lowest point."""

    def throw_back(sim: Simulation) -> None:
        sim.v[0] *= -1.0

    events = [
        Event(lambda q, v, t: q["shoulder"] + 0.5, direction=-1, action=throw_back, name="wall"),
        Event(lambda q, v, t: q["shoulder"], name="bottom"),
    ]
    sim = Simulation(scene("pendulum"), 5e-3, "dopri5", q=[1.0, 0.5], events=events)
    history = History(sim, seconds)

    def take(count: int) -> None:
        for left in range(count, 0, -1000):
            sim.step(min(left, 1000))
            sim.events.log.clear()
        history.rewind(0.0)

    return take
