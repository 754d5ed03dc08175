"""Exact derivatives on the graph: forward (tangents) and reverse (adjoints), both sparse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from treadle.graph.expression import BOOLEAN_OPERATIONS, Expr, Graph, Scalar
from treadle.graph.functions import cos, log, sin, where

__all__ = ["forward", "gradient", "jacobian", "reverse"]


def forward(
    outputs: Sequence[Scalar],
    seeds: Mapping[Expr, Mapping[int, Scalar]],
    directions: int,
) -> list[list[Scalar]]:
    """Directional derivatives of the outputs, output by direction.

    `seeds[x][k]` is the rate of input x along direction k; what is not named is zero. Tangents are
    kept per node only for the directions it depends on, so the cost follows the sparsity.
    """
    if not seeds:
        return [[0.0] * directions for _ in outputs]
    graph = next(iter(seeds)).graph
    tangents: dict[int, Mapping[int, Scalar]] = {x.index: dict(rates) for x, rates in seeds.items()}
    needed = _needed(graph, outputs, min(tangents))
    _require_no_loops(graph, needed, tangents)
    for i in needed:
        operands = graph.operands[i]
        if tangents.keys().isdisjoint(operands) or i in tangents:
            continue
        if graph.operation[i] in _CONSTANT_OPERATIONS:
            continue
        active = [(slot, tangents[k]) for slot, k in enumerate(operands) if k in tangents]
        partials = _partials(graph, i)
        total: dict[int, Scalar] = {}
        for slot, rates in active:
            partial = partials[slot]
            if isinstance(partial, float) and partial == 0.0:
                continue
            for direction, rate in rates.items():
                term = partial * rate
                total[direction] = total[direction] + term if direction in total else term
        if total:
            tangents[i] = total
    return [
        [tangents.get(y.index, {}).get(k, 0.0) for k in range(directions)]
        if isinstance(y, Expr)
        else [0.0] * directions
        for y in outputs
    ]


def reverse(outputs: Sequence[Scalar], weights: Sequence[Scalar], inputs: Sequence[Expr]) -> list[Scalar]:
    """Derivatives of sum(weights * outputs) with respect to each input, in one backward sweep."""
    adjoints: dict[int, Scalar] = {}
    for y, weight in zip(outputs, weights, strict=True):
        if isinstance(y, Expr):
            adjoints[y.index] = adjoints.get(y.index, 0.0) + weight
    if not adjoints:
        return [0.0] * len(inputs)
    graph = next(y for y in outputs if isinstance(y, Expr)).graph
    wanted = {x.index for x in inputs}
    order = _needed(graph, outputs, min(wanted, default=0))
    _require_no_loops(graph, order, wanted)
    active = set(wanted)
    for i in order:
        if graph.operation[i] not in _CONSTANT_OPERATIONS and any(k in active for k in graph.operands[i]):
            active.add(i)
    for i in reversed(order):
        adjoint = adjoints.get(i)
        if adjoint is None or i not in active or i in wanted or graph.operation[i] in _CONSTANT_OPERATIONS:
            continue
        partials = _partials(graph, i)
        for slot, k in enumerate(graph.operands[i]):
            if k in active and graph.operation[i] != "gather":
                adjoints[k] = adjoints.get(k, 0.0) + partials[slot] * adjoint
    return [adjoints.get(x.index, 0.0) for x in inputs]


def gradient(output: Scalar, inputs: Sequence[Expr]) -> list[Scalar]:
    """Derivative of one output with respect to each input."""
    return reverse([output], [1.0], inputs)


def jacobian(outputs: Sequence[Scalar], inputs: Sequence[Expr]) -> list[list[Scalar]]:
    """Matrix of d output / d input, by whichever direction has fewer sweeps; zeros are floats 0.0."""
    if len(outputs) < len(inputs):
        return [gradient(y, inputs) for y in outputs]
    return forward(outputs, {x: {k: 1.0} for k, x in enumerate(inputs)}, len(inputs))


#: Operations through which no derivative flows (steps, comparisons, table entries, stop gradients).
_CONSTANT_OPERATIONS = frozenset(
    ("input", "const", "head", "tail", "floor", "gather", "hold", "philox0", "philox1", *BOOLEAN_OPERATIONS)
)


def _needed(graph: Graph, outputs: Sequence[Scalar], first: int) -> list[int]:
    """Indices of the nodes from which derivatives flow into the outputs, in order, from the first input on.

    Nodes before it do not depend on it.
    """
    operation, operands = graph.operation, graph.operands
    needed: set[int] = set()
    waiting = [y.index for y in outputs if isinstance(y, Expr)]
    while waiting:
        i = waiting.pop()
        if i >= first and i not in needed:
            needed.add(i)
            if operation[i] not in _CONSTANT_OPERATIONS:
                waiting += operands[i]
    return sorted(needed)


def _require_no_loops(graph: Graph, nodes: Sequence[int], inputs: Iterable[int]) -> None:
    """Derivatives do not pass through loops: refuse where the inputs may reach one."""
    inputs = set(inputs)
    first = min(inputs, default=0)
    for i in nodes:
        if graph.operation[i] != "tail" or i in inputs:
            continue
        # what was made after the last round cannot reach into the loop
        if first > max(graph.loops[graph.operands[i][0]].next):
            continue
        raise ValueError("the derivative of a loop is not known; wrap its result in treadle.hold")


def _partials(graph: Graph, i: int) -> tuple[Scalar, ...]:
    """Partial derivatives of node i by each of its operands."""
    operation = graph.operation[i]
    x = [_value(graph, k) for k in graph.operands[i]]
    y = graph.nodes[i]
    match operation:
        case "add":
            return (1.0, 1.0)
        case "sub":
            return (1.0, -1.0)
        case "mul":
            return (x[1], x[0])
        case "div":
            reciprocal = 1.0 / x[1]
            return (reciprocal, -(y * reciprocal))
        case "neg":
            return (-1.0,)
        case "limb":
            return (1.0,)
        case "abs":
            return (where(x[0] < 0.0, -1.0, 1.0),)
        case "sqrt":
            return (0.5 / y,)
        case "sin":
            return (cos(x[0]),)
        case "cos":
            return (-sin(x[0]),)
        case "exp":
            return (y,)
        case "log":
            return (1.0 / x[0],)
        case "tanh":
            return (1.0 - y * y,)
        case "atan2":
            scale = 1.0 / (x[0] * x[0] + x[1] * x[1])
            return (x[1] * scale, -(x[0] * scale))
        case "pow":
            # the exponent's own derivative is defined for positive bases only
            by_exponent = 0.0 if isinstance(x[1], float) else where(x[0] > 0.0, y * log(_positive(x[0])), 0.0)
            return (x[1] * x[0] ** (x[1] - 1.0), by_exponent)
        case "min":
            return (where(x[0] < x[1], 1.0, 0.0), where(x[0] < x[1], 0.0, 1.0))
        case "max":
            return (where(x[0] > x[1], 1.0, 0.0), where(x[0] > x[1], 0.0, 1.0))
        case "select":
            return (0.0, where(x[0], 1.0, 0.0), where(x[0], 0.0, 1.0))
    raise ValueError(f"no derivative for the operation {operation!r}")


def _positive(x: Scalar) -> Scalar:
    return where(x > 0.0, x, 1.0)


def _value(graph: Graph, index: int) -> Scalar:
    return graph.constants[index] if index in graph.constants else graph.nodes[index]
