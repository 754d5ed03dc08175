"""Stiffness and damping of users' force laws, from their exact derivatives.

With the joint forces F(q, v) of a law, K = -dF/dq (along the directions that velocities span) and
D = -dF/dv. A step takes the symmetric part of both, without what is negative: in L^T diag(d) L of a matrix,
pivots d below zero are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from treadle.dynamics.derivatives import tangent_seeds
from treadle.forces.law import ForceLaw, law_force
from treadle.graph import Scalar, forward, maximum, through_graph, where
from treadle.model.model import Model

__all__ = ["Slopes", "is_stiff", "law_slopes", "stiff_part", "with_law_couplings"]

#: Share of the largest pivot below which one counts as zero.
_SMALL = 1e-9


class Slopes(NamedTuple):
    """Stiffness and damping (nv x nv) of joint forces."""

    stiffness: list[list[Scalar]]
    damping: list[list[Scalar]]


def is_stiff(law: ForceLaw) -> bool:
    """Whether the default integrator is to take a law at the end of its step."""
    return bool(getattr(law, "stiff", False))


def with_law_couplings(model: Model, laws: Sequence[ForceLaw]) -> Model:
    """The model with the bodies that stiff laws couple in the inertia matrix of a step."""
    groups = tuple(_bodies(model, law) for law in laws if is_stiff(law))
    return model if groups == model.law_coupled else replace(model, law_coupled=groups)


def _bodies(model: Model, law: ForceLaw) -> tuple[int, ...]:
    """Those of the frames that a law names; all of them where it names none."""
    names = getattr(law, "frames", None)
    if names is None:
        return tuple(range(len(model.bodies)))
    return tuple(model.frame(name).body for name in names if name is not None)


def law_slopes(model: Model, law: ForceLaw, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar) -> Slopes:
    """-dF/dq and -dF/dv of a law."""
    nq, nv = model.nq, model.nv

    def slopes(state: list) -> list[Scalar]:
        q, v = state[:nq], state[nq:]
        seeds = tangent_seeds(model, q)
        for k, rate in enumerate(v):
            seeds[rate] = {nv + k: 1.0}
        found = forward(law_force(model, law, q, v, time), seeds, 2 * nv)
        return [-x for row in found for x in row]

    flat = through_graph(slopes, [*q, *v])
    rows = [flat[2 * nv * k : 2 * nv * (k + 1)] for k in range(nv)]
    return Slopes([row[:nv] for row in rows], [row[nv:] for row in rows])


def stiff_part(matrix: Sequence[Sequence[Scalar]]) -> dict[tuple[int, int], Scalar]:
    """The symmetric part of a matrix, without what is negative, row by column; zeros are left out."""
    n = len(matrix)
    rest = [[0.5 * (matrix[i][j] + matrix[j][i]) for j in range(n)] for i in range(n)]
    acting = [i for i in range(n) if any(not _zero(x) for x in rest[i])]
    largest: Scalar = 0.0
    for i in acting:
        largest = maximum(largest, abs(rest[i][i]))
    total: dict[tuple[int, int], Scalar] = {}
    for i in reversed(acting):
        pivot = rest[i][i]
        counts = pivot > _SMALL * largest
        over = where(counts, 1.0 / where(counts, pivot, 1.0), 0.0)
        below = [j for j in acting if j <= i and not _zero(rest[i][j])]
        for j in below:
            for k in below:
                part = rest[i][j] * rest[i][k] * over
                total[j, k] = total[j, k] + part if (j, k) in total else part
                rest[j][k] = rest[j][k] - part
    return total


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
