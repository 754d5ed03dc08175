"""What to compute, and in which order: the graph as a list of instructions.

Dead nodes are left out, a multiplication with one user that adds or subtracts it becomes part of that
user, and where a machine has limbs of one kind, instructions that do the same for each limb are packed
into one vector instruction. The order is cut into segments: the code between the edges of loops.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from treadle.graph import Graph
from treadle.graph.expression import BOOLEAN_OPERATIONS
from treadle.graph.iteration import loop_bodies

__all__ = ["LEAVES", "Edge", "Item", "Schedule", "Twin", "schedule"]

#: Place of an input among limbs of one kind: number of the kind, and of the limb (its lane).
Twin = tuple[int, int]

#: An instruction computes one node, or several at once in the lanes of a vector.
Item = tuple[int, ...]

#: Operations that are no instructions: their values lie ready.
LEAVES = ("input", "const", "head", "tail")


@dataclass(frozen=True)
class Edge:
    """Where a loop of the graph begins or ends."""

    loop: int
    begins: bool


@dataclass(frozen=True)
class Schedule:
    """Instructions in order, in segments between the edges of loops, and additions with the product
    that they absorb."""

    code: list[list[Item] | Edge]
    fused: dict[int, int]
    pack_of: dict[int, Item]
    #: sums and products whose first two operands change places, so that those of twins match
    swapped: set[int] = field(default_factory=set)

    @property
    def items(self) -> list[Item]:
        """All instructions in order."""
        return [item for part in self.code if not isinstance(part, Edge) for item in part]

    def reads(self, graph: Graph, i: int) -> list[int]:
        """Nodes that the instruction of node i reads, in the order of its operands."""
        product = self.fused.get(i)
        if product is None:
            read = list(dependencies(graph, i))
        else:
            left, right = graph.operands[i]
            read = [*graph.operands[product], left if right == product else right]
        if i in self.swapped:
            read[:2] = read[1::-1]
        return read


def schedule(
    graph: Graph,
    results: Sequence[int],
    twins: Mapping[int, Twin] | None = None,
    aside: Collection[int] = (),
) -> Schedule:
    """Order the nodes that the results need; `twins` says which inputs belong to limbs of one kind.

    Without them, None, nothing is packed. The other results have the same bits with those `aside` as without.
    """
    uses = _count_uses(graph, results)
    core = uses if not aside else _count_uses(graph, [i for i in results if i not in aside])
    held = set().union(*[[*x.start, *x.next] for x in graph.loops])
    fused = _fuse(graph, uses, core, held.union(i for i in results if i not in aside), held.union(results))
    # what is computed aside may need the product itself
    absorbed = {k for k in fused.values() if uses[k] == 1}
    segments = _segments(graph, [i for i, count in enumerate(uses) if count and i not in absorbed])
    plain = Schedule([x if isinstance(x, Edge) else [(i,) for i in x] for x in segments], fused, {})
    if twins is None or not (twins or graph.limbs):
        return plain
    packs = _packs(graph, plain, [x for x in segments if not isinstance(x, Edge)], twins)
    return _ordered(graph, plain, segments, packs) or plain


def _segments(graph: Graph, nodes: Sequence[int]) -> list[list[int] | Edge]:
    """The instructions among the nodes in the order of the code, with the edges of loops.

    A loop stands where its first tail is asked for: everything that it reads was made before.
    """
    bodies = loop_bodies(graph) if graph.loops else [-1] * len(graph)
    members: dict[int, list[int]] = {}
    for i in nodes:
        members.setdefault(bodies[i], []).append(i)
    segments: list[list[int] | Edge] = []

    def write(region: int) -> None:
        segment: list[int] = []
        segments.append(segment)
        written: set[int] = set()
        for i in members.get(region, ()):
            if graph.operation[i] == "tail" and graph.operands[i][0] not in written:
                number = graph.operands[i][0]
                written.add(number)
                segments.append(Edge(number, begins=True))
                write(number)
                segments.append(Edge(number, begins=False))
                segment = []
                segments.append(segment)
            elif graph.operation[i] not in LEAVES:
                segment.append(i)

    write(-1)
    return segments


def dependencies(graph: Graph, i: int) -> tuple[int, ...]:
    """Nodes that node i needs."""
    operation, operands = graph.operation[i], graph.operands[i]
    match operation:
        case "input" | "const":
            return ()
        case "head":
            return (graph.loops[operands[0]].start[operands[1]],)
        case "tail":
            loop = graph.loops[operands[0]]
            return (*loop.start, *loop.next)
        case "gather":
            return operands[1:]
    return operands


def _count_uses(graph: Graph, results: Sequence[int]) -> list[int]:
    uses = [0] * len(graph)
    for i in results:
        uses[i] += 1
    for i in range(len(graph) - 1, -1, -1):
        if uses[i]:
            for k in dependencies(graph, i):
                uses[k] += 1
    return uses


def _fuse(
    graph: Graph, uses: Sequence[int], core: Sequence[int], core_kept: set[int], kept: set[int]
) -> dict[int, int]:
    """Additions and subtractions, each with the multiplication that it absorbs.

    In the core these are multiplications that it needs once, whatever is needed aside.
    """
    fused: dict[int, int] = {}
    for i, operation in enumerate(graph.operation):
        if uses[i] and operation in ("add", "sub"):
            counts, held = (core, core_kept) if core[i] else (uses, kept)
            for k in reversed(graph.operands[i]):
                if graph.operation[k] == "mul" and counts[k] == 1 and k not in held:
                    fused[i] = k
                    break
    return fused


def _packs(
    graph: Graph, plain: Schedule, segments: Sequence[Sequence[int]], twins: Mapping[int, Twin]
) -> list[Item]:
    """Groups of nodes that do the same for each limb of a kind, operands before users.

    Two nodes do the same if they have one shape (the operations below them, whatever the constants) and
    are, among the nodes of that shape in one segment, the same one of their own limb.
    """
    segment_of = {i: number for number, segment in enumerate(segments) for i in segment}
    nodes = sorted(segment_of)
    shape, limb = _shapes(graph, plain, nodes, twins)
    places = [*twins.values(), *[place for place in graph.limbs.values() if place is not None]]
    lanes = {kind: 1 + max(lane for k, lane in places if k == kind) for kind, _ in places}
    members: dict[tuple[int, int, int], dict[int, list[int]]] = {}
    for i in nodes:
        place = limb[i]
        if place is not None:
            members.setdefault((place[0], shape[i], segment_of[i]), {}).setdefault(place[1], []).append(i)
    candidates = []
    for (kind, *_), by_lane in members.items():
        counts = {len(group) for group in by_lane.values()}
        if len(by_lane) == lanes[kind] and len(counts) == 1:
            candidates += list(zip(*[by_lane[lane] for lane in range(lanes[kind])], strict=True))
    accepted: dict[int, Item] = {}
    packs = []
    for pack in sorted(candidates):
        operands = zip(*[plain.reads(graph, i) for i in pack], strict=True)
        # what begins the part of a limb comes from anywhere
        begins = graph.operation[pack[0]] == "limb"
        if begins or all(_joins(graph, limb, accepted, group) for group in operands):
            packs.append(pack)
            accepted.update(dict.fromkeys(pack, pack))
    return packs


def _shapes(
    graph: Graph, plain: Schedule, nodes: Sequence[int], twins: Mapping[int, Twin]
) -> tuple[dict[int, int], dict[int, Twin | None]]:
    """Hash of what lies below every node, and the limb it belongs to (None: to none or to several)."""
    shape: dict[int, int] = {}
    limb: dict[int, Twin | None] = {}
    role: dict[tuple, int] = {}
    instructions = set(nodes)

    def leaf(i: int, source: object, place: Twin | None) -> None:
        limb[i] = place
        if place is None:
            shape[i] = hash((source, i))
        else:
            role[source, place] = role.get((source, place), 0) + 1
            shape[i] = hash((source, place[0], role[source, place]))

    for i, operation in enumerate(graph.operation):
        operands = graph.operands[i]
        if operation == "const":
            shape[i], limb[i] = 1, None
        elif operation == "input":
            leaf(i, "input", twins.get(operands[0]))
        elif operation in ("head", "tail"):
            # a value of a loop belongs to the limb that it starts from
            leaf(i, (operation, operands[0]), limb.get(graph.loops[operands[0]].start[operands[1]]))
        elif operation == "limb":
            leaf(i, operation, graph.limbs[i])
        elif i in instructions:
            read = plain.reads(graph, i)
            if _is_commutative(plain, operation, i) and limb[read[0]] is None and limb[read[1]] is not None:
                plain.swapped.add(i)
                read = plain.reads(graph, i)
            shape[i] = hash((_form(graph, plain, i), *[shape[k] for k in read]))
            places = {limb[k] for k in read} - {None}
            limb[i] = places.pop() if len(places) == 1 else None
    return shape, limb


def _is_commutative(plain: Schedule, operation: str, i: int) -> bool:
    """Whether the first two values that an instruction reads may change places."""
    return i in plain.fused or operation in ("add", "mul")


def _form(graph: Graph, plain: Schedule, i: int) -> str:
    """The instruction's kind: the operation, and on which side a fused product stands."""
    operation = graph.operation[i]
    if operation == "gather":
        return f"gather {graph.operands[i][0]}"
    if i not in plain.fused:
        return operation
    side = "left" if graph.operands[i][1] != plain.fused[i] else "right"
    return "fused add" if operation == "add" else f"fused sub {side}"


def _joins(graph: Graph, limb: Mapping[int, Twin | None], accepted: Mapping[int, Item], group: Item) -> bool:
    """Whether operands of a pack can be one vector: a pack themselves, inputs, or from outside the limbs."""
    if accepted.get(group[0]) == group:
        return True
    return all(graph.operation[k] in LEAVES or limb[k] is None for k in group)


def _ordered(
    graph: Graph, plain: Schedule, segments: Sequence[list[int] | Edge], packs: Sequence[Item]
) -> Schedule | None:
    """The schedule with packs, if they do not wait for each other."""
    pack_of = {i: pack for pack in packs for i in pack}
    code: list[list[Item] | Edge] = []
    for segment in segments:
        ordered = segment if isinstance(segment, Edge) else _ordered_segment(graph, plain, segment, pack_of)
        if ordered is None:
            return None
        code.append(ordered)
    return Schedule(code, plain.fused, pack_of, plain.swapped)


def _ordered_segment(
    graph: Graph, plain: Schedule, nodes: Sequence[int], pack_of: Mapping[int, Item]
) -> list[Item] | None:
    """Instructions with packs, each after what it reads and as early as its first node stood."""
    items = [*dict.fromkeys(pack_of.get(i, (i,)) for i in nodes)]
    item_of = {i: item for item in items for i in item}
    waiting: dict[Item, int] = {}
    users: dict[Item, list[Item]] = {}
    for item in items:
        needed = {item_of[k] for i in item for k in plain.reads(graph, i) if k in item_of}
        waiting[item] = len(needed)
        for other in needed:
            users.setdefault(other, []).append(item)
    ready = [item for item in items if waiting[item] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        item = heapq.heappop(ready)
        order.append(item)
        for user in users.get(item, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, user)
    # packs that wait for each other would leave some out
    return order if len(order) == len(items) else None


def is_condition(graph: Graph, i: int) -> bool:
    """Whether node i is true or false."""
    return graph.operation[i] in BOOLEAN_OPERATIONS
