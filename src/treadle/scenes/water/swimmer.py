"""A swimmer: a chain of slender links whose servos run a wave along it.

A link resists a flow across it far more than one along it, by drag and by added mass: a wave that runs back
drives the chain forward.
"""

from __future__ import annotations

from math import pi, sin
from typing import Any

from treadle.errors import InputError
from treadle.model import ModelSpec, ellipsoid_inertia
from treadle.model.hydrodynamics import Fluid
from treadle.scenes.bars import BLUE, DARK, GREEN

__all__ = ["swimmer"]

#: Half axes of a link (m): long, thin and high. Water (kg/m3).
HALF_AXES, DENSITY = (0.1, 0.02, 0.05), 1000.0
#: The wave: amplitude of the joints (rad), period (s), part of a wave per joint.
AMPLITUDE, PERIOD, PHASE = 0.6, 1.0, 0.2
#: Moves per period.
_MOVES = 8


def swimmer(links: int = 6, reverse: bool = False) -> ModelSpec:
    """A chain of links as heavy as water that swims by a travelling wave; `reverse`: which runs forward."""
    if not isinstance(links, int) or isinstance(links, bool) or links < 2:
        raise InputError(f"a swimmer needs a whole number of links, at least 2, not {links!r}")
    spec = ModelSpec("swimmer", settings={"dt": 1e-2, "routine": _routine(links, reverse)})
    Fluid(DENSITY).surround(spec)
    a, b, c = HALF_AXES
    mass = DENSITY * 4.0 / 3.0 * pi * a * b * c
    for k in range(links):
        name = f"link{k}"
        spec.add_body(name, mass, inertia=ellipsoid_inertia(mass, a, b, c))
        if k:
            # behind the one before it
            hinge = {"position": (-a, 0, 0), "child_position": (a, 0, 0), "axis": (0.0, 0.0, 1.0)}
            spec.add_joint(f"joint{k}", "revolute", f"link{k - 1}", name, damping=0.005, **hinge)
            servo = {"stiffness": 8.0, "damping": 0.3, "effort": 5.0, "lower": -1.2, "upper": 1.2}
            spec.add_actuator(f"servo{k}", "position", f"joint{k}", **servo)
        else:
            spec.add_joint("base", "planar", None, name)
        spec.add_hull(f"{name}_hull", name, size=HALF_AXES, linear_drag=_FRICTION, quadratic_drag=_DRAG)
        looks = {"color": DARK if k == 0 else GREEN if k % 2 else BLUE}
        spec.add_shape(f"{name}_skin", name, "ellipsoid", HALF_AXES, **looks)
    return spec


#: Friction along the skin, and drag across the link, 1/2 rho Cd A with Cd 1.2 across and 0.1 along.
_AREA = pi * HALF_AXES[0] * HALF_AXES[2]
_FRICTION = (1e-4, 1e-4, 1e-3, 0.05, 0.05, 0.05)
_DRAG = (
    0.0, 0.0, 0.5 * DENSITY * 1.2 * HALF_AXES[2] * HALF_AXES[0] ** 4 / 2.0,
    0.5 * DENSITY * 0.1 * pi * HALF_AXES[1] * HALF_AXES[2], 0.5 * DENSITY * 1.2 * _AREA, 0.0,
)  # fmt: skip


def _routine(links: int, reverse: bool) -> list[list[Any]]:
    """Eight moves per period, four periods; the wave grows in the first."""
    moves: list[list[Any]] = []
    for step in range(1, 4 * _MOVES + 1):
        size = AMPLITUDE * min(1.0, step / _MOVES)
        sign = 1.0 if reverse else -1.0
        targets = {
            f"servo{k}": size * sin(2.0 * pi * (step / _MOVES + sign * PHASE * k)) for k in range(1, links)
        }
        moves.append([PERIOD / _MOVES, targets])
    return moves
