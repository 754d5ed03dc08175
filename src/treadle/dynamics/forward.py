"""Forward dynamics by whichever algorithm is shorter for the machine at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.dynamics.aba import aba
from treadle.dynamics.cholesky import factor, parent_freedoms, solve
from treadle.dynamics.crba import crba
from treadle.dynamics.regroup import regroup
from treadle.dynamics.rnea import rnea
from treadle.graph import Scalar
from treadle.model.model import Model
from treadle.spatial import Force

__all__ = ["by_composite_inertia", "forward_dynamics"]

#: Up to this many freedoms the inertia matrix and its factor take fewer operations, in shorter chains
#: of dependence, than the articulated-body algorithm (`treadle bench algorithms` prints both).
LARGEST_BY_COMPOSITE = 9


def forward_dynamics(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
) -> list[Scalar]:
    """Accelerations dv/dt under the joint forces tau and forces on bodies, each in its own frame."""
    model = regroup(model)
    if model.nv <= LARGEST_BY_COMPOSITE or model.added_inertia:
        return by_composite_inertia(model, q, v, tau, external)
    return aba(model, q, v, tau, external)


def by_composite_inertia(
    model: Model,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    external: Mapping[int, Force] | None = None,
) -> list[Scalar]:
    """M^-1 (tau - C) with M from `crba` and C from `rnea`."""
    L, diagonal = factor(crba(model, q), parent_freedoms(model))
    bias = rnea(model, q, v, [0.0] * model.nv, external)
    return solve(L, diagonal, [t - b for t, b in zip(tau, bias, strict=True)])
