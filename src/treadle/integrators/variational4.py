"""The variational method at order 4: five steps of order 2 one after the other (Suzuki 1990).

    h = p h + p h + (1 - 4 p) h + p h + p h,    p = 1 / (4 - 4^(1/3))

The middle one goes backwards. As a chain of symplectic and symmetric steps it is both itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, entry, iterate, maximum
from treadle.integrators import variational
from treadle.integrators.method import Advance, Method
from treadle.integrators.system import System

__all__ = ["METHOD"]

_SHARE = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_SHARES = [_SHARE, _SHARE, 1.0 - 4.0 * _SHARE, _SHARE, _SHARE]


def step(system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar) -> Advance:
    """Position and velocity after one step of dt seconds."""
    nq, nv = len(q), len(v)

    def part(values: list[Scalar]) -> tuple[list[Scalar], object]:
        q, v, (number, done, rounds, worst) = values[:nq], values[nq : nq + nv], values[nq + nv :]
        share = entry(_SHARES, number)
        after = variational.METHOD.step(system, q, v, time + done, share * dt)
        effort = [rounds + after.effort[0], maximum(worst, after.effort[1])]
        go_on = number < len(_SHARES) - 1.5
        return [*after.q, *after.v, number + 1.0, done + share * dt, *effort], go_on

    values = iterate(part, [*q, *v, 0.0, 0.0, 0.0, 0.0], len(_SHARES))
    return Advance(values[:nq], values[nq : nq + nv], effort=values[-2:])


METHOD = Method(step, 4, "variational at order 4: symplectic and accurate", iterates=True, loops="positions")
