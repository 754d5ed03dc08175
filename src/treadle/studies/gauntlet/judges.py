"""Judges that several kinds of cases share."""

from __future__ import annotations

import numpy as np

from treadle.studies.gauntlet.case import Trace

__all__ = ["finite"]


def finite(trace: Trace) -> str:
    """The judge of what only has to stay finite."""
    return "" if np.isfinite(np.concatenate([trace.q[-1], trace.v[-1]])).all() else "it is not finite"
