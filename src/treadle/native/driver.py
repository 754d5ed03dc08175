"""The functions around a program's chunks: evaluate once, check first, or run worlds and steps in a loop."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treadle.native.block import Block
from treadle.native.chunks import Chunk, LoopEdge
from treadle.native.compiler import INLINED
from treadle.native.layout import Layout

__all__ = ["body_function", "checked_function", "gathered_function", "inlined", "run_function"]

#: Bytes that memory is read in.
CACHE_LINE = 64

#: Elements of output arrays other than a program's own, and their bytes.
_KINDS = {"float32": ("float", 4), "bool": ("i8", 1)}

#: Rows up to which copies are written out: LLVM's time per row grows with their number.
LONGEST_COPY = 300


def body_function(code: Sequence[Chunk | LoopEdge], block: Block, short: bool = False) -> str:
    """`body`: all chunks in order, those between the edges of a loop again while its flag is set.

    A `short` one is inlined.
    """
    lines: list[str] = []
    label = "entry"
    entered: dict[int, str] = {}
    chunks = 0
    for part in code:
        if isinstance(part, Chunk):
            lines.append(f"  call void @chunk{chunks}(ptr %frame)")
            chunks += 1
        elif part.begins:
            n = part.loop
            entered[n] = label
            label = f"round{n}"
            # the value that comes from the end of the round is filled in there
            if part.guarded:
                lines += [
                    *_any(block, part, "begin"),
                    f"  br i1 %begin.any{n}, label %{label}, label %after{n}",
                ]
            else:
                lines.append(f"  br label %{label}")
            lines += [f"{label}:", f"  %count{n} = phi i64 {{{n}}}"]
        else:
            n = part.loop
            lines += [*_any(block, part, "end"), f"  %later{n} = add i64 %count{n}, 1"]
            lines += [
                f"  %left{n} = icmp slt i64 %later{n}, {part.limit}",
                f"  %again{n} = and i1 %end.any{n}, %left{n}",
                f"  br i1 %again{n}, label %round{n}, label %after{n}",
                f"after{n}:",
            ]
            place = lines.index(f"  %count{n} = phi i64 {{{n}}}")
            lines[place] = f"  %count{n} = phi i64 [ 0, %{entered[n]} ], [ %later{n}, %{label} ]"
            label = f"after{n}"
    text = "\n".join(lines)
    return f"define void @body(ptr noalias %frame) {inlined(short)}{{\nentry:\n{text}\n  ret void\n}}"


def inlined(short: bool) -> str:
    """How the attributes of a function end."""
    return f"{INLINED} " if short else ""


def _any(block: Block, edge: LoopEdge, place: str) -> list[str]:
    """Whether the flag of a loop is set in any lane."""
    n, real = edge.loop, block.real
    zero = "0.0" if block.lanes == 1 else "zeroinitializer"
    lines = [
        f"  %{place}.where{n} = getelementptr {block.element}, ptr %frame, i64 {edge.flag * block.lanes}",
        f"  %{place}.flag{n} = load {real}, ptr %{place}.where{n}, align {block.size * block.lanes}",
    ]
    if block.lanes == 1:
        return [*lines, f"  %{place}.any{n} = fcmp une {real} %{place}.flag{n}, {zero}"]
    return [
        *lines,
        f"  %{place}.set{n} = fcmp une {real} %{place}.flag{n}, {zero}",
        f"  %{place}.bits{n} = bitcast <{block.lanes} x i1> %{place}.set{n} to i{block.lanes}",
        f"  %{place}.any{n} = icmp ne i{block.lanes} %{place}.bits{n}, 0",
    ]


def checked_function(values: int, element: str) -> str:
    """`checked`: the sum of x * 0 over the inputs is not a number if one of them is not finite."""
    return f"""define i32 @checked(ptr noalias %frame) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %more ]
  %sum = phi {element} [ 0.0, %entry ], [ %total, %more ]
  %done = icmp eq i64 %i, {values}
  br i1 %done, label %judge, label %more
more:
  %p = getelementptr {element}, ptr %frame, i64 %i
  %x = load {element}, ptr %p
  %zero = fmul {element} %x, 0.0
  %total = fadd {element} %sum, %zero
  %next = add i64 %i, 1
  br label %loop
judge:
  %bad = fcmp uno {element} %sum, %sum
  br i1 %bad, label %refuse, label %accept
refuse:
  ret i32 1
accept:
  call void @body(ptr %frame)
  ret i32 0
}}"""


def run_function(layout: Layout, block: Block, short: bool = False) -> str:
    """`run`: loop over blocks of worlds and over steps; the frame of a `short` body becomes registers."""
    loops = _Loops(block)
    for number, (name, size) in enumerate(layout.inputs.items()):
        if name not in layout.unread:
            loops.copy_rows(number, layout.offset(name), size, into_frame=True)
    gather, loops.lines = loops.lines, []
    for number, (name, size) in enumerate(layout.outputs.items(), start=len(layout.inputs)):
        loops.copy_rows(number, layout.offset(name), size, into_frame=False, kind=layout.kinds.get(name, ""))
    scatter, loops.lines = loops.lines, []
    for output, name in layout.carry.items():
        loops.copy_slots(layout.offset(output), layout.offset(name), layout.outputs[output])
    carry = loops.lines
    return "\n".join(
        [
            "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
            "define void @run(ptr noalias %arrays, i64 %begin, i64 %end, i64 %stride, i64 %steps,",
            f"                 ptr noalias %{'given' if short else 'frame'}) {{",
            "entry:",
            *([f"  %frame = alloca [{layout.slots} x {block.real}], align {CACHE_LINE}"] if short else []),
            "  br label %blocks",
            "blocks:",
            "  %world = phi i64 [ %begin, %entry ], [ %following, %scattered ]",
            "  %finished = icmp sge i64 %world, %end",
            "  br i1 %finished, label %return, label %gather",
            "gather:",
            *gather,
            "  br label %first",
            "first:",
            "  br label %stepping",
            "stepping:",
            "  %step = phi i64 [ 1, %first ], [ %later, %carried ]",
            "  call void @body(ptr %frame)",
            "  %last = icmp sge i64 %step, %steps",
            "  br i1 %last, label %scatter, label %carry",
            "carry:",
            *carry,
            "  br label %carried",
            "carried:",
            "  %later = add i64 %step, 1",
            "  br label %stepping",
            "scatter:",
            *scatter,
            "  br label %scattered",
            "scattered:",
            f"  %following = add i64 %world, {block.lanes}",
            "  br label %blocks",
            "return:",
            "  ret void",
            "}",
        ]
    )


def gathered_function(layout: Layout, block: Block) -> str:
    """`gathered`: the body on frames of single worlds, whose slots become lanes and lanes slots again.

    Squares of as many slots as lanes are transposed; the last one overlaps that before it. A square may have
    outputs of before among the inputs, and inputs among the outputs, which the body leaves alone.
    """
    inputs, total = sum(layout.inputs.values()), sum([*layout.inputs.values(), *layout.outputs.values()])
    last = total - block.lanes
    start = inputs // block.lanes * block.lanes
    return "\n".join(
        [
            "declare i64 @llvm.smin.i64(i64, i64)",
            "define void @gathered(ptr noalias %table) {",
            "entry:",
            "  %frame = load ptr, ptr %table",
            *_transposed(block, "in", "entry", 0, inputs, last),
            "  call void @body(ptr %frame)",
            *_transposed(block, "out", "in.end", min(start, last), total, last),
            "  ret void",
            "}",
        ]
    )


def _transposed(block: Block, name: str, before: str, begin: int, end: int, last: int) -> list[str]:
    """Loop over squares of slots, from the frames of worlds into that of lanes ("in") or back ("out")."""
    lanes, element, real = block.lanes, block.element, block.real
    inside = Block(lanes, element)
    slot = inside.emit(f"call i64 @llvm.smin.i64(i64 %{name}.k, i64 {last})")
    where = inside.emit(f"mul i64 {slot}, {lanes}")
    wide = inside.emit(f"getelementptr {element}, ptr %frame, i64 {where}")
    own = []
    for lane in range(lanes):
        place = inside.emit(f"getelementptr ptr, ptr %table, i64 {lane + 1}")
        frame = inside.emit(f"load ptr, ptr {place}")
        own.append(inside.emit(f"getelementptr {element}, ptr {frame}, i64 {slot}"))
    rows = [inside.emit(f"getelementptr {element}, ptr {wide}, i64 {lanes * k}") for k in range(lanes)]
    source, target = ((own, block.size), (rows, block.size * lanes))[:: 1 if name == "in" else -1]
    values = [inside.emit(f"load {real}, ptr {place}, align {source[1]}") for place in source[0]]
    values = _transpose(inside, values)
    inside.lines += [
        f"  store {real} {value}, ptr {place}, align {target[1]}" for value, place in zip(values, target[0])
    ]
    return [
        f"  br label %{name}.loop",
        f"{name}.loop:",
        f"  %{name}.k = phi i64 [ {begin}, %{before} ], [ %{name}.next, %{name}.copy ]",
        f"  %{name}.done = icmp sge i64 %{name}.k, {end}",
        f"  br i1 %{name}.done, label %{name}.end, label %{name}.copy",
        f"{name}.copy:",
        *[re.sub(r"%t(\d+)", rf"%{name}.t\1", line) for line in inside.lines],
        f"  %{name}.next = add i64 %{name}.k, {lanes}",
        f"  br label %{name}.loop",
        f"{name}.end:",
    ]


def _transpose(block: Block, rows: list[str]) -> list[str]:
    """A square of vectors transposed: blocks of one number change places, then blocks of two, of four, ..."""
    lanes, size = block.lanes, 1
    while size < lanes:
        first = [k if k & size == 0 else lanes + k - size for k in range(lanes)]
        second = [k + size if k & size == 0 else lanes + k for k in range(lanes)]
        for i in range(lanes):
            if i & size == 0:
                a, b = rows[i], rows[i + size]
                rows[i], rows[i + size] = (_shuffled(block, a, b, which) for which in (first, second))
        size *= 2
    return rows


def _shuffled(block: Block, a: str, b: str, which: Sequence[int]) -> str:
    mask = ", ".join(f"i32 {k}" for k in which)
    return block.emit(f"shufflevector {block.real} {a}, {block.real} {b}, <{block.lanes} x i32> <{mask}>")


class _Loops:
    """Copy loops of the driver, each a few blocks of IR with names of its own."""

    def __init__(self, block: Block) -> None:
        self.lanes = block.lanes
        self.real = block.real
        self.element = block.element
        self.size = block.size
        self.lines: list[str] = []
        self.count = 0

    def copy_rows(self, array: int, slot: int, rows: int, into_frame: bool, kind: str = "") -> None:
        """Rows of one block of worlds, between an array and the frame; a few are written out one by one.

        The array has elements of this kind, see `Layout.kinds`.
        """
        n = self._next()
        element, size = _KINDS.get(kind, (self.element, self.size))
        self.lines += [
            f"  %where{n} = getelementptr ptr, ptr %arrays, i64 {array}",
            f"  %array{n} = load ptr, ptr %where{n}",
            f"  %outer{n}.0 = getelementptr {element}, ptr %array{n}, i64 %world",
        ]
        if rows > LONGEST_COPY:
            outer, inner = (f"%outer{n}", size), (f"%inner{n}", self.size * self.lanes)
            inside = [
                f"  %shift{n} = mul i64 %i{n}, %stride",
                f"  %outer{n} = getelementptr {element}, ptr %outer{n}.0, i64 %shift{n}",
                *self._slot(f"inner{n}", f"%i{n}", slot, n),
                *self._move(str(n), outer, inner, forward=into_frame, kind=kind),
            ]
            self._loop(n, rows, [], inside)
            return
        for row in range(rows):
            name = f"{n}.{row}"
            outer, inner = (f"%outer{name}", size), (f"%inner{name}", self.size * self.lanes)
            self.lines += [
                f"  %inner{name} = getelementptr {self.element}, ptr %frame, i64 {(slot + row) * self.lanes}",
                *self._move(name, outer, inner, forward=into_frame, kind=kind),
                *(self._prefetch(name) if into_frame and self.lanes > 1 else []),
                f"  %outer{n}.{row + 1} = getelementptr {element}, ptr %outer{name}, i64 %stride",
            ]

    def copy_slots(self, source: int, target: int, rows: int) -> None:
        """Slots of the frame onto others."""
        n = self._next()
        aligned = self.size * self.lanes
        inside = [
            *self._slot(f"source{n}", f"%i{n}", source, n),
            *self._slot(f"target{n}", f"%i{n}", target, n),
            *self._move(str(n), (f"%source{n}", aligned), (f"%target{n}", aligned), forward=True),
        ]
        self._loop(n, rows, [], inside)

    def _prefetch(self, n: str) -> list[str]:
        """Fetch a row's next cache line: rows lie in as many places as no hardware foresees."""
        return [
            f"  %ahead{n} = getelementptr i8, ptr %outer{n}, i64 {CACHE_LINE}",
            f"  call void @llvm.prefetch.p0(ptr %ahead{n}, i32 0, i32 3, i32 1)",
        ]

    def _next(self) -> int:
        self.count += 1
        return self.count

    def _slot(self, name: str, index: str, slot: int, n: int) -> list[str]:
        return [
            f"  %{name}.k = add i64 {index}, {slot}",
            f"  %{name}.o = mul i64 %{name}.k, {self.lanes}",
            f"  %{name} = getelementptr {self.element}, ptr %frame, i64 %{name}.o",
        ]

    def _move(
        self, n: str, a: tuple[str, int], b: tuple[str, int], forward: bool, kind: str = ""
    ) -> list[str]:
        source, target = (a, b) if forward else (b, a)
        return [
            f"  %value{n} = load {self.real}, ptr {source[0]}, align {source[1]}",
            *self._converted(n, kind),
            f"  store {self._of(kind)} %{'kind' if kind else 'value'}{n}, ptr {target[0]}, align {target[1]}",
        ]

    def _converted(self, n: str, kind: str) -> list[str]:
        if kind == "float32":
            return [f"  %kind{n} = fptrunc {self.real} %value{n} to {self._of(kind)}"]
        if kind == "bool":
            zero, truth = ("0.0", "i1") if self.lanes == 1 else ("zeroinitializer", f"<{self.lanes} x i1>")
            return [
                f"  %set{n} = fcmp une {self.real} %value{n}, {zero}",
                f"  %kind{n} = zext {truth} %set{n} to {self._of(kind)}",
            ]
        return []

    def _of(self, kind: str) -> str:
        """The type of a block of worlds of this kind."""
        element = _KINDS[kind][0] if kind else self.element
        return element if self.lanes == 1 else f"<{self.lanes} x {element}>"

    def _loop(self, n: int, rows: int, before: list[str], inside: list[str]) -> None:
        self.lines += [
            *before,
            f"  br label %start{n}",
            f"start{n}:",
            f"  br label %loop{n}",
            f"loop{n}:",
            f"  %i{n} = phi i64 [ 0, %start{n} ], [ %next{n}, %copy{n} ]",
            f"  %done{n} = icmp sge i64 %i{n}, {rows}",
            f"  br i1 %done{n}, label %end{n}, label %copy{n}",
            f"copy{n}:",
            *inside,
            f"  %next{n} = add i64 %i{n}, 1",
            f"  br label %loop{n}",
            f"end{n}:",
        ]
