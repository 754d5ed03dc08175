"""The measurement chain: from exact values to what a sensor shows, for all channels and worlds.

Random numbers are Philox4x32 with ten rounds (Salmon, Moraes, Dror and Shaw 2011): the counter is (sample,
world, channel and stream), the key belongs to the sensor.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from treadle.native.c_types import CPointer, int64, void
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, RealList, RealTable, Shaped, view
from treadle.native.kernels import inner

__all__ = ["MEMORY", "measure", "normals_at"]

#: Numbers that a channel hands from sample to sample: random walk, Gauss-Markov bias, output of the backlash.
MEMORY = 3

#: Streams of random numbers: samples, Gauss-Markov bias, turn-on bias.
_SAMPLE, _DYNAMIC, _TURN_ON = 0, 1, 2

_MASK, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_HIGH, _LOW, _STREAM = np.uint64(21), np.uint64(11), np.uint64(24)
_ROUNDS = 10

#: Step between two numbers of 53 bits.
_STEP = 1.0 / (1 << 53)

# columns of the table, see `noise.COLUMNS`
_STDDEV, _DENSITY, _WALK, _DYNAMIC_STDDEV, _CORRELATION, _BIAS, _BIAS_STDDEV = range(7)
_SCALE, _DEAD_BAND, _LOWER, _UPPER, _QUANTIZATION, _BACKLASH = range(7, 13)


class Sample(NamedTuple):
    """What the kernel of a sample takes, see `measure`."""

    key: int
    effects: RealTable
    values: RealTable
    memory: Annotated[np.ndarray, Shaped(np.float64, 3)]
    counts: IntegerList
    interval: RealList
    root_rate: RealList
    taken: Annotated[np.ndarray, Shaped(np.bool_)]
    worlds: IntegerList


def measure(
    key: int | np.uint64,
    effects: np.ndarray,
    values: np.ndarray,
    memory: np.ndarray,
    index: np.ndarray,
    interval: np.ndarray,
    root_rate: np.ndarray,
    taken: np.ndarray,
    worlds: np.ndarray,
) -> None:
    """Apply the imperfections in the table `effects` to `values` of the worlds that take a sample.

    `values` are (channels, worlds), `memory` is (channels, MEMORY, worlds). The others are (worlds): `index`
    counts samples, `interval` is the time since the one before (s), 0 at the first, `root_rate` the root of
    the rate (Hz), `worlds` their numbers.
    """
    given = [np.ascontiguousarray(x) for x in (index, interval, root_rate, taken, worlds)]
    sample = Sample(_signed(key), np.ascontiguousarray(effects), values, memory, *given)
    measure_sample(sample)


def normals_at(
    key: int | np.uint64, index: np.ndarray, worlds: np.ndarray, stream: int, values: np.ndarray
) -> None:
    """Fill (count, worlds) with standard normal numbers."""
    normal_numbers(Draw(_signed(key), stream, index, worlds, values))


def _signed(key: int | np.uint64) -> int:
    """A key of 64 bits as the whole number that a table holds."""
    return int(np.uint64(key).view(np.int64))


_sample = view(Sample)


@entry(void(CPointer(int64)), nogil=True)
def measure_sample(address):
    """The kernel of `measure`, which takes the table of a Sample."""
    given = _sample(address)
    key, values, memory, index = np.uint64(given.key), given.values, given.memory, given.counts
    interval, root_rate, taken, worlds = given.interval, given.root_rate, given.taken, given.worlds
    for i in range(values.shape[0]):
        row = given.effects[i]
        noisy = row[_STDDEV] > 0.0 or row[_DENSITY] > 0.0 or row[_WALK] > 0.0
        last, phi, drive, walk = -1.0, 1.0, 0.0, 0.0
        last_rate, white = -1.0, 0.0
        for w in range(values.shape[1]):
            if not taken[w]:
                continue
            dt, x = interval[w], values[i, w]
            if row[_BACKLASH] > 0.0:
                half = 0.5 * row[_BACKLASH]
                x = x if dt == 0.0 else min(max(memory[i, 2, w], x - half), x + half)
                memory[i, 2, w] = x
            y = x * (1.0 + row[_SCALE]) + row[_BIAS]
            if dt != last:
                last = dt
                phi, drive, walk = _dynamics(row, dt)
            if row[_BIAS_STDDEV] > 0.0:
                y += row[_BIAS_STDDEV] * _two_normals(key, 0, worlds[w], i, _TURN_ON)[0]
            if noisy:
                if root_rate[w] != last_rate:
                    last_rate = root_rate[w]
                    white = math.hypot(row[_STDDEV], row[_DENSITY] * last_rate)
                if row[_WALK] > 0.0:
                    a, b = _two_normals(key, index[w], worlds[w], i, _SAMPLE)
                    memory[i, 0, w] += walk * b
                    y += memory[i, 0, w] + white * a
                else:
                    y += white * _two_normals(key, index[w], worlds[w], i, _SAMPLE)[0]
            if row[_DYNAMIC_STDDEV] > 0.0:
                drawn = _two_normals(key, index[w], worlds[w], i, _DYNAMIC)[0]
                memory[i, 1, w] = phi * memory[i, 1, w] + drive * drawn
                y += memory[i, 1, w]
            values[i, w] = _digitized(row, y)


class Draw(NamedTuple):
    """What the kernel of normal numbers takes, see `normals_at`."""

    key: int
    stream: int
    counts: IntegerList
    worlds: IntegerList
    values: RealTable


_draw = view(Draw)


@entry(void(CPointer(int64)), nogil=True)
def normal_numbers(address):
    """The kernel of `normals_at`, which takes the table of a Draw."""
    given = _draw(address)
    key, values = np.uint64(given.key), given.values
    for i in range(values.shape[0]):
        for w in range(values.shape[1]):
            values[i, w] = _two_normals(key, given.counts[w], given.worlds[w], i, given.stream)[0]


@inner()
def _dynamics(row, dt):
    """Of an interval: factor and drive of the Gauss-Markov bias, and the step of the random walk."""
    phi, drive = 1.0, 0.0
    if row[_DYNAMIC_STDDEV] > 0.0:
        if row[_CORRELATION] > 0.0:
            phi = math.exp(-dt / row[_CORRELATION])
            drive = row[_DYNAMIC_STDDEV] * math.sqrt(
                -0.5 * row[_CORRELATION] * math.expm1(-2.0 * dt / row[_CORRELATION])
            )
        else:
            drive = row[_DYNAMIC_STDDEV] * math.sqrt(dt)
    return phi, drive, row[_WALK] * math.sqrt(dt)


@inner()
def _digitized(row, y):
    """Dead band, range and steps."""
    if abs(y) < row[_DEAD_BAND]:
        y = 0.0
    y = min(max(y, row[_LOWER]), row[_UPPER])
    if row[_QUANTIZATION] > 0.0:
        y = row[_QUANTIZATION] * np.floor(y / row[_QUANTIZATION] + 0.5)
    return y


@inner()
def _two_normals(key, sample, world, channel, stream):
    """Two independent standard normal numbers (Box and Muller)."""
    c0, c1 = np.uint64(sample) & _MASK, np.uint64(sample) >> _32
    c2, c3 = np.uint64(world) & _MASK, np.uint64(channel) + (np.uint64(stream) << _STREAM)
    k0, k1 = key & _MASK, key >> _32
    for _ in range(_ROUNDS):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _MASK, (p0 >> _32) ^ c3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + _W0) & _MASK, (k1 + _W1) & _MASK
    # 53 bits each; the first is never zero
    u = (float((c0 << _HIGH) ^ (c1 >> _LOW)) + 0.5) * _STEP
    t = float((c2 << _HIGH) ^ (c3 >> _LOW)) * _STEP
    r = math.sqrt(-2.0 * math.log(u))
    return r * math.cos(2.0 * math.pi * t), r * math.sin(2.0 * math.pi * t)
