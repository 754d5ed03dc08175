"""Expression graph of one computation: traced scalars with hash-consed nodes.

A `Graph` numbers its nodes in order of creation, operands before users. Building a node folds
constants, drops zeros and ones, and returns the existing node when the same one was built before, so
a graph is simplified while it is traced. Plain floats stay floats until they meet an `Expr`.
Zero times anything is zero: a graph is not meant for operands that are infinite.
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Union

import numpy as np

from treadle.errors import TracingError
from treadle.graph.number import Number

__all__ = ["BOOLEAN_OPERATIONS", "Expr", "Graph", "Loop", "Scalar"]

#: Operations whose result is true or false.
BOOLEAN_OPERATIONS = frozenset({"lt", "le", "eq", "and", "or", "not"})

_COMMUTATIVE = frozenset({"add", "mul", "min", "max", "eq", "and", "or"})

#: Operations of operands that change how sums and products are built.
_LOOKED_INTO = frozenset({"neg", "const"})


@dataclass
class Loop:
    """A loop of a graph: nodes of the values at its start, at the start of a round, and after it.

    The last of the values is 1 while another round follows.
    """

    start: list[int]
    limit: int
    heads: list[int] = field(default_factory=list)
    next: list[int] = field(default_factory=list)


class Graph:
    """Nodes of one traced computation.

    `operation[i]` names node i, `operands[i]` are the indices it depends on, `nodes[i]` is its scalar.
    Constants keep their value in `constants`, look-up tables (flat tuples of floats) in `tables`.
    """

    def __init__(self) -> None:
        self.operation: list[str] = []
        self.operands: list[tuple[int, ...]] = []
        self.nodes: list[Expr] = []
        self.constants: dict[int, float] = {}
        self.tables: list[tuple[float, ...]] = []
        self.loops: list[Loop] = []
        #: kind and number of the limb that a "limb" node begins; None where a limb ends
        self.limbs: dict[int, tuple[int, int] | None] = {}
        self.input_count = 0
        #: results of memoized functions (see `memoize`)
        self.results: dict[tuple, tuple[Any, Any]] = {}
        # what was built before: by operation and operands, constants by value, limbs by operand and limb
        self._memo: defaultdict[str, dict[tuple[int, ...], Expr]] = defaultdict(dict)
        self._sums, self._differences, self._products = (self._memo[name] for name in ("add", "sub", "mul"))
        self._numbers: dict[Any, Expr] = {}
        self._limb_nodes: dict[tuple[int, tuple[int, int] | None], Expr] = {}
        self._kinds: dict[object, int] = {}
        self._table_index: dict[tuple[float, ...], int] = {}
        # tuples that were given before, by identity: a grid of heights is looked up at every point
        self._known_tables: dict[int, tuple[object, int]] = {}

    def input(self) -> Expr:
        """A new input, in the order in which values will be given."""
        self.input_count += 1
        return self._append("input", (self.input_count - 1,))

    def inputs(self, count: int) -> list[Expr]:
        """`count` new inputs."""
        return [self.input() for _ in range(count)]

    def constant(self, value: float) -> Expr:
        """The node of a constant."""
        if isinstance(value, Number):
            key = (value, value.origin)
        else:
            value = float(value)
            # 0.0 and -0.0 compare equal, but are different constants
            key = value if value else (value, math.copysign(1.0, value))
        node = self._numbers.get(key)
        if node is None:
            node = self._numbers[key] = self._append("const", (), looked_into=True)
            self.constants[node.index] = value
        return node

    def table(self, values: Sequence[float]) -> int:
        """Register a look-up table and return its number; the same tuple is looked at only once."""
        if id(values) in self._known_tables:
            return self._known_tables[id(values)][1]
        key = tuple(float(x) for x in values)
        number = self._table_index.get(key)
        if number is None:
            number = self._table_index[key] = len(self.tables)
            self.tables.append(key)
        if isinstance(values, tuple):
            self._known_tables[id(values)] = values, number
        return number

    def node(self, operation: str, *operands: Expr) -> Expr:
        """The node `operation(*operands)`, shared with an equal one built before."""
        indices = tuple([x.index for x in operands])
        if operation in _COMMUTATIVE:
            # older operand first, constants last
            a, b = indices
            if (a in self.constants, a) > (b in self.constants, b):
                indices = (b, a)
        return self.raw(operation, indices)

    def raw(self, operation: str, operands: tuple[int, ...]) -> Expr:
        """The node with these operand indices (of `gather`: the table's number comes first)."""
        memo = self._memo[operation]
        node = memo.get(operands)
        if node is None:
            node = memo[operands] = self._append(operation, operands, operation in _LOOKED_INTO)
        return node

    def operand(self, x: Expr) -> Expr:
        """What a negation negates."""
        return self.nodes[self.operands[x.index][0]]

    def unique(self, operation: str, operands: tuple[int, ...]) -> Expr:
        """A node that is shared with no other; of heads and tails, the operands are loop and place."""
        return self._append(operation, operands)

    def kind_of(self, key: object) -> int:
        """Number of a kind of limbs that no other key has: below zero, where no subtree has its own."""
        return self._kinds.setdefault(key, -1 - len(self._kinds))

    def begin_limb(self, x: Expr, limb: tuple[int, int] | None) -> Expr:
        """x as part of a limb, or of none, a node of its own for every limb."""
        key = (x.index, limb)
        node = self._limb_nodes.get(key)
        if node is None:
            node = self._limb_nodes[key] = self._append("limb", (x.index,))
            self.limbs[node.index] = limb
        return node

    def lift(self, value: Scalar) -> Expr:
        """The value as a node of this graph."""
        if isinstance(value, Expr):
            if value.graph is not self:
                raise ValueError("two traced computations were mixed; trace them together instead")
            return value
        return self.constant(value)

    def release(self) -> None:
        """Forget the scalars, after the last one was asked for; operations and constants stay.

        They and their graph know each other, so that their memory would otherwise be free only when
        Python's garbage collector looks through all that there is.
        """
        for kept in (self.nodes, self._numbers, self._limb_nodes, self.results, *self._memo.values()):
            kept.clear()

    def __len__(self) -> int:
        return len(self.operation)

    def _append(self, operation: str, operands: tuple[int, ...], looked_into: bool = False) -> Expr:
        node = Expr(self, len(self.nodes), looked_into)
        self.nodes.append(node)
        self.operation.append(operation)
        self.operands.append(operands)
        return node


class Expr:
    """A scalar of a graph. Arithmetic and comparison build nodes; `bool()` of one is an error.

    Each node has one, made by its graph. Sums, differences and products of two, of which a graph has
    most, are looked up where they are asked for; the functions below simplify what is left.
    """

    __slots__ = ("graph", "index", "looked_into")

    def __init__(self, graph: Graph, index: int, looked_into: bool) -> None:
        self.graph = graph
        self.index = index
        #: whether sums and products depend on what it is
        self.looked_into = looked_into

    @property
    def operation(self) -> str:
        return self.graph.operation[self.index]

    def __add__(self, other: Scalar) -> Scalar:
        graph = self.graph
        if not isinstance(other, Expr):
            return self if other == 0.0 else graph.node("add", self, graph.constant(other))
        if self.looked_into or other.looked_into or other.graph is not graph:
            return _add(self, graph.lift(other))
        a, b = self.index, other.index
        operands = (a, b) if a <= b else (b, a)
        node = graph._sums.get(operands)
        if node is None:
            node = graph._sums[operands] = graph._append("add", operands)
        return node

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expr):
            return self if other == 0.0 else self + -other
        if other is self:
            return 0.0
        graph = self.graph
        if other.looked_into or other.graph is not graph:
            return _subtract(self, graph.lift(other))
        operands = (self.index, other.index)
        node = graph._differences.get(operands)
        if node is None:
            node = graph._differences[operands] = graph._append("sub", operands)
        return node

    def __rsub__(self, other: float) -> Scalar:
        graph = self.graph
        return _negate(self) if other == 0.0 else graph.node("sub", graph.constant(other), self)

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expr):
            if other == 0.0:
                return 0.0
            # a constant of a machine may change without other code
            return self if other == 1.0 and not isinstance(other, Number) else _scale(self, other)
        graph = self.graph
        if self.looked_into or other.looked_into or other.graph is not graph:
            return _multiply(self, graph.lift(other))
        a, b = self.index, other.index
        operands = (a, b) if a <= b else (b, a)
        node = graph._products.get(operands)
        if node is None:
            node = graph._products[operands] = graph._append("mul", operands)
        return node

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        return _divide(self, other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return _divide(other, self)

    def __neg__(self) -> Scalar:
        return _negate(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self.graph.node("abs", self)

    def __pow__(self, exponent: Scalar) -> Scalar:
        return _power(self, exponent)

    def __rpow__(self, base: Scalar) -> Scalar:
        return _power(self.graph.lift(base), self)

    def __lt__(self, other: Scalar) -> Expr:
        return self.graph.node("lt", self, self.graph.lift(other))

    def __le__(self, other: Scalar) -> Expr:
        return self.graph.node("le", self, self.graph.lift(other))

    def __gt__(self, other: Scalar) -> Expr:
        return self.graph.node("lt", self.graph.lift(other), self)

    def __ge__(self, other: Scalar) -> Expr:
        return self.graph.node("le", self.graph.lift(other), self)

    def __and__(self, other: Expr | bool) -> Expr | bool:
        return self._logic("and", other, neutral=True)

    __rand__ = __and__

    def __or__(self, other: Expr | bool) -> Expr | bool:
        return self._logic("or", other, neutral=False)

    __ror__ = __or__

    def __invert__(self) -> Expr:
        return self.graph.node("not", self)

    def __bool__(self) -> bool:
        raise TracingError(
            "the truth of a traced value is not known while tracing; "
            "use treadle.where(condition, a, b) instead of if, and & | ~ instead of and, or, not"
        )

    def __float__(self) -> float:
        raise TracingError(
            "a traced value has no number yet; use the functions of treadle, not of math or numpy"
        )

    def __repr__(self) -> str:
        return f"<{self.operation} #{self.index}>"

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        """numpy's functions on traced values, so that np.sin(x) is the same as treadle.sin(x)."""
        function = _numpy_functions().get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            return NotImplemented
        if any(isinstance(x, np.ndarray) and x.ndim for x in operands):
            return np.frompyfunc(function, len(operands), 1)(*operands)
        return function(*[x if isinstance(x, Expr) else float(x) for x in operands])

    def _logic(self, operation: str, other: Expr | bool, neutral: bool) -> Expr | bool:
        if isinstance(other, Expr):
            return self.graph.node(operation, self, self.graph.lift(other))
        return self if bool(other) is neutral else (not neutral)


#: Generic scalar of every algorithm: a number, or a node of a graph.
Scalar = Union[float, Expr]  # noqa: UP007 (evaluated at run time)


@cache
def _numpy_functions() -> dict[str, Callable[..., Any]]:
    """Replacements of numpy's functions, by name."""
    from treadle.graph import functions as f

    return {
        "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
        "negative": operator.neg, "power": operator.pow, "absolute": abs, "less": operator.lt,
        "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge, "sqrt": f.sqrt,
        "sin": f.sin, "cos": f.cos, "tan": f.tan, "arcsin": f.asin, "arccos": f.acos, "arctan": f.atan,
        "arctan2": f.atan2, "exp": f.exp, "log": f.log, "tanh": f.tanh, "floor": f.floor,
        "minimum": f.minimum, "maximum": f.maximum, "square": lambda x: x * x,
    }  # fmt: skip


def _add(a: Expr, b: Expr) -> Scalar:
    graph = a.graph
    if graph.operation[b.index] == "neg":
        return a - graph.operand(b)
    if graph.operation[a.index] == "neg":
        return b - graph.operand(a)
    return graph.node("add", a, b)


def _subtract(a: Expr, b: Expr) -> Scalar:
    graph = a.graph
    return a + graph.operand(b) if graph.operation[b.index] == "neg" else graph.node("sub", a, b)


def _negate(a: Expr) -> Scalar:
    graph = a.graph
    operation, operands = graph.operation[a.index], graph.operands[a.index]
    if operation == "neg":
        return graph.nodes[operands[0]]
    if operation == "const":
        return -graph.constants[a.index]
    if operation == "sub":
        return graph.raw("sub", operands[::-1])
    if operation == "mul" and (split := _factor(graph, *operands)) is not None:
        factor, rest = split
        return rest * -factor
    return graph.raw("neg", (a.index,))


def _scale(a: Expr, b: float) -> Scalar:
    """a times a number that is neither 0 nor 1."""
    graph = a.graph
    if b == -1.0 and not isinstance(b, Number):
        return _negate(a)
    operation = graph.operation[a.index]
    if operation == "neg":
        return graph.operand(a) * -b
    if operation == "mul" and (split := _factor(graph, *graph.operands[a.index])) is not None:
        factor, rest = split
        return rest * (factor * b)
    return graph.node("mul", a, graph.constant(b))


def _factor(graph: Graph, a: int, b: int) -> tuple[float, Expr] | None:
    """The constant in a product of two nodes and the other one, if there is a constant."""
    if b in graph.constants:
        return graph.constants[b], graph.nodes[a]
    return (graph.constants[a], graph.nodes[b]) if a in graph.constants else None


def _multiply(a: Expr, b: Expr) -> Scalar:
    graph = a.graph
    if graph.operation[a.index] == "neg":
        return -(graph.operand(a) * b)
    if graph.operation[b.index] == "neg":
        return -(a * graph.operand(b))
    return graph.node("mul", a, b)


def _divide(a: Scalar, b: Scalar) -> Scalar:
    if not isinstance(b, Expr):
        assert isinstance(a, Expr)
        return a * (1.0 / b)
    if not isinstance(a, Expr):
        return 0.0 if a == 0.0 else b.graph.node("div", b.graph.constant(a), b)
    a = b.graph.lift(a)
    if a.index == b.index:
        return 1.0
    return a.graph.node("div", a, b)


#: Integer exponents up to this size become multiplications.
_LARGEST_UNROLLED_POWER = 16


def _power(base: Expr, exponent: Scalar) -> Scalar:
    if isinstance(exponent, Expr):
        return base.graph.node("pow", base, base.graph.lift(exponent))
    if exponent == 0.5:
        return base.graph.node("sqrt", base)
    if exponent == int(exponent) and abs(exponent) <= _LARGEST_UNROLLED_POWER:
        return _integer_power(base, int(exponent))
    return base.graph.node("pow", base, base.graph.constant(exponent))


def _integer_power(base: Expr, exponent: int) -> Scalar:
    if exponent < 0:
        return 1.0 / _integer_power(base, -exponent)
    result: Scalar = 1.0
    square: Scalar = base
    while exponent:
        if exponent & 1:
            result = square * result
        exponent >>= 1
        if exponent:
            square = square * square
    return result


def trace(function: Callable[..., Sequence[Scalar]], *sizes: int) -> tuple[Graph, list[Scalar]]:
    """Trace `function` over fresh input lists of the given sizes; return graph and outputs."""
    graph = Graph()
    return graph, list(function(*[graph.inputs(n) for n in sizes]))
