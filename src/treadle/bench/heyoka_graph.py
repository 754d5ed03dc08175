"""A traced graph as heyoka expressions."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from treadle.bench.peers import peer
from treadle.graph import Expr, Graph, Scalar

__all__ = ["to_heyoka"]


def to_heyoka(graph: Graph, outputs: Sequence[Scalar]) -> tuple[list[Any], list[Any]]:
    """Variables (one per input) and expressions (one per output) of heyoka for a graph."""
    heyoka = peer("heyoka")
    functions = {
        "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
        "neg": operator.neg, "pow": operator.pow, "sqrt": heyoka.sqrt, "sin": heyoka.sin,
        "cos": heyoka.cos, "atan2": heyoka.atan2, "exp": heyoka.exp, "log": heyoka.log,
        "tanh": heyoka.tanh, "lt": heyoka.lt, "le": heyoka.lte, "eq": heyoka.eq,
        "select": heyoka.select,
    }  # fmt: skip
    # heyoka sorts variables by name unless told; numbers of one width keep the order either way
    variables = [heyoka.expression(f"x{k:05d}") for k in range(graph.input_count)]
    values: list[Any] = []
    for i, (operation, operands) in enumerate(zip(graph.operation, graph.operands, strict=True)):
        if operation == "input":
            values.append(variables[operands[0]])
        elif operation == "const":
            values.append(heyoka.expression(graph.constants[i]))
        else:
            values.append(functions[operation](*[values[k] for k in operands]))
    return variables, [
        values[x.index] if isinstance(x, Expr) else heyoka.expression(float(x)) for x in outputs
    ]
