"""Exact derivatives: forward, reverse, complex steps and finite differences agree."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treadle.graph as tg
from tests.graph.recipes import KINKED, SMOOTH, Recipe, recipes
from treadle.graph import Expr, Graph, evaluate, forward, gradient, jacobian, reverse


def traced(recipe: Recipe) -> tuple[Graph, list[Expr], list]:
    graph = Graph()
    inputs = graph.inputs(recipe.inputs)
    return graph, inputs, recipe(inputs)


def numbers(graph: Graph, matrix, x) -> np.ndarray:
    rows = [evaluate(graph, row, x) for row in matrix]
    return np.array(rows, dtype=float).reshape(len(rows), -1)


def by_complex_step(recipe: Recipe, x: np.ndarray) -> np.ndarray:
    columns = []
    for k in range(recipe.inputs):
        moved = [np.complex128(value, 1e-30 if i == k else 0.0) for i, value in enumerate(x)]
        columns.append([np.imag(y) / 1e-30 for y in recipe(moved)])
    return np.array(columns).T


def by_differences(recipe: Recipe, x: np.ndarray, h: float = 1e-5) -> np.ndarray:
    columns = []
    for step in h * np.eye(recipe.inputs):
        ahead, behind = (np.array(recipe((x + s).tolist())) for s in (step, -step))
        columns.append((ahead - behind) / (2.0 * h))
    return np.array(columns).T


@given(recipes(), st.integers(0, 2**32 - 1))
def test_all_derivatives_agree(recipe, seed):
    x = np.random.default_rng(seed).uniform(-1.9, 1.9, recipe.inputs)
    assume(recipe.margin(x.tolist()) > 1e-3)
    graph, inputs, outputs = traced(recipe)
    n = recipe.inputs
    results = {
        "forward": forward(outputs, {v: {k: 1.0} for k, v in enumerate(inputs)}, n),
        "reverse": [reverse([y], [1.0], inputs) for y in outputs],
        "gradient": [gradient(y, inputs) for y in outputs],
        "jacobian": jacobian(outputs, inputs),
    }
    expected = by_complex_step(recipe, x)
    for matrix in results.values():
        np.testing.assert_allclose(numbers(graph, matrix, x.tolist()), expected, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(by_differences(recipe, x), expected, rtol=1e-4, atol=1e-4)


@given(recipes(), st.integers(0, 2**32 - 1))
def test_directions_and_weights(recipe, seed):
    """forward gives J d and reverse gives w^T J."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.9, 1.9, recipe.inputs).tolist()
    graph, inputs, outputs = traced(recipe)
    J = numbers(graph, jacobian(outputs, inputs), x)
    direction, weights = rng.uniform(-1.0, 1.0, recipe.inputs), rng.uniform(-1.0, 1.0, recipe.outputs)
    along = forward(outputs, {v: {0: rate} for v, rate in zip(inputs, direction.tolist(), strict=True)}, 1)
    np.testing.assert_allclose(numbers(graph, along, x)[:, 0], J @ direction, rtol=1e-9, atol=1e-10)
    swept = reverse(outputs, weights.tolist(), inputs)
    np.testing.assert_allclose(evaluate(graph, swept, x), weights @ J, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", [*SMOOTH, *KINKED])
def test_every_operation(name):
    recipe = Recipe(2, ((name, 0, 1),), 1)
    x = np.array([0.37, -0.81])
    graph, inputs, outputs = traced(recipe)
    expected = by_complex_step(recipe, x)
    for matrix in (jacobian(outputs, inputs), [gradient(outputs[0], inputs)]):
        np.testing.assert_allclose(numbers(graph, matrix, x.tolist()), expected, rtol=1e-12, atol=1e-14)


def test_second_derivatives():
    graph = Graph()
    x, y = graph.inputs(2)
    z = tg.exp(x * y) * tg.sin(x) + tg.atan2(y, x)
    first = gradient(z, [x, y])
    H = numbers(graph, jacobian(first, [x, y]), [0.7, 0.4])
    np.testing.assert_allclose(H, H.T, rtol=1e-13)
    h = 1e-5
    for k, step in enumerate(h * np.eye(2)):
        ahead, behind = (
            np.array(evaluate(graph, first, (np.array([0.7, 0.4]) + s).tolist())) for s in (step, -step)
        )
        np.testing.assert_allclose(H[:, k], (ahead - behind) / (2 * h), rtol=1e-7)


def test_power_with_a_traced_exponent():
    graph = Graph()
    x, y = graph.inputs(2)
    by_x, by_y = gradient(x**y, [x, y])
    assert evaluate(graph, [by_x, by_y], [2.0, 3.0]) == pytest.approx([12.0, 8.0 * np.log(2.0)])
    # at a base that is not positive the power does not depend smoothly on the exponent
    assert evaluate(graph, [by_x, by_y], [-2.0, 3.0]) == pytest.approx([12.0, 0.0])
    assert evaluate(graph, gradient(2.0**y, [y]), [0.0, 3.0]) == pytest.approx([8.0 * np.log(2.0)])


# sparsity


def test_zeros_are_floats():
    graph = Graph()
    x = graph.inputs(4)
    outputs = [x[0] * x[1], tg.sin(x[2]), 3.0, tg.floor(x[3]), x[1]]
    pattern = [[1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    row_by_row = [gradient(y, x) for y in outputs]
    for matrix in (jacobian(outputs, x), row_by_row):
        for row, expected in zip(matrix, pattern, strict=True):
            for entry, nonzero in zip(row, expected, strict=True):
                if not nonzero:
                    assert isinstance(entry, float)
                    assert entry == 0.0
    assert row_by_row[4] == [0.0, 1.0, 0.0, 0.0]


def test_conditions_pass_no_derivative():
    graph = Graph()
    x, y = graph.inputs(2)
    by_x, by_y = gradient(tg.where(x < 0.5, y, 2.0 * y), [x, y])
    assert by_x == 0.0
    assert evaluate(graph, [by_y], [0.0, 1.0]) == [1.0]
    assert evaluate(graph, [by_y], [1.0, 1.0]) == [2.0]


def test_cost_follows_the_sparsity():
    """The derivative of a chain of local functions takes no more than in proportion to its length."""

    def nodes(n: int) -> int:
        graph = Graph()
        x = graph.inputs(n + 1)
        jacobian([tg.sin(a) * b for a, b in itertools.pairwise(x)], x)
        return len(graph)

    assert nodes(40) < 2.1 * nodes(20)


def test_no_inputs_and_no_dependence():
    graph = Graph()
    x, y = graph.inputs(2)
    assert jacobian([x * y], []) == [[]]
    assert forward([x * y, 1.0], {}, 2) == [[0.0, 0.0], [0.0, 0.0]]
    assert reverse([1.0, 2.0], [1.0, 1.0], [x]) == [0.0]
    assert gradient(tg.sin(y), [x]) == [0.0]


def test_the_same_output_twice():
    graph = Graph()
    x = graph.input()
    y = tg.sin(x)
    total = reverse([y, y], [2.0, 3.0], [x])
    assert evaluate(graph, total, [0.3]) == pytest.approx([5.0 * np.cos(0.3)])


# what is held, and what stands for an input


def test_held_values_are_constant():
    graph = Graph()
    x, y = graph.inputs(2)

    def product(force):
        return force * x + force * y

    free, held = product(tg.sin(x)), product(tg.hold(tg.sin(x)))
    at = [0.3, 0.5]
    assert evaluate(graph, [held], at) == evaluate(graph, [free], at)
    for derivative in (
        lambda z: forward([z], {x: {0: 1.0}}, 1)[0],
        lambda z: gradient(z, [x]),
        lambda z: jacobian([z], [x])[0],
    ):
        assert evaluate(graph, derivative(free), at) == pytest.approx([np.cos(0.3) * 0.8 + np.sin(0.3)])
        assert evaluate(graph, derivative(held), at) == pytest.approx([np.sin(0.3)])
    # a number has nothing to hold
    assert tg.hold(2.0) == 2.0


@pytest.mark.parametrize("outputs", [1, 3])
def test_derivative_by_an_intermediate_value(outputs):
    """Both directions treat a value that is asked for as independent of what it was made from."""
    graph = Graph()
    x = graph.input()
    y = tg.sin(x)
    z = y * y + x
    matrix = jacobian([z] * outputs, [y, x])
    assert numbers(graph, matrix, [0.3])[0] == pytest.approx([2.0 * np.sin(0.3), 1.0])
