"""Evaluate a graph in plain Python, for reading, debugging and tests."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from treadle.graph import functions
from treadle.graph.expression import Expr, Graph, Scalar, trace
from treadle.graph.iteration import loop_bodies
from treadle.graph.random import philox_half

__all__ = ["evaluate", "through_graph"]


def evaluate(graph: Graph, outputs: Sequence[Scalar], values: Sequence[Any]) -> list[Any]:
    """Values of `outputs` for the given input values (floats, complex numbers or numpy arrays)."""
    results: list[Any] = [None] * len(graph)
    _evaluate_region(graph, -1, loop_bodies(graph), values, results)
    return [results[x.index] if isinstance(x, Expr) else x for x in outputs]


def _evaluate_region(
    graph: Graph, region: int, bodies: Sequence[int], values: Sequence[Any], results: list[Any]
) -> None:
    """Fill in the results of the nodes of one loop's body, or of those outside of all loops."""
    finished: set[int] = set()
    for i, (operation, operands) in enumerate(zip(graph.operation, graph.operands, strict=True)):
        if bodies[i] != region or operation == "head":
            continue
        if operation == "input":
            results[i] = values[operands[0]]
        elif operation == "const":
            results[i] = graph.constants[i]
        elif operation == "gather":
            results[i] = functions.entry(graph.tables[operands[0]], results[operands[1]])
        elif operation == "tail":
            number, place = operands
            if number not in finished:
                _evaluate_loop(graph, number, bodies, values, results)
                finished.add(number)
            results[i] = results[graph.loops[number].heads[place]]
        else:
            results[i] = _FUNCTIONS[operation](*[results[k] for k in operands])


def _evaluate_loop(
    graph: Graph, number: int, bodies: Sequence[int], values: Sequence[Any], results: list[Any]
) -> None:
    loop = graph.loops[number]

    def begin_round(source: Sequence[int]) -> None:
        for head, value in zip(loop.heads, [results[k] for k in source], strict=True):
            results[head] = value

    begin_round(loop.start)
    for _ in range(loop.limit):
        if not np.any(results[loop.heads[-1]]):
            break
        _evaluate_region(graph, number, bodies, values, results)
        begin_round(loop.next)


def through_graph(function: Callable[[list[Any]], Sequence[Scalar]], values: Sequence[Scalar]) -> list[Any]:
    """function(values), which needs traced values: plain numbers are traced and evaluated."""
    if any(isinstance(x, Expr) for x in values):
        return list(function(list(values)))
    graph, outputs = trace(function, len(values))
    results = evaluate(graph, outputs, values)
    graph.release()
    return results


_FUNCTIONS: dict[str, Callable] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "pow": operator.pow,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "and": operator.and_,
    "or": operator.or_,
    "not": functions.logical_not,
    "select": functions.where,
    "min": functions.minimum,
    "max": functions.maximum,
    "sqrt": functions.sqrt,
    "sin": functions.sin,
    "cos": functions.cos,
    "atan2": functions.atan2,
    "exp": functions.exp,
    "log": functions.log,
    "tanh": functions.tanh,
    "floor": functions.floor,
    "hold": functions.hold,
    "limb": lambda x: x,
    "philox0": partial(philox_half, 0),
    "philox1": partial(philox_half, 1),
}
