"""The constraint rows of a machine: residuals c(q), their rates, and their Jacobian.

    dc/dt = J(q) v,    d2c/dt2 = J(q) dv/dt + gamma(q, v)

All derivatives are exact, from the graph of c. Rows that no joint moves are left out: in a planar loop,
those across the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.constraints.coupling import coupling_residual
from treadle.constraints.loop import loop_closure
from treadle.dynamics.derivatives import tangent_seeds
from treadle.graph import Expr, Scalar, forward, memoized
from treadle.model.model import Model

__all__ = ["Row", "bias", "closure_rows", "rates", "residuals", "row_names"]


@dataclass(frozen=True)
class Row:
    """One row at a position: its residual (the `index`-th), and its Jacobian by freedom, zeros left out.

    Rows of one `group` have the same unit and belong to the same loop: one that is much weaker than the
    others says nothing that they do not.
    """

    name: str
    index: int
    group: int
    residual: Scalar
    jacobian: dict[int, Scalar]


@memoized
def closure_rows(model: Model, q: Sequence[Expr]) -> list[Row]:
    """Rows of all loops and couplings."""
    named = _named_residuals(model, q)
    slopes = forward([c for _, _, c in named], tangent_seeds(model, q), model.nv)
    rows = []
    for index, ((name, group, residual), slope) in enumerate(zip(named, slopes, strict=True)):
        jacobian: dict[int, Scalar] = {
            k: x for k, x in enumerate(slope) if not (isinstance(x, float) and x == 0.0)
        }
        if jacobian:
            rows.append(Row(name, index, group, residual, jacobian))
    return rows


def residuals(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """c(q) of all rows, whether a joint moves them or not."""
    return [c for _, _, c in _named_residuals(model, q)]


def row_names(model: Model) -> list[str]:
    """Names of the loop or coupling that every residual belongs to."""
    return [name for name, _, _ in _named_residuals(model, model.neutral())]


def rates(model: Model, q: Sequence[Expr], v: Sequence[Scalar], values: Sequence[Scalar]) -> list[Scalar]:
    """Rates of values that depend on q when the machine moves with v."""
    seeds: dict[Expr, dict[int, Scalar]] = {}
    for joint in model.joints:
        for x, rate in zip(q[joint.q], joint.type.rate(q[joint.q], v[joint.v]), strict=True):
            seeds[x] = {0: rate}
    return [rate for (rate,) in forward(values, seeds, 1)]


def bias(model: Model, q: Sequence[Expr], v: Sequence[Scalar], rows: Sequence[Row]) -> list[Scalar]:
    """gamma: the second rates of the residuals at constant v."""
    first = rates(model, q, v, [row.residual for row in rows])
    return rates(model, q, v, first)


def _named_residuals(model: Model, q: Sequence[Scalar]) -> list[tuple[str, int, Scalar]]:
    named = []
    group = 0
    for loop in model.loops:
        for values in loop_closure(model, q, loop):
            named += [(loop.name, group, c) for c in values]
            group += 1
    for coupling in model.couplings:
        named.append((coupling.name, group, coupling_residual(q, coupling)))
        group += 1
    return named
