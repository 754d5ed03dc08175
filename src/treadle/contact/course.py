"""The course of contacts inside a span: penetrations, rates and forces at chosen times."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treadle.contact.pushes import pushes
from treadle.contact.soft import Soft, soft_entry, soft_frame

__all__ = ["Course", "contact_course"]


class Course(NamedTuple):
    """What n contacts did at k times; the last row is where a contact ended, if one did."""

    times: np.ndarray  # (k) s after the start of the span
    depth: np.ndarray  # (k, n) m
    rate: np.ndarray  # (k, n) m/s
    force: np.ndarray  # (k, n) N
    #: up to the last time
    deepest: np.ndarray  # (n) m
    hardest: np.ndarray  # (n) N
    impulse: np.ndarray  # (n) N s


def contact_course(soft: Soft, times: ArrayLike) -> Course:
    """The motion of the contacts from their start, at increasing times (s); `soft` stays as it is."""
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
        pushes(*given, state, push)
        rows.append([own.span[1], *state[0], *state[1], *push[0]])
        if own.span[1] < time:
            break
    table = np.array(rows).reshape(-1, 3 * n + 1)
    depth, rate, force = np.split(table[:, 1:], 3, axis=1)
    return Course(table[:, 0], depth, rate, force, own.peak[:n], own.force[:n], own.P[:n])
