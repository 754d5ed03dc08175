"""Functions that compute the same thing with other numbers, evaluated side by side in the lanes of a vector.

A machine has many springs, each a function of the joints between its ends. Those with one graph, whatever the
constants, are taken in fours and twos as the parts of limbs are (see `native.schedule`): one instruction then
computes for all of them. Packed or one after the other, the results have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treadle.graph.evaluate import evaluate
from treadle.graph.expression import Expr, Graph, Scalar, trace
from treadle.graph.functions import in_limb, out_of_limbs

__all__ = ["side_by_side"]

#: A function of scalars, and its arguments.
Call = tuple[Callable[[list], Sequence[Scalar]], Sequence[Scalar]]


def side_by_side(calls: Sequence[Call]) -> list[list[Scalar]]:
    """What the functions return for their arguments."""
    traced = [_trace(*call) for call in calls]
    results: list[list[Scalar]] = [[] for _ in calls]
    alike: dict[tuple, list[int]] = {}
    for k, part in enumerate(traced):
        alike.setdefault(part.key, []).append(k)
    for members in alike.values():
        while members:
            count = 4 if len(members) >= 4 else min(len(members), 2)
            _evaluate([(k, traced[k]) for k in members[:count]], results)
            members = members[count:]
    return results


@dataclass(frozen=True)
class _Part:
    """The graph of a call, and the traced scalars that are its inputs."""

    graph: Graph
    outputs: Sequence[Scalar]
    inputs: Sequence[Expr]

    @property
    def key(self) -> tuple:
        """Equal for graphs that differ in their constants alone."""
        places = tuple(x.index if isinstance(x, Expr) else x for x in self.outputs)
        return tuple(self.graph.operation), tuple(self.graph.operands), tuple(self.graph.tables), places


def _trace(function: Callable[[list], Sequence[Scalar]], arguments: Sequence[Scalar]) -> _Part:
    inputs: dict[int, Expr] = {}
    for x in arguments:
        if isinstance(x, Expr):
            source = _unsigned(x)
            inputs[source.index] = source
    order = {index: k for k, index in enumerate(inputs)}

    def with_numbers(given: list) -> list[Scalar]:
        values: list[Scalar] = []
        for x in arguments:
            if isinstance(x, Expr):
                source = _unsigned(x)
                value = given[order[source.index]]
                values.append(value if source is x else -value)
            else:
                values.append(x)
        return list(function(values))

    graph, outputs = trace(with_numbers, len(inputs))
    return _Part(graph, outputs, list(inputs.values()))


def _unsigned(x: Expr) -> Expr:
    """What a negation negates: a rotation has the sine with both signs, which is one input."""
    return x.graph.operand(x) if x.operation == "neg" else x


def _evaluate(group: Sequence[tuple[int, _Part]], results: list[list[Scalar]]) -> None:
    kind = None
    if len(group) > 1 and group[0][1].inputs:
        # functions of the same arguments, such as a force and its power, share what they have in common
        key = tuple(tuple(x.index for x in part.inputs) for _, part in group)
        kind = group[0][1].inputs[0].graph.kind_of(key)
    for lane, (k, part) in enumerate(group):
        inputs: Sequence[Scalar] = part.inputs
        if kind is not None:
            inputs = [in_limb(x, (kind, lane)) for x in part.inputs]
        values = evaluate(part.graph, part.outputs, inputs)
        results[k] = values if kind is None else [out_of_limbs(x) for x in values]
        part.graph.release()
