"""Functions that compute the same with other numbers, in the lanes of a vector."""

import numpy as np
import pytest

import treadle.graph as tg
from tests.native.direct import build_program, columns, identical
from treadle.graph import Expr, side_by_side, trace
from treadle.native.program import Program
from treadle.native.schedule import schedule

#: Lanes, and whether functions are packed into one of them.
WAYS = ((1, True), (1, False), (4, True))


def calls(x: list, count: int, seed: int = 0) -> list:
    """Distances of points on arms that turn: one graph, other numbers."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        a, b, k = rng.uniform(0.5, 2.0, 3).tolist()
        i, j = rng.choice(len(x), 2, replace=False)

        def function(given, a=a, b=b, k=k):
            c, s, minus = given
            u, w = a * c - b * s, a * minus + b * c
            return [k * tg.sqrt(u * u + w * w), u - k]

        found.append((function, [tg.cos(x[i]), tg.sin(x[j]), -tg.sin(x[j])]))
    return found


def plain(x: list, count: int) -> list:
    return [y for function, given in calls(x, count) for y in function(list(given))]


def packed(x: list, count: int) -> list:
    return [y for values in side_by_side(calls(x, count)) for y in values]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 9])
def test_the_bits_are_those_of_one_after_the_other(count):
    x = np.tile(np.random.default_rng(1).uniform(-3.0, 3.0, (5, 1)), 4)
    program = Program(None, {"x": 5}, lambda x: {"y": packed(x, count)})
    found = [columns(build_program(program, lanes, side), {"x": x})["y"] for lanes, side in WAYS]
    assert all(identical(other, found[0]) for other in found[1:])
    np.testing.assert_allclose(found[0][:, 0], plain(x[:, 0].tolist(), count), rtol=1e-14)


@pytest.mark.parametrize(("count", "widths"), [(4, {4}), (2, {2}), (7, {4, 2, 1}), (1, {1})])
def test_fours_and_twos_are_one_instruction(count, widths):
    graph, outputs = trace(lambda x: packed(x, count), 5)
    plan = schedule(graph, [y.index for y in outputs if isinstance(y, Expr)], {})
    roots = [len(item) for item in plan.items if graph.operation[item[0]] == "sqrt"]
    assert set(roots) == widths and sum(roots) == count


def test_functions_unlike_each_other_are_not_packed():
    def both(x: list) -> list:
        f, g = (lambda y: [tg.sqrt(2.0 * y[0])]), (lambda y: [tg.sqrt(y[0] + y[0] * y[0])])
        return [y for values in side_by_side([(f, x[:1]), (g, x[1:])]) for y in values]

    graph, outputs = trace(both, 2)
    plan = schedule(graph, [y.index for y in outputs if isinstance(y, Expr)], {})
    assert all(len(item) == 1 for item in plan.items)


def test_a_second_call_with_the_same_arguments_adds_nothing():
    graph, _ = trace(lambda x: [*packed(x, 4), *packed(x, 4)], 5)
    once, _ = trace(lambda x: packed(x, 4), 5)
    assert len(graph) == len(once)


def test_plain_numbers_and_derivatives():
    x = [0.3, -1.2, 0.7, 2.0, 1.1]
    np.testing.assert_allclose(packed(x, 4), plain(x, 4), rtol=1e-15)
    slopes = []
    for f in (packed, plain):
        graph, outputs = trace(lambda x, f=f: tg.reverse(f(x, 4), [1.0] * 8, x), 5)
        slopes.append(tg.evaluate(graph, outputs, x))
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-14)
