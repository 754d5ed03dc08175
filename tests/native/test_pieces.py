"""Kernels called by address, formulas inside them, and helpers that are compiled with them."""

import ctypes

import numpy as np
import pytest

from treadle.native import c_types as types
from treadle.native.formulas import formula, largest, pick, root
from treadle.native.kernels import njit
from treadle.native.pieces import REALS, WHOLES, address, at, call_of, helper, piece, room, wholes_at

SIGNATURE = types.float64(REALS, WHOLES, types.float64)
call = call_of(SIGNATURE)


@formula
def size(a):
    return root(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@formula
def taken(row, i):
    return (row[i], -row[i + 1], abs(row[i + 2]))


@formula
def written(row, a, s):
    row[0], row[1], row[2] = a[0] / s, 2.0 - a[1], largest(a[2], s)


@formula
def unit(a):
    length = root(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    return pick(length, 1e-9, (0.0, 0.0, 1.0), (a[0] / length, a[1] / length, a[2] / length))


@helper
def doubled(x, count):
    return 2.0 * x + count


@piece(SIGNATURE)
def inner(row, numbers, x):
    """Use all that a piece may use."""
    own = room(3)
    written(own, taken(row, 1), 4.0)
    for i in range(3):
        row[i] = own[i]
    return doubled(x, 1) + doubled(x, 2) + size(taken(at(row, 1), 0)) + wholes_at(numbers, 1)[0]


@piece(SIGNATURE, 0)
def outer(row, numbers, x):
    """Call another by the address that the first number is."""
    return call(numbers[0], (row, numbers, x))


@piece(types.float64(REALS))
def length_of_unit(row):
    """1, also of nothing."""
    return size(unit((row[0], row[1], row[2])))


def run(kernel, *arguments):
    kinds = [ctypes.c_void_p if isinstance(x, np.ndarray) else ctypes.c_double for x in arguments]
    given = [x.ctypes.data if isinstance(x, np.ndarray) else x for x in arguments]
    return ctypes.CFUNCTYPE(ctypes.c_double, *kinds)(kernel.address)(*given)


def test_a_piece_calls_another_by_its_address():
    row, numbers = np.array([9.0, 6.0, 3.0, -5.0, 8.0]), np.array([inner.address, 7])
    result = run(outer, row, numbers, 1.5)
    # taken(row, 1) = (6, -3, 5), written: 6 / 4, 2 + 3, max(5, 4)
    np.testing.assert_array_equal(row, [1.5, 5.0, 5.0, -5.0, 8.0])
    assert result == pytest.approx(4.0 + 5.0 + np.linalg.norm([5.0, 5.0, 5.0]) + 7.0, abs=1e-15)
    assert outer.needs == (0,)


def test_a_formula_picks_without_a_branch():
    assert run(length_of_unit, np.array([3.0, 4.0, 12.0])) == pytest.approx(1.0, abs=1e-15)
    assert run(length_of_unit, np.zeros(3)) == 1.0


def test_a_helper_is_compiled_once_for_all_constants():
    @helper
    def added(x, count):
        return x + count

    @njit
    def twice(x):
        return added(x, 1) + added(x, 2)

    assert twice(3.0) == 9.0
    assert len(added.overloads) == 1


def test_addresses_are_those_of_memory():
    @njit
    def moved(whole):
        own = room(2)
        return address(at(own, 1)) - address(own) + 0 * whole

    assert moved(1) == 8
