"""What holds a port, a thread or a process until it is closed."""

from __future__ import annotations

import atexit
import contextlib
import weakref
from types import TracebackType
from typing import Self

__all__ = ["Closing"]


class Closing:
    """Closed once: by `close()`, at the end of a `with` block, or at the latest when the process ends.

    A subclass calls `super().__init__()` when it has all that its `_close` lets go of.
    """

    def __init__(self) -> None:
        _open.add(self)

    def close(self) -> None:
        """Let go of everything; a second time does nothing."""
        if self in _open:
            _open.discard(self)
            self._close()

    def leave(self, patience: float) -> bool:
        """Close, and wait no longer (s) for what cannot be interrupted; whether all has ended."""
        self.close()
        return True

    def _close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_open: weakref.WeakSet[Closing] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    # threads in machine code would crash a process that ends around them
    for one in list(_open):
        with contextlib.suppress(Exception):
            one.close()
