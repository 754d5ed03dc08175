"""Philox4x32 with ten rounds as LLVM IR (see `treadle.graph.random`), in the integers of the lanes."""

from __future__ import annotations

from treadle.graph.random import MULTIPLIERS, ROUNDS, WEYL
from treadle.native.block import Block

__all__ = ["first_half", "second_half"]

_MASK = 0xFFFFFFFF


def first_half(block: Block, *words: str) -> str:
    """The first number of a key and counter. Code of both halves is the same: LLVM runs it once."""
    return _fraction(block, *_philox(block, *words)[:2])


def second_half(block: Block, *words: str) -> str:
    """The second number."""
    return _fraction(block, *_philox(block, *words)[2:])


def _philox(block: Block, *words: str) -> tuple[str, str, str, str]:
    """The counter's four words after all rounds, each in the low half of a 64-bit integer."""
    integer, constant = block.integer_binary, block.integer_constant
    k0, k1, x0, x1, x2, x3 = (_whole(block, word) for word in words)
    for turn in range(ROUNDS):
        if turn:
            k0, k1 = (
                integer("and", integer("add", k, constant(w)), constant(_MASK))
                for k, w in zip((k0, k1), WEYL, strict=True)
            )
        a, b = (integer("mul", x, constant(m)) for x, m in zip((x0, x2), MULTIPLIERS, strict=True))
        x0 = integer("xor", integer("xor", integer("lshr", b, constant(32)), x1), k0)
        x2 = integer("xor", integer("xor", integer("lshr", a, constant(32)), x3), k1)
        x1, x3 = integer("and", b, constant(_MASK)), integer("and", a, constant(_MASK))
    return x0, x1, x2, x3


def _whole(block: Block, word: str) -> str:
    """A whole number below 2^32 as an integer: beside 2^52 it stands in the low bits."""
    shifted = block.binary("fadd", word, block.constant(2.0**52))
    # with the upper bits known to be zero a product takes one instruction
    return block.integer_binary("and", block.to_bits(shifted), block.integer_constant(_MASK))


def _fraction(block: Block, high: str, low: str) -> str:
    """53 bits of two words as a number in (0, 1)."""
    integer, constant = block.integer_binary, block.integer_constant
    upper = integer("shl", integer("lshr", high, constant(5)), constant(26))
    bits = integer("or", upper, integer("lshr", low, constant(6)))
    number = block.emit(f"uitofp {block.integer} {bits} to {block.real}")
    return block.binary("fmul", block.binary("fadd", number, block.constant(0.5)), block.constant(2.0**-53))
