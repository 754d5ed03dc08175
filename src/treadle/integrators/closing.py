"""What methods that solve for the end of their step need, to hold closed loops there.

The forces of the loops join the balance of forces as J^T y, with unknown multipliers y (one per row); as
many equations more say that the loops are closed at the end of the step. Machines without loops have no rows,
and nothing changes for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.rows import Group, closure_rows, residuals
from treadle.graph import Scalar, hold, through_graph, trace
from treadle.integrators.system import System
from treadle.model.model import Model
from treadle.solvers.closure import closure_factor

__all__ = [
    "Jacobian",
    "along_loops",
    "closing_speeds",
    "loop_force",
    "loop_groups",
    "loop_jacobian",
    "opened",
    "openings",
]

#: The rows' derivatives along the velocities, by degree of freedom, zeros left out.
Jacobian = list[dict[int, Scalar]]


def loop_groups(model: Model) -> list[Group]:
    """Of every row that some joint moves, the group that it belongs to."""
    return [group for _, group in _kept(model)]


def openings(system: System, q: Sequence[Scalar]) -> list[Scalar]:
    """c(q) of the rows: how far they are open (m, sines of angles)."""
    if not system.model.closed:
        return []
    every = residuals(system.model, q)
    return [every[index] for index, _ in _kept(system.model)]


def opened(system: System, start: Sequence[Scalar], end: Sequence[Scalar]) -> list[Scalar]:
    """What a step has to take back of the rows at its end.

    Where steps end with a projection, they start with loops that are closed, but for those rows that depend
    on others and disagree by what numbers are rounded. These stay as they are, whichever rows are taken for
    them.
    """
    gaps = openings(system, end)
    if not system.projected:
        return gaps
    return [c - before for c, before in zip(gaps, openings(system, start), strict=True)]


def loop_jacobian(system: System, q: Sequence[Scalar], held: bool = False) -> Jacobian:
    """J(q), row by row; `held`, if it counts as constant where derivatives are taken."""
    model = system.model
    if not model.closed:
        return []

    def flat(x: Sequence[Scalar]) -> list[Scalar]:
        rows = closure_rows(model, x)  # type: ignore[arg-type]
        return [row.jacobian.get(k, 0.0) for row in rows for k in range(model.nv)]

    values = through_graph(flat, q)
    rows = [values[k : k + model.nv] for k in range(0, len(values), model.nv)]
    return [
        {k: hold(x) if held else x for k, x in enumerate(row) if not (isinstance(x, float) and x == 0.0)}
        for row in rows
    ]


def loop_force(J: Jacobian, multipliers: Sequence[Scalar], size: int) -> list[Scalar]:
    """J^T y: the joint forces (nv) of the loops."""
    force: list[Scalar] = [0.0] * size
    for row, value in zip(J, multipliers, strict=True):
        for k, x in row.items():
            force[k] = force[k] + x * value
    return force


def along_loops(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], inertia_at: Sequence[Scalar] | None = None
) -> list[Scalar]:
    """The velocity at q without the part that opens loops, which impulses J^T y take away.

    The inertia matrix that these meet is that at q, unless another position is given.
    """
    model, nq = system.model, len(q)
    if not model.closed:
        return list(v)
    other = [] if inertia_at is None else list(inertia_at)

    def slowed(x: Sequence[Scalar]) -> list[Scalar]:
        rows = closure_rows(model, x[:nq])  # type: ignore[arg-type]
        velocity = x[nq : nq + model.nv]
        solver = closure_factor(model, x[nq + model.nv :] or x[:nq], rows)
        speeds = [sum((value * velocity[k] for k, value in row.jacobian.items()), 0.0) for row in rows]
        push = solver.response(solver.multipliers(speeds))
        return [a - b for a, b in zip(velocity, push, strict=True)]

    return through_graph(slowed, [*q, *v, *other])


def closing_speeds(system: System, q: Sequence[Scalar], v: Sequence[Scalar], J: Jacobian) -> list[Scalar]:
    """What a change of the velocity has to add to the rates J v of the rows: none is left of them.

    With a `closing_time` T in the system a row that is open by c is left the rate -c/T, which closes it.
    """
    speeds: list[Scalar] = [-sum((x * v[k] for k, x in row.items()), 0.0) for row in J]
    if system.closing_time is None:
        return speeds
    return [s - c / system.closing_time for s, c in zip(speeds, openings(system, q), strict=True)]


def _kept(model: Model) -> list[tuple[int, Group]]:
    """Index and group of the rows that some joint moves."""
    if not model.closed:
        return []
    kept: list[tuple[int, Group]] = []

    def look(q: Sequence[Scalar]) -> list[Scalar]:
        kept.extend((row.index, row.group) for row in closure_rows(model, q))  # type: ignore[arg-type]
        return []

    trace(look, model.nq)
    return kept
