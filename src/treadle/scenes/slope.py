"""A board that tilts with four blocks of different friction: each slides where tan(angle) exceeds it."""

from __future__ import annotations

from math import pi

from treadle.model import ModelSpec, box_inertia, rpy
from treadle.scenes.bars import BLUE, DARK, GREEN, GREY, ORANGE, RED, STEEL

__all__ = ["FRICTIONS", "slope"]

#: Coefficients of friction of the blocks on the board.
FRICTIONS = (0.15, 0.3, 0.45, 0.6)

#: Length, width and thickness of the board; height of its axis; length, width and height of a block (m).
_BOARD, _HEIGHT = (1.6, 0.8, 0.04), 0.75
_BLOCK, _MASS = (0.16, 0.12, 0.10), 1.5
#: How far the board tilts (rad).
_STEEPEST = 0.7


def slope(stiffness: float | None = None) -> ModelSpec:
    """The blocks start at the middle of a level board; `stiffness` of their faces in N/m, None: rigid."""
    spec = ModelSpec("slope", settings={"dt": 0.01, "routine": _ROUTINE})
    # the friction of two materials is the geometric mean: that of the board is 1
    spec.add_material("board", friction=1.0)
    spec.add_material("ledge", friction=0.0)
    spec.add_shape("floor", None, "plane", role="collision", material="board")
    _add_board(spec)
    for number, (friction, color) in enumerate(zip(FRICTIONS, (STEEL, BLUE, GREEN, RED), strict=True)):
        name = f"block{number + 1}"
        spec.add_material(name, friction=friction * friction, stiffness=stiffness)
        spec.add_body(name, _MASS, inertia=box_inertia(_MASS, *_BLOCK))
        y = _BOARD[1] * ((number + 0.5) / len(FRICTIONS) - 0.5)
        spec.add_joint(name, "free", None, name, position=(0.0, y, _HEIGHT + 0.5 * _BLOCK[2]))
        spec.add_shape(name, name, "box", _BLOCK, color=color)
        spec.add_shape(f"{name}_skin", name, "box", _BLOCK, role="collision", material=name)
        # one bar more for every step of friction
        for bar in range(number + 1):
            at = (0.03 * (bar - 0.5 * number), 0.0, 0.5 * _BLOCK[2])
            spec.add_shape(f"{name}_bar{bar}", name, "box", (0.012, 0.09, 0.004), position=at, color=DARK)
    return spec


def _add_board(spec: ModelSpec) -> None:
    """A board on an axis across its middle, with a ledge at either end; a servo tilts it."""
    length, width, thick = _BOARD
    spec.add_body("board", 12.0, center=(0.0, 0.0, -0.5 * thick), inertia=box_inertia(12.0, *_BOARD))
    bounds = {"lower": -_STEEPEST, "upper": _STEEPEST}
    spec.add_joint("tilt", "revolute", None, "board", position=(0.0, 0.0, _HEIGHT), axis=(0, 1, 0), **bounds)
    spec.add_actuator("tilt", "position", "tilt", stiffness=2e4, damping=2e3, effort=2e3, **bounds)
    under = {"position": (0.0, 0.0, -0.5 * thick)}
    spec.add_shape("board", "board", "box", _BOARD, color=(0.78, 0.64, 0.45, 1.0), **under)
    spec.add_shape("board_skin", "board", "box", _BOARD, role="collision", material="board", **under)
    ledge = (0.04, width, 0.10)
    for name, x in (("front", 0.5 * length), ("back", -0.5 * length)):
        at = {"position": (x, 0.0, 0.5 * ledge[2] - thick)}
        spec.add_shape(f"{name}_ledge", "board", "box", ledge, color=ORANGE, **at)
        spec.add_shape(f"{name}_ledge_skin", "board", "box", ledge, role="collision", material="ledge", **at)
    for line in range(1, 4):
        at = (0.0, width * (line / 4 - 0.5), 0.0)
        spec.add_shape(f"line{line}", "board", "box", (length - 0.04, 0.008, 0.002), position=at, color=DARK)
    axle = {"rotation": rpy(pi / 2, 0.0, 0.0), "position": (0.0, 0.0, _HEIGHT - 0.06)}
    spec.add_shape("axle", None, "cylinder", (0.035, width + 0.16), color=DARK, **axle)
    for name, y in (("left", 0.5 * width + 0.06), ("right", -0.5 * width - 0.06)):
        stand, foot = (0.08, 0.04, _HEIGHT - 0.02), (0.5, 0.06, 0.04)
        spec.add_shape(f"{name}_stand", None, "box", stand, position=(0, y, 0.5 * stand[2]), color=GREY)
        spec.add_shape(f"{name}_foot", None, "box", foot, position=(0, y, 0.02), color=DARK)


#: To one side until all have slid, and to the other.
_ROUTINE = [
    [7.0, {"tilt": 0.65}],
    [1.0, {}],
    [10.0, {"tilt": -0.65}],
    [1.0, {}],
    [4.0, {"tilt": 0.0}],
    [0.5, {}],
]
