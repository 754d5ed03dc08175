"""Compliant contacts: their arrays, and the kernel that advances them, called by its address.

Its callers are not compiled together with it. Contacts that are all linear are advanced in closed form
(`advance_groups`), others by `nonlinear_contacts`, which is compiled only where a machine has materials with
such a law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treadle.contact.laws import ContactLaw, law_program
from treadle.contact.linear_contact import advance_groups
from treadle.contact.nonlinear import ContactMotion, nonlinear_contacts
from treadle.contact.rosenbrock import LawContacts
from treadle.native.c_types import CPointer, int64, void
from treadle.native.calling import call, carray, integers, reals
from treadle.native.entries import entry
from treadle.native.frames import Integers, Reals
from treadle.native.program import compile_program

__all__ = ["ALONE", "LawMemory", "Soft", "make_soft", "soft_entry", "soft_frame"]

#: Group of contacts that are not advanced here: their rows carry them through the substep.
ALONE = -1


class Soft(NamedTuple):
    """Room for compliant contacts; `size[0]` of them are in use."""

    size: Integers  # (1)
    row: Integers  # (n) of each, in the machine's rows
    group: Integers  # (n) contacts that act on each other have one number; ALONE: a row with a regularization
    yields: Integers  # (n) 1: a damped contact that the substep resolves, which begins and ends within it
    touches: Reals  # (n) s, when it begins
    given: Integers  # (n) 1: its row has the impulse that the propagator gave
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
        "group": np.zeros(count, np.int64),
        "given": np.zeros(count, np.int64),
        "yields": np.zeros(count, np.int64),
        "A": np.zeros(count * count),
        "span": np.zeros(2),
        "law": np.full(count, -1, np.int64),
        "settings": np.zeros(4 * count),
        "programs": np.zeros(0, np.int64) if programs is None else programs.reshape(-1),
    }
    return Soft(**numbers)


def soft_frame(soft: Soft) -> np.ndarray:
    """Addresses of the arrays, which must not move while the frame is used."""
    nonlinear = _advance_laws.address if len(soft.programs) else 0
    return np.array([len(soft.row), *(array.ctypes.data for array in soft), nonlinear], dtype=np.int64)


def soft_entry() -> int:
    """Address of the compiled function: void(frame)."""
    return _advance.address


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


@entry(void(CPointer(int64)))
def _advance(pointer: Any) -> None:
    f = carray(pointer, 24)
    n = carray(integers(f[1]), (1,))[0]
    law = carray(integers(f[20]), (n,))
    for i in range(n):
        if law[i] >= 0:
            call(f[23], f.ctypes.data)
            return
    A, span, group = carray(reals(f[7]), (n, n)), carray(reals(f[13]), (2,)), carray(integers(f[3]), (n,))
    delta, rate = carray(reals(f[14]), (n,)), carray(reals(f[15]), (n,))
    peak, force = carray(reals(f[18]), (n,)), carray(reals(f[19]), (n,))
    delta_start, rate_start = carray(reals(f[11]), (n,)), carray(reals(f[12]), (n,))
    for i in range(n):
        if group[i] >= 0:
            delta[i], rate[i], peak[i], force[i] = delta_start[i], rate_start[i], 0.0, 0.0
    K, D, b = carray(reals(f[8]), (n,)), carray(reals(f[9]), (n,)), carray(reals(f[10]), (n,))
    P, Q = carray(reals(f[16]), (n,)), carray(reals(f[17]), (n,))
    contacts = K, D, b, delta, rate, P, Q, peak, force
    span[1] = advance_groups(A, group, contacts, span[0])


@entry(void(CPointer(int64)))
def _advance_laws(pointer: Any) -> None:
    f = carray(pointer, 24)
    n = carray(integers(f[1]), (1,))[0]
    group, law = carray(integers(f[3]), (n,)), carray(integers(f[20]), (n,))
    A, span = carray(reals(f[7]), (n, n)), carray(reals(f[13]), (2,))
    settings, laws = carray(reals(f[21]), (n, 4)), 0
    for i in range(n):
        laws = max(laws, law[i] + 1)
    programs = carray(integers(f[22]), (laws, 2))
    # in loops, as an entry has nothing of NumPy but its arrays
    members, m = np.zeros(n, np.int64), 0
    for i in range(n):
        if group[i] >= 0:
            members[m] = i
            m += 1
    # K, D, b, depths and rates at the start
    given, own_law = np.zeros((5, m)), np.zeros(m, np.int64)
    P, Q, peak, force = np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)
    own_A, own_settings = np.zeros((m, m)), np.zeros((m, 4))
    for i in range(m):
        own_law[i] = law[members[i]]
        for k in range(5):
            given[k, i] = carray(reals(f[8 + k]), (n,))[members[i]]
        for j in range(m):
            own_A[i, j] = A[members[i], members[j]]
        for k in range(4):
            own_settings[i, k] = settings[members[i], k]
    contacts = LawContacts(own_A, given[0], given[1], own_law, own_settings, programs, given[2])
    motion = ContactMotion(given[3], given[4], P, Q, peak, force)
    until, _ = nonlinear_contacts(contacts, motion, span[0])
    for k, values in enumerate(motion):
        out = carray(reals(f[14 + k]), (n,))
        for i in range(m):
            out[members[i]] = values[i]
    span[1] = until
