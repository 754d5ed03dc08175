"""Expression graph: trace plain Python over generic scalars, simplify, differentiate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.graph.evaluate import evaluate, through_graph
from treadle.graph.expression import Expr, Graph, Scalar, trace
from treadle.graph.functions import (
    acos,
    asin,
    atan,
    atan2,
    clip,
    cos,
    entry,
    equal,
    exp,
    floor,
    hold,
    in_limb,
    log,
    logical_not,
    lookup,
    lookup2,
    maximum,
    minimum,
    out_of_limbs,
    sin,
    sqrt,
    tan,
    tanh,
    where,
)
from treadle.graph.iteration import iterate, unrolled, unrolling
from treadle.graph.memoize import memoized
from treadle.graph.number import Number
from treadle.graph.random import random_pair
from treadle.graph.side_by_side import side_by_side
from treadle.lazy import lazy_names

if TYPE_CHECKING:
    from treadle.graph.derivative import forward, gradient, jacobian, reverse

__all__ = [
    "Expr", "Graph", "Number", "Scalar", "acos", "asin", "atan", "atan2", "clip", "cos", "entry", "equal",
    "evaluate", "exp", "floor", "forward", "gradient", "hold", "in_limb", "iterate", "jacobian", "log",
    "logical_not", "lookup", "lookup2", "maximum", "memoized", "minimum", "out_of_limbs",
    "random_pair", "reverse", "side_by_side", "sin", "sqrt", "tan", "tanh", "through_graph", "trace",
    "unrolled", "unrolling", "where",
]  # fmt: skip

__getattr__ = lazy_names(
    __name__, {"treadle.graph.derivative": ("forward", "gradient", "jacobian", "reverse")}
)
