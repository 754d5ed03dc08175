"""Counter-based random numbers of many worlds: functions of seed, episode, step and place, without a state.

Philox4x32 with ten rounds (Salmon, Moraes, Dror and Shaw 2011). Whatever the order of resets, the number of
worlds and the threads, the numbers of a seed are the same.
"""

from __future__ import annotations

import numpy as np

__all__ = ["normals", "uniforms"]

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_ROUNDS = 10


def uniforms(seeds: np.ndarray, episodes: np.ndarray, count: int, step: int | np.ndarray = 0) -> np.ndarray:
    """(count, worlds) numbers strictly between 0 and 1, of worlds with these seeds in these episodes."""
    pairs = -(-count // 2)
    shape = pairs, len(seeds)
    x0 = np.broadcast_to(np.arange(pairs, dtype=np.uint64)[:, None], shape)
    x1 = np.broadcast_to(np.asarray(episodes, dtype=np.uint64) & _LOW, shape)
    x2 = np.broadcast_to(np.asarray(step, dtype=np.uint64), shape)
    x3 = np.zeros(shape, np.uint64)
    keys = np.asarray(seeds, dtype=np.uint64)
    k0, k1 = keys & _LOW, keys >> _32
    for _ in range(_ROUNDS):
        first, second = x0 * _M0, x2 * _M1
        x0, x1, x2, x3 = (second >> _32) ^ x1 ^ k0, second & _LOW, (first >> _32) ^ x3 ^ k1, first & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    values = np.empty((2 * pairs, len(seeds)))
    values[0::2], values[1::2] = _fraction(x0, x1), _fraction(x2, x3)
    return values[:count]


def normals(seeds: np.ndarray, episodes: np.ndarray, count: int, step: int | np.ndarray = 0) -> np.ndarray:
    """(count, worlds) standard normal numbers, by the method of Box and Muller."""
    u = uniforms(seeds, episodes, 2 * count, step)
    return np.sqrt(-2.0 * np.log(u[:count])) * np.cos(2.0 * np.pi * u[count:])


def _fraction(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """53 bits of two words as a number in (0, 1)."""
    bits = ((a >> np.uint64(5)) << np.uint64(26)) | (b >> np.uint64(6))
    return (bits.astype(float) + 0.5) * 2.0**-53
