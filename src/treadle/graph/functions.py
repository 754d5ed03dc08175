"""Elementary functions over a generic scalar: float, complex, numpy array or traced `Expr`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.graph.expression import Expr, Graph, Scalar

__all__ = [
    "acos", "asin", "atan", "atan2", "clip", "cos", "entry", "equal", "exp", "floor", "hold", "in_limb",
    "log", "logical_not", "lookup", "lookup2", "maximum", "minimum", "out_of_limbs", "sin", "sqrt", "tan",
    "tanh", "where",
]  # fmt: skip


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return _unary("sqrt", x)


def sin(x: Scalar) -> Scalar:
    """Sine of an angle (rad)."""
    return _unary("sin", x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle (rad)."""
    return _unary("cos", x)


def tan(x: Scalar) -> Scalar:
    """Tangent of an angle (rad); traced as sin(x) / cos(x)."""
    return sin(x) / cos(x) if isinstance(x, Expr) else _unary("tan", x)


def asin(x: Scalar) -> Scalar:
    """Inverse sine; traced as atan2(x, sqrt((1 - x) (1 + x)))."""
    return atan2(x, sqrt((1.0 - x) * (1.0 + x))) if isinstance(x, Expr) else _unary("asin", x)


def acos(x: Scalar) -> Scalar:
    """Inverse cosine; traced as atan2(sqrt((1 - x) (1 + x)), x)."""
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x) if isinstance(x, Expr) else _unary("acos", x)


def atan(x: Scalar) -> Scalar:
    """Inverse tangent, in [-pi/2, pi/2]."""
    return atan2(x, 1.0) if isinstance(x, Expr) else _unary("atan", x)


def exp(x: Scalar) -> Scalar:
    """Exponential function."""
    return _unary("exp", x)


def log(x: Scalar) -> Scalar:
    """Natural logarithm."""
    return _unary("log", x)


def tanh(x: Scalar) -> Scalar:
    """Hyperbolic tangent."""
    return _unary("tanh", x)


def floor(x: Scalar) -> Scalar:
    """Largest whole number that is not above x."""
    return _unary("floor", x)


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle of the point (x, y), in (-pi, pi]."""
    graph = _graph_of(y, x)
    if graph is None:
        return math.atan2(y, x) if _plain(y) and _plain(x) else np.arctan2(y, x)  # type: ignore[arg-type]
    return graph.node("atan2", graph.lift(y), graph.lift(x))


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of two numbers."""
    graph = _graph_of(a, b)
    if graph is None:
        return min(a, b) if _plain(a) and _plain(b) else np.minimum(a, b)  # type: ignore[type-var]
    return graph.node("min", graph.lift(a), graph.lift(b))


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of two numbers."""
    graph = _graph_of(a, b)
    if graph is None:
        return max(a, b) if _plain(a) and _plain(b) else np.maximum(a, b)  # type: ignore[type-var]
    return graph.node("max", graph.lift(a), graph.lift(b))


def clip(x: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """x clamped between lower and upper."""
    return minimum(maximum(x, lower), upper)


def equal(a: Scalar, b: Scalar) -> Any:
    """Condition a = b (the operator == compares nodes, not values)."""
    graph = _graph_of(a, b)
    return a == b if graph is None else graph.node("eq", graph.lift(a), graph.lift(b))


def logical_not(condition: Any) -> Any:
    """Negation of a condition, traced or not."""
    return ~condition if isinstance(condition, Expr) else np.logical_not(condition)


def where(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    """a where the condition holds, else b. Both are evaluated."""
    if not isinstance(condition, Expr):
        if isinstance(condition, np.ndarray):
            return np.where(condition, a, b)  # type: ignore[return-value]
        return a if condition else b
    graph = condition.graph
    x, y = graph.lift(a), graph.lift(b)
    return a if x.index == y.index else graph.node("select", condition, x, y)


def hold(x: Scalar) -> Scalar:
    """x with zero derivative (stop gradient); no simplification passes through it."""
    return x.graph.node("hold", x) if isinstance(x, Expr) else x


def in_limb(x: Scalar, limb: tuple[int, int] | None) -> Scalar:
    """x, where the part of a limb (its kind and number) begins: what follows may be packed with its twins."""
    if limb is None or not isinstance(x, Expr):
        return x
    return x.graph.begin_limb(x, limb)


def out_of_limbs(x: Scalar) -> Scalar:
    """x, where the part of a limb ends: what follows belongs to none."""
    return x.graph.begin_limb(x, None) if isinstance(x, Expr) else x


def lookup(table: Sequence[float], x: Scalar, start: float = 0.0, step: float = 1.0) -> Scalar:
    """Linear interpolation in a table of values at start, start + step, ...; clamped at both ends."""
    last = len(table) - 1
    if last < 1:
        raise ValueError("a look-up table needs at least two values")
    i, t = _cell(x, start, step, last)
    low, high = entry(table, i), entry(table, i + 1.0)
    return low + t * (high - low)


def lookup2(
    table: Sequence[Sequence[float]],
    x: Scalar,
    y: Scalar,
    start: tuple[float, float] = (0.0, 0.0),
    step: tuple[float, float] = (1.0, 1.0),
) -> Scalar:
    """Bilinear interpolation in table[i][j] at x = start + i step, y likewise; clamped at the border."""
    rows, columns = len(table), len(table[0])
    if rows < 2 or columns < 2:
        raise ValueError("a two-dimensional look-up table needs at least two rows and two columns")
    if any(len(row) != columns for row in table):
        raise ValueError("the rows of a two-dimensional look-up table must have the same length")
    flat = [float(value) for row in table for value in row]
    i, s = _cell(x, start[0], step[0], rows - 1)
    j, t = _cell(y, start[1], step[1], columns - 1)
    corner = i * float(columns) + j
    z00, z01 = entry(flat, corner), entry(flat, corner + 1.0)
    z10, z11 = entry(flat, corner + float(columns)), entry(flat, corner + float(columns + 1))
    low, high = z00 + t * (z01 - z00), z10 + t * (z11 - z10)
    return low + s * (high - low)


def entry(table: Sequence[float], index: Scalar) -> Scalar:
    """Entry of the table at a whole, non-negative index; its derivative is zero."""
    if isinstance(index, Expr):
        graph = index.graph
        return graph.raw("gather", (graph.table(table), index.index))
    if _plain(index):
        return table[int(index)]
    return np.asarray(table)[np.real(index).astype(int)]  # type: ignore[return-value,attr-defined]


def _cell(x: Scalar, start: float, step: float, last: int) -> tuple[Scalar, Scalar]:
    """Index of the cell that holds x, as a whole float, and the position inside it in [0, 1]."""
    u = clip((x - start) / step, 0.0, float(last))
    i = minimum(floor(u), float(last - 1))
    return i, u - i


_PYTHON = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin,
    "acos": math.acos, "atan": math.atan, "exp": math.exp, "log": math.log, "tanh": math.tanh,
    "floor": lambda x: float(math.floor(x)),
}  # fmt: skip
_NUMPY = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}


def _unary(name: str, x: Scalar) -> Scalar:
    if isinstance(x, Expr):
        return x.graph.node(name, x)
    if _plain(x):
        return _PYTHON[name](x)
    if name == "floor" and np.iscomplexobj(x):
        return np.floor(np.real(x))
    return _NUMPY.get(name, getattr(np, name, None))(x)  # type: ignore[misc]


def _plain(x: object) -> bool:
    return isinstance(x, (float, int))


def _graph_of(*values: Scalar) -> Graph | None:
    for value in values:
        if isinstance(value, Expr):
            return value.graph
    return None
