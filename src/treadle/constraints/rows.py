"""The constraint rows of a machine: residuals c(q), their rates, and their Jacobian.

    dc/dt = J(q) v,    d2c/dt2 = J(q) dv/dt + gamma(q, v)

All derivatives are exact, from the graph of c. Rows that no joint moves are left out: in a planar loop,
those across the plane. Rows of rolling without slipping (see `slip`) prescribe dc/dt = 0 alone: their
residual is zero everywhere, and J is given instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from treadle.constraints.coupling import coupling_residual
from treadle.constraints.loop import loop_closure
from treadle.constraints.slip import slip_count, slip_jacobians
from treadle.dynamics.derivatives import tangent_seeds
from treadle.errors import TracingError
from treadle.graph import Expr, Scalar, forward, memoized
from treadle.model.coincidence import length_rounding
from treadle.model.loop_path import loop_size
from treadle.model.mobility import mobility
from treadle.model.model import Model

__all__ = [
    "Group", "Row", "bias", "closure_rows", "rates", "residual_rates", "residuals", "row_groups", "row_names",
    "usual_rank",
]  # fmt: skip


class Group(NamedTuple):
    """The loop or coupling that a row belongs to, and what its residual is compared with.

    That is the size of the loop for lengths (m), and 1 for sines of angles. Divided by it, rows of one
    loop are of the same size: one that is much weaker than the others says nothing that they do not.
    """

    number: int
    scale: float
    #: whether rows of the machine may depend on others wherever it is, not in singular positions alone
    redundant: bool = True
    #: relative rounding of the machine's lengths, by which dependent rows are turned against each other (rad)
    rounding: float = 0.0


@dataclass(frozen=True)
class Row:
    """One row at a position: its residual (the `index`-th), and its Jacobian by dof, zeros left out."""

    name: str
    index: int
    group: Group
    residual: Scalar
    jacobian: dict[int, Scalar]


@memoized
def closure_rows(model: Model, q: Sequence[Expr]) -> list[Row]:
    """Rows of all loops and couplings."""
    named = _named_residuals(model, q)
    slopes = forward([c for _, _, c in named], tangent_seeds(model, q), model.nv)
    slipping = _slipping(model, q)
    rows = []
    for index, ((name, group, residual), slope) in enumerate(zip(named, slopes, strict=True)):
        jacobian: dict[int, Scalar] = slipping.get(index) or {
            k: x for k, x in enumerate(slope) if not (isinstance(x, float) and x == 0.0)
        }
        if jacobian:
            rows.append(Row(name, index, group, residual, jacobian))
    # a machine that could not move by that count does so where its rows are redundant
    redundant, rounding = not len(rows) <= usual_rank(model) < model.nv, length_rounding(model)
    if redundant and not rounding:
        return rows
    return [replace(row, group=row.group._replace(redundant=redundant, rounding=rounding)) for row in rows]


def usual_rank(model: Model) -> int:
    """How many rows are independent in almost all closed positions; 0 where that is not known.

    So it is where lengths have no number yet, or no closed position is near the initial one.
    """
    kept = vars(model).setdefault("_functions", {})
    if "usual rank" not in kept:
        try:
            count = mobility(model)
            kept["usual rank"] = count.constraints - count.redundant if count.closed else 0
        except TracingError:
            kept["usual rank"] = 0
    return kept["usual rank"]


def residuals(model: Model, q: Sequence[Scalar]) -> list[Scalar]:
    """c(q) of all rows, whether a joint moves them or not."""
    return [c for _, _, c in _named_residuals(model, q)]


def row_names(model: Model) -> list[str]:
    """Names of the loop or coupling that every residual belongs to."""
    return [name for name, _, _ in _named_residuals(model, model.neutral())]


def row_groups(model: Model) -> list[Group]:
    """The loop or coupling of every residual, and what it is compared with."""
    return [group for _, group, _ in _named_residuals(model, model.neutral())]


def rates(model: Model, q: Sequence[Expr], v: Sequence[Scalar], values: Sequence[Scalar]) -> list[Scalar]:
    """Rates of values that depend on q when the machine moves with v."""
    seeds: dict[Expr, dict[int, Scalar]] = {}
    for joint in model.joints:
        for x, rate in zip(q[joint.q], joint.type.rate(q[joint.q], v[joint.v]), strict=True):
            seeds[x] = {0: rate}
    return [rate for (rate,) in forward(values, seeds, 1)]


def residual_rates(model: Model, q: Sequence[Expr], v: Sequence[Scalar]) -> list[Scalar]:
    """dc/dt of all rows when the machine moves with v; for rolling, the velocity of slip."""
    speeds = rates(model, q, v, residuals(model, q))
    for index, jacobian in _slipping(model, q).items():
        speeds[index] = sum((x * v[k] for k, x in jacobian.items()), 0.0)
    return speeds


def bias(model: Model, q: Sequence[Expr], v: Sequence[Scalar], rows: Sequence[Row]) -> list[Scalar]:
    """gamma: the second rates of the residuals at constant v."""
    first = residual_rates(model, q, v)
    return rates(model, q, v, [first[row.index] for row in rows])


def _named_residuals(model: Model, q: Sequence[Scalar]) -> list[tuple[str, Group, Scalar]]:
    named: list[tuple[str, Group, Scalar]] = []
    for number, loop in enumerate(model.loops):
        lengths, sines = loop_closure(model, q, loop)
        named += [(loop.name, Group(number, loop_size(model, loop)), c) for c in lengths]
        named += [(loop.name, Group(number, 1.0), c) for c in sines]
        named += [(loop.name, Group(number, loop_size(model, loop)), 0.0)] * slip_count(loop)
    for number, coupling in enumerate(model.couplings, len(model.loops)):
        named.append((coupling.name, Group(number, 1.0), coupling_residual(q, coupling)))
    return named


def _slipping(model: Model, q: Sequence[Expr]) -> dict[int, dict[int, Scalar]]:
    """Jacobians of the rows of rolling, by the index of the row."""
    if not any(slip_count(loop) for loop in model.loops):
        return {}
    found: dict[int, dict[int, Scalar]] = {}
    index = 0
    for loop in model.loops:
        index += loop.constraints
        for k, jacobian in enumerate(slip_jacobians(model, q, loop)):
            found[index - slip_count(loop) + k] = jacobian
    return found
