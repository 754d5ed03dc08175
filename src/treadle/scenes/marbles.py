"""Marbles that fall through a funnel into a tray; a slide holds them back until it is drawn."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin

from treadle.errors import InputError
from treadle.model import ModelSpec, rpy
from treadle.scenes.bars import BLUE, DARK, GLASS, GREEN, ORANGE, RED, STEEL

__all__ = ["marbles"]

#: Radius of a marble (m) and its mass (kg): glass of 2500 kg/m3.
RADIUS = 0.03
_MASS = 2500.0 * 4.0 / 3.0 * pi * RADIUS**3
#: Funnel: half width at the top and at the outlet, heights of these, sides, thickness of its walls (m).
_WIDE, _NARROW, _UPPER, _LOWER, _SIDES, _WALL = 0.30, 0.075, 0.95, 0.60, 8, 0.012
#: Tray: half width, and height of its walls (m).
_TRAY, _RIM = 0.34, 0.12


def marbles(count: int = 12, restitution: float = 0.4, friction: float = 0.0) -> ModelSpec:
    """So many smooth marbles above the funnel, with their `restitution` and `friction`."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 100:
        raise InputError(f"there are 1 to 100 marbles, a whole number, not {count!r}")
    spec = ModelSpec("marbles", settings={"dt": 0.01, "routine": _ROUTINE})
    spec.add_material("glass", friction=friction, restitution=restitution)
    spec.add_material("steel", friction=0.3, restitution=0.5)
    _add_funnel(spec)
    _add_slide(spec)
    _add_tray(spec)
    for number in range(count):
        name = f"marble{number + 1}"
        spec.add_body(name, _MASS, type="sphere", size=(RADIUS,))
        spec.add_joint(name, "free", None, name, position=_place(number))
        color = (BLUE, RED, GREEN, ORANGE, STEEL)[number % 5]
        spec.add_shape(name, name, "sphere", (RADIUS,), color=color)
        spec.add_shape(f"{name}_skin", name, "sphere", (RADIUS,), role="collision", material="glass")
    return spec


def _place(number: int) -> tuple[float, float, float]:
    """In layers of rings, each a little turned, so that nothing stands on its tip."""
    layer, ring = divmod(number, 6)
    angle = 2.0 * pi * ring / 6 + 0.37 * layer
    radius = 0.13 + 0.013 * ring
    return radius * cos(angle), radius * sin(angle), _UPPER + 0.06 + 0.09 * layer


def _add_funnel(spec: ModelSpec) -> None:
    """Eight boards around an outlet, seen through from the front."""
    slope = atan2(_UPPER - _LOWER, _WIDE - _NARROW)
    length = hypot(_UPPER - _LOWER, _WIDE - _NARROW)
    board = (length, 2.0 * _WIDE * sin(pi / _SIDES) * 1.12, _WALL)
    for number in range(_SIDES):
        angle = 2.0 * pi * number / _SIDES
        # the inner face passes through both rims
        middle = 0.5 * (_WIDE + _NARROW) + 0.5 * _WALL * sin(slope)
        place = (middle * cos(angle), middle * sin(angle), 0.5 * (_UPPER + _LOWER) - 0.5 * _WALL * cos(slope))
        pose = {"position": place, "rotation": rpy(0.0, -slope, angle)}
        spec.add_shape(f"wall{number}", None, "box", board, role="collision", material="steel", **pose)
        spec.add_shape(f"wall{number}_look", None, "box", board, color=GLASS, **pose)
    for number in range(4):
        angle = 2.0 * pi * (number + 0.5) / 4
        leg = {"position": (0.36 * cos(angle), 0.36 * sin(angle), 0.45), "color": STEEL}
        spec.add_shape(f"leg{number}", None, "cylinder", (0.012, 0.9), **leg)


def _add_slide(spec: ModelSpec) -> None:
    """A plate under the outlet, which a servo draws away."""
    plate, bounds = (0.22, 0.2, 0.012), {"lower": 0.0, "upper": 0.2}
    spec.add_body("slide", 1.0, type="box", size=plate)
    spec.add_joint(
        "slide", "prismatic", None, "slide", position=(0, 0, _LOWER - 0.03), axis=(1, 0, 0), **bounds
    )
    spec.add_actuator("slide", "position", "slide", stiffness=2e4, damping=4e2, effort=500.0, **bounds)
    spec.add_shape("slide", "slide", "box", plate, color=ORANGE)
    spec.add_shape("slide_skin", "slide", "box", plate, role="collision", material="steel")
    spec.add_shape("handle", "slide", "box", (0.02, 0.08, 0.05), position=(0.12, 0.0, 0.0), color=DARK)


def _add_tray(spec: ModelSpec) -> None:
    """A floor with four rims."""
    floor = (2.0 * _TRAY, 2.0 * _TRAY, 0.04)
    sides = {"floor": (floor, (0.0, 0.0, -0.02))}
    for name, x, y in (("front", 1, 0), ("back", -1, 0), ("left", 0, 1), ("right", 0, -1)):
        size = (0.02 if x else 2.0 * _TRAY, 0.02 if y else 2.0 * _TRAY, _RIM)
        sides[name] = (size, (x * _TRAY, y * _TRAY, 0.5 * _RIM - 0.04))
    for name, (size, place) in sides.items():
        color = (0.70, 0.55, 0.38, 1.0) if name == "floor" else GLASS
        spec.add_shape(f"tray_{name}", None, "box", size, position=place, color=color)
        spec.add_shape(
            f"tray_{name}_skin", None, "box", size, role="collision", position=place, material="steel"
        )


#: They come to rest in the funnel before it is opened.
_ROUTINE = [[2.0, {}], [0.5, {"slide": 0.2}], [4.0, {}], [0.5, {"slide": 0.0}]]
