"""`collide` behind an address, so that a kernel calls it without being compiled together with it.

A kernel passes the two integers to `treadle.native.calling.call(entry, frame)`. The frame is an array of
integers: sizes, then the addresses of the arrays, which must not move while it is used.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from treadle.collision.collide import Workspace, collide
from treadle.collision.contacts import Contacts
from treadle.collision.shapes import Shapes
from treadle.native.kernels import cfunc

__all__ = ["collide_entry", "make_frame", "run_entry"]

_INTEGERS = ctypes.POINTER(ctypes.c_int64)


def collide_entry() -> int:
    """Address of the compiled function: void(frame)."""
    return _entry().address


def run_entry(frame: np.ndarray) -> None:
    """Run it once from Python."""
    _entry().ctypes(frame.ctypes.data_as(_INTEGERS))


def make_frame(
    shapes: Shapes,
    forbidden: np.ndarray,
    links: int,
    bodies: np.ndarray,
    margin: np.ndarray,
    work: Workspace,
    contacts: Contacts,
    result: np.ndarray,
) -> np.ndarray:
    """The arguments of `collide` as an array of integers; margin and result are arrays of one number."""
    sizes = (
        len(shapes.kind),
        len(bodies),
        links,
        len(forbidden),
        len(work.pairs),
        len(contacts.data),
        len(shapes.heights),
    )
    arrays = (*shapes, forbidden, bodies, margin, *work, *contacts, result)
    for array in arrays:
        if not array.flags.c_contiguous:
            raise ValueError("arrays of a frame must be contiguous")
    return np.array([*sizes, *(array.ctypes.data for array in arrays)], dtype=np.int64)


def _pointer(kind: Any) -> Any:
    """A function that makes a pointer to numbers of this kind from an integer."""

    def pointer(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(types.CPointer(kind)))

        return types.CPointer(kind)(types.int64), generate

    return intrinsic(pointer)


_reals, _integers = _pointer(types.float64), _pointer(types.int64)


@cache
def _entry() -> Any:
    return cfunc(types.void(types.CPointer(types.int64)), cache=True)(_collide_frame)


def _collide_frame(pointer: Any) -> None:
    f = carray(pointer, (30,))
    n, bodies, links, rules, pairs, room, heights = f[0], f[1], f[2], f[3], f[4], f[5], f[6]
    shapes = Shapes(
        carray(_integers(f[7]), (n,)),
        carray(_reals(f[8]), (n, 3)),
        carray(_reals(f[9]), (n, 12)),
        carray(_integers(f[10]), (n,)),
        carray(_integers(f[11]), (n,)),
        carray(_integers(f[12]), (n,)),
        carray(_reals(f[13]), (n,)),
        carray(_integers(f[14]), (n, 3)),
        carray(_reals(f[15]), (heights,)),
    )
    work = Workspace(
        carray(_reals(f[19]), (n, 12)),
        carray(_reals(f[20]), (n, 3)),
        carray(_reals(f[21]), (n, 3)),
        carray(_integers(f[22]), (pairs, 2)),
        carray(_integers(f[23]), (2,)),
        carray(_integers(f[24]), (1,)),
    )
    contacts = Contacts(
        carray(_reals(f[25]), (room, 10)),
        carray(_integers(f[26]), (room, 2)),
        carray(_integers(f[27]), (room,)),
        carray(_integers(f[28]), (1,)),
    )
    forbidden = carray(_integers(f[16]), (rules,))
    poses = carray(_reals(f[17]), (bodies, 12))
    margin = carray(_reals(f[18]), (1,))
    result = carray(_integers(f[29]), (1,))
    result[0] = collide(shapes, forbidden, links, poses, margin[0], work, contacts)
