"""Numbers that are told apart by where they come from."""

import operator

import numpy as np
import pytest

from treadle.graph import Graph, Number

A, B = Number(0.3, 11), Number(0.3, 12)


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_values_are_those_of_floats(operation):
    for x, y in ((A, B), (A, 0.7), (0.7, A), (A, 2), (2, A)):
        result = operation(x, y)
        assert result == operation(float(x), float(y))
    assert -A == -0.3 and abs(A) == 0.3 and float(A) is not A


def test_equal_numbers_of_two_places_are_two_constants():
    graph = Graph()
    (x,) = graph.inputs(1)
    assert graph.constant(A) is graph.constant(Number(0.3, 11))
    assert graph.constant(A) is not graph.constant(B)
    assert graph.constant(0.3) not in (graph.constant(A), graph.constant(B))
    assert A * x is not B * x and A * x is x * Number(0.3, 11)


def test_what_is_computed_the_same_way_is_the_same():
    graph = Graph()
    one, other = graph.constant, Number(0.3, 11)
    assert one(2.0 * A + B) is one(B + other * 2.0)
    assert one(A - 0.1) is one(A + -0.1)
    assert one(1.0 / A) is not one(1.0 / B)
    opposite = -A
    assert one(-opposite) is one(A) and one(1.0 * A + 0.0) is one(A)


def test_zero_is_a_plain_number():
    assert type(A - B) is float and type(0.0 * A) is float
    (x,) = Graph().inputs(1)
    assert (A - B) * x == 0.0


def test_one_is_not_left_out():
    """The number may be another one next time, and the code is to be the same."""
    (x,) = Graph().inputs(1)
    for value in (1.0, -1.0):
        assert (Number(value, 5) * x).operation == "mul"
    assert 1.0 * x is x


def test_functions_of_numpy_forget_the_origin():
    assert type(float(np.sqrt(A))) is float
    assert np.array([A, B]).tolist() == [0.3, 0.3]
