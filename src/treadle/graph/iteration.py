"""Loops whose number of rounds depends on the values: Newton's method, steps under error control.

On floats `iterate` is a plain loop. Traced, it becomes a loop of the graph: its body is traced once, over
"head" nodes that stand for the values at the start of a round; "tail" nodes stand for the values at
the end of the last. What the body computes without its heads is computed once, before the loop.

Derivatives do not pass through a loop of the graph. Inside `unrolled(rounds)` loops are written out round by
round instead, so that they do: a loop that ends within so many rounds gives the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from treadle.graph.expression import Expr, Graph, Loop, Scalar
from treadle.graph.functions import where

__all__ = ["iterate", "loop_bodies", "unrolled", "unrolling"]

#: Rounds that loops are written out for; none while they are loops of the graph.
_ROUNDS: ContextVar[int | None] = ContextVar("rounds", default=None)

#: One round: values -> values after it, and the condition under which another one follows.
Body = Callable[[list[Scalar]], tuple[Sequence[Scalar], Any]]


@contextmanager
def unrolled(rounds: int) -> Iterator[None]:
    """Write loops that are traced out for at most so many rounds, as straight-line code."""
    token = _ROUNDS.set(rounds)
    try:
        yield
    finally:
        _ROUNDS.reset(token)


def unrolling() -> bool:
    """Whether loops that are traced now are written out."""
    return _ROUNDS.get() is not None


def iterate(
    body: Body, start: Sequence[Scalar], limit: int, when: Any = True, rarely: bool = False
) -> list[Scalar]:
    """Repeat `x, go_on = body(x)` from `start` while the condition holds, at most `limit` rounds.

    Unless the condition `when` holds at the start, the values stay as they are and no round is computed;
    what the body needs must then come in through `start`, or it is computed before the loop. In many
    worlds side by side, those that are done keep their values while the others go on. A loop that `rarely`
    takes a second round has one where loops are unrolled.
    """
    rounds = _ROUNDS.get()
    if rounds is not None:
        return _unrolled(body, start, limit, 1 if rarely else rounds, when)
    graph = _graph_of([*start, when])
    if graph is not None:
        return _traced(graph, body, start, limit, when)
    if not when:
        return list(start)
    values, go_on = body(list(start))
    graph = _graph_of([*values, go_on])
    if graph is not None:
        return _traced(graph, body, start, limit, when)
    for _ in range(limit - 1):
        if not go_on:
            break
        values, go_on = body(list(values))
    return list(values)


def _unrolled(body: Body, start: Sequence[Scalar], limit: int, rounds: int, when: Any) -> list[Scalar]:
    """Rounds one after another; those after the end keep the values.

    Rounds of which it is known while tracing that they are taken, such as the stages of a method, are all
    written out; of others at most `rounds`.
    """
    values, running = list(start), when
    for _ in range(limit):
        if not isinstance(running, Expr) and not np.any(running):
            break
        after, go_on = body(list(values))
        values = [where(running, new, old) for new, old in zip(after, values, strict=True)]
        running = running & go_on
        rounds -= isinstance(running, Expr)
        if rounds <= 0:
            break
    return values


def _graph_of(values: Sequence[Scalar]) -> Graph | None:
    return next((x.graph for x in values if isinstance(x, Expr)), None)


def _traced(graph: Graph, body: Body, start: Sequence[Scalar], limit: int, when: Any) -> list[Scalar]:
    number = len(graph.loops)
    begin = [graph.lift(x).index for x in (*start, where(when, 1.0, 0.0))]
    loop = Loop(begin, limit)
    graph.loops.append(loop)
    heads: list[Scalar] = [graph.unique("head", (number, k)) for k in range(len(begin))]
    loop.heads = [x.index for x in heads]  # type: ignore[union-attr]
    *values, active = heads
    after, go_on = body(list(values))
    if len(after) != len(values):
        raise ValueError(f"a loop over {len(values)} values must return as many, not {len(after)}")
    # worlds that have converged wait for the other lanes
    running = active > 0.0
    kept = [where(running, new, old) for new, old in zip(after, values, strict=True)]
    loop.next = [graph.lift(x).index for x in (*kept, where(running & go_on, 1.0, 0.0))]
    return [graph.unique("tail", (number, k)) for k in range(len(values))]


def loop_bodies(graph: Graph) -> list[int]:
    """Of every node, the number of the innermost loop that it is computed in; -1 outside of all."""
    inside: list[frozenset[int]] = []
    nowhere: frozenset[int] = frozenset()
    outside: dict[int, frozenset[int]] = {}
    for operation, operands in zip(graph.operation, graph.operands, strict=True):
        match operation:
            case "input" | "const":
                inside.append(nowhere)
            case "head":
                loop = graph.loops[operands[0]]
                if operands[0] not in outside:
                    outside[operands[0]] = nowhere.union(*[inside[k] for k in loop.start])
                inside.append(outside[operands[0]] | {operands[0]})
            case "tail":
                loop = graph.loops[operands[0]]
                inside.append(nowhere.union(*[inside[k] for k in loop.next]) - {operands[0]})
            case "gather":
                inside.append(inside[operands[1]])
            case _:
                inside.append(nowhere.union(*[inside[k] for k in operands]))
    return [max(numbers, default=-1) for numbers in inside]
