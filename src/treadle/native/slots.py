"""Where the values of a computation that is cut into chunks are kept: slots of its frame."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Graph
from treadle.native.chunks import Chunk
from treadle.native.schedule import Schedule, is_condition

__all__ = ["Slots"]


class Slots:
    """Slots of results, of values that loops carry, and of values that pass from one chunk to a later one.

    Inputs and outputs come first in the frame; `count` is the number of all slots.
    """

    def __init__(
        self,
        graph: Graph,
        plan: Schedule,
        chunks: Sequence[Chunk],
        results: Sequence[int],
        input_count: int,
        taken: int,
    ) -> None:
        self.graph, self.plan, self.chunks = graph, plan, chunks
        self.count = taken
        #: of a node, those of the outputs that it is
        self.results: dict[int, list[int]] = {}
        for position, i in enumerate(results):
            self.results.setdefault(i, []).append(input_count + position)
        #: the chunk that computes a node
        self.home = {i: number for number, chunk in enumerate(chunks) for item in chunk.items for i in item}
        #: of the values that a loop carries
        self.heads = {i: slot for chunk in chunks for i, slot in chunk.heads.items()}
        #: of a node that a later chunk reads
        self.crossing = self._crossing()

    def reads(self, i: int) -> list[int]:
        """Values that node i reads; a condition is written again where it is needed."""
        read = []
        for k in self.plan.reads(self.graph, i):
            read += self.reads(k) if is_condition(self.graph, k) else [k]
        return read

    def _crossing(self) -> dict[int, int]:
        """Slots of the values that a later chunk reads; those of a pack lie side by side."""
        slots: dict[int, int] = {}
        for number, chunk in enumerate(self.chunks):
            read = [k for item in chunk.items for i in item for k in self.reads(i)]
            for k in (*read, *[i for i, _ in chunk.stores]):
                if k not in self.home or self.home[k] == number or k in slots:
                    continue
                if k in self.results and k not in self.plan.pack_of:
                    slots[k] = self.results[k][0]
                    continue
                for member in self.plan.pack_of.get(k, (k,)):
                    slots[member] = self.count
                    self.count += 1
        return slots
