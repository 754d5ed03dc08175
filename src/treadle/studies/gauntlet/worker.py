"""A process that runs cases one after another, so that one that never returns can be ended."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treadle.errors import InputError

__all__ = ["Task", "Worker"]

#: Time (s) between looks at the CPU time of the process.
_POLL = 0.25


@dataclass(frozen=True)
class Task:
    """A case by its name and seed, in an engine with a setting and a step (s)."""

    case: str
    seed: int
    engine: str
    setting: str
    dt: float
    seconds: float
    #: CPU time (s) after which the run is ended
    budget: float


class Worker:
    """Runs tasks in another process, which is started again after one that did not return."""

    def __init__(self, work: Callable[[Task], dict[str, Any]]) -> None:
        self._work = work
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._pipe: Any = None

    def run(self, task: Task, limit: float) -> dict[str, Any]:
        """The record of a task; one that says so where it did not return within a CPU time (s)."""
        if self._process is None:
            self._pipe, other = self._context.Pipe()
            self._process = self._context.Process(target=_serve, args=(self._work, other), daemon=True)
            self._process.start()
            other.close()
        self._pipe.send(task)
        try:
            start = _cpu_seconds(self._process.pid)
            while not self._pipe.poll(_POLL):
                if _cpu_seconds(self._process.pid) - start > limit:
                    self._end()
                    return asdict(task) | {"ok": False, "what": f"did not return within {limit:.0f} s of CPU"}
            return asdict(task) | self._pipe.recv()
        except (EOFError, OSError):
            self._end()
            return asdict(task) | {"ok": False, "what": "the process died"}

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._process = self._pipe = None


def _cpu_seconds(pid: int) -> float:
    """CPU time (s) that a process has taken, of all its threads."""
    if not hasattr(os, "sysconf"):
        raise InputError("the gauntlet reads CPU times from /proc: run it on Linux")
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _serve(work: Callable[[Task], dict[str, Any]], pipe: Any) -> None:
    """Answer tasks until the pipe is closed."""
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        pipe.send(work(task))
