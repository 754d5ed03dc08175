"""The instructions of a schedule, cut into chunks: functions short enough for LLVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from treadle.graph import Graph
from treadle.native.schedule import LEAVES, Edge, Item, Schedule

__all__ = ["Chunk", "LoopEdge", "cut"]

#: Instructions per chunk: LLVM takes longer per instruction in larger ones, and makes them no faster.
CHUNK = 500


@dataclass(frozen=True)
class Chunk:
    """Instructions, and values to store into slots after them.

    `heads` says where the loop that the stores belong to keeps its values: slots of its heads and tails.
    """

    items: Sequence[Item] = ()
    stores: Sequence[tuple[int, int]] = ()
    heads: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LoopEdge:
    """Where the rounds of a loop begin, or go back to while the flag in a slot is not zero.

    One that is `guarded` looks at the flag before its first round, too.
    """

    loop: int
    begins: bool
    flag: int
    limit: int
    guarded: bool


def cut(
    graph: Graph, plan: Schedule, results: Sequence[int], input_count: int
) -> tuple[list[Chunk | LoopEdge], int]:
    """Chunks in the order they run, and the number of slots taken so far.

    Slots are those of the inputs, of the results, and of the values that loops carry.
    """
    slots = input_count + len(results)
    first: dict[int, int] = {}
    for number, loop in enumerate(graph.loops):
        first[number] = slots
        slots += len(loop.start)
    code: list[Chunk | LoopEdge] = []
    for part in plan.code:
        if isinstance(part, Edge):
            code += _edge(graph, part, first[part.loop])
        else:
            code += [Chunk(part[i : i + CHUNK]) for i in range(0, len(part), CHUNK)]
    # results that no instruction makes: constants (an inertia matrix is mostly zeros), inputs, ends of loops
    stores = [(i, input_count + k) for k, i in enumerate(results) if graph.operation[i] in LEAVES]
    code += [Chunk(stores=stores[i : i + CHUNK]) for i in range(0, len(stores), CHUNK)]
    return code, slots


def _edge(graph: Graph, edge: Edge, slot: int) -> list[Chunk | LoopEdge]:
    """What happens where a loop begins or ends: its values are set."""
    loop = graph.loops[edge.loop]
    guarded = loop.start[-1] not in graph.constants
    mark = LoopEdge(edge.loop, edge.begins, slot + len(loop.start) - 1, loop.limit, guarded)
    if not edge.begins:
        return [Chunk(stores=[(i, slot + k) for k, i in enumerate(loop.next)]), mark]
    heads = {i: slot + k for k, i in enumerate(loop.heads)}
    tails = {
        i: slot + graph.operands[i][1]
        for i, operation in enumerate(graph.operation)
        if operation == "tail" and graph.operands[i][0] == edge.loop
    }
    return [Chunk(stores=[(i, slot + k) for k, i in enumerate(loop.start)], heads=heads | tails), mark]
