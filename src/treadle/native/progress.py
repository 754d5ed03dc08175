"""What is being compiled: for whoever asks, and as a line on standard error where someone waits a second.

The environment variable TREADLE_QUIET, if it is set, keeps the line away.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

__all__ = ["Compilation", "begin_kernel", "compilation", "compiling", "end_kernel", "waiting"]

#: Seconds before the line appears.
_PATIENCE = 1.0


@dataclass(frozen=True)
class Compilation:
    """What a thread compiles, about how long it takes (s), and how long it has taken so far (s)."""

    what: str
    expected: float
    passed: float


def compilation(thread: int) -> Compilation | None:
    """What a thread is compiling now, by its identifier; None where it compiles nothing."""
    tasks = tuple(_tasks.get(thread, ()))
    if not tasks:
        return None
    # a kernel is compiled together with those that it calls
    what, expected, begun = tasks[0]
    return Compilation(what, expected, perf_counter() - begun)


@contextlib.contextmanager
def compiling(what: str, seconds: float) -> Iterator[None]:
    """Say what is being compiled and about how long it takes, if the block takes more than a second."""
    line = _start(f"treadle: compiling {what}, about {max(seconds, 1):.0f} s; kept for the next time")
    _begin(what, seconds)
    try:
        yield
    finally:
        _end()
        if line is not None:
            line.cancel()


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is being done, whose result is kept on disk, if the block takes more than a second."""
    line = _start(f"treadle: {what}; kept for the next time")
    try:
        yield
    finally:
        if line is not None:
            line.cancel()


def begin_kernel(name: str, seconds: float) -> None:
    """A kernel begins to be compiled, about so long; those that it calls are compiled inside it."""
    _begin(f"the kernel {name.removeprefix('treadle.')}", seconds)
    _kernels.begin(name, seconds)


def end_kernel() -> None:
    """The kernel that began last is compiled."""
    _kernels.end()
    _end()


#: What, expected seconds and start of what is compiled, outermost first, by thread.
_tasks: dict[int, list[tuple[str, float, float]]] = {}


def _begin(what: str, seconds: float) -> None:
    _tasks.setdefault(threading.get_ident(), []).append((what, seconds, perf_counter()))


def _end() -> None:
    thread = threading.get_ident()
    if tasks := _tasks.get(thread):
        tasks.pop()
    if not tasks:
        _tasks.pop(thread, None)


class _Kernels:
    """One line for all kernels of a process: it appears when they have taken more than a second together."""

    def __init__(self) -> None:
        self.depth = 0
        self.line: threading.Timer | None = None
        self.left, self.begun = _PATIENCE, 0.0

    def begin(self, name: str, seconds: float) -> None:
        self.depth += 1
        if self.depth > 1 or self.left <= 0.0:
            return
        self.begun = perf_counter()
        package = name.split(".")[1] if name.count(".") > 1 else name
        self.line = _start(
            f"treadle: compiling kernels of {package}, about {max(seconds, 1):.0f} s; kept for the next time",
            self.left,
        )

    def end(self) -> None:
        self.depth = max(self.depth - 1, 0)
        if self.depth == 0 and self.line is not None:
            self.line.cancel()
            self.left -= perf_counter() - self.begun
            self.line = None


_kernels = _Kernels()


def _start(line: str, patience: float = _PATIENCE) -> threading.Timer | None:
    """A timer that prints a line; none for work in the background, which nobody waits for."""
    if os.environ.get("TREADLE_QUIET") or threading.current_thread() is not threading.main_thread():
        return None
    timer = threading.Timer(patience, _say, [line])
    timer.daemon = True
    timer.start()
    return timer


def _say(line: str) -> None:
    # standard error may be closed, or be gone as in a windowed program
    with contextlib.suppress(Exception):
        print(line, file=sys.stderr, flush=True)
