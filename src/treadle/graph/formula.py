"""Formulas as text over a generic scalar: arithmetic, functions and conditions, and nothing else.

    0.4 * sin(0.2 * t) * exp(z / 10)
    where(x < 3, 0.5, 0)

`formula_value` evaluates one on floats or traced scalars; `formula_text` writes a traced scalar as one, so
that a function that people write in Python can be kept in a file.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treadle.graph import functions
from treadle.graph.expression import Expr, Graph, Scalar

__all__ = ["formula_names", "formula_text", "formula_value"]

#: Functions of formulas by name.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "acos": functions.acos,
    "asin": functions.asin,
    "atan": functions.atan,
    "atan2": functions.atan2,
    "cos": functions.cos,
    "exp": functions.exp,
    "floor": functions.floor,
    "log": functions.log,
    "max": functions.maximum,
    "min": functions.minimum,
    "sin": functions.sin,
    "sqrt": functions.sqrt,
    "tan": functions.tan,
    "tanh": functions.tanh,
    "where": functions.where,
}

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

#: Signs of traced operations.
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<="}

#: Characters of a formula.
_LONGEST = 20_000


def formula_value(text: str, values: Mapping[str, Scalar]) -> Scalar:
    """A formula where its variables have these values; ValueError where it is none."""
    return _value(_parsed(text), values)


def formula_names(text: str, variables: Sequence[str]) -> set[str]:
    """The variables that a formula uses; ValueError where it is none, or uses others."""
    graph = Graph()
    tree = _parsed(text)
    _value(tree, {name: graph.input() for name in variables})
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & set(variables)


def formula_text(value: Scalar, variables: Sequence[str]) -> str:
    """A traced scalar as a formula; its graph's inputs are the variables, in their order."""
    if not isinstance(value, Expr):
        return repr(float(value))
    graph = value.graph
    written: dict[int, str] = {}
    for index in range(value.index + 1):
        name, operands = graph.operation[index], graph.operands[index]
        if name == "input":
            written[index] = variables[operands[0]]
        elif name == "const":
            written[index] = repr(float(graph.constants[index]))
        elif all(operand in written for operand in operands):
            text = _operation(name, [written[operand] for operand in operands])
            # what is too long matters only if the value uses it
            if text is not None and len(text) <= _LONGEST:
                written[index] = text
    if value.index not in written:
        known = ", ".join(sorted(FUNCTIONS))
        raise ValueError(f"is no short formula; use + - * / ** and {known}, of fewer terms")
    return written[value.index]


def _operation(name: str, parts: list[str]) -> str | None:
    if name in _SIGNS:
        return f"({parts[0]} {_SIGNS[name]} {parts[1]})"
    if name == "neg":
        return f"(-{parts[0]})"
    name = {"select": "where"}.get(name, name)
    return f"{name}({', '.join(parts)})" if name in FUNCTIONS else None


def _parsed(text: str) -> ast.expr:
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
        raise ValueError("is no formula; write one such as 0.4 * sin(0.2 * t)")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"is no formula: {text[:60]!r}; write one such as 0.4 * sin(0.2 * t)") from None


def _value(node: ast.AST, values: Mapping[str, Scalar]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in values:
        return values[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.operand, values))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        sides = _value(node.left, values), _value(node.comparators[0], values)
        return _OPERATORS[type(node.ops[0])](*sides)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = FUNCTIONS.get(node.func.id)
        if function is not None:
            return _call(function, node, values)
    known = ", ".join((*values, *sorted(FUNCTIONS)))
    raise ValueError(f"has {ast.unparse(node)[:40]!r}, which is no part of a formula; use {known}")


def _call(function: Callable[..., Any], node: ast.Call, values: Mapping[str, Scalar]) -> Any:
    try:
        return function(*[_value(argument, values) for argument in node.args])
    except TypeError:
        raise ValueError(f"has the wrong number of arguments in {ast.unparse(node)!r}") from None
