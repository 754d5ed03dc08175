"""What building a graph folds, drops, shares and refuses."""

import math
import operator

import numpy as np
import pytest

from treadle.graph import (
    Expr,
    Graph,
    atan2,
    cos,
    equal,
    evaluate,
    exp,
    logical_not,
    maximum,
    minimum,
    sin,
    trace,
    where,
)


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def xyz(graph) -> list[Expr]:
    return graph.inputs(3)


def same(a, b) -> bool:
    """Whether two values are the same node (== on nodes compares objects)."""
    return isinstance(a, Expr) and isinstance(b, Expr) and (a.graph, a.index) == (b.graph, b.index)


def value(graph, output, *inputs) -> float:
    return evaluate(graph, [output], inputs)[0]


# constants


def test_floats_stay_floats():
    graph, outputs = trace(lambda x: [1.0 + 2.0, sin(0.5), where(True, 3.0, x[0])], 1)
    assert outputs == [3.0, math.sin(0.5), 3.0]
    assert len(graph) == 1


def test_zeros_and_ones_are_dropped(graph, xyz):
    x = xyz[0]
    for result in (x + 0.0, 0.0 + x, x - 0.0, x * 1.0, 1.0 * x, x / 1.0, +x, x**1, x * 0.5 * 2.0):
        assert same(result, x)
    for result in (x * 0.0, 0.0 * x, 0.0 / x, x - x):
        assert isinstance(result, float)
        assert result == 0.0
    for result in (x / x, x**0):
        assert isinstance(result, float)
        assert result == 1.0


def test_constant_factors_are_folded_into_one(graph, xyz):
    x = xyz[0]
    result = 3.0 * (x * 2.0)
    assert same(result, x * 6.0)
    assert graph.constants[graph.operands[result.index][1]] == 6.0
    assert same(-(x * 2.0), x * -2.0)
    assert same((-x) * 2.0, x * -2.0)
    assert same(x / 4.0, x * 0.25)
    assert same(x * -1.0, -x)


def test_signs_are_folded(graph, xyz):
    x, y, _ = xyz
    negative = -x
    assert same(-negative, x)
    assert same(0.0 - x, -x)
    assert same(-(x - y), y - x)
    assert same(x + (-y), x - y)
    assert same((-y) + x, x - y)
    assert same(x - (-y), x + y)
    assert same((-x) * y, -(x * y))
    assert same((-x) * (-y), x * y)


def test_the_two_zeros_are_different_constants(graph):
    assert not same(graph.constant(0.0), graph.constant(-0.0))
    assert same(graph.constant(2.0), graph.constant(2))
    assert math.copysign(1.0, graph.constants[graph.constant(-0.0).index]) == -1.0


def test_where_with_equal_branches_needs_no_condition(graph, xyz):
    x, y, _ = xyz
    assert same(where(x < y, x, x), x)
    assert where(x < y, 2.0, 2.0) == 2.0
    assert where(x < y, 2.0, -2.0).operation == "select"


# sharing


@pytest.mark.parametrize(
    "build",
    [
        lambda x, y: x + y,
        lambda x, y: x * y,
        lambda x, y: x - y,
        lambda x, y: x / y,
        lambda x, y: sin(x) * cos(x),
        lambda x, y: x + 1.5,
        lambda x, y: x**5,
        lambda x, y: where(x < y, x, 2.0),
        atan2,
    ],
)
def test_common_subexpressions_are_one_node(graph, xyz, build):
    first = build(xyz[0], xyz[1])
    size = len(graph)
    assert same(build(xyz[0], xyz[1]), first)
    assert len(graph) == size


def test_tables_are_shared(graph):
    assert graph.table([1.0, 2.0]) == graph.table((1, 2))
    assert graph.table([1.0, 3.0]) != graph.table([1.0, 2.0])
    assert graph.tables == [(1.0, 2.0), (1.0, 3.0)]


@pytest.mark.parametrize("combine", [operator.add, operator.mul, minimum, maximum, equal])
def test_commutative_operations_have_one_order(graph, xyz, combine):
    x, y, _ = xyz
    result = combine(y, x)
    assert same(result, combine(x, y))
    assert graph.operands[result.index] == (x.index, y.index)


def test_constants_come_last_in_commutative_operations(graph, xyz):
    # the constant's node is older than the sum it is added to
    constant = graph.constant(5.0)
    total = xyz[0] + xyz[1]
    assert graph.operands[(constant + total).index] == (total.index, constant.index)
    assert same(5.0 + total, total + 5.0)


@pytest.mark.parametrize("combine", [operator.and_, operator.or_])
def test_logic_is_commutative(xyz, combine):
    x, y, z = xyz
    assert same(combine(x < y, y < z), combine(y < z, x < y))


@pytest.mark.parametrize("combine", [operator.sub, operator.truediv, operator.pow, operator.lt, atan2])
def test_other_operations_keep_their_order(xyz, combine):
    assert not same(combine(xyz[0], xyz[1]), combine(xyz[1], xyz[0]))


def test_operands_come_before_users(graph, xyz):
    x, y, z = xyz
    _ = where(x < y, exp(x * y + z), (x - 2.0) ** 7) + sin(z)
    for i, operands in enumerate(graph.operands):
        if graph.operation[i] != "input":
            assert all(k < i for k in operands)


# powers


@pytest.mark.parametrize("exponent", range(-16, 17))
def test_small_whole_powers_are_products(graph, xyz, exponent):
    result = xyz[0] ** exponent
    assert "pow" not in graph.operation
    assert value(graph, result, 1.3, 0.0, 0.0) == pytest.approx(1.3**exponent, rel=1e-14)


def test_powers_take_few_products(graph, xyz):
    _ = xyz[0] ** 8
    assert graph.operation.count("mul") == 3
    _ = xyz[1] ** 15
    assert graph.operation.count("mul") == 3 + 6


@pytest.mark.parametrize("exponent", [17, -17, 1.5, -0.5, math.pi])
def test_other_powers_are_one_node(graph, xyz, exponent):
    result = xyz[0] ** exponent
    assert result.operation == "pow"
    assert value(graph, result, 1.3, 0.0, 0.0) == pytest.approx(1.3**exponent, rel=1e-14)


def test_the_power_one_half_is_the_root(xyz):
    assert (xyz[0] ** 0.5).operation == "sqrt"


def test_powers_with_traced_exponents(graph, xyz):
    x, y, _ = xyz
    assert value(graph, x**y, 1.3, 2.5, 0.0) == 1.3**2.5
    assert value(graph, 2.0**y, 1.3, 2.5, 0.0) == 2.0**2.5


# conditions


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, equal])
@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (2.0, 1.0), (2.0, 2.0)])
def test_comparisons(graph, xyz, compare, a, b):
    x, y, _ = xyz
    expected = a == b if compare is equal else compare(a, b)
    for condition in (compare(x, y), compare(x, b), compare(a, y), compare(np.float64(a), y)):
        assert isinstance(condition, Expr)
        assert value(graph, where(condition, 1.0, 0.0), a, b, 0.0) == expected


@pytest.mark.parametrize("p", [True, False])
@pytest.mark.parametrize("q", [True, False])
def test_logic(graph, xyz, p, q):
    x, y, _ = xyz
    a, b = (1.0 if p else -1.0), (1.0 if q else -1.0)
    for traced, other in ((y > 0.0, b), (q, b)):
        for condition, expected in (
            ((x > 0.0) & traced, p and q),
            (traced & (x > 0.0), p and q),
            ((x > 0.0) | traced, p or q),
            (traced | (x > 0.0), p or q),
            (~(x > 0.0), not p),
            (logical_not(x > 0.0), not p),
        ):
            assert value(graph, where(condition, 1.0, 0.0), a, other, 0.0) == expected


def test_logic_with_known_truth_needs_no_node(graph, xyz):
    condition = xyz[0] < xyz[1]
    assert same(condition & True, condition)
    assert same(False | condition, condition)
    assert (condition & False) is False
    assert (True | condition) is True


# what a traced value cannot do


def test_truth_of_a_traced_value():
    def clipped(x):
        return [x[0] if x[0] < 1.0 else 1.0]

    with pytest.raises(TypeError, match=r"use treadle\.where\(condition, a, b\) instead of if"):
        trace(clipped, 1)
    with pytest.raises(TypeError, match="not known while tracing"):
        trace(lambda x: [1.0 if x[0] > 0.0 and x[0] < 1.0 else 0.0], 1)


def test_number_of_a_traced_value(xyz):
    for function in (float, math.sin, math.sqrt):
        with pytest.raises(TypeError, match="use the functions of treadle"):
            function(xyz[0])


@pytest.mark.parametrize(
    "combine",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.pow,
        operator.lt,
        operator.ge,
        equal,
        minimum,
        maximum,
        atan2,
        lambda a, b: (a < 1.0) & (b < 1.0),
        lambda a, b: where(a < 1.0, b, 0.0),
    ],
)
def test_two_computations_cannot_be_mixed(combine):
    # at any place in the other graph: the same one, one beyond the end, and one that is a negation here
    mine, theirs = Graph(), Graph()
    a = mine.inputs(2)
    _ = -a[0]
    for b in theirs.inputs(5):
        for x, y in ((a[0], b), (b, a[0])):
            with pytest.raises(ValueError, match="two traced computations were mixed"):
                combine(x, y)


def test_repr_names_the_operation(xyz):
    assert repr(xyz[0] + xyz[1]) == "<add #3>"


def test_numpy_scalars_are_numbers(graph, xyz):
    assert same(np.float64(2.0) * xyz[0], xyz[0] * 2.0)
    assert same(xyz[0] + np.float64(0.0), xyz[0])


def test_trace_gives_inputs_in_order():
    graph, outputs = trace(lambda a, b: [a[1] - b[0], b[1], 4.0], 2, 2)
    assert evaluate(graph, outputs, [1.0, 2.0, 3.0, 5.0]) == [-1.0, 5.0, 4.0]
