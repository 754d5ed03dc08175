"""Factorization M = L^T D L that keeps the tree's zeros. Featherstone (2008), section 6.5."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar
from treadle.model.model import WORLD, Model

__all__ = ["carriers", "factor", "inverse", "parent_freedoms", "solve"]


def parent_freedoms(model: Model) -> list[int]:
    """For every freedom the one before it on the way to the base, or -1.

    What a step takes implicitly couples branches (see `Model.coupled`); the tree is then that of the
    elimination with them.
    """
    parents = carriers(model)
    return _elimination_tree(model, parents, model.coupled) if model.coupled else parents


def carriers(model: Model) -> list[int]:
    """For every degree of freedom the one that carries it, or -1: the tree of the machine."""
    parents: list[int] = []
    for body in model.bodies:
        start = body.joint.v.start
        base = -1 if body.parent == WORLD else model.bodies[body.parent].joint.v.stop - 1
        parents += [base if k == 0 else start + k - 1 for k in range(body.joint.type.nv)]
    return parents


def _elimination_tree(model: Model, parents: list[int], coupled: Sequence[Sequence[int]]) -> list[int]:
    """Parents in the elimination of a matrix in which the ways to all bodies of a group are coupled."""
    near = [set(_ancestors(k, parents)) for k in range(len(parents))]
    for group in coupled:
        tips = [model.bodies[body].joint.v.stop - 1 for body in group if body != WORLD]
        way = {k for tip in tips for k in (tip, *_ancestors(tip, parents))}
        for k in way:
            near[k] |= {i for i in way if i < k}
    merged: list[int] = [-1] * len(parents)
    for k in reversed(range(len(parents))):
        if near[k]:
            merged[k] = max(near[k])
            near[merged[k]] |= near[k] - {merged[k]}
    return merged


def factor(
    M: Sequence[Sequence[Scalar]], parents: Sequence[int]
) -> tuple[list[dict[int, Scalar]], list[Scalar]]:
    """Unit lower-triangular L (row k: its entries at the ancestors of k) and 1/D, with M = L^T D L."""
    H = [{j: M[k][j] for j in _ancestors(k, parents)} for k in range(len(M))]
    diagonal: list[Scalar] = [M[k][k] for k in range(len(M))]
    L: list[dict[int, Scalar]] = [{} for _ in M]
    inverse_diagonal: list[Scalar] = [0.0] * len(M)
    for k in reversed(range(len(M))):
        inverse_diagonal[k] = 1.0 / diagonal[k]
        ancestors = _ancestors(k, parents)
        for i in ancestors:
            L[k][i] = H[k][i] * inverse_diagonal[k]
        for position, i in enumerate(ancestors):
            diagonal[i] = diagonal[i] - L[k][i] * H[k][i]
            for j in ancestors[position + 1 :]:
                H[i][j] = H[i][j] - L[k][i] * H[k][j]
    return L, inverse_diagonal


def solve(
    L: Sequence[dict[int, Scalar]], inverse_diagonal: Sequence[Scalar], b: Sequence[Scalar]
) -> list[Scalar]:
    """x with (L^T D L) x = b."""
    x = list(b)
    for k in reversed(range(len(x))):
        for i, value in L[k].items():
            x[i] = x[i] - value * x[k]
    x = [value * scale for value, scale in zip(x, inverse_diagonal, strict=True)]
    for k in range(len(x)):
        for i, value in L[k].items():
            x[k] = x[k] - value * x[i]
    return x


def inverse(L: Sequence[dict[int, Scalar]], inverse_diagonal: Sequence[Scalar]) -> list[list[Scalar]]:
    """M^-1, column by column."""
    n = len(L)
    columns = [solve(L, inverse_diagonal, [1.0 if i == k else 0.0 for i in range(n)]) for k in range(n)]
    return [[columns[j][i] if i <= j else columns[i][j] for j in range(n)] for i in range(n)]


def _ancestors(k: int, parents: Sequence[int]) -> list[int]:
    path = []
    while parents[k] != -1:
        k = parents[k]
        path.append(k)
    return path
