"""The verdict on a run in plain words: how good, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.sim.quality.measure import RATINGS, Measure, Rating
from treadle.sim.quality.rerun import Rerun
from treadle.sim.quality.run import Run

__all__ = ["verdict"]


def verdict(run: Run, measures: Sequence[Measure]) -> tuple[Rating | None, str]:
    """The worst rating, and sentences that say which numbers it comes from and which change would help."""
    judged = [m for m in measures if m.rating is not None]
    worst: Rating | None = next((r for r in reversed(RATINGS) if r in [m.rating for m in judged]), None)
    if worst in (None, "good") and run.early and not isinstance(run.rerun, Rerun):
        known = _listed([m.reason for m in judged if m.reason])
        early = f"Too early to judge the run after {_counted(run.steps)}"
        return None, f"{early}; {known}." if known else f"{early}."
    if worst is None:
        return None, "Nothing about this run can be judged."
    reasons = [m.reason for m in judged if m.rating == worst and m.reason]
    text = f"{worst.capitalize()}{_scope(run)}: {_listed(reasons)}."
    if worst == "good":
        return worst, text + (_unknown(run) if run.thorough else _beyond(run))
    advice = next((m.advice for m in judged if m.rating == worst and m.advice), "")
    fine = [f"the {m.name}" for m in judged if m.rating == "good" and m.reason]
    text += f" {_sentence(advice)}" if advice else ""
    text += f" {_sentence(_listed(fine) + (' is' if len(fine) == 1 else ' are') + ' good')}" if fine else ""
    return worst, text + _unknown(run)


def _scope(run: Run) -> str:
    """The part of the run that the verdict speaks for, where that is not all of it."""
    again = run.rerun
    if isinstance(again, str) or again.stopped is None:
        return ""
    return f" for the first {float(again.times[-1]):.3g} of {run.duration:.3g} s"


def _unknown(run: Run) -> str:
    """What the run does not tell about itself."""
    again = run.rerun
    if isinstance(again, str):
        return f" The error of the whole run is not known: {again}." if run.thorough else ""
    if again.stopped is not None:
        known = run.start.time + float(again.times[-1])
        return f" The error after {known:.3g} s is not known: {again.stopped}."
    return ""


def _beyond(run: Run) -> str:
    """What a verdict says nothing about that repeats no step of the run."""
    more = "; quality(thorough=True) estimates how far positions are off" if run.repeatable else ""
    return f" The error of the whole run is not part of this{more}."


def _counted(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
