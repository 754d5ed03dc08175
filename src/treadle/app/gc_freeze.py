"""Garbage collection without a pause.

Now and then Python goes through every object that there is to find cycles of garbage, and nothing else runs
meanwhile: 0.1 s with the libraries of the page, a jolt on every page. Nearly all of these objects stay as
long as the page does, so they are set aside when it begins to move.
"""

from __future__ import annotations

import gc

__all__ = ["freeze_objects", "unfreeze_objects"]


def freeze_objects() -> None:
    """Free what is garbage now, and look no more at all that is left."""
    # what was set aside before may be garbage by now, as the machine that was on the page
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def unfreeze_objects() -> None:
    """Look at everything again."""
    gc.unfreeze()
