"""The column, the waist, the chest and the head."""

from __future__ import annotations

from math import pi

from treadle.model import ModelSpec, box_inertia, rpy
from treadle.scenes.bars import DARK, GREY, ORANGE
from treadle.scenes.torso.dimensions import BREADTH, SHOULDER, WAIST

__all__ = ["add_body"]

_WHITE, _GLASS, _EYE = (0.93, 0.93, 0.91, 1.0), (0.10, 0.12, 0.15, 1.0), (0.35, 0.75, 0.95, 1.0)


def add_body(spec: ModelSpec) -> None:
    """A chest that turns and leans on a column."""
    spec.add_body("hips", 6.0, center=(0.0, 0.0, 0.03), inertia=box_inertia(6.0, 0.2, 0.26, 0.1))
    spec.add_joint(
        "turn", "revolute", None, "hips", position=(0, 0, WAIST), axis=(0, 0, 1), lower=-1.2, upper=1.2
    )
    spec.add_body("chest", 18.0, center=(0.0, 0.0, 0.27), inertia=box_inertia(18.0, 0.2, 0.32, 0.4))
    spec.add_joint(
        "lean", "revolute", "hips", "chest", position=(0, 0, 0.06), child_position=(0, 0, 0.06),
        axis=(0, 1, 0), lower=-0.2, upper=0.5,
    )  # fmt: skip
    servo = {"stiffness": 2e4, "damping": 1.5e3, "effort": 400.0}
    spec.add_actuator("turn", "position", "turn", lower=-1.2, upper=1.2, **servo)
    spec.add_actuator("lean", "position", "lean", lower=-0.2, upper=0.5, **servo)
    _add_looks(spec)


def _add_looks(spec: ModelSpec) -> None:
    across = rpy(pi / 2, 0.0, 0.0)
    foot, column = (0.20, 0.04), (0.07, WAIST - 0.08)
    spec.add_shape("foot", None, "cylinder", foot, position=(0, 0, foot[1] / 2), color=DARK)
    spec.add_shape("column", None, "cylinder", column, position=(0, 0, column[1] / 2), color=GREY)
    spec.add_shape("bearing", None, "cylinder", (0.10, 0.04), position=(0, 0, WAIST - 0.06), color=DARK)
    spec.add_shape("pelvis", "hips", "ellipsoid", (0.10, 0.14, 0.07), position=(0, 0, 0.0), color=_WHITE)
    spec.add_shape(
        "belt", "hips", "cylinder", (0.075, 0.17), position=(0, 0, 0.06), rotation=across, color=DARK
    )
    chest = {
        "belly": ("ellipsoid", (0.09, 0.115, 0.12), (0.0, 0.0, 0.16), _WHITE),
        "ribs": ("ellipsoid", (0.115, 0.17, 0.17), (0.0, 0.0, 0.34), _WHITE),
        "plate": ("ellipsoid", (0.05, 0.11, 0.09), (0.085, 0.0, 0.36), ORANGE),
        "neck": ("cylinder", (0.045, 0.12), (0.0, 0.0, 0.53), DARK),
        "skull": ("ellipsoid", (0.105, 0.085, 0.115), (0.015, 0.0, 0.66), _WHITE),
        "visor": ("ellipsoid", (0.06, 0.07, 0.045), (0.07, 0.0, 0.67), _GLASS),
    }
    for name, (type_, size, place, color) in chest.items():
        spec.add_shape(name, "chest", type_, size, position=place, color=color)
    yoke = (0.055, 2.0 * BREADTH - 0.06)
    spec.add_shape("yoke", "chest", "cylinder", yoke, position=(0, 0, SHOULDER), rotation=across, color=GREY)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        spec.add_shape(f"{side}_ear", "chest", "cylinder", (0.03, 0.02), position=(0.0, sign * 0.086, 0.66),
                       rotation=across, color=ORANGE)  # fmt: skip
        spec.add_shape(f"{side}_eye", "chest", "sphere", (0.012,), position=(0.122, sign * 0.03, 0.675),
                       color=_EYE)  # fmt: skip
