"""A stack of boxes on a table that slides: friction carries them along, until it moves too fast."""

from __future__ import annotations

from treadle.errors import InputError
from treadle.model import ModelSpec, box_inertia
from treadle.scenes.bars import BLUE, DARK, GREEN, GREY, ORANGE, RED, STEEL

__all__ = ["box_stack"]

#: Side (m) and mass (kg) of a box; length, width and thickness of the table, and its height.
_SIDE, _MASS = 0.2, 2.0
_TOP, _HEIGHT = (0.7, 0.6, 0.05), 0.35
#: How far the table goes to either side (m).
_WAY = 0.4


def box_stack(boxes: int = 6, stiffness: float | None = None, friction: float = 0.5) -> ModelSpec:
    """So many `boxes` of 2 kg; `stiffness` of their faces in N/m, None: rigid."""
    if isinstance(boxes, bool) or not isinstance(boxes, int) or boxes < 1:
        raise InputError(f"a stack has a whole number of boxes, at least one, not {boxes!r}")
    spec = ModelSpec("box-stack", settings={"dt": 0.01, "routine": _ROUTINE})
    spec.add_material("wood", stiffness=stiffness, friction=friction)
    spec.add_material("steel", friction=friction)
    spec.add_shape("floor", None, "plane", role="collision", material="steel")
    _add_table(spec)
    for number in range(boxes):
        name, side = f"box{number + 1}", (_SIDE, _SIDE, _SIDE)
        spec.add_body(name, _MASS, inertia=box_inertia(_MASS, *side))
        place = (0.0, 0.0, _HEIGHT + (number + 0.5) * _SIDE)
        spec.add_joint(name, "free", None, name, position=place)
        spec.add_shape(f"{name}_skin", name, "box", side, role="collision", material="wood")
        color = (ORANGE, BLUE, GREEN, RED, STEEL)[number % 5]
        spec.add_shape(name, name, "box", (_SIDE, _SIDE, _SIDE - 0.008), color=color)
        band = (0.7 * _SIDE, 0.7 * _SIDE, _SIDE)
        spec.add_shape(f"{name}_band", name, "box", band, color=DARK)
    return spec


def _add_table(spec: ModelSpec) -> None:
    """A table on a rail, which a servo moves."""
    spec.add_body("table", 20.0, center=(0.0, 0.0, -0.1), inertia=box_inertia(20.0, 0.7, 0.6, 0.1))
    bounds = {"lower": -_WAY, "upper": _WAY}
    spec.add_joint(
        "slide", "prismatic", None, "table", position=(0.0, 0.0, _HEIGHT), axis=(1, 0, 0), **bounds
    )
    spec.add_actuator("slide", "position", "slide", stiffness=4e4, damping=3e3, effort=3e3, **bounds)
    under = {"position": (0.0, 0.0, -0.5 * _TOP[2])}
    spec.add_shape("top", "table", "box", _TOP, color=(0.70, 0.55, 0.38, 1.0), **under)
    spec.add_shape("top_skin", "table", "box", _TOP, role="collision", material="steel", **under)
    spec.add_shape("carriage", "table", "box", (0.4, 0.3, 0.1), position=(0, 0, -0.1), color=GREY)
    rail = {"position": (0.0, 0.0, 0.17), "color": STEEL}
    spec.add_shape("rail", None, "box", (1.5, 0.12, 0.06), **rail)
    for name, x in (("left", -0.65), ("right", 0.65)):
        spec.add_shape(f"{name}_stand", None, "box", (0.12, 0.3, 0.14), position=(x, 0, 0.07), color=DARK)


#: Twice to and fro, and slowly enough.
_ROUTINE = [[2.0, {"slide": 0.25}], [3.0, {"slide": -0.25}], [2.0, {"slide": 0.0}], [1.0, {}]]
