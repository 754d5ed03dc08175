"""Lower bound on the time to separation of linear contacts, from the energy of their oscillation.

With z = sqrt(K) delta and S = sqrt(K) A sqrt(K), the undamped contacts are z'' = beta - S z: they oscillate
around the equilibrium z - y with S y = S z - beta. Damping only decreases the squared amplitude

    amplitude^2 = |y|^2 + z' S^-1 z'

so that no z_i moves further than the amplitude from its equilibrium, nor faster than sqrt(S_ii) amplitude. S
may be singular, as for a box on its four corners.
"""

from __future__ import annotations

import numpy as np

from treadle.native.kernels import kernel

__all__ = ["separation_bound"]

#: Amplitudes that count as rest, as a share of the equilibrium penetration.
_CALM = 1e-3

#: Share of the largest pivot below which a row is dependent, and the residual allowed on its right side.
_DEPENDENT, _LEFT = 1e-12, 1e-9


@kernel()
def separation_bound(A, K, b, delta, rate, omega, calm):
    """Time before which no contact can separate; inf: never (with `calm`, only if amplitudes are small).

    Time is in units of 1/omega, in `rate` too.
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
    kinetic, potential = _solve(W, order, rank)
    amplitude = np.sqrt(kinetic + potential)
    time = np.inf
    for i in range(n):
        z = np.sqrt(K[i]) * delta[i]
        equilibrium = z - (W[i, n] if rank == n else np.sqrt(potential))
        if equilibrium <= amplitude or (calm and _CALM * equilibrium < amplitude):
            time = min(time, omega * z / (np.sqrt(K[i] * A[i, i]) * amplitude))
    return time


@kernel()
def _eliminate(W, order):
    """Gaussian elimination of the symmetric left part with diagonal pivoting; its rank."""
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
    kinetic, potential = 0.0, 0.0
    for k in range(rank - 1, -1, -1):
        p = order[k]
        kinetic += W[p, n + 1] ** 2 / W[p, p]
        for m in range(k + 1, rank):
            W[p, n] -= W[p, order[m]] * W[order[m], n]
        W[p, n] /= W[p, p]
        potential += W[p, n] ** 2
    return kinetic, potential
