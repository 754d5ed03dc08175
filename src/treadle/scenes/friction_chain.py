"""A chain of five links with dry friction in its hinges, let go level from a column.

Mikhaylyuk et al., "Algorithms of Multibody Dynamics Simulation Using Articulated-Body Method", figure 4.
It swings down and comes to rest all but upright, where friction holds it.
"""

from __future__ import annotations

from treadle.model import ModelSpec, box_inertia
from treadle.scenes.bars import BLUE, DARK, GREY, HINGE, ORANGE, add_bar, add_pin

__all__ = ["friction_chain"]

_LINKS = 5
#: Length and width of a link (m), its mass (kg), and the height of the first hinge (m).
_LENGTH, _WIDTH, _MASS, _HEIGHT = 0.3, 0.06, 1.0, 1.8


def friction_chain(friction: float = 0.3) -> ModelSpec:
    """Links of 0.3 m and 1 kg; a hinge brakes or holds with `friction` (N m) for each link hanging on it."""
    spec = ModelSpec("friction-chain", settings={"dt": 1e-3})
    inertia = box_inertia(_MASS, _LENGTH, _WIDTH / 4, _WIDTH)
    for number in range(1, _LINKS + 1):
        body, parent = f"link{number}", f"link{number - 1}" if number > 1 else None
        spec.add_body(body, _MASS, center=(_LENGTH / 2, 0.0, 0.0), inertia=inertia)
        place = (_LENGTH, 0.0, 0.0) if parent else (0.0, 0.0, _HEIGHT)
        torque = friction * (_LINKS + 1 - number)
        spec.add_joint(f"joint{number}", "revolute", parent, body, position=place, friction=torque, **HINGE)
        layer = number % 2
        add_bar(spec, body, (0.0, 0.0), (_LENGTH, 0.0), _WIDTH, layer, (BLUE, ORANGE)[layer])
        add_pin(spec, body, (0.0, 0.0), 0.016, (0.0, 1.0) if parent else (-1.0, 1.0), _WIDTH / 4)
    spec.add_frame("tip", f"link{_LINKS}", position=(_LENGTH, 0.0, 0.0))
    column = (0.08, 0.06, _HEIGHT + 0.06)
    spec.add_shape("column", None, "box", column, position=(0.0, -0.05, 0.5 * column[2]), color=GREY)
    spec.add_shape("plate", None, "box", (0.5, 0.4, 0.03), position=(0.0, -0.05, 0.015), color=DARK)
    return spec
