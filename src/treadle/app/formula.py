"""Formulas that people type: arithmetic over the names of signals, and nothing else.

    joint.lift.velocity * joint.lift.torque / 1000
    sqrt(body.head.velocity.x**2 + body.head.velocity.y**2)

A name that is no identifier is put in quotes: 'joint.my-joint.position'.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from treadle.errors import InputError
from treadle.model.model import suggest

__all__ = ["FUNCTIONS", "Formula"]

#: Functions that formulas may use.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "acos": math.acos,
    "asin": math.asin,
    "atan": math.atan,
    "atan2": math.atan2,
    "cos": math.cos,
    "degrees": math.degrees,
    "exp": math.exp,
    "hypot": math.hypot,
    "log": math.log,
    "max": max,
    "min": min,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}

_CONSTANTS = {"pi": math.pi, "e": math.e}

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}

#: Characters of a formula, and parts that it may have.
_LONGEST, _PARTS = 300, 100

_Evaluation = Callable[[Mapping[str, float]], float]


class Formula:
    """A number computed from signals by name; NaN where it has no value. InputError for anything else."""

    def __init__(self, text: str, names: Iterable[str]) -> None:
        self.text = text.strip()
        self._known = set(names)
        #: signals that it needs
        self.names: set[str] = set()
        if not self.text or len(self.text) > _LONGEST:
            raise InputError(f"a formula has 1 to {_LONGEST} characters, such as joint.lift.velocity * 2")
        try:
            tree = ast.parse(self.text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(
                f"{self.text!r} is no formula; write one such as joint.lift.velocity * 2"
            ) from None
        if sum(1 for _ in ast.walk(tree)) > _PARTS:
            raise InputError(f"a formula has at most {_PARTS} parts; make this one shorter")
        self._evaluate = self._build(tree.body)

    def __call__(self, values: Mapping[str, float]) -> float:
        """Its value where the signals have these."""
        try:
            value = float(self._evaluate(values))
        except (ArithmeticError, ValueError, TypeError):
            return math.nan
        return value if math.isfinite(value) else math.nan

    def _build(self, node: ast.AST) -> _Evaluation:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._signal(node.value)
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            number = float(node.value)
            return lambda values: number
        if isinstance(node, ast.Name) and node.id in _CONSTANTS and node.id not in self._known:
            number = _CONSTANTS[node.id]
            return lambda values: number
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._signal(self._dotted(node))
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            act, left, right = _OPERATORS[type(node.op)], self._build(node.left), self._build(node.right)
            return lambda values: act(left(values), right(values))
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            act, operand = _OPERATORS[type(node.op)], self._build(node.operand)
            return lambda values: act(operand(values))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._call(node.func.id, node.args)
        raise InputError(
            f"{ast.unparse(node)!r} is no part of a formula; use signals, numbers, + - * / ** and ()"
        )

    def _call(self, name: str, arguments: list[ast.expr]) -> _Evaluation:
        if name not in FUNCTIONS:
            raise InputError(f"there is no function {name!r} in formulas; {suggest(name, list(FUNCTIONS))}")
        act, inner = FUNCTIONS[name], [self._build(argument) for argument in arguments]
        return lambda values: act(*(evaluate(values) for evaluate in inner))

    def _dotted(self, node: ast.AST) -> str:
        if isinstance(node, ast.Attribute):
            return f"{self._dotted(node.value)}.{node.attr}"
        if isinstance(node, ast.Name):
            return node.id
        raise InputError(f"{ast.unparse(node)!r} is no name of a signal")

    def _signal(self, name: str) -> _Evaluation:
        if name not in self._known:
            raise InputError(f"there is no signal {name!r}; {suggest(name, sorted(self._known))}")
        self.names.add(name)
        return lambda values: values[name]
