"""Garbage collection without a pause.

Now and then Python goes through every object that there is to find cycles of garbage, and nothing else runs
meanwhile: 0.1 s with the libraries of the page, a jolt on every page. Nearly all of these objects stay as
long as the page does, so they are set aside when it begins to move.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from typing import Any

__all__ = ["Freezer", "freeze_objects", "unfreeze_objects"]

#: Seconds to the next look at what was still in use when it was replaced, one after the other.
AGAIN = (0.5, 2.0, 8.0, 30.0)


class Freezer:
    """Sets aside what is there, and frees what was replaced, also where someone still held it at the time.

    A thread that is about to end, or a callback that asked for the change, may hold the old machine for a
    moment; set aside with the rest it would stay for as long as the page does.
    """

    def __init__(self, again: Sequence[float] = AGAIN) -> None:
        self._again = again
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def replaced(self, old: weakref.ref[Any]) -> None:
        """Set objects aside without one that was replaced, at once or as soon as nobody holds it."""
        self.close()
        freeze_objects()
        if old() is not None:
            self._over = over = threading.Event()
            self._thread = threading.Thread(
                target=self._look, args=(old, over), name="treadle freezer", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _look(self, old: weakref.ref[Any], over: threading.Event) -> None:
        for seconds in self._again:
            if over.wait(seconds):
                return
            freeze_objects()
            if old() is None:
                return


def freeze_objects() -> None:
    """Free what is garbage now, and look no more at all that is left."""
    # what was set aside before may be garbage by now, as the machine that was on the page
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def unfreeze_objects() -> None:
    """Look at everything again."""
    gc.unfreeze()
