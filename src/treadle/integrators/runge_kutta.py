"""Explicit Runge-Kutta methods of any number of stages, on the joints' groups (Munthe-Kaas).

The position is q (+) delta with delta a tangent step from the start of the step, whose rate accounts
for the curvature of rotations. Few stages, or those of a small machine, are written out one after
the other, which is faster; others run in a loop, whose code is as long as that of one.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, entry, equal, iterate, where
from treadle.integrators.method import Advance
from treadle.integrators.system import System
from treadle.integrators.tableau import Tableau

__all__ = ["combine", "runge_kutta_step", "stage_rates"]

#: Up to this many stages, or this many stages times degrees of freedom, are written out.
_FEW, _SHORT = 4, 80


def runge_kutta_step(
    tableau: Tableau, system: System, q: Sequence[Scalar], v: Sequence[Scalar], time: Scalar, dt: Scalar
) -> Advance:
    """One step with fixed coefficients."""
    rates = stage_rates(tableau, system, q, v, time, dt)
    change = combine(tableau.b, rates, dt)
    nv = len(v)
    return Advance(
        system.integrate(q, change[:nv]), [x + dx for x, dx in zip(v, change[nv : 2 * nv], strict=True)]
    )


def stage_rates(
    tableau: Tableau,
    system: System,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    time: Scalar,
    dt: Scalar,
    dense: bool = False,
    looped: bool = False,
) -> list[list[Scalar]]:
    """Rates of (delta, v, account) at every stage of a step, or also at those for `dense` output.

    `looped`, if stages are not to be written out however few they are.
    """
    nv, stages = len(v), len(tableau.A) if dense else tableau.stages
    A, c = tableau.A[:stages], tableau.c[:stages]

    def rate(delta: Sequence[Scalar], change: Sequence[Scalar], after: Scalar) -> list[Scalar]:
        position = system.integrate(q, delta)
        velocity = [x + dx for x, dx in zip(v, change, strict=True)]
        return [
            *system.tangent_rate(delta, velocity),
            *system.acceleration(position, velocity, time + after * dt),
            *system.accounts(position, velocity, time + after * dt),
        ]

    def first() -> list[Scalar]:
        return [*v, *system.acceleration(q, v, time), *system.accounts(q, v, time)]

    if not looped and (stages <= _FEW or stages * nv <= _SHORT):
        rates = [first()]
        for row, node in zip(A[1:], c[1:], strict=True):
            reached = combine(row, rates, dt)
            rates.append(rate(reached[:nv], reached[nv : 2 * nv], node))
        return rates

    # row by row, filled up with zeros
    weights = [x for row in A for x in (*row, *[0.0] * (stages - len(row)))]
    begin = first()
    size = len(begin)

    def one_stage(values: list[Scalar]) -> tuple[list[Scalar], object]:
        number, *flat = values
        known = [flat[k * size : (k + 1) * size] for k in range(stages)]
        row = [entry(weights, number * float(stages) + float(k)) for k in range(stages)]
        reached = combine(row, [rates[: 2 * nv] for rates in known], dt)
        new = rate(reached[:nv], reached[nv:], entry(c, number))
        kept = [
            where(equal(number, float(k)), x, old)
            for k in range(stages)
            for x, old in zip(new, known[k], strict=True)
        ]
        return [number + 1.0, *kept], number < float(stages - 1)

    flat = iterate(one_stage, [1.0, *begin, *[0.0] * (size * (stages - 1))], stages)[1:]
    return [flat[k * size : (k + 1) * size] for k in range(stages)]


def combine(weights: Sequence[Scalar], rates: Sequence[Sequence[Scalar]], dt: Scalar) -> list[Scalar]:
    """dt times the weighted sum of the rates."""
    total: list[Scalar] = [0.0] * len(rates[0])
    for weight, rate in zip(weights, rates, strict=False):
        if not (isinstance(weight, float) and weight == 0.0):
            total = [x + weight * y for x, y in zip(total, rate, strict=True)]
    return [dt * x for x in total]
