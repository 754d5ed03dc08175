"""Time several ways to do the same work, turn by turn."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["FULL", "QUICK", "Contestant", "Effort", "calibrate", "race"]


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    #: seconds per contestant in a race
    seconds: float
    #: worlds side by side
    worlds: int
    #: fresh processes per number
    processes: int


FULL = Effort(seconds=1.5, worlds=4096, processes=5)
QUICK = Effort(seconds=0.2, worlds=256, processes=1)

#: Calls in a row per turn: the first of them finds its code and data gone from the caches.
_CALLS_PER_TURN = 3
_LEAST_TURNS = 3


@dataclass(frozen=True)
class Contestant:
    """Work to time: `prepare` sets its start outside the clock, `run` is timed."""

    run: Callable[[], object]
    prepare: Callable[[], object] = lambda: None


def race(contestants: Mapping[str, Contestant], seconds: float) -> dict[str, float]:
    """The shortest time of each contestant's run, in seconds.

    They take turns, so that whatever else the computer does meets all of them alike; the minimum is
    the time that the work takes when nothing else disturbs it.
    """
    best = dict.fromkeys(contestants, math.inf)
    for contestant in contestants.values():
        contestant.prepare()
        contestant.run()
    collecting = gc.isenabled()
    gc.disable()
    try:
        turns, end = 0, time.perf_counter() + seconds * len(contestants)
        while turns < _LEAST_TURNS or time.perf_counter() < end:
            for name, contestant in contestants.items():
                for _ in range(_CALLS_PER_TURN):
                    contestant.prepare()
                    start = time.perf_counter()
                    contestant.run()
                    best[name] = min(best[name], time.perf_counter() - start)
            turns += 1
    finally:
        if collecting:
            gc.enable()
    return best


def calibrate(work: Callable[[int], object], seconds: float, most: int) -> int:
    """How often to repeat the work for it to take about this long, at most `most` times."""
    # the first call may compile
    work(1)
    count = 1
    while count < most:
        elapsed = min(_time(work, count) for _ in range(_CALLS_PER_TURN))
        if elapsed >= seconds:
            break
        count = min(most, max(2 * count, math.ceil(count * 0.8 * seconds / max(elapsed, 1e-9))))
    return count


def _time(work: Callable[[int], object], count: int) -> float:
    start = time.perf_counter()
    work(count)
    return time.perf_counter() - start
