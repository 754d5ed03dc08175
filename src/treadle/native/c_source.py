"""C99 of a traced computation: the same chunks and loops as the machine code, as functions over a struct.

The struct has the named arrays of the program, inputs first, and `work` for values that pass from one
function to a later one. Sums and products are written out without fused multiply-adds, and elementary
functions but sine and cosine (see `c_elementary`) are those of <math.h>: results agree with the machine code
to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from treadle.graph import Graph, Scalar
from treadle.native.c_elementary import SINCOS
from treadle.native.chunks import Chunk, LoopEdge, cut
from treadle.native.layout import Layout
from treadle.native.schedule import LEAVES, is_condition, schedule
from treadle.native.slots import Slots

__all__ = ["c_functions", "literal"]

_BINARY = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "and": "&&",
    "or": "||",
}
_CALLS = {
    "sqrt": "sqrt", "abs": "fabs", "floor": "floor", "exp": "exp", "log": "log",
    "tanh": "tanh", "atan2": "atan2", "pow": "pow",
}  # fmt: skip


def c_functions(
    name: str,
    graph: Graph,
    inputs: Mapping[str, int],
    outputs: Mapping[str, Sequence[Scalar]],
    carry: Mapping[str, str],
) -> tuple[str, Layout]:
    """Functions of a computation, the last of them `static void NAME_body(NAME_frame *s)`, and its layout."""
    results = [graph.lift(x).index for values in outputs.values() for x in values]
    plan = schedule(graph, results)
    input_count = sum(inputs.values())
    code, taken = cut(graph, plan, results, input_count)
    chunks = [part for part in code if isinstance(part, Chunk)]
    slots = Slots(graph, plan, chunks, results, input_count, taken)
    sizes = {key: len(values) for key, values in outputs.items()}
    layout = Layout(dict(inputs), sizes, dict(carry), slots.count)
    writer = _CWriter(name, graph, slots, _places(layout))
    functions = "\n".join([*[writer.chunk(number) for number in range(len(chunks))], writer.body(code)])
    # a table that nothing reads would be a warning of strict compilers
    tables = [k for k in range(len(graph.tables)) if f"{name}_table{k}[" in functions]
    return "\n".join([*[writer.table(k) for k in tables], functions]), layout


def literal(value: float) -> str:
    """A number in C, with all its digits."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _places(layout: Layout) -> Callable[[int], str]:
    """The member of the struct at a slot."""
    names: list[str] = []
    for name, size in [*layout.inputs.items(), *layout.outputs.items()]:
        names += [f"s->{name}[{k}]" for k in range(size)]
    first = len(names)
    return lambda slot: names[slot] if slot < first else f"s->work[{slot - first}]"


class _CWriter:
    """Writes the chunks of a computation as functions."""

    def __init__(self, name: str, graph: Graph, slots: Slots, place: Callable[[int], str]) -> None:
        self.name, self.graph, self.slots, self.place = name, graph, slots, place

    def table(self, number: int) -> str:
        """A look-up table."""
        values = self.graph.tables[number]
        rows = [", ".join(literal(x) for x in values[k : k + 6]) for k in range(0, len(values), 6)]
        body = ",\n    ".join(rows)
        return f"static const double {self.name}_table{number}[{len(values)}] = {{\n    {body}\n}};\n"

    def chunk(self, number: int) -> str:
        """A function that computes one chunk, or moves values where others expect them."""
        chunk = self.slots.chunks[number]
        self.lines: list[str] = []
        self.known: set[int] = set()
        self.angles: set[int] = set()
        for item in chunk.items:
            for i in item:
                # conditions are written where they are needed
                if not is_condition(self.graph, i):
                    self._compute(i)
                    self._keep(i)
        # all are read before the first is written: a loop may exchange its values
        moved = [(self._value(i), slot) for i, slot in chunk.stores]
        self.lines += [f"    {self.place(slot)} = {value};" for value, slot in moved]
        head = f"static void {self.name}_part{number}({self.name}_frame *s)"
        return "\n".join([head, "{", *(self.lines or ["    (void)s;"]), "}", ""])

    def body(self, code: Sequence[Chunk | LoopEdge]) -> str:
        """All chunks in order, those of a loop again while its flag is set."""
        lines, indent, chunks = [], "    ", 0
        for part in code:
            if isinstance(part, Chunk):
                lines.append(f"{indent}{self.name}_part{chunks}(s);")
                chunks += 1
            elif part.begins:
                flag, n = self.place(part.flag), f"n{part.loop}"
                start = f"{flag} != 0.0 ? 0 : {part.limit}" if part.guarded else "0"
                lines.append(f"{indent}for (long {n} = {start}; {n} < {part.limit}; {n}++) {{")
                indent += "    "
            else:
                lines.append(f"{indent}if (!({self.place(part.flag)} != 0.0)) break;")
                indent = indent[:-4]
                lines.append(f"{indent}}}")
        head = f"static void {self.name}_body({self.name}_frame *s)"
        return "\n".join([head, "{", *(lines or ["    (void)s;"]), "}", ""])

    def _compute(self, i: int) -> None:
        kind = "int" if is_condition(self.graph, i) else "double"
        expression = self._expression(i)
        self.lines.append(f"    const {kind} t{i} = {expression};")
        self.known.add(i)

    def _keep(self, i: int) -> None:
        """Store what others will read: results, and values of later functions."""
        places = list(self.slots.results.get(i, ()))
        if i in self.slots.crossing and self.slots.crossing[i] not in places:
            places.append(self.slots.crossing[i])
        self.lines += [f"    {self.place(slot)} = t{i};" for slot in places]

    def _value(self, i: int) -> str:
        """A node as an operand: a number, or a variable that holds it."""
        if i in self.known:
            return f"t{i}"
        operation = self.graph.operation[i]
        if operation == "const":
            return literal(self.graph.constants[i])
        if is_condition(self.graph, i):
            self._compute(i)
            return f"t{i}"
        if operation == "input":
            slot = self.graph.operands[i][0]
        elif operation in LEAVES:
            slot = self.slots.heads[i]
        else:
            slot = self.slots.crossing[i]
        self.lines.append(f"    const double t{i} = {self.place(slot)};")
        self.known.add(i)
        return f"t{i}"

    def _expression(self, i: int) -> str:
        operation, operands = self.graph.operation[i], self.graph.operands[i]
        if operation == "gather":
            return f"{self.name}_table{operands[0]}[(long){self._value(operands[1])}]"
        values = [self._value(k) for k in self.slots.plan.reads(self.graph, i)]
        product = self.slots.plan.fused.get(i)
        if product is not None:
            a, b, c = values
            if operation == "add":
                return f"{a} * {b} + {c}"
            return f"{c} - {a} * {b}" if operands[1] == product else f"{a} * {b} - {c}"
        if operation in _BINARY:
            return f"{values[0]} {_BINARY[operation]} {values[1]}"
        if operation in ("sin", "cos"):
            return self._turn(operation, operands[0])
        if operation in _CALLS:
            return f"{_CALLS[operation]}({', '.join(values)})"
        match operation:
            case "neg":
                return f"-{values[0]}"
            case "hold" | "limb":
                return values[0]
            case "not":
                return f"!{values[0]}"
            case "select":
                return f"{values[0]} ? {values[1]} : {values[2]}"
            case "min":
                return f"{values[0]} < {values[1]} ? {values[0]} : {values[1]}"
            case "max":
                return f"{values[0]} > {values[1]} ? {values[0]} : {values[1]}"
        raise ValueError(f"no C for the operation {operation!r}")

    def _turn(self, operation: str, angle: int) -> str:
        """Sine or cosine of an angle; both are computed at the first of them."""
        if angle not in self.angles:
            self.lines.append(f"    double sin{angle}, cos{angle};")
            self.lines.append(f"    {SINCOS}({self._value(angle)}, &sin{angle}, &cos{angle});")
            self.angles.add(angle)
        return f"{operation}{angle}"
