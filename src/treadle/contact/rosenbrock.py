"""A step of an L-stable Rosenbrock method of order 4 with an error estimate of order 3, for contacts.

RODAS of Hairer and Wanner (Solving Ordinary Differential Equations II, section IV.7). Its six stages share
one linear system, of which only the part of the rates has to be solved: with g = h / 4,

    (1 + g A (F_v + g F_x)) k_v = g (r_v - g A F_x r_x)

and penetrations, impulses and their integrals follow from the rates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.contact.law_forces import law_forces
from treadle.native.kernels import kernel

__all__ = ["LawContacts", "Stages", "make_stages", "rosenbrock_step"]

_GAMMA = 0.25

#: Coefficients a_ij of the stages' arguments, and c_ij of their right sides.
_PLACES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1.544, 0.0, 0.0, 0.0, 0.0],
        [0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0],
        [3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0],
        [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 0.0],
        [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0],
    ]
)
_SIDES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [-5.6688, 0.0, 0.0, 0.0, 0.0],
        [-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0],
        [-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0],
        [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160, 0.0],
        [8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
    ]
)


class LawContacts(NamedTuple):
    """n contacts of one machine, and their laws."""

    A: np.ndarray  # (n, n) Delassus matrix
    K: np.ndarray  # (n) N/m
    D: np.ndarray  # (n) N s/m
    law: np.ndarray  # (n) number of the program, -1 for K delta + D d delta/dt
    settings: np.ndarray  # (n, 4) exponent, restitution, impact speed (m/s) and mass (kg)
    programs: np.ndarray  # (laws, 2) entries and frames
    b: np.ndarray  # (n) m/s2, acceleration without them


class Stages(NamedTuple):
    """Scratch of a step."""

    k: np.ndarray  # (6, 4, n) the stages; the last is the estimate of the error
    work: np.ndarray  # (n, n + 2)
    push: np.ndarray  # (3, n) forces at a stage


@kernel()
def make_stages(n):
    """Scratch for n contacts."""
    return Stages(np.zeros((6, 4, n)), np.zeros((n, n + 2)), np.zeros((3, n)))


@kernel()
def rosenbrock_step(contacts, now, push, h, stages, then):
    """From the state `now` (depth, rate, P, Q by contact), with its forces `push`, to `then`."""
    A, b, k, work, there = contacts.A, contacts.b, stages.k, stages.work, stages.push
    n = len(b)
    g = _GAMMA * h
    _factor(A, push, g, work)
    for stage in range(6):
        for row in range(4):
            for i in range(n):
                x = now[row, i]
                for s in range(stage):
                    x += _PLACES[stage, s] * k[s, row, i]
                then[row, i] = x
        law_forces(contacts.law, contacts.K, contacts.D, contacts.settings, contacts.programs, then, there)
        for i in range(n):
            rate = b[i]
            for j in range(n):
                rate -= A[i, j] * there[0, j]
            k[stage, 0, i], k[stage, 1, i] = then[1, i], rate
            k[stage, 2, i], k[stage, 3, i] = there[0, i], then[2, i]
            for s in range(stage):
                share = _SIDES[stage, s] / h
                for row in range(4):
                    k[stage, row, i] += share * k[s, row, i]
        _solve(A, push, g, k[stage], work)
    for row in range(4):
        for i in range(n):
            then[row, i] += k[5, row, i]


@kernel()
def _factor(A, push, g, W):
    """LU factors of the matrix of the rates with partial pivoting, and the permutation."""
    n = len(W)
    for i in range(n):
        W[i, n] = i
        for j in range(n):
            W[i, j] = g * A[i, j] * (push[2, j] + g * push[1, j]) + (1.0 if i == j else 0.0)
    for c in range(n):
        best = c
        for i in range(c + 1, n):
            if abs(W[i, c]) > abs(W[best, c]):
                best = i
        if best > c:
            for j in range(n + 1):
                W[c, j], W[best, j] = W[best, j], W[c, j]
        for i in range(c + 1, n):
            W[i, c] /= W[c, c]
            for j in range(c + 1, n):
                W[i, j] -= W[i, c] * W[c, j]


@kernel()
def _solve(A, push, g, r, W):
    """Solve for a stage in place of its right side."""
    n = len(W)
    for i in range(n):
        total = r[1, i]
        for j in range(n):
            total -= g * A[i, j] * push[1, j] * r[0, j]
        W[i, n + 1] = g * total
    for i in range(n):
        total = W[int(W[i, n]), n + 1]
        for j in range(i):
            total -= W[i, j] * r[1, j]
        r[1, i] = total
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            r[1, i] -= W[i, j] * r[1, j]
        r[1, i] /= W[i, i]
    for i in range(n):
        r[0, i] = g * (r[0, i] + r[1, i])
        r[2, i] = g * (r[2, i] + push[1, i] * r[0, i] + push[2, i] * r[1, i])
        r[3, i] = g * (r[3, i] + r[2, i])
