"""Machine code of graphs: every operation, any number of lanes, cut into chunks or not."""

import importlib
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle.graph as tg
from tests.graph.recipes import KINKED, SMOOTH, TABLE, Recipe, recipes
from tests.native.direct import build, columns, identical
from treadle.graph import Graph, evaluate, trace
from treadle.native.emit import emit

GRID = [[0.3, -0.2, 1.1], [0.7, -1.4, 0.2], [0.9, 0.1, -0.6], [1.5, 0.4, 0.0]]


def drawn(x, y):
    """Random numbers of whole words."""
    words = [tg.floor(1e6 * abs(x)), tg.floor(1e7 * abs(y))]
    return tg.random_pair(words, [*words, 3.0, 5.0])


# one node each (or the few that a function is traced as), and where to evaluate it
OPERATIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x, y: -x,
    "abs": lambda x, y: abs(x),
    "sqrt": lambda x, y: tg.sqrt(abs(x)),
    "pow": lambda x, y: abs(x) ** y,
    "sin": lambda x, y: tg.sin(x),
    "cos": lambda x, y: tg.cos(x),
    "exp": lambda x, y: tg.exp(x),
    "log": lambda x, y: tg.log(abs(x)),
    "tanh": lambda x, y: tg.tanh(x),
    "atan2": tg.atan2,
    "floor": lambda x, y: tg.floor(x),
    "hold": lambda x, y: tg.hold(x),
    "limb": lambda x, y: tg.in_limb(x, (0, 0)),
    "min": tg.minimum,
    "max": tg.maximum,
    "lt": lambda x, y: tg.where(x < y, 1.0, 2.0),
    "le": lambda x, y: tg.where(x <= y, 1.0, 2.0),
    "eq": lambda x, y: tg.where(tg.equal(x, y), 1.0, 2.0),
    "and": lambda x, y: tg.where((x < y) & (x < 0.0), 1.0, 2.0),
    "or": lambda x, y: tg.where((x < y) | (x < 0.0), 1.0, 2.0),
    "not": lambda x, y: tg.where(~(x < y), 1.0, 2.0),
    "select": lambda x, y: tg.where(x < y, x, y),
    "gather": lambda x, y: tg.lookup(TABLE, x, start=-1.5, step=0.6),
    "gather twice": lambda x, y: tg.lookup2(GRID, x, y, start=(-1.0, -2.0), step=(0.7, 1.5)),
    "philox0": lambda x, y: drawn(x, y)[0],
    "philox1": lambda x, y: drawn(x, y)[1],
    "fused add": lambda x, y: x * y + 0.3,
    "fused sub": lambda x, y: x * y - 0.3,
    "fused sub from": lambda x, y: 0.3 - x * y,
}
EXACT = {
    "add", "sub", "mul", "div", "neg", "abs", "sqrt", "floor", "hold", "limb", "min", "max", "lt", "le", "eq",
    "and", "or", "not", "select", "philox0", "philox1",
}  # fmt: skip


def samples(count: int) -> np.ndarray:
    """Pairs of ordinary numbers, with equal ones, whole ones and those beyond any table among them."""
    rng = np.random.default_rng(7)
    x = rng.uniform(-3.0, 3.0, (2, count))
    x[1, ::5] = x[0, ::5]
    x[0, 1::7] = np.round(x[0, 1::7])
    x[:, 3] = 40.0, -40.0
    return np.where(x == 0.0, 0.5, x)


@pytest.fixture(scope="module")
def all_operations() -> tuple[Graph, dict]:
    graph = Graph()
    x, y = graph.inputs(2)
    return graph, {name: [operation(x, y)] for name, operation in OPERATIONS.items()}


def test_the_operations_are_all_there_are(all_operations):
    graph, _ = all_operations
    known = set(importlib.import_module("treadle.graph.evaluate")._FUNCTIONS)
    assert set(graph.operation) == known | {"input", "const", "gather"}


def test_every_operation_is_that_of_python(all_operations):
    graph, outputs = all_operations
    x = samples(64)
    results = columns(build(graph, {"x": 2}, outputs), {"x": x})
    for name, (output,) in outputs.items():
        expected = np.array([evaluate(graph, [output], point.tolist())[0] for point in x.T])
        if name in EXACT:
            assert identical(results[name][0], expected), name
        else:
            np.testing.assert_allclose(results[name][0], expected, rtol=3e-15, atol=2e-16, err_msg=name)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_every_operation_has_the_same_bits_in_any_lane(all_operations, lanes):
    graph, outputs = all_operations
    x = samples(8192)
    alone = columns(build(graph, {"x": 2}, outputs), {"x": x})
    together = columns(build(graph, {"x": 2}, outputs, lanes=lanes), {"x": x})
    # shifted, so that every world meets another lane
    shifted = columns(build(graph, {"x": 2}, outputs, lanes=lanes), {"x": np.roll(x, 1, axis=1)})
    for name in OPERATIONS:
        assert identical(together[name], alone[name]), name
        assert identical(np.roll(shifted[name], -1, axis=1), alone[name]), name


@settings(max_examples=12)
@given(recipes(), st.integers(0, 2**32 - 1))
def test_random_graphs_in_any_number_of_lanes(recipe, seed):
    x = np.random.default_rng(seed).uniform(-2.0, 2.0, (recipe.inputs, 8))
    graph, outputs = trace(recipe, recipe.inputs)
    alone = columns(build(graph, {"x": recipe.inputs}, {"y": outputs}), {"x": x})["y"]
    for k in range(8):
        if recipe.margin(x[:, k].tolist()) > 1e-9:
            expected = evaluate(graph, outputs, x[:, k].tolist())
            np.testing.assert_allclose(alone[:, k], expected, rtol=1e-11, atol=1e-12)
    for lanes in (2, 4, 8):
        executable = build(graph, {"x": recipe.inputs}, {"y": outputs}, lanes=lanes)
        assert identical(columns(executable, {"x": x})["y"], alone)


# chunks


def large_recipe(steps: int, seed: int = 3) -> Recipe:
    """Much of everything, reading mostly recent values but also old ones."""
    rng = np.random.default_rng(seed)
    names = [*SMOOTH, *KINKED, "both", "either", "not", "less"]
    inputs, chosen = 6, []
    for k in range(inputs, inputs + steps):
        a, b = (int(max(0, k - 1 - rng.geometric(0.1))) for _ in range(2))
        chosen.append((str(rng.choice(names)), a, b if rng.random() < 0.8 else int(rng.integers(k))))
    return Recipe(inputs, tuple(chosen), 30)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("size", [1, 20])
def test_chunks_do_not_change_the_bits(monkeypatch, lanes, size):
    recipe = large_recipe(150)
    graph, outputs = trace(recipe, recipe.inputs)
    # results that are inputs, constants, read again later, and stored twice
    early = recipe.values(graph.nodes[: recipe.inputs])[8:14]
    outputs = [*outputs, graph.constant(1.5), *graph.inputs(1), outputs[0], *early]
    x = np.random.default_rng(0).uniform(-2.0, 2.0, (recipe.inputs + 1, 8))
    whole = columns(build(graph, {"x": 7}, {"y": outputs}, lanes=lanes), {"x": x})["y"]
    monkeypatch.setattr("treadle.native.chunks.CHUNK", size)
    ir, _ = emit(graph, {"x": 7}, {"y": outputs}, {}, lanes)
    assert chunk_count(ir) > 300 / size
    split = columns(build(graph, {"x": 7}, {"y": outputs}, lanes=lanes), {"x": x})["y"]
    assert np.isfinite(whole).all()
    assert identical(split, whole)


def test_conditions_cross_chunks(monkeypatch):
    """A condition is not kept in the frame: a later chunk writes it again, from values of earlier ones."""

    def function(x):
        small, deep = x[0] * x[1] < x[2], tg.sin(x[0]) < tg.cos(x[1])
        mixed = (small & deep) | ~(tg.exp(x[2]) < x[3] * x[3])
        value = x[3]
        for k in range(12):
            value = tg.tanh(value + 0.1 * k) * x[k % 4]
        return [
            tg.where(small, value, -value),
            tg.where(mixed, x[0], value),
            tg.where(mixed & deep, 1.0, 2.0),
        ]

    graph, outputs = trace(function, 4)
    x = np.random.default_rng(1).uniform(-2.0, 2.0, (4, 40))
    expected = np.array([evaluate(graph, outputs, point.tolist()) for point in x.T]).T
    for size in (1, 3, 500):
        monkeypatch.setattr("treadle.native.chunks.CHUNK", size)
        result = columns(build(graph, {"x": 4}, {"y": outputs}), {"x": x})["y"]
        np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert len({tuple(column) for column in np.sign(result.T)}) > 3


def test_chunks_grow_with_the_graph():
    """A very large graph is cut into pieces of bounded size: compiling it takes linear time."""

    def chunks(nodes: int) -> list[int]:
        graph = Graph()
        x = graph.inputs(4)
        values = list(x)
        while len(graph) < nodes:
            values.append(values[-1] * values[-3] + values[-4])
        ir, _ = emit(graph, {"x": 4}, {"y": values[-1:]}, {}, 1)
        return [
            body.count("\n") for body in re.findall(r"define internal void @chunk\d+\(.*?\n}", ir, re.DOTALL)
        ]

    small, large = chunks(6000), chunks(60000)
    assert len(large) == pytest.approx(10 * len(small), rel=0.05)
    assert len(large) >= 60000 // 2 // 500
    # instructions and the loads and stores around them
    assert max(large) == pytest.approx(max(small), rel=0.1)
    assert max(large) < 2000


def test_a_large_graph_compiles_and_computes():
    graph = Graph()
    x = graph.inputs(3)
    values = list(x)
    for k in range(2000):
        values.append(0.5 * (values[-1] * values[-2]) - 0.3 * values[-3] + 1e-3 * (k % 7))
    result = columns(build(graph, {"x": 3}, {"y": values[-3:]}), {"x": np.array([[0.3], [0.7], [-0.2]])})["y"]
    expected = evaluate(graph, values[-3:], [0.3, 0.7, -0.2])
    np.testing.assert_allclose(result[:, 0], expected, rtol=1e-10)


def chunk_count(ir: str) -> int:
    return len(re.findall(r"^define internal void @chunk", ir, re.MULTILINE))


# what the instructions may and may not be


@pytest.mark.parametrize("lanes", [1, 4])
def test_no_fast_math_and_no_calls(all_operations, lanes):
    """Nothing may be reordered or contracted by the compiler, and nothing may depend on a library."""
    graph, outputs = all_operations
    ir, _ = emit(graph, {"x": 2}, outputs, {}, lanes)
    flags = re.findall(r"\b(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|fmuladd)\b", ir)
    assert flags == []
    called = set(re.findall(r"@([\w.]+)\(", ir)) - {"body", "checked", "gathered", "run"}
    assert {name for name in called if not name.startswith(("llvm.", "chunk"))} == set()


def test_products_are_fused_into_sums():
    graph, outputs = trace(lambda x: [x[0] * x[1] + x[2], x[0] * x[2] - x[1], x[0] - x[1] * x[2]], 3)
    ir, _ = emit(graph, {"x": 3}, {"y": outputs}, {}, 1)
    assert ir.count("call double @llvm.fma") == 3
    assert "fmul" not in ir.partition("define void @body")[0]
    # with one rounding, unlike in Python
    tiny = 2.0**-30
    a = 1.0 + tiny
    results = build(graph, {"x": 3}, {"y": outputs})([a, a, -(1.0 + 2.0 * tiny)])[0]
    assert results[0] == tiny * tiny
    assert a * a - (1.0 + 2.0 * tiny) == 0.0


def test_constants_keep_their_bits():
    values = [math.pi, 0.1, -0.0, 5e-324, 1.7976931348623157e308]
    graph, outputs = trace(lambda x: [*values, x[0]], 1)
    assert identical(build(graph, {"x": 1}, {"y": outputs})([2.0])[0], np.array([*values, 2.0]))


@pytest.mark.parametrize("lanes", [1, 4])
def test_inputs_that_nothing_depends_on_are_not_read(lanes):
    graph = Graph()
    x, _ = graph.inputs(2)
    code = build(graph, {"x": 1, "unread": 1}, {"y": [2.0 * x]}, lanes=lanes)
    assert code.layout.unread == ["unread"]
    arrays = {"x": np.arange(16.0)[None], "unread": np.full((1, 16), np.nan), "y": np.zeros((1, 16))}
    code.run(arrays, 0, 16)
    np.testing.assert_array_equal(arrays["y"], 2.0 * arrays["x"])
