"""A line on standard error where compiling keeps someone waiting for more than a second.

The environment variable TREADLE_QUIET, if it is set, keeps it away.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from time import perf_counter

__all__ = ["begin_kernel", "compiling", "end_kernel"]

#: Seconds before the line appears.
_PATIENCE = 1.0


@contextlib.contextmanager
def compiling(what: str, seconds: float) -> Iterator[None]:
    """Say what is being compiled and about how long it takes, if the block takes more than a second."""
    line = _start(f"treadle: compiling {what}, about {max(seconds, 1):.0f} s; kept for the next time")
    try:
        yield
    finally:
        if line is not None:
            line.cancel()


def begin_kernel(name: str, seconds: float) -> None:
    """A kernel begins to be compiled, about so long; those that it calls are compiled inside it."""
    _kernels.begin(name, seconds)


def end_kernel() -> None:
    """The kernel that began last is compiled."""
    _kernels.end()


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
