"""A graph evaluated in Python gives what the traced function gives on numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.graph.recipes import Recipe, recipes
from treadle.graph import Graph, evaluate, trace


def points(recipe: Recipe, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, recipe.inputs)


@given(recipes(), st.integers(0, 2**32 - 1))
def test_evaluate_is_the_function_itself(recipe, seed):
    x = points(recipe, seed).tolist()
    graph, outputs = trace(recipe, recipe.inputs)
    # simplification may round differently
    np.testing.assert_allclose(evaluate(graph, outputs, x), recipe(x), rtol=1e-11, atol=1e-12)


@given(recipes(), st.integers(0, 2**32 - 1))
def test_evaluate_over_arrays_is_elementwise(recipe, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2.0, 2.0, (recipe.inputs, 5))
    graph, outputs = trace(recipe, recipe.inputs)
    together = evaluate(graph, outputs, list(x))
    for k in range(5):
        alone = evaluate(graph, outputs, x[:, k].tolist())
        for column, number in zip(together, alone, strict=True):
            np.testing.assert_allclose(np.broadcast_to(column, 5)[k], number, rtol=1e-12, atol=1e-13)


def test_floats_among_the_outputs():
    graph = Graph()
    x = graph.input()
    assert evaluate(graph, [2.5, x, x * 0.0], [7.0]) == [2.5, 7.0, 0.0]
