"""Run a case in an engine: what became of it, what a step cost, and how the energy went."""

from __future__ import annotations

from time import thread_time
from typing import Any

import numpy as np

from treadle.errors import TreadleError
from treadle.studies.gauntlet.case import Case, Energy, Trace
from treadle.studies.gauntlet.engines import ENGINES, World

__all__ = ["follow", "outcome"]

#: Time (s) between samples of the state.
_SAMPLE = 0.02
#: Steps in one call where only their time counts.
_PIECE = 50
#: Steps before the longest one is looked for: the first ones fill caches and make room.
_WARM = 5


def follow(case: Case, engine: str, setting: str, dt: float, seconds: float, budget: float) -> dict[str, Any]:
    """The record of a case in an engine with a step (s), for a time or until its CPU time is spent."""
    make, _ = ENGINES[engine]
    world = make(case, dt, setting)
    trace, times, error = _judged_run(case, world, dt, seconds, budget)
    record = outcome(case, trace, error)
    record |= {"contacts": world.contacts(), **world.quality()} if not error else {}
    world.close()
    steps = np.array(times)
    if len(steps) > _WARM:
        calm = steps[_WARM:]
        record["longest_medians"] = float(calm.max() / max(np.median(calm), 1e-9))
        record["longest_ms"] = 1e3 * float(calm.max())
    record["step_us"] = 1e6 * float(steps.mean()) if len(steps) else None
    if not error and case.commands is None:
        world = make(case, dt, setting)
        record["step_us"] = 1e6 * _cost(world, len(steps), 0.3 * budget)
        world.close()
    return record


def _judged_run(
    case: Case, world: World, dt: float, seconds: float, budget: float
) -> tuple[Trace, list[float], str]:
    """Steps one by one, with their times (s of CPU); and what ended them early."""
    energy, trace, times = Energy(case.model), Trace(case.model, seconds), []
    every = max(1, round(_SAMPLE / dt))
    count = round(seconds / dt)
    spent = 0.0
    for number in range(count + 1):
        q, v = world.state()
        if number % every == 0 or number == count:
            trace.times.append(number * dt)
            trace.q.append(q)
            trace.v.append(v)
        trace.energy.append(energy(q, v))
        if number == count or not np.isfinite(trace.energy[-1]):
            break
        if case.commands is not None:
            world.command(case.commands(number * dt))
        start = thread_time()
        try:
            world.step()
        except TreadleError as error:
            return trace, times, f"ended at {number * dt:.3g} s: {error}"
        times.append(thread_time() - start)
        spent += times[-1]
        if spent > budget:
            return trace, times, f"too slow: {number * dt:.2g} of {seconds:g} s in {budget:.0f} s of CPU"
    return trace, times, ""


def _cost(world: World, count: int, budget: float) -> float:
    """CPU time (s) per step, without what Python does between single steps."""
    done, start = 0, thread_time()
    while done < count and thread_time() - start < budget:
        piece = min(_PIECE, count - done)
        world.step(piece)
        done += piece
    return (thread_time() - start) / max(done, 1)


def outcome(case: Case, trace: Trace, error: str = "") -> dict[str, Any]:
    """What a run showed: whether it is as it should be, drift at rest, energy gained."""
    wrong = error or case.judge(trace)
    record: dict[str, Any] = {"ok": not wrong, "what": wrong or "as it should be"}
    if case.rest_after is not None:
        record["drift"] = trace.drift(case.rest_after)
    energies = np.array(trace.energy)
    scale = _scale(trace, energies)
    if case.passive and len(energies) > 1:
        rigid = not any(m.stiffness for m in case.model.materials)
        gains = np.diff(energies) if rigid else energies - energies[0]
        record["gain"] = float(max(gains.max(), 0.0) / scale) if np.isfinite(gains).all() else np.inf
    if case.conserves:
        kept = np.abs(energies - energies[0]).max() / scale
        record["energy_error"] = float(kept) if np.isfinite(kept) else np.inf
    if not error:
        record |= {name: measure(trace) for name, measure in case.watch.items()}
    return record


def _scale(trace: Trace, energies: np.ndarray) -> float:
    """Energy (J) that is there: what the machine has above the plane z = 0."""
    return max(abs(float(energies[0])), 1e-12)
