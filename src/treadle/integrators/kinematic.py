"""A step of a machine on wheels without forces: the velocity with the least slip.

    v' = argmin sum(vx^2 + vy^2 + (vz - depth / tc)^2) + e v'^T M v',    G v' = 0,    q' = q (+) dt v'

over all contacts, with the speeds of rigid motors given. Wheels that are off the surface come back to it with
the time constant tc; e is small and chooses among motions without slip. This is the model of many planners:
it knows no inertia, no gravity and no limits of friction.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.constraints.rows import closure_rows
from treadle.dynamics.crba import crba
from treadle.dynamics.lu import lu_solve
from treadle.dynamics.regroup import regroup
from treadle.graph import Expr, Scalar, through_graph
from treadle.integrators.method import Advance
from treadle.integrators.system import System
from treadle.solvers.goals import held_freedoms
from treadle.solvers.saddle import saddle_solve
from treadle.wheels.rolling import MEMORY, rolling_contacts

__all__ = ["kinematic_step"]

#: Time constant (s) with which wheels come back to the surface.
RETURN = 0.1

#: Weight of moving masses (1/kg) against that of slip.
IDLE = 1e-9


def kinematic_step(
    system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar
) -> Advance:
    """Position and velocity after one step of dt seconds."""
    nq, nv = len(q), len(v)
    values = through_graph(lambda x: _slipped(system, x[:nq], x[nq:], dt), [*q, *v])
    return Advance(values[:nq], values[nq : nq + nv], values[nq + nv :])


def _slipped(system: System, q: Sequence[Expr], v: Sequence[Scalar], dt: Scalar) -> list[Scalar]:
    model = system.model
    assert system.terrain is not None
    contacts = rolling_contacts(model, q, v, system.terrain)
    held = held_freedoms([] if system.bounds is None else system.bounds(q, v))
    M = crba(regroup(model), q)
    K: list[list[Scalar]] = [[IDLE * x if not _zero(x) else 0.0 for x in row] for row in M]
    r: list[Scalar] = [0.0] * model.nv
    for contact in contacts:
        returning = contact.touch.depth * (1.0 / RETURN)
        for row, wanted in zip(contact.rows[:3], (0.0, 0.0, returning), strict=True):
            for i, x in row.items():
                r[i] = r[i] + x * wanted
                for j, y in row.items():
                    K[i][j] = K[i][j] + x * y
    free = [k for k in range(model.nv) if k not in held]
    matrix = [[K[i][j] for j in free] for i in free]
    known = [r[i] - sum((K[i][k] * speed for k, speed in held.items()), 0.0) for i in free]
    rows = closure_rows(model, q) if model.closed else []
    place = {k: i for i, k in enumerate(free)}
    if rows:
        G = [{place[k]: x for k, x in row.jacobian.items() if k in place} for row in rows]
        opening = [-sum((x * held[k] for k, x in row.jacobian.items() if k in held), 0.0) for row in rows]
        groups, gaps = [row.group for row in rows], [row.residual for row in rows]
        found, _ = saddle_solve(matrix, G, G, known, opening, groups, gaps)
    else:
        found = lu_solve(matrix, known)
    w = [held[k] if k in held else found[place[k]] for k in range(model.nv)]
    memory: list[Scalar] = []
    for contact in contacts:
        kept = [0.0] * 5
        memory += [*kept, *contact.speeds(w), contact.touch.depth, *contact.touch.point]
    assert len(memory) == MEMORY * len(contacts)
    return [*system.integrate(q, [dt * x for x in w]), *w, *memory, *[0.0] * model.nv]


def _zero(x: Scalar) -> bool:
    return isinstance(x, float) and x == 0.0
