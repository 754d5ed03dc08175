"""Named tuples that kernels read from a table of addresses."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import pytest

from treadle.native.calling import integers, prefetch
from treadle.native.frames import Integers, Reals, RealTable, Shaped, table, view
from treadle.native.kernels import njit

MARK = np.dtype([("name", np.int64), ("size", np.float64)], align=True)


class Inner(NamedTuple):
    grid: RealTable
    marks: Annotated[np.ndarray, Shaped(MARK)]


class Outer(NamedTuple):
    first: Reals
    count: int
    inner: Inner
    last: Integers


_outer = view(Outer)


@njit
def total(address):
    """Sum of all numbers; the last one is written."""
    outer = _outer(integers(address))
    grid, marks, result = outer.inner.grid, outer.inner.marks, 0.0
    for i in range(outer.count):
        result += outer.first[i]
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            result += (10 * i + j) * grid[i, j]
    for i in range(len(marks)):
        result += marks[i].name * marks[i].size
    outer.last[1] = 7
    return result


def example():
    marks = np.array([(2, 0.5), (3, 4.0)], MARK)
    inner = Inner(np.arange(6.0).reshape(2, 3), marks)
    return Outer(np.array([1.0, 2.0, 4.0]), 2, inner, np.zeros(2, np.int64))


def test_kernels_read_and_write_through_the_table():
    outer = example()
    places = np.array([[0, 1, 2], [10, 11, 12]])
    assert total(table(outer).ctypes.data) == 3.0 + (places * outer.inner.grid).sum() + 13.0
    assert outer.last.tolist() == [0, 7]


def test_arrays_with_gaps_are_refused():
    outer = example()._replace(first=np.arange(6.0)[::2])
    with pytest.raises(ValueError, match="contiguous"):
        table(outer)


@njit
def fetched(grid):
    """The sum of a table whose rows, and one beyond, are fetched ahead."""
    result = 0.0
    for i in range(grid.shape[0]):
        prefetch(grid, i + 1, 0)
        for j in range(grid.shape[1]):
            result += grid[i, j]
    return result


def test_what_is_fetched_ahead_changes_nothing():
    grid = np.arange(12.0).reshape(4, 3)
    assert fetched(grid) == grid.sum()
    assert "llvm.prefetch" in next(iter(fetched.inspect_llvm().values()))
