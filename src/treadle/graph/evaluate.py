"""Evaluate a graph in plain Python, for reading, debugging and tests."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from treadle.graph import functions
from treadle.graph.expression import Expr, Graph, Scalar

__all__ = ["evaluate"]


def evaluate(graph: Graph, outputs: Sequence[Scalar], values: Sequence[Any]) -> list[Any]:
    """Values of `outputs` for the given input values (floats, complex numbers or numpy arrays)."""
    results: list[Any] = []
    for i, (operation, operands) in enumerate(zip(graph.operation, graph.operands, strict=True)):
        if operation == "input":
            results.append(values[operands[0]])
        elif operation == "const":
            results.append(graph.constants[i])
        elif operation == "gather":
            results.append(functions._gather(graph.tables[operands[0]], results[operands[1]]))
        else:
            results.append(_FUNCTIONS[operation](*[results[k] for k in operands]))
    return [results[x.index] if isinstance(x, Expr) else x for x in outputs]


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
}
