"""Force history of contacts inside a substep: penetrations, rates and forces at chosen times."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.contact.law_forces import law_forces
from treadle.contact.soft import Soft, soft_entry, soft_frame

__all__ = ["ForceHistory", "force_history"]


class ForceHistory(NamedTuple):
    """Penetrations, rates and forces of n contacts at k times; the last row is where one ended, if any."""

    times: np.ndarray  # (k) s after the start of the substep
    depth: np.ndarray  # (k, n) m
    rate: np.ndarray  # (k, n) m/s
    force: np.ndarray  # (k, n) N
    #: up to the last time
    deepest: np.ndarray  # (n) m
    hardest: np.ndarray  # (n) N
    impulse: np.ndarray  # (n) N s


def force_history(soft: Soft, times: ArrayLike) -> ForceHistory:
    """The motion of the contacts from their initial state, at increasing times (s); `soft` is unchanged."""
    own = Soft(*[array.copy() for array in soft])
    n = int(own.size[0])
    frame = soft_frame(own)
    advance = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(soft_entry())
    laws = own.programs.reshape(-1, 2)
    given = own.law[:n], own.K[:n], own.D[:n], own.settings[: 4 * n].reshape(n, 4), laws
    rows, push = [], np.zeros((3, n))
    for time in np.atleast_1d(np.asarray(times, dtype=float)):
        own.span[0] = time
        advance(frame.ctypes.data)
        state = np.stack([own.delta[:n], own.rate[:n]])
        law_forces(*given, state, push)
        rows.append([own.span[1], *state[0], *state[1], *push[0]])
        if own.span[1] < time:
            break
    table = np.array(rows).reshape(-1, 3 * n + 1)
    depth, rate, force = np.split(table[:, 1:], 3, axis=1)
    return ForceHistory(table[:, 0], depth, rate, force, own.peak[:n], own.force[:n], own.P[:n])
