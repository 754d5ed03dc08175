"""LLVM IR of a traced computation.

All values live in a frame, an array of slots of `lanes` floats each: inputs, outputs, and the values
that pass from one chunk of code to the next or from one round of a loop to the next. Code is cut into
chunks of bounded size, so that the time LLVM takes grows linearly with the graph. The IR defines these
functions:

    body(frame)                                        evaluate once, inside the frame
    checked(frame) -> i32                              1 if an input is not finite, else body and 0
    run(arrays, begin, end, stride, steps, frame)      worlds begin..end, `steps` times each
    gathered(table)                                    body on frames of single worlds: see `Executable`

`arrays` holds one pointer per named array, inputs first; row r of world w lies at r * stride + w.
Between two steps the outputs named in `carry` become inputs.

A single lane reads the machine's numbers from an array, "constants": computations that differ in their
numbers alone have the same code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from treadle.graph import Graph, Number, Scalar
from treadle.native import elementary, philox
from treadle.native.block import Block, Pack
from treadle.native.chunks import Chunk, cut
from treadle.native.driver import body_function, checked_function, gathered_function, inlined, run_function
from treadle.native.layout import Layout
from treadle.native.schedule import LEAVES, Item, Schedule, Twin, is_condition, schedule
from treadle.native.slots import Slots

__all__ = ["emit", "is_pooled"]

#: Bytes, a cache line.
_TABLE_ALIGNMENT = 64

#: Numbers of the algorithms rather than of a machine, which are part of the code.
_PLAIN = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5)

#: Instructions and slots up to which moving inputs and outputs takes longer than computing: values stay in
#: registers.
_SHORT = 100

#: Sines and cosines that a single lane computes side by side.
PACK = 4


def emit(
    graph: Graph,
    inputs: Mapping[str, int],
    outputs: Mapping[str, Sequence[Scalar]],
    carry: Mapping[str, str],
    lanes: int,
    twins: Mapping[int, Twin] | None = None,
    element: str = "double",
    drivers: bool = True,
    aside: Collection[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> tuple[str, Layout]:
    """IR text and frame layout of a computation with named input and output arrays.

    `twins` names inputs of limbs of one kind, which a single lane computes side by side; `element` is
    the type of all numbers, double or float. Without `drivers` there is `body` alone.
    The outputs have the same bits with those `aside` as without; `kinds` are those of a `Layout`.
    """
    block = Block(lanes, element)
    results = [graph.lift(x).index for values in outputs.values() for x in values]
    beside = {graph.lift(x).index for name in aside for x in outputs.get(name, ())}
    core = {graph.lift(x).index for name, values in outputs.items() if name not in aside for x in values}
    plan = schedule(graph, results, twins if lanes == 1 else None, beside - core)
    input_count = sum(inputs.values())
    code, slots = cut(graph, plan, results, input_count)
    chunks = [part for part in code if isinstance(part, Chunk)]
    places = Slots(graph, plan, chunks, results, input_count, slots)
    size = max(places.count, sum(len(chunk.items) for chunk in chunks))
    short = not graph.loops and size <= _SHORT
    writer = _Writer(graph, plan, chunks, places, block)
    functions = [writer.chunk(number, short) for number in range(len(chunks))]
    layout = Layout(
        dict(inputs),
        {name: len(values) for name, values in outputs.items()},
        dict(carry),
        places.count,
        writer.pool,
        _unread(graph, plan, results, inputs),
        dict(kinds or {}),
    )
    text = [
        *sorted(writer.declarations),
        *writer.tables(),
        *functions,
        body_function(code, block, short),
    ]
    if drivers:
        text += [
            checked_function(sum(inputs.values()) * lanes, block.element),
            run_function(layout, block, short),
        ]
        if 1 < lanes <= input_count + len(results):
            text.append(gathered_function(layout, block))
    return "\n".join(text) + "\n", layout


def _unread(graph: Graph, plan: Schedule, results: Sequence[int], inputs: Mapping[str, int]) -> list[str]:
    """Names of the inputs that nothing depends on."""
    nodes = {k for item in plan.items for i in item for k in plan.reads(graph, i)}
    nodes |= set(results).union(*[[*loop.start, *loop.next] for loop in graph.loops])
    read = {graph.operands[i][0] for i in nodes if graph.operation[i] == "input"}
    found, place = [], 0
    for name, size in inputs.items():
        if read.isdisjoint(range(place, place + size)):
            found.append(name)
        place += size
    return found


def is_pooled(value: float, lanes: int, element: str) -> bool:
    """Whether a constant is read from the array of constants."""
    return lanes == 1 and element == "double" and (isinstance(value, Number) or value not in _PLAIN)


class _Writer:
    """Writes the chunks; values that cross between chunks get slots behind inputs and outputs."""

    def __init__(
        self,
        graph: Graph,
        plan: Schedule,
        chunks: Sequence[Chunk],
        slots: Slots,
        block: Block,
    ) -> None:
        self.graph = graph
        self.plan = plan
        self.chunks = chunks
        self.lanes = block.lanes
        self.element = block.element
        self.size = block.size
        self.declarations: set[str] = set()
        self.pool: list[int] = []
        self.pool_places: dict[Item, int] = {}
        self.slots = slots

    def chunk(self, number: int, short: bool) -> str:
        """Function that evaluates one chunk of instructions, or moves values where others expect them."""
        self._begin()
        chunk = self.chunks[number]
        self.angles = dict.fromkeys(
            self.graph.operands[item[0]][0]
            for item in chunk.items
            if len(item) == 1 and self.graph.operation[item[0]] in ("sin", "cos")
        )
        self.earlier = {k for k in self.angles if k in self.slots.crossing and self.slots.home[k] < number}
        for item in chunk.items:
            if len(item) == 1:
                self.values[item[0]] = self._node(item[0])
            else:
                self.vectors[item] = self._pack(item)
            self._keep(item)
        # all are read before the first is written: a loop may exchange its values
        for value, slot in [(self._value(i), slot) for i, slot in chunk.stores]:
            self._store(value, slot, self.block.real)
        self.declarations |= self.block.declarations
        lines = "\n".join(self.block.lines)
        head = f"define internal void @chunk{number}(ptr noalias %frame) {inlined(short)}"
        return f"{head}{{\n{lines}\n  ret void\n}}"

    def _begin(self) -> None:
        self.block = Block(self.lanes, self.element)
        self.values: dict[int, str] = {}
        self.vectors: dict[Item, str] = {}
        self.sincos: dict[Item, tuple[str, str]] = {}

    def tables(self) -> list[str]:
        """Look-up tables as global constants, written byte by byte: LLVM reads that ten times faster."""
        kind = "<f8" if self.element == "double" else "<f4"
        contents = [np.array(values, dtype=kind).tobytes() for values in self.graph.tables]
        pool = ", ".join(f"double {self.block.literal(self.graph.constants[i])}" for i in self.pool)
        pools = [f"@constants = global [{len(self.pool)} x double] [{pool}], align 64"] if pool else []
        return pools + [
            f"@table{k} = internal unnamed_addr constant [{len(content)} x i8] "
            f'c"\\{content.hex(chr(92))}", align {_TABLE_ALIGNMENT}'
            for k, content in enumerate(contents)
        ]

    # where values are kept

    def _keep(self, item: Item) -> None:
        """Store what others will read: results, and values of later chunks."""
        for i in item:
            self._store_results(i)
        first = item[0]
        if first not in self.slots.crossing or is_condition(self.graph, first):
            return
        if len(item) > 1:
            self._store(self.vectors[item], self.slots.crossing[first], Pack(self.block, len(item)).real)
        elif first not in self.slots.results:
            self._store(self.values[first], self.slots.crossing[first], self.block.real)

    def _store_results(self, i: int) -> None:
        for slot in self.slots.results.get(i, ()):
            self._store(self._value(i), slot, self.block.real)

    def _pointer(self, slot: int) -> str:
        return self.block.emit(f"getelementptr {self.element}, ptr %frame, i64 {slot * self.lanes}")

    def _store(self, value: str, slot: int, real: str) -> None:
        pointer = self._pointer(slot)
        self.block.lines.append(f"  store {real} {value}, ptr {pointer}, align {self.size * self.lanes}")

    def _load(self, slot: int, real: str) -> str:
        pointer = self._pointer(slot)
        return self.block.emit(f"load {real}, ptr {pointer}, align {self.size * self.lanes}")

    def _value(self, i: int) -> str:
        """Name of node i's value in this chunk: computed here, taken from a vector, or loaded."""
        value = self.values.get(i)
        if value is not None:
            return value
        operation = self.graph.operation[i]
        if operation == "const":
            return self._constant(i)
        if operation == "input":
            value = self._load(self.graph.operands[i][0], self.block.real)
        elif operation in LEAVES:
            value = self._load(self.slots.heads[i], self.block.real)
        elif is_condition(self.graph, i):
            value = self._node(i)
        else:
            pack = self.plan.pack_of.get(i)
            if pack in self.vectors:
                value = Pack(self.block, len(pack)).part(self.vectors[pack], pack.index(i))
            else:
                value = self._load(self.slots.crossing[i], self.block.real)
        self.values[i] = value
        return value

    def _constant(self, i: int) -> str:
        value = self.graph.constants[i]
        if is_pooled(value, self.lanes, self.element):
            return self._pooled((i,), self.block.real)
        return self.block.constant(value)

    def _pooled(self, group: Item, real: str) -> str:
        """Constants from the array, read where they are used: so they need no register on the way."""
        if group not in self.pool_places:
            self.pool_places[group] = len(self.pool)
            self.pool += group
        place = f"getelementptr (double, ptr @constants, i64 {self.pool_places[group]})"
        return self.block.emit(f"load {real}, ptr {place}, align {self.size}")

    def _vector(self, group: Item) -> str:
        """Name of a vector of several nodes' values."""
        vector = self.vectors.get(group)
        if vector is not None:
            return vector
        pack = Pack(self.block, len(group))
        if all(self.graph.operation[k] == "const" for k in group):
            numbers = [self.graph.constants[k] for k in group]
            if any(is_pooled(x, self.lanes, self.element) for x in numbers):
                return self._pooled(group, pack.real)
            return pack.constants(numbers)
        if self.plan.pack_of.get(group[0]) != group:
            members = group[:1] if all(k == group[0] for k in group) else group
            vector = pack.join([self._value(k) for k in members], is_condition(self.graph, group[0]))
        elif is_condition(self.graph, group[0]):
            vector = self._pack(group)
        else:
            vector = self._load(self.slots.crossing[group[0]], pack.real)
        self.vectors[group] = vector
        return vector

    # instructions

    def _node(self, i: int) -> str:
        """Emit one node."""
        operation = self.graph.operation[i]
        if operation == "gather":
            table, index = self.graph.operands[i]
            return self._gather(self.block, table, self._value(index))
        if operation in ("sin", "cos"):
            return self._sine(operation, self.graph.operands[i][0])
        operands = [self._value(k) for k in self.plan.reads(self.graph, i)]
        return self._instruction(self.block, i, operands)

    def _pack(self, item: Item) -> str:
        """Emit several nodes at once."""
        pack = Pack(self.block, len(item))
        operation = self.graph.operation[item[0]]
        groups = list(zip(*[self.plan.reads(self.graph, i) for i in item], strict=True))
        if operation == "gather":
            return self._gather(pack, self.graph.operands[item[0]][0], self._vector(groups[0]))
        if operation in ("sin", "cos"):
            if groups[0] not in self.sincos:
                self.sincos[groups[0]] = elementary.in_double(
                    pack, elementary.sincos, self._vector(groups[0])
                )
            return self.sincos[groups[0]][operation == "cos"]
        return self._instruction(pack, item[0], [self._vector(group) for group in groups])

    def _instruction(self, block: Block, i: int, operands: list[str]) -> str:
        """The instruction of node i on operands of any number of lanes."""
        operation = self.graph.operation[i]
        if i in self.plan.fused:
            return self._fused(block, i, *operands)
        if operation in _ARITHMETIC:
            return block.binary(_ARITHMETIC[operation], *operands)
        if operation in _INTRINSICS:
            return block.intrinsic(_INTRINSICS[operation], *operands)
        if operation in _COMPARISONS:
            return block.compare(_COMPARISONS[operation], *operands)
        if operation in _ELEMENTARY:
            return elementary.in_double(block, _ELEMENTARY[operation], *operands)
        match operation:
            case "neg":
                return block.negate(operands[0])
            case "hold" | "limb":
                return operands[0]
            case "select":
                return block.select(*operands)
            case "min":
                return block.select(block.compare("olt", operands[0], operands[1]), *operands)
            case "max":
                return block.select(block.compare("ogt", operands[0], operands[1]), *operands)
            case "and" | "or":
                return block.boolean_binary(operation, *operands)
            case "not":
                true = "true" if block.lanes == 1 else "splat (i1 true)"
                return block.boolean_binary("xor", operands[0], true)
        raise ValueError(f"no machine code for the operation {operation!r}")

    def _fused(self, block: Block, i: int, a: str, b: str, c: str) -> str:
        """a b + c, c - a b or a b - c with one rounding."""
        if self.graph.operation[i] == "add":
            return block.fma(a, b, c)
        if self.graph.operands[i][1] == self.plan.fused[i]:
            return block.fma(block.negate(a), b, c)
        return block.fma(a, b, block.negate(c))

    def _sine(self, operation: str, angle: int) -> str:
        """sin and cos of one angle share their work; a single lane computes several angles at once."""
        if (angle,) not in self.sincos:
            group = [angle]
            if self.lanes == 1:
                waiting = [k for k in self.angles if (k,) not in self.sincos and k != angle]
                group += [k for k in waiting if self._available(k)][: PACK - 1]
            if len(group) == 1:
                self.sincos[(angle,)] = elementary.in_double(
                    self.block, elementary.sincos, self._value(angle)
                )
            else:
                pack = Pack(self.block, PACK)
                angles = pack.join([self._value(k) for k in group])
                sines, cosines = elementary.in_double(pack, elementary.sincos, angles)
                for lane, k in enumerate(group):
                    self.sincos[(k,)] = pack.part(sines, lane), pack.part(cosines, lane)
        return self.sincos[(angle,)][operation == "cos"]

    def _available(self, i: int) -> bool:
        """Whether node i has its value before the current chunk's remaining nodes are computed."""
        return i in self.values or self.graph.operation[i] in LEAVES or i in self.earlier

    def _gather(self, block: Block, table: int, index: str) -> str:
        """Table entry at a whole index, lane by lane."""
        where = block.emit(f"fptosi {block.real} {index} to {block.integer}")
        if block.lanes == 1:
            pointer = block.emit(f"getelementptr {self.element}, ptr @table{table}, i64 {where}")
            return block.emit(f"load {self.element}, ptr {pointer}, align {self.size}")
        result = "poison"
        for lane in range(block.lanes):
            k = block.emit(f"extractelement {block.integer} {where}, i64 {lane}")
            pointer = block.emit(f"getelementptr {self.element}, ptr @table{table}, i64 {k}")
            entry = block.emit(f"load {self.element}, ptr {pointer}, align {self.size}")
            result = block.emit(f"insertelement {block.real} {result}, {self.element} {entry}, i64 {lane}")
        return result


_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor"}
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq"}
_ELEMENTARY = {
    "exp": elementary.exp,
    "log": elementary.log,
    "tanh": elementary.tanh,
    "atan2": elementary.atan2,
    "pow": elementary.power,
    "philox0": philox.first_half,
    "philox1": philox.second_half,
}
