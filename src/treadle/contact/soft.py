"""Compliant contacts: their arrays, and the kernel that advances them, called by its address.

Its callers are not compiled together with it. Contacts that are all linear are advanced in closed form
(`linear_contacts`), others by `nonlinear_contacts`, which is compiled only where a machine has materials with
such a law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.np.numpy_support import carray

from treadle.contact.laws import ContactLaw, law_program
from treadle.contact.linear_contact import linear_contacts
from treadle.contact.nonlinear import nonlinear_contacts
from treadle.native.calling import call, integers, reals
from treadle.native.frames import Integers, Reals
from treadle.native.kernels import cfunc
from treadle.native.program import compile_program

__all__ = ["LawMemory", "Soft", "make_soft", "soft_entry", "soft_frame"]


class Soft(NamedTuple):
    """Room for compliant contacts; `size[0]` of them are in use."""

    size: Integers  # (1)
    row: Integers  # (n) of each, in the machine's rows
    A: Reals  # (n n) Delassus matrix, a row of size[0] after the other
    K: Reals  # (n) N/m
    D: Reals  # (n) N s/m
    b: Reals  # (n) m/s2, approach acceleration by all other forces
    delta_start: Reals  # (n) m
    rate_start: Reals  # (n) m/s
    span: Reals  # (2) s: in, the length; out, the time until a contact ended
    delta: Reals  # (n) at the end, as all that follow
    rate: Reals  # (n)
    P: Reals  # (n) N s
    Q: Reals  # (n) N s2
    peak: Reals  # (n) m
    force: Reals  # (n) N
    law: Integers  # (n) place in `programs`, -1: K delta + D rate
    settings: Reals  # (4 n) exponent, restitution, impact speed (m/s) and mass (kg) of each
    programs: Integers  # (2 laws) entry and frame of each law, see `LawMemory`


def make_soft(count: int, programs: np.ndarray | None = None) -> Soft:
    """Room for so many contacts under these laws, all of them linear as yet."""
    numbers = {name: np.zeros(count) for name in Soft._fields}
    numbers |= {
        "size": np.zeros(1, np.int64),
        "row": np.zeros(count, np.int64),
        "A": np.zeros(count * count),
        "span": np.zeros(2),
        "law": np.full(count, -1, np.int64),
        "settings": np.zeros(4 * count),
        "programs": np.zeros(0, np.int64) if programs is None else programs.reshape(-1),
    }
    return Soft(**numbers)


def soft_frame(soft: Soft) -> np.ndarray:
    """Addresses of the arrays, which must not move while the frame is used."""
    nonlinear = _compiled(_advance_laws).address if len(soft.programs) else 0
    return np.array([len(soft.row), *(array.ctypes.data for array in soft), nonlinear], dtype=np.int64)


def soft_entry() -> int:
    """Address of the compiled function: void(frame)."""
    return _compiled(_advance).address


class LawMemory:
    """Compiled laws, and the memory in which they run for one machine."""

    def __init__(self, laws: Sequence[ContactLaw]) -> None:
        self._kept = []
        for law in laws:
            executable = compile_program(law_program(law))
            self._kept.append((executable, executable.frame()))
        rows = [(executable.entry, frame.address) for executable, frame in self._kept]
        #: (laws, 2) entry and frame of each
        self.table = np.array(rows, dtype=np.int64).reshape(-1, 2)


@cache
def _compiled(function: Callable[..., None]) -> Any:
    return cfunc(types.void(types.CPointer(types.int64)), cache=True)(function)


def _advance(pointer: Any) -> None:
    f = carray(pointer, 20)
    n = carray(integers(f[1]), (1,))[0]
    law = carray(integers(f[16]), (n,))
    for i in range(n):
        if law[i] >= 0:
            call(f[19], f.ctypes.data)
            return
    A, span = carray(reals(f[3]), (n, n)), carray(reals(f[9]), (2,))
    delta, rate = carray(reals(f[10]), (n,)), carray(reals(f[11]), (n,))
    peak, force = carray(reals(f[14]), (n,)), carray(reals(f[15]), (n,))
    delta_start, rate_start = carray(reals(f[7]), (n,)), carray(reals(f[8]), (n,))
    for i in range(n):
        delta[i], rate[i], peak[i], force[i] = delta_start[i], rate_start[i], 0.0, 0.0
    K, D, b = carray(reals(f[4]), (n,)), carray(reals(f[5]), (n,)), carray(reals(f[6]), (n,))
    P, Q = carray(reals(f[12]), (n,)), carray(reals(f[13]), (n,))
    until, _ = linear_contacts(A, K, D, b, delta, rate, span[0], P, Q, peak, force)
    span[1] = until


def _advance_laws(pointer: Any) -> None:
    f = carray(pointer, 20)
    n = carray(integers(f[1]), (1,))[0]
    A, span = carray(reals(f[3]), (n, n)), carray(reals(f[9]), (2,))
    delta, rate = carray(reals(f[10]), (n,)), carray(reals(f[11]), (n,))
    peak, force = carray(reals(f[14]), (n,)), carray(reals(f[15]), (n,))
    delta_start, rate_start = carray(reals(f[7]), (n,)), carray(reals(f[8]), (n,))
    law, settings = carray(integers(f[16]), (n,)), carray(reals(f[17]), (n, 4))
    laws = 0
    for i in range(n):
        delta[i], rate[i], peak[i], force[i] = delta_start[i], rate_start[i], 0.0, 0.0
        laws = max(laws, law[i] + 1)
    programs = carray(integers(f[18]), (laws, 2))
    K, D, b = carray(reals(f[4]), (n,)), carray(reals(f[5]), (n,)), carray(reals(f[6]), (n,))
    P, Q = carray(reals(f[12]), (n,)), carray(reals(f[13]), (n,))
    until, _ = nonlinear_contacts(
        A, K, D, law, settings, programs, b, delta, rate, span[0], P, Q, peak, force
    )  # fmt: skip
    span[1] = until
