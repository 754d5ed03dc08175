"""Propagator of coupled linear contacts over an interval of any length, by scaling and doubling.

The penetrations and rates after s, and the integrals of the penetrations, are affine in the initial state,

    delta(s) = X x,    rate(s) = V x,    int delta = G x,    int int delta = H x,    x = (delta, rate, 1)

and twice as far they are those matrices times E = (X; V; 1): X E, V E, G + G E and H + s G + H E.
"""

from __future__ import annotations

import numpy as np

from treadle.native.kernels import kernel

__all__ = ["propagate"]

#: Terms of the series, over one unit of time at most.
_TERMS = 24


@kernel()
def propagate(A, K, D, b, omega, s, delta, rate, impulse, moment):
    """Advance over s = omega t, every contact staying closed; add to impulses and their integrals."""
    n = len(delta)
    m = 2 * n + 1
    doublings, short = 0, s
    while short > 1.0:
        short *= 0.5
        doublings += 1
    E = np.zeros((4, n, m))
    work = np.empty((4, n, m))
    _series(A, K, D, b, omega, short, E, work)
    for _ in range(doublings):
        _double(E, work, short)
        short *= 2.0
        E, work = work, E
    x = np.ones(m)
    for i in range(n):
        x[i], x[n + i] = delta[i], rate[i]
    time = s / omega
    for i in range(n):
        delta[i], rate[i], once, twice = (
            _row(E[0, i], x),
            _row(E[1, i], x),
            _row(E[2, i], x),
            _row(E[3, i], x),
        )
        moved, area = delta[i] - x[i], once / omega
        moment[i] += impulse[i] * time + K[i] * twice / omega**2 + D[i] * (area - x[i] * time)
        impulse[i] += K[i] * area + D[i] * moved


@kernel()
def _row(row, x):
    total = 0.0
    for j in range(len(x)):
        total += row[j] * x[j]
    return total


@kernel()
def _series(A, K, D, b, omega, s, E, work):
    """The four matrices after s, by the power series of the equation of motion."""
    n, m = E.shape[1], E.shape[2]
    before, after, following = work[0], work[1], work[2]
    for i in range(n):
        for j in range(m):
            before[i, j], after[i, j] = 1.0 if j == i else 0.0, 1.0 if j == n + i else 0.0
    power = 1.0
    for k in range(_TERMS):
        for i in range(n):
            for j in range(m):
                x = before[i, j] * power
                E[0, i, j] += x
                E[1, i, j] += (k + 1) * after[i, j] * power
                E[2, i, j] += x * s / (k + 1)
                E[3, i, j] += x * s * s / ((k + 1) * (k + 2))
        for i in range(n):
            for j in range(m):
                following[i, j] = 0.0
            following[i, 2 * n] = b[i] / omega**2 if k == 0 else 0.0
            for p in range(n):
                x, y = A[i, p] * K[p] / omega**2, (k + 1) * A[i, p] * D[p] / omega
                for j in range(m):
                    following[i, j] -= x * before[p, j] + y * after[p, j]
            for j in range(m):
                following[i, j] /= (k + 1) * (k + 2)
        before, after, following = after, following, before
        power *= s


@kernel()
def _double(E, out, s):
    """The matrices twice as far."""
    n, m = E.shape[1], E.shape[2]
    for block in range(4):
        for i in range(n):
            for j in range(m):
                x = E[2, i, j] if block == 2 else (E[3, i, j] + s * E[2, i, j] if block == 3 else 0.0)
                out[block, i, j] = x
            out[block, i, 2 * n] += E[block, i, 2 * n]
            for k in range(n):
                x, y = E[block, i, k], E[block, i, n + k]
                for j in range(m):
                    out[block, i, j] += x * E[0, k, j] + y * E[1, k, j]
