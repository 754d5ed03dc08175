"""How long contacts last at least: the energy of their swings does not reach the place where one would end.

With z = sqrt(K) delta and S = sqrt(K) A sqrt(K), the undamped contacts are z'' = beta - S z: every swing goes
around a resting place, and z - y with S y = S z - beta is that place. Damping only takes out of

    reach^2 = |y|^2 + z' S^-1 z'

so that no z_i ever moves further than the reach from where it rests, nor faster than sqrt(S_ii) reach. S may
be singular, as for a box on its four corners.
"""

from __future__ import annotations

import numpy as np

from treadle.native.kernels import kernel

__all__ = ["lasts"]

#: Swings around the resting penetration that count as rest, as a share of it.
_CALM = 1e-3

#: Share of the largest pivot below which a row depends on others, and what may be left of it on the right.
_DEPENDENT, _LEFT = 1e-12, 1e-9


@kernel()
def lasts(A, K, b, delta, rate, omega, calm):
    """The time in which no contact can end, inf: for ever; with `calm`, swings have to be small for that.

    Time is counted in 1/omega, in `rate` too.
    """
    n = len(delta)
    for i in range(n):
        if delta[i] <= 0.0:
            return 0.0
    W = np.empty((n, n + 2))
    loads, rates = 0.0, 0.0
    for i in range(n):
        root = np.sqrt(K[i])
        load = root * b[i]
        W[i, n], W[i, n + 1] = -load, root * rate[i] * omega
        for j in range(n):
            W[i, j] = root * A[i, j] * np.sqrt(K[j])
            W[i, n] += root * A[i, j] * K[j] * delta[j]
        loads, rates = max(loads, abs(load)), max(rates, abs(W[i, n + 1]))
    order = np.arange(n)
    rank = _eliminate(W, order)
    for k in range(rank, n):
        i = order[k]
        if abs(W[i, n]) > _LEFT * loads or abs(W[i, n + 1]) > _LEFT * rates:
            return 0.0
    swing, shift = _solve(W, order, rank)
    reach = np.sqrt(swing + shift)
    time = np.inf
    for i in range(n):
        z = np.sqrt(K[i]) * delta[i]
        resting = z - (W[i, n] if rank == n else np.sqrt(shift))
        if resting <= reach or (calm and _CALM * resting < reach):
            time = min(time, omega * z / (np.sqrt(K[i] * A[i, i]) * reach))
    return time


@kernel()
def _eliminate(W, order):
    """Elimination of the symmetric left part, by the largest diagonal; its rank."""
    n = len(order)
    largest = 0.0
    for k in range(n):
        for m in range(k + 1, n):
            if W[order[m], order[m]] > W[order[k], order[k]]:
                order[k], order[m] = order[m], order[k]
        p = order[k]
        largest = max(largest, W[p, p])
        if not W[p, p] > _DEPENDENT * largest:
            return k
        for m in range(k + 1, n):
            i = order[m]
            share = W[i, p] / W[p, p]
            for j in range(k + 1, n):
                W[i, order[j]] -= share * W[p, order[j]]
            W[i, n] -= share * W[p, n]
            W[i, n + 1] -= share * W[p, n + 1]
    return n


@kernel()
def _solve(W, order, rank):
    """z' S^-1 z' and |y|^2; y takes the place of the first right side."""
    n = len(order)
    swing, shift = 0.0, 0.0
    for k in range(rank - 1, -1, -1):
        p = order[k]
        swing += W[p, n + 1] ** 2 / W[p, p]
        for m in range(k + 1, rank):
            W[p, n] -= W[p, order[m]] * W[order[m], n]
        W[p, n] /= W[p, p]
        shift += W[p, n] ** 2
    return swing, shift
