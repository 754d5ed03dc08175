"""Error bar on the positions at the end of the run, and how long its trajectory can be trusted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from treadle.model.model import WORLD
from treadle.sim.quality.measure import Measure, Rating, length_text, rate
from treadle.sim.quality.rerun import Rerun
from treadle.sim.quality.run import Run

__all__ = ["error_bar", "frame_error_bars", "largest_error", "trusted_time"]

#: Largest errors that are good and fair, as parts of the machine's size; beyond, a position says nothing.
_GOOD, _FAIR, _LOST = 1e-3, 1e-2, 5e-2

#: Named frames that get an error bar of their own.
_MOST_FRAMES = 4


def error_bar(run: Run) -> Measure | None:
    """Estimated distance of the worst link from where it should be now."""
    again = run.rerun
    if not isinstance(again, Rerun):
        return None
    worst = int(np.argmax(again.final))
    when = "" if again.stopped is None else f" {_until(run, again)}, not now: {again.stopped}"
    meaning = f"estimated error of the run at the worst link, {run.model.frames[worst].name!r}{when}"
    return Measure("error bar", float(again.final[worst]) * 1e3, "mm", meaning)


def largest_error(run: Run) -> Measure | None:
    """The same at the worst time of the run, which is what it is judged by."""
    again = run.rerun
    if not isinstance(again, Rerun):
        return None
    error, (time, name) = again.largest, _worst(run, again)
    found = _judged(run, again, time, name)
    meaning = f"estimated error at the worst time and link, at {time:.3g} s and {name!r}"
    if again.stopped is not None:
        meaning += f", of the part {_until(run, again)}: {again.stopped}"
    limit = _GOOD * run.size * 1e3
    return Measure(
        "largest error", error * 1e3, "mm", meaning, found.rating, limit, found.reason, found.advice
    )


class _Judgement(NamedTuple):
    rating: Rating
    reason: str
    advice: str


def _judged(run: Run, again: Rerun, time: float, name: str) -> _Judgement:
    """What the largest error, of this link at this time (s), says about the part that it is known for."""
    error = again.largest
    rating = rate(error, _GOOD * run.size, _FAIR * run.size)
    advice = run.finer(error / (_GOOD * run.size))
    reason = f"at {time:.3g} s {name!r} is about {length_text(error)} from where it should be"
    if rating == "good":
        reason = f"no link is ever farther than about {length_text(error)} from where it should be"
    elif error > _LOST * run.size and not again.settled:
        return _unsettled(run, again, name)
    if again.stopped is not None and rating == "good":
        reason += " up to then"
    if again.stuck:
        # finer steps should have come at least as far
        known = run.start.time + float(again.times[-1])
        advice = f"look for a force that jumps, or for links stretched out or locked, after {known:.3g} s"
        rating = "poor" if rating == "poor" else "fair"
    return _Judgement(rating, reason, advice)


def _unsettled(run: Run, again: Rerun, name: str) -> _Judgement:
    """A run that finer steps do not settle: chaotic, or just far off."""
    error = again.largest
    reason = (
        f"a smaller step moves {name!r} by up to {length_text(error)} and does not settle: this trajectory "
    )
    reason += f"cannot be trusted {'to its end' if again.stopped is None else _until(run, again)}"
    if run.worst_drift < 0.01 * run.energy_scale and (parted := run.parting_rate) is not None:
        # no method follows it for long
        reason += (
            ", as with any chaotic motion, though its energy and averages over many runs can: neighbouring "
            f"runs part by a factor of ten every {math.log(10.0) / parted:.2g} s"
        )
        return _Judgement("fair", reason, "look at many runs from slightly different starts instead of one")
    return _Judgement("poor", reason, run.finer(error / (_GOOD * run.size)))


def _worst(run: Run, again: Rerun) -> tuple[float, str]:
    """Time (s) and frame of the largest error."""
    sample, frame = np.unravel_index(int(np.argmax(again.errors)), again.errors.shape)
    return run.start.time + float(again.times[sample]), run.model.frames[int(frame)].name


def _until(run: Run, again: Rerun) -> str:
    """The part of the run that its errors are known for."""
    return f"up to {run.start.time + float(again.times[-1]):.3g} s of {run.now.time:.3g} s"


def frame_error_bars(run: Run) -> list[Measure]:
    """The same for frames that were named, such as a tool."""
    again = run.rerun
    if not isinstance(again, Rerun):
        return []
    links, worst = {link.name for link in run.model.links}, int(np.argmax(again.final))
    moving = [(k, f) for k, f in enumerate(run.model.frames) if f.body != WORLD]
    named = [(k, f.name) for k, f in moving if f.name not in links][:_MOST_FRAMES]
    return [
        Measure(f"error bar of {name}", float(again.final[k]) * 1e3, "mm", f"the same at frame {name!r}")
        for k, name in named
        if k != worst
    ]


def trusted_time(run: Run) -> Measure | None:
    """How long the positions stayed within a hundredth of the machine's size of the exact ones."""
    again = run.rerun
    if not isinstance(again, Rerun):
        return None
    lost = np.flatnonzero(again.errors.max(axis=1, initial=0.0) > _FAIR * run.size)
    if not lost.size:
        return None
    meaning = f"until the error passed {_FAIR * run.size * 1e3:.3g} mm, a hundredth of the machine's size"
    return Measure("trusted time", float(again.times[max(lost[0] - 1, 0)]), "s", meaning)
