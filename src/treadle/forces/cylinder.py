"""Hydraulic cylinders: a piston between two volumes of oil, behind a four-way valve.

    F = p1 A1 - p2 A2,    V1 = V0 + A1 x,    V2 = V0 + A2 (l - x)
    dp1/dt = beta/V1 (Q1 - A1 v - c (p1 - p2)),    dp2/dt = beta/V2 (Q2 + A2 v + c (p1 - p2))

with the pressures p1 on the cap and p2 on the rod side (Pa), the stroke x (m) of l, the bulk modulus beta,
the leakage c (m3/(s Pa)) and the flows Q (m3/s) through the valve, which is closed at u = 0:

    u > 0: Q1 = u Qn r(ps - p1),  Q2 = -u Qn r(p2)      u < 0: Q1 = u Qn r(p1),  Q2 = -u Qn r(ps - p2)

r(p) = sqrt(p / ps) is the orifice; Qn is the flow that it lets through at the supply pressure ps. Relief
valves hold the pressures below the relief pressure, cavitation above zero. The oil is stiff, so its
compression by the motion of a step is taken at the end of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.graph import Scalar, clip, maximum, minimum, sqrt, where
from treadle.model.attachments import Actuator

__all__ = ["CYLINDER_STATE", "cylinder_drive", "cylinder_pressures"]

#: Numbers that a cylinder keeps: pressure on the cap and on the rod side, in Pa.
CYLINDER_STATE = 2


def cylinder_drive(
    actuator: Actuator, length: float, u: Scalar, pressures: Sequence[Scalar], x: Scalar, step: Scalar
) -> tuple[Scalar, Scalar]:
    """Force F and damping D so that F - D v' is the piston's force (N) at the end of a step.

    With a step of zero the force follows from the pressures alone.
    """
    (cap, rod), (stiff1, stiff2) = _filled(actuator, length, u, pressures, x, step)
    A1, A2 = actuator.areas
    damping = step * (stiff1 * A1 * A1 + stiff2 * A2 * A2)
    return cap * A1 - rod * A2, damping


def cylinder_pressures(
    actuator: Actuator,
    length: float,
    u: Scalar,
    pressures: Sequence[Scalar],
    x: Scalar,
    v: Scalar,
    step: Scalar,
) -> list[Scalar]:
    """Pressures after a step over which the piston moved at v (m/s) from x."""
    (cap, rod), (stiff1, stiff2) = _filled(actuator, length, u, pressures, x, step)
    A1, A2 = actuator.areas
    highest = float("inf") if actuator.relief is None else actuator.relief
    moved = [cap - step * stiff1 * A1 * v, rod + step * stiff2 * A2 * v]
    return [minimum(maximum(p, 0.0), highest) for p in moved]


def _filled(
    actuator: Actuator, length: float, u: Scalar, pressures: Sequence[Scalar], x: Scalar, step: Scalar
) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
    """Pressures after the flows of a step with the piston held, and the oil's stiffness beta / V (Pa/m3)."""
    p1, p2 = pressures
    A1, A2 = actuator.areas
    x = clip(x, 0.0, length)
    smallest = 1e-3 * A1 * length
    volume1 = maximum(actuator.dead_volume + A1 * x, smallest)
    volume2 = maximum(actuator.dead_volume + A2 * (length - x), smallest)
    stiff1, stiff2 = actuator.bulk_modulus / volume1, actuator.bulk_modulus / volume2
    supply, rated = actuator.pressure, actuator.flow

    def orifice(pressure: Scalar) -> Scalar:
        return sqrt(maximum(pressure, 0.0) / supply)

    opened = u * rated
    flow1 = where(u > 0.0, opened * orifice(supply - p1), opened * orifice(p1))
    flow2 = where(u > 0.0, -opened * orifice(p2), -opened * orifice(supply - p2))
    leak = actuator.leakage * (p1 - p2)
    return (p1 + step * stiff1 * (flow1 - leak), p2 + step * stiff2 * (flow2 + leak)), (stiff1, stiff2)
