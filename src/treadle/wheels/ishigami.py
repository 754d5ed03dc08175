"""Terramechanics of a rigid wheel in loose soil, from a table of integrated stresses (see `soil`).

The table holds the forces divided by what they go to zero with, over the slip, the angle of slip and the root
of the sinkage; it is made when the step is traced. `ishigami_direct` integrates in every evaluation instead.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from treadle.graph import Scalar, atan2, clip, entry, floor, maximum, minimum, sqrt, where
from treadle.terrain import Soil
from treadle.wheels.model import WheelContact
from treadle.wheels.normal import TOUCHING
from treadle.wheels.soil import DEEPEST, soil_forces

__all__ = ["ishigami", "ishigami_direct"]

_SLIPS, _ANGLES, _DEPTHS = 33, 17, 17

#: Slip across (vy / u) beyond which nothing more is mobilized.
_MOST_ACROSS = 20.0

#: Sinkage, as a share of the radius, above which the soil counts as touched.
_SHALLOWEST = 1e-4


def ishigami(contact: WheelContact, damping: float = 100.0, crawl: float = 0.02) -> tuple[Scalar, ...]:
    """Forces by the table; `damping` (N s/m) in the soil, `crawl` (m/s) the speed below which it creeps."""
    return _forces(contact, damping, crawl, direct=False)


def ishigami_direct(contact: WheelContact, damping: float = 100.0, crawl: float = 0.02) -> tuple[Scalar, ...]:
    """The same by integration in every evaluation: exact, and several times slower."""
    return _forces(contact, damping, crawl, direct=True)


def _forces(contact: WheelContact, damping: float, crawl: float, direct: bool) -> tuple[Scalar, ...]:
    ahead, rolling = contact.vx + contact.rolling, contact.rolling
    fastest = maximum(abs(ahead), abs(rolling))
    faster = maximum(fastest, crawl)
    # the wheel rolls as its rim goes or, where that is slower, as it is pushed
    way = where(where(abs(rolling) < abs(ahead), ahead, rolling) < 0.0, -1.0, 1.0)
    slip = clip(-(way * contact.vx) / faster, -1.0, 1.0)
    sinkage = clip(contact.depth, _SHALLOWEST * contact.radius, DEEPEST * contact.radius)
    if direct:
        across = minimum(abs(contact.vy) / faster, _MOST_ACROSS)
        made = soil_forces(slip, across, sinkage, contact.radius, contact.width, contact.soil)
    else:
        angle = atan2(abs(contact.vy), faster)
        made = _looked_up(slip, angle, sinkage, contact.radius, contact.width, contact.soil)
    thrust, resistance, side, bearing = made
    depth = maximum(contact.depth, 0.0)
    engaged = minimum(depth * (1.0 / (TOUCHING * contact.radius)), 1.0)
    # the forces of the shallowest sinkage fade out above it
    faded = bearing * minimum(depth * (1.0 / (_SHALLOWEST * contact.radius)), 1.0)
    fz = maximum(faded - damping * engaged * contact.vz, 0.0)
    share = fz / maximum(bearing, 1e-9)
    pulled = way * share * minimum(fastest * (1.0 / crawl), 1.0) * thrust
    # the rut holds the wheel back the way it goes, and does not turn it
    held = share * resistance * ahead / maximum(abs(ahead), crawl)
    sideways = share * side * contact.vy / maximum(abs(contact.vy), crawl)
    return pulled - held, -sideways, fz, -held


def _looked_up(
    slip: Scalar, angle: Scalar, sinkage: Scalar, radius: float, width: float, soil: Soil
) -> list[Scalar]:
    """Trilinear interpolation of the four forces; the angle has the tangent vy / u."""
    table = _table(radius, width, soil)
    root = sqrt(sinkage * (1.0 / (DEEPEST * radius)))
    i, s = _cell((slip + 1.0) * (0.5 * (_SLIPS - 1)), _SLIPS)
    j, t = _cell(angle * ((_ANGLES - 1) / (0.5 * math.pi)), _ANGLES)
    k, u = _cell(root * float(_DEPTHS - 1), _DEPTHS)
    corner = ((i * float(_ANGLES) + j) * float(_DEPTHS) + k) * 4.0
    scales = _scales(sinkage, radius, width, soil)
    results = []
    for which in range(4):
        along = []
        for a in (0, 1):
            rows = []
            for b in (0, 1):
                shift = 4 * ((a * _ANGLES + b) * _DEPTHS) + which
                low, high = entry(table, corner + float(shift)), entry(table, corner + float(shift + 4))
                rows.append(low + u * (high - low))
            along.append(rows[0] + t * (rows[1] - rows[0]))
        results.append(scales[which] * (along[0] + s * (along[1] - along[0])))
    return results


def _scales(sinkage: Scalar, radius: float, width: float, soil: Soil) -> list[Scalar]:
    """What the four forces go to zero with: shear with area and strength, pressure with h^(n + 1/2)."""
    pressure = sinkage if soil.exponent == 1.0 else sinkage**soil.exponent
    pressure = pressure * (soil.cohesive_modulus / width + soil.frictional_modulus)
    area = sqrt(sinkage * (2.0 * radius)) * width
    shear = area * (soil.cohesion + pressure * math.tan(soil.friction_angle))
    bearing = area * pressure
    return [shear, bearing, shear, bearing]


def _cell(x: Scalar, count: int) -> tuple[Scalar, Scalar]:
    x = clip(x, 0.0, float(count - 1))
    i = minimum(floor(x), float(count - 2))
    return i, x - i


@lru_cache(maxsize=32)
def _table(radius: float, width: float, soil: Soil) -> tuple[float, ...]:
    """Forces over their scales at all points, the four of a point side by side."""
    slip, angle, root = np.meshgrid(
        np.linspace(-1.0, 1.0, _SLIPS),
        np.linspace(0.0, 0.5 * math.pi, _ANGLES),
        np.maximum(np.linspace(0.0, 1.0, _DEPTHS), 1e-3),
        indexing="ij",
    )
    sinkage = DEEPEST * radius * root**2
    across = np.minimum(np.tan(np.minimum(angle, 1.57)), _MOST_ACROSS)
    forces = soil_forces(slip, across, sinkage, radius, width, soil)  # type: ignore[arg-type]
    scales = _scales(sinkage, radius, width, soil)  # type: ignore[arg-type]
    scaled = [np.asarray(f / s) for f, s in zip(forces, scales, strict=True)]
    return tuple(np.stack(scaled, axis=-1).ravel().tolist())
