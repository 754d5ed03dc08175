"""Functions over floats, complex numbers, arrays and traced values; look-up tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treadle.graph as tg

PLAIN = {
    "sqrt": (math.sqrt, np.sqrt, [0.0, 0.3, 2.0]),
    "sin": (math.sin, np.sin, [-3.0, 0.0, 1.0]),
    "cos": (math.cos, np.cos, [-3.0, 0.0, 1.0]),
    "tan": (math.tan, np.tan, [-1.0, 0.0, 1.2]),
    "asin": (math.asin, np.arcsin, [-1.0, 0.0, 0.7, 1.0]),
    "acos": (math.acos, np.arccos, [-1.0, 0.0, 0.7, 1.0]),
    "atan": (math.atan, np.arctan, [-30.0, 0.0, 0.7]),
    "exp": (math.exp, np.exp, [-3.0, 0.0, 2.0]),
    "log": (math.log, np.log, [0.1, 1.0, 20.0]),
    "tanh": (math.tanh, np.tanh, [-3.0, 0.0, 0.5]),
    "floor": (math.floor, np.floor, [-1.5, -1.0, 0.0, 2.7]),
}


@pytest.mark.parametrize("name", PLAIN)
def test_functions_of_floats_arrays_and_traced_values(name):
    exact, array_form, points = PLAIN[name]
    function = getattr(tg, name)
    expected = [float(exact(x)) for x in points]
    results = [function(x) for x in points]
    assert results == expected
    assert all(type(result) is float for result in results)
    np.testing.assert_array_equal(function(np.array(points)), array_form(points))
    graph, outputs = tg.trace(lambda x: [function(x[0])], 1)
    traced = [tg.evaluate(graph, outputs, [x])[0] for x in points]
    np.testing.assert_allclose(traced, expected, rtol=1e-15, atol=1e-16)


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "floor"])
def test_functions_of_complex_numbers(name):
    # the complex step: the imaginary part is the derivative
    _, array_form, _ = PLAIN[name]
    x = np.complex128(0.4 + 1e-30j)
    assert getattr(tg, name)(x) == array_form(x)


def test_functions_of_two():
    x, y = np.array([1.0, -2.0]), np.array([0.5, 3.0])
    for name, plain, array_form in (
        ("atan2", math.atan2, np.arctan2),
        ("minimum", min, np.minimum),
        ("maximum", max, np.maximum),
    ):
        function = getattr(tg, name)
        assert function(1.0, -2.0) == plain(1.0, -2.0)
        np.testing.assert_array_equal(function(x, y), array_form(x, y))
        np.testing.assert_array_equal(function(x, 0.0), array_form(x, 0.0))


def test_clip():
    assert [tg.clip(x, -1.0, 2.0) for x in (-5.0, 0.5, 7.0)] == [-1.0, 0.5, 2.0]
    np.testing.assert_array_equal(tg.clip(np.array([-5.0, 0.5, 7.0]), -1.0, 2.0), [-1.0, 0.5, 2.0])


def test_where_and_conditions_of_numbers():
    assert tg.where(True, 1.0, 2.0) == 1.0
    assert tg.where(np.bool_(False), 1.0, 2.0) == 2.0
    np.testing.assert_array_equal(tg.where(np.array([True, False]), 1.0, np.array([5.0, 6.0])), [1.0, 6.0])
    assert tg.equal(1.0, 1.0)
    assert not tg.logical_not(True)
    np.testing.assert_array_equal(tg.logical_not(np.array([True, False])), [False, True])


# look-up tables

TABLE = [1.0, 3.0, 2.0, 2.5]
GRID = [[1.0, 3.0, 2.0], [0.0, -1.0, 4.0], [2.0, 2.0, 5.0], [1.0, 0.5, 0.0]]


def traced_value(function, *x):
    graph, outputs = tg.trace(lambda v: [function(*v)], len(x))
    return tg.evaluate(graph, outputs, x)[0]


def traced_gradient(function, *x):
    graph = tg.Graph()
    inputs = graph.inputs(len(x))
    return tg.evaluate(graph, tg.gradient(function(*inputs), inputs), x)


def line(x):
    return tg.lookup(TABLE, x, start=-1.0, step=0.5)


def surface(x, y):
    return tg.lookup2(GRID, x, y, start=(-1.0, 2.0), step=(0.5, 2.0))


@pytest.mark.parametrize("evaluated", [line, lambda x: traced_value(line, x)])
def test_lookup_values(evaluated):
    nodes = [-1.0, -0.5, 0.0, 0.5]
    assert [evaluated(x) for x in nodes] == TABLE
    assert [evaluated(x) for x in (-0.75, -0.25, 0.25)] == [2.0, 2.5, 2.25]
    assert [evaluated(x) for x in (-1.1, -100.0, 0.51, 100.0)] == [1.0, 1.0, 2.5, 2.5]


@given(st.floats(-3.0, 3.0))
def test_lookup_is_linear_interpolation(x):
    expected = np.interp(x, [-1.0, -0.5, 0.0, 0.5], TABLE)
    assert line(x) == pytest.approx(expected, abs=1e-14)
    assert traced_value(line, x) == line(x)
    assert line(np.array([x]))[0] == line(x)


@pytest.mark.parametrize(
    ("x", "slope"), [(-1.5, 0.0), (-0.9, 4.0), (-0.3, -2.0), (0.1, 1.0), (0.49, 1.0), (0.6, 0.0)]
)
def test_lookup_derivative_is_the_slope(x, slope):
    assert traced_gradient(line, x)[0] == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize("evaluated", [surface, lambda x, y: traced_value(surface, x, y)])
def test_lookup2_values(evaluated):
    for i, row in enumerate(GRID):
        for j, entry in enumerate(row):
            assert evaluated(-1.0 + 0.5 * i, 2.0 + 2.0 * j) == entry
    # centre of a cell, and held at sides and corners
    assert evaluated(-0.75, 3.0) == (1.0 + 3.0 + 0.0 - 1.0) / 4.0
    assert evaluated(-9.0, 3.0) == 2.0
    assert evaluated(-0.75, 99.0) == 3.0
    assert evaluated(99.0, 99.0) == 0.0
    assert evaluated(-99.0, 99.0) == 2.0


@given(st.floats(-1.0, 0.5), st.floats(2.0, 6.0))
def test_lookup2_is_bilinear_interpolation(x, y):
    in_y = [np.interp(y, [2.0, 4.0, 6.0], row) for row in GRID]
    expected = np.interp(x, [-1.0, -0.5, 0.0, 0.5], in_y)
    assert surface(x, y) == pytest.approx(expected, abs=1e-13)
    assert traced_value(surface, x, y) == surface(x, y)
    assert surface(np.array([x]), np.array([y]))[0] == surface(x, y)


@pytest.mark.parametrize(("x", "y"), [(-0.8, 3.1), (-0.2, 5.5), (0.4, 2.3)])
def test_lookup2_derivative_is_the_slope(x, y):
    h = 1e-6
    expected = [
        (surface(x + h, y) - surface(x - h, y)) / (2 * h),
        (surface(x, y + h) - surface(x, y - h)) / (2 * h),
    ]
    assert traced_gradient(surface, x, y) == pytest.approx(expected, abs=1e-8)


def test_lookup2_derivative_vanishes_beyond_the_border():
    assert traced_gradient(surface, 7.0, 3.0)[0] == 0.0
    assert traced_gradient(surface, -0.8, 7.0)[1] == 0.0
    assert traced_gradient(surface, -0.8, 7.0)[0] != 0.0


def test_tables_that_are_too_short():
    with pytest.raises(ValueError, match="at least two values"):
        tg.lookup([1.0], 0.5)
    for table in ([[1.0, 2.0]], [[1.0], [2.0]]):
        with pytest.raises(ValueError, match="at least two rows and two columns"):
            tg.lookup2(table, 0.5, 0.5)


def test_a_tuple_is_registered_once_and_equal_tables_share_a_number():
    graph = tg.Graph()
    table = tuple(float(k) for k in range(5))
    assert graph.table(table) == graph.table(table) == graph.table(list(table)) == 0
    assert graph.table([*table, 5.0]) == 1
    assert len(graph.tables) == 2
