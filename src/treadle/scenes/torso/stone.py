"""The stone, and the table on which it stands."""

from __future__ import annotations

from treadle.model import ModelSpec, rpy
from treadle.scenes.bars import GREY
from treadle.scenes.torso.dimensions import HEIGHT, REACH, STONE, TABLE

__all__ = ["MASS", "add_stone"]

#: Of 2500 kg/m3, in kg.
MASS = 2500.0 * STONE[0] * STONE[1] * STONE[2]


def add_stone(spec: ModelSpec) -> None:
    """A block with two flat sides and a broken top; boxes in one another make it rough."""
    top, leg = (0.30, 0.52, 0.04), (0.10, 0.10, TABLE - 0.04)
    at = {"position": (REACH + 0.05, 0.0, TABLE - 0.02)}
    spec.add_shape("table_look", None, "box", top, color=(0.70, 0.55, 0.38, 1.0), **at)
    spec.add_shape("table", None, "box", top, role="collision", material="stone", **at)
    spec.add_shape("leg", None, "box", leg, position=(REACH + 0.05, 0.0, 0.5 * leg[2]), color=GREY)
    spec.add_body("stone", MASS, type="box", size=STONE)
    spec.add_joint("stone", "free", None, "stone", position=(REACH, 0.0, HEIGHT))
    blocks = [
        (STONE, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.50),
        ((0.10, 0.10, 0.12), (0.012, 0.002, 0.010), (0.0, 0.0, 0.62), 0.46),
        ((0.12, 0.10, 0.08), (-0.015, -0.008, 0.030), (0.22, -0.35, 0.15), 0.54),
        ((0.08, 0.08, 0.07), (0.022, 0.010, 0.042), (-0.35, 0.30, -0.4), 0.58),
    ]
    for number, (size, place, angles, shade) in enumerate(blocks):
        pose = {"position": place, "rotation": rpy(*angles)}
        color = (shade, shade * 0.97, shade * 0.92, 1.0)
        spec.add_shape(f"stone_look{number}", "stone", "box", size, color=color, **pose)
        spec.add_shape(f"stone{number}", "stone", "box", size, role="collision", material="stone", **pose)
