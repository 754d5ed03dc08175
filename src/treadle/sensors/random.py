"""Counter-based random numbers: functions of seed, sensor, world, sample and channel, without a state.

Whatever the order, the threads and the number of worlds, the numbers are the same.
"""

from __future__ import annotations

import hashlib

import numpy as np

__all__ = ["normals", "sensor_key"]


def sensor_key(seed: int, name: str) -> int:
    """The key (64 bits) of a sensor's random numbers: two sensors with one seed have different ones."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def normals(key: int, index: np.ndarray, worlds: np.ndarray, count: int, stream: int) -> np.ndarray:
    """(count, worlds) standard normal numbers of the samples `index` of these worlds."""
    from treadle.sensors.chain import normals_at

    values = np.empty((count, len(worlds)))
    normals_at(np.uint64(key), np.asarray(index, np.int64), np.asarray(worlds, np.int64), stream, values)
    return values
