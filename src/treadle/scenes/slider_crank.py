"""A slider-crank: the crank, rod and piston of an upright engine, the slider closing the loop.

Wang, "Interactive virtual prototyping of a mechanical system considering the environment effect. Part 2:
Simulation quality", figure 1: the slider is the joint that is cut. The paper gives no dimensions.
"""

from __future__ import annotations

from math import asin, cos, sin

from treadle.model import ModelSpec, cylinder_inertia
from treadle.scenes.bars import ACROSS, BLUE, DARK, GLASS, GREY, HINGE, ORANGE, STEEL, add_bar, add_pin

__all__ = ["slider_crank"]

#: Lengths of crank and rod, radius and height of the piston, radius of the flywheel and its height (m).
_CRANK, _ROD, _BORE, _PISTON, _WHEEL, _HEIGHT = 0.1, 0.35, 0.08, 0.12, 0.22, 0.3
#: Masses (kg).
_WHEEL_MASS, _ROD_MASS, _PISTON_MASS = 12.0, 1.5, 2.0
_WIDTH = 0.05


def slider_crank(angle: float = 0.5, speed: float = 10.0) -> ModelSpec:
    """No friction; at first the crank is `angle` (rad) past the top and turns with `speed` (rad/s)."""
    spec = ModelSpec("slider-crank", settings={"dt": 1e-3})
    spec.add_body("crank", _WHEEL_MASS, inertia=cylinder_inertia(_WHEEL_MASS, _WHEEL, 0.04, axis="y"))
    rod = cylinder_inertia(_ROD_MASS, 0.02, _ROD)
    spec.add_body("rod", _ROD_MASS, center=(0.0, 0.0, _ROD / 2), inertia=rod)
    piston = cylinder_inertia(_PISTON_MASS, _BORE, _PISTON)
    spec.add_body("piston", _PISTON_MASS, center=(0.0, 0.0, 0.02), inertia=piston)
    spec.add_joint("bearing", "continuous", None, "crank", position=(0.0, 0.0, _HEIGHT), **HINGE)
    spec.add_joint("crank_pin", "continuous", "crank", "rod", position=(0.0, 0.0, _CRANK), **HINGE)
    spec.add_joint("piston_pin", "revolute", "rod", "piston", position=(0.0, 0.0, _ROD), **HINGE)
    # zero with the crank at the top
    top = (0.0, 0.0, _HEIGHT + _CRANK + _ROD)
    spec.add_joint("slider", "prismatic", None, "piston", position=top, axis=(0.0, 0.0, 1.0))
    spec.add_actuator("motor", "motor", "bearing", lower=-20.0, upper=20.0)
    spec.add_frame("crown", "piston", position=(0.0, 0.0, 0.02 + _PISTON / 2))
    _add_start(spec, angle, speed)
    _add_looks(spec)
    return spec


def _add_start(spec: ModelSpec, angle: float, speed: float) -> None:
    """The rod leans by b from the upright: crank sin(angle) + rod sin(b) = 0."""
    b = -asin(_CRANK * sin(angle) / _ROD)
    rate = -_CRANK * cos(angle) * speed / (_ROD * cos(b))
    spec.add_keyframe(
        "initial",
        positions={"bearing": angle, "crank_pin": b - angle, "piston_pin": -b},
        velocities={"bearing": speed, "crank_pin": rate - speed, "piston_pin": -rate},
    )


def _add_looks(spec: ModelSpec) -> None:
    wheel = {"rotation": ACROSS, "position": (0.0, -0.07, 0.0)}
    spec.add_shape("flywheel", "crank", "cylinder", (_WHEEL, 0.04), color=GREY, **wheel)
    # marks that show the wheel turn
    for number, (x, z) in enumerate(((1, 0), (-0.5, 0.866), (-0.5, -0.866))):
        place = (0.7 * _WHEEL * x, -0.07, 0.7 * _WHEEL * z)
        spec.add_shape(
            f"hole{number}", "crank", "cylinder", (0.035, 0.042), color=DARK, position=place, rotation=ACROSS
        )
    add_bar(spec, "crank", (0.0, -0.06), (0.0, _CRANK), 0.08, layer=-1.0, color=ORANGE)
    add_pin(spec, "crank", (0.0, 0.0), 0.022, (-6.0, 1.0), 0.02)
    add_pin(spec, "crank", (0.0, _CRANK), 0.015, (-1.0, 1.0), 0.02)
    add_bar(spec, "rod", (0.0, 0.0), (0.0, _ROD), _WIDTH, layer=1.0, color=BLUE)
    spec.add_shape(
        "piston_body", "piston", "cylinder", (_BORE, _PISTON), color=STEEL, position=(0.0, 0.0, 0.02)
    )
    add_pin(spec, "piston", (0.0, 0.0), 0.012, (-5.5, 5.5), 0.0125)
    stroke = 2 * _CRANK + _PISTON
    middle = _HEIGHT + _ROD + 0.02
    spec.add_shape(
        "cylinder", None, "cylinder", (_BORE + 0.012, stroke + 0.02), color=GLASS, position=(0.0, 0.0, middle)
    )
    spec.add_shape("plate", None, "box", (0.5, 0.36, 0.02), color=DARK, position=(0.0, -0.03, 0.01))
    bearing = (0.07, 0.05, _HEIGHT + 0.03)
    spec.add_shape("stand", None, "box", bearing, color=GREY, position=(0.0, -0.13, 0.02 + 0.5 * bearing[2]))
