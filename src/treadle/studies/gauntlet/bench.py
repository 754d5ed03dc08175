"""The cost of contact steps as a benchmark: a row for every case and step."""

from __future__ import annotations

from typing import Any

from treadle.bench.dynamics import Task
from treadle.bench.peers import MissingPeer, peer_name
from treadle.bench.results import Outcome, Row, at_least
from treadle.studies.gauntlet.run import work
from treadle.studies.gauntlet.study import chosen_cases, chosen_steps, least_ratio, run_case
from treadle.studies.gauntlet.worker import Worker

__all__ = ["contact_tasks"]


def contact_tasks(quick: bool, only: list[str] | None) -> list[Task]:
    """A task for each case of a quick run, or for each of those named or all."""
    return [Task(name, lambda name=name: _measure(name, quick)) for name in chosen_cases(quick, only)]


def _measure(name: str, quick: bool) -> Outcome:
    outcome, worker = Outcome(), Worker(work)
    try:
        for dt in chosen_steps(quick):
            rows = run_case(worker, name, 0, dt, quick, outcome.notes)
            outcome.add(_compared(name, {row["engine"]: row for row in rows}))
    finally:
        worker.close()
    return outcome


def _compared(name: str, rows: dict[str, dict[str, Any]]) -> Outcome:
    """The row of a case with one step, and the check of its ratio."""
    own, other = rows["Treadle"], rows.get("MuJoCo", {})
    what = f"step of {own['step_ms']:g} ms"
    if not own["ok"]:
        check = at_least(f"{name}: {what}, times the speed of MuJoCo", None, least_ratio(name, own))
        return Outcome([], [check], [f"{name}, {what}: {own['verdict']}"])
    row = Row("contact", name, 0, what, "µs", own["step_us"])
    if not other.get("ok"):
        return Outcome([row], [], [f"{name}, {what}: MuJoCo: {other.get('verdict', 'left out')}"])
    limit = least_ratio(name, own)
    check = at_least(f"{name}: {what}, times the speed of MuJoCo", own.get("ratio"), limit)
    compared = Row(
        "contact", name, 0, what, "µs", own["step_us"], _mujoco(), other["step_us"], own.get("ratio"),
        detail=other["setting"], limit=limit, holds=check.holds,
    )  # fmt: skip
    return Outcome([compared], [check])


def _mujoco() -> str:
    try:
        return peer_name("mujoco")
    except MissingPeer:
        return "MuJoCo"
