"""A basic block of LLVM IR being written, in one lane or in several."""

from __future__ import annotations

import struct
from collections.abc import Sequence

__all__ = ["Block", "Pack"]


class Block:
    """Sink for the IR of straight-line code over `lanes` worlds side by side.

    Every method that emits an instruction returns the name of its result. Values are of the type
    `element` (double or float) or `<lanes x element>`; integers, used only inside the elementary
    functions, have the same shape. No instruction carries fast-math flags and every fused multiply-add
    is explicit, so the same graph gives the same bits for any number of lanes.
    """

    def __init__(self, lanes: int, element: str = "double") -> None:
        self.lanes = lanes
        self.element = element
        self.size = 8 if element == "double" else 4
        self.real = element if lanes == 1 else f"<{lanes} x {element}>"
        self.integer = "i64" if lanes == 1 else f"<{lanes} x i64>"
        self.boolean = "i1" if lanes == 1 else f"<{lanes} x i1>"
        bits = 8 * self.size
        self.suffix = f"f{bits}" if lanes == 1 else f"v{lanes}f{bits}"
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._count = 0

    def emit(self, instruction: str) -> str:
        """Append `%name = instruction` and return `%name`."""
        name = f"%t{self._count}"
        self._count += 1
        self.lines.append(f"  {name} = {instruction}")
        return name

    def constant(self, value: float) -> str:
        """Literal of a float, the same in every lane."""
        return self._splat(self.element, self.literal(value))

    def literal(self, value: float) -> str:
        """The number as LLVM writes it: the bits of a double, also where it stands for a float."""
        if self.element == "float":
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        return f"0x{bits:016X}"

    def integer_constant(self, value: int) -> str:
        """Literal of a 64-bit integer, the same in every lane."""
        return self._splat("i64", str(value))

    def binary(self, name: str, a: str, b: str) -> str:
        """Float instruction of two operands: fadd, fsub, fmul, fdiv."""
        return self.emit(f"{name} {self.real} {a}, {b}")

    def integer_binary(self, name: str, a: str, b: str) -> str:
        """Integer instruction of two operands: add, sub, and, or, xor, shl, lshr, ashr."""
        return self.emit(f"{name} {self.integer} {a}, {b}")

    def negate(self, a: str) -> str:
        return self.emit(f"fneg {self.real} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c with one rounding."""
        return self.intrinsic("fma", a, b, c)

    def intrinsic(self, name: str, *operands: str) -> str:
        """Call of an LLVM float intrinsic: fma, sqrt, fabs, floor, minnum, copysign, roundeven, ..."""
        types = ", ".join([self.real] * len(operands))
        self.declarations.add(f"declare {self.real} @llvm.{name}.{self.suffix}({types})")
        arguments = ", ".join(f"{self.real} {x}" for x in operands)
        return self.emit(f"call {self.real} @llvm.{name}.{self.suffix}({arguments})")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Float comparison (ordered predicates: olt, ole, oeq, ...) giving a boolean."""
        return self.emit(f"fcmp {predicate} {self.real} {a}, {b}")

    def integer_compare(self, predicate: str, a: str, b: str) -> str:
        """Integer comparison (eq, ne, slt, ...) giving a boolean."""
        return self.emit(f"icmp {predicate} {self.integer} {a}, {b}")

    def boolean_binary(self, name: str, a: str, b: str) -> str:
        """Boolean instruction: and, or, xor."""
        return self.emit(f"{name} {self.boolean} {a}, {b}")

    def select(self, condition: str, a: str, b: str) -> str:
        """a where the condition holds, else b, lane by lane."""
        return self.emit(f"select {self.boolean} {condition}, {self.real} {a}, {self.real} {b}")

    def to_bits(self, a: str) -> str:
        """The float's bits as an integer."""
        return self.emit(f"bitcast {self.real} {a} to {self.integer}")

    def from_bits(self, a: str) -> str:
        """The integer's bits as a float."""
        return self.emit(f"bitcast {self.integer} {a} to {self.real}")

    def _splat(self, element: str, literal: str) -> str:
        if self.lanes == 1:
            return literal
        return f"splat ({element} {literal})"


class Pack(Block):
    """Values of another shape than a block's own, written into that block."""

    def __init__(self, block: Block, lanes: int, element: str | None = None) -> None:
        super().__init__(lanes, element or block.element)
        self.declarations = block.declarations
        self._block = block

    def emit(self, instruction: str) -> str:
        return self._block.emit(instruction)

    def join(self, values: Sequence[str], boolean: bool = False) -> str:
        """A vector of the values, numbers or conditions; lanes without one repeat the first."""
        kind, element = (self.boolean, "i1") if boolean else (self.real, self.element)
        vector = self.emit(f"insertelement {kind} poison, {element} {values[0]}, i64 0")
        vector = self.emit(
            f"shufflevector {kind} {vector}, {kind} poison, <{self.lanes} x i32> zeroinitializer"
        )
        for lane, value in enumerate(values[1:], start=1):
            vector = self.emit(f"insertelement {kind} {vector}, {element} {value}, i64 {lane}")
        return vector

    def constants(self, values: Sequence[float]) -> str:
        """Literal of a vector of floats."""
        return "<" + ", ".join(f"{self.element} {self.literal(x)}" for x in values) + ">"

    def part(self, vector: str, lane: int) -> str:
        """The value in one lane."""
        return self.emit(f"extractelement {self.real} {vector}, i64 {lane}")
