"""Counter-based random numbers over a generic scalar: functions of a key and a counter, without a state.

Philox4x32 with ten rounds (Salmon, Moraes, Dror and Shaw 2011). Words are whole numbers below 2^32, held as
floats. Whatever the order in which numbers are drawn, those of a key and counter are the same, in traced
code in any number of lanes and in plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.graph.expression import Expr, Scalar

__all__ = ["MULTIPLIERS", "ROUNDS", "WEYL", "philox_half", "random_pair"]

#: Of the first and the second half of the counter, and of the two words of the key.
MULTIPLIERS, WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10

_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)


def random_pair(key: Sequence[Scalar], counter: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """Two independent numbers strictly between 0 and 1 of a key (2 words) and a counter (4 words)."""
    words = [*key, *counter]
    graph = next((x.graph for x in words if isinstance(x, Expr)), None)
    if graph is None:
        return philox_half(0, *words), philox_half(1, *words)
    nodes = [graph.lift(x) for x in words]
    return graph.node("philox0", *nodes), graph.node("philox1", *nodes)


def philox_half(half: int, *words: Any) -> Any:
    """One of the two numbers from plain words: floats, or arrays of them."""
    k0, k1, x0, x1, x2, x3 = (np.real(x).astype(np.uint64) for x in map(np.asarray, words))
    first, second = (np.uint64(m) for m in MULTIPLIERS)
    for turn in range(ROUNDS):
        w0, w1 = (np.uint64(turn * w & 0xFFFFFFFF) for w in WEYL)
        a, b = x0 * first, x2 * second
        x0, x1 = (b >> _32) ^ x1 ^ ((k0 + w0) & _LOW), b & _LOW
        x2, x3 = (a >> _32) ^ x3 ^ ((k1 + w1) & _LOW), a & _LOW
    high, low = ((x0, x1), (x2, x3))[half]
    # 53 bits of two words
    bits = ((high >> np.uint64(5)) << np.uint64(26)) | (low >> np.uint64(6))
    number = (bits.astype(float) + 0.5) * 2.0**-53
    return float(number) if number.ndim == 0 else number
