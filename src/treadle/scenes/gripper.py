"""A gripper that takes a box from a table: one motor moves two fingers through a repeater.

After Mikhaylyuk et al., "Algorithms of Multibody Dynamics Simulation Using Articulated-Body Method",
figure 6, where one engine drives two links. Each finger hangs on a parallelogram, so that its pad stays
upright; the repeater turns the right crank as far as the motor turns the left one. Two servos carry the hand.
Nothing but friction holds what is gripped.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

from treadle.model import ModelSpec, box_inertia
from treadle.scenes.bars import BLUE, DARK, GREY, ORANGE, RED, STEEL, add_bar, add_pin

__all__ = ["gripper"]

#: Length of crank and follower, distance of their pivots, place of the crank's pivot beside the middle (m).
_LINK, _APART, _PIVOT = 0.12, 0.035, 0.05
#: How far cranks lean outward when open (rad), and how far they turn to be closed.
_OPEN, _TRAVEL = 0.6, 0.6
#: Place of the pad under the crank's end: inward and down (m); its thickness, width and height.
_PAD, _PAD_SIZE = (0.024, 0.10), (0.012, 0.05, 0.07)
#: Height of the table and side of the box (m); height of the hand's pivots with the pads around the box.
_TABLE, _BOX = 0.4, 0.1
_GRASP = _TABLE + _BOX / 2 + _LINK * cos(0.27) + _PAD[1]
#: How far above that the hand starts (m).
_ABOVE = 0.15


def gripper(ball: bool = False, stiffness: float | None = None) -> ModelSpec:
    """The hand starts open above a box of 1 kg, or a `ball`; `stiffness` of the pads in N/m, None: rigid."""
    spec = ModelSpec("gripper", settings={"dt": 0.01, "routine": _ROUTINE})
    # a ball touches at points: rubber keeps it from turning about its normal, wood from rolling away
    spin, roll = (0.005, 0.001) if ball else (0.0, 0.0)
    spec.add_material("rubber", friction=0.9, spinning_friction=spin, stiffness=stiffness)
    spec.add_material("wood", friction=0.5, rolling_friction=roll)
    _add_arm(spec)
    _add_finger(spec, "left", -1.0)
    _add_finger(spec, "right", 1.0)
    spec.add_coupling("repeater", "right_crank", "left_crank", (0.0, 1.0))
    spec.add_actuator(
        "grip", "position", "left_crank", stiffness=100.0, damping=4.0, lower=0.0, upper=_TRAVEL, effort=12.0
    )
    _add_table(spec, ball)
    return spec


def _add_arm(spec: ModelSpec) -> None:
    """A beam that a servo lifts along a column, and the hand that another moves along the beam."""
    height = _GRASP + _ABOVE
    spec.add_body("beam", 6.0, center=(0.3, -0.06, 0.1), inertia=box_inertia(6.0, 0.9, 0.05, 0.07))
    spec.add_joint(
        "lift", "prismatic", None, "beam", position=(-0.5, 0.0, height), axis=(0, 0, 1), lower=-0.2, upper=0.3
    )
    spec.add_body("palm", 2.0, center=(0.0, 0.0, 0.05), inertia=box_inertia(2.0, 0.16, 0.08, 0.1))
    spec.add_joint(
        "reach", "prismatic", "beam", "palm", position=(0.5, 0.0, 0.0), axis=(1, 0, 0), lower=-0.2, upper=0.2
    )
    servo = {"stiffness": 2e4, "damping": 1.2e3, "effort": 500.0}
    spec.add_actuator("lift", "position", "lift", lower=-0.2, upper=0.3, **servo)
    spec.add_actuator("reach", "position", "reach", lower=-0.2, upper=0.2, **servo)
    spec.add_frame("hand", "palm", position=(0.0, 0.0, -_LINK * cos(0.27) - _PAD[1]))
    column, foot = (0.1, 0.1, 1.25), (0.3, 0.3, 0.03)
    spec.add_shape("column", None, "box", column, position=(-0.5, -0.06, 0.5 * column[2]), color=GREY)
    spec.add_shape("foot", None, "box", foot, position=(-0.5, -0.06, 0.5 * foot[2]), color=DARK)
    sleeve = (0.15, 0.15, 0.14)
    spec.add_shape("sleeve", "beam", "box", sleeve, position=(0.0, -0.06, 0.1), color=ORANGE)
    spec.add_shape("rail", "beam", "box", (0.78, 0.05, 0.07), position=(0.45, -0.06, 0.1), color=STEEL)
    spec.add_shape("trolley", "palm", "box", (0.14, 0.09, 0.1), position=(0.0, -0.06, 0.1), color=ORANGE)
    spec.add_shape("plate", "palm", "box", (0.24, 0.02, 0.1), position=(0.0, -0.02, 0.03), color=BLUE)
    spec.add_shape("motor", "palm", "cylinder", (0.03, 0.09), position=(0.0, 0.0, 0.09), color=DARK)


def _add_finger(spec: ModelSpec, side: str, sign: float) -> None:
    """Crank, follower and tip; zero is open, and a positive angle closes on either side."""
    axis = {"axis": (0.0, sign, 0.0)}
    end = (sign * _LINK * sin(_OPEN), 0.0, -_LINK * cos(_OPEN))
    link = {"center": (end[0] / 2, 0.0, end[2] / 2), "inertia": (1.2e-4, 1.2e-4, 1.2e-4)}
    apart = (sign * _APART, 0.0, 0.0)
    crank, follower, tip = (f"{side}_{part}" for part in ("crank", "follower", "tip"))
    spec.add_body(crank, 0.1, **link)
    spec.add_joint(
        crank, "revolute", "palm", crank, position=(sign * _PIVOT, 0, 0), lower=0.0, upper=_TRAVEL, **axis
    )
    spec.add_body(follower, 0.1, **link)
    place = (sign * (_PIVOT + _APART), 0.0, 0.0)
    spec.add_joint(follower, "revolute", "palm", follower, position=place, **axis)
    pad = (-sign * _PAD[0], 0.0, -_PAD[1])
    inertia = box_inertia(0.2, 0.03, 0.04, 0.14)
    spec.add_body(tip, 0.2, center=(0.0, 0.0, -0.06), inertia=inertia)
    spec.add_joint(tip, "revolute", crank, tip, position=end, **axis)
    spec.add_joint(f"{side}_pin", "revolute", follower, tip, position=end, child_position=apart, **axis)

    points = {"start": (0.0, 0.0), "end": (end[0], end[2])}
    add_bar(spec, crank, **points, width=0.024, layer=1, color=RED)
    add_bar(spec, follower, **points, width=0.02, layer=1.2, color=STEEL)
    add_bar(spec, tip, (0.0, 0.0), (apart[0], 0.0), width=0.026, color=BLUE)
    add_bar(spec, tip, (0.0, 0.0), (0.0, pad[2] + 0.02), width=0.022, color=BLUE)
    back = (_PAD[0] - _PAD_SIZE[0] / 2, 0.02, 0.03)
    spec.add_shape(f"{side}_back", tip, "box", back, position=(-sign * back[0] / 2, 0.0, pad[2]), color=BLUE)
    for body, x in ((crank, 0.0), (follower, 0.0)):
        add_pin(spec, body, (x, 0.0), 0.006, (-1.0, 2.0), 0.006)
        add_pin(spec, body, points["end"], 0.006, (0.0, 2.0), 0.006)
    spec.add_shape(f"{side}_pad_look", tip, "box", _PAD_SIZE, position=pad, color=DARK)
    spec.add_shape(f"{side}_pad", tip, "box", _PAD_SIZE, role="collision", position=pad, material="rubber")


def _add_table(spec: ModelSpec, ball: bool) -> None:
    """A table, and what stands on it."""
    top, leg = (0.6, 0.5, 0.04), (0.12, 0.12, _TABLE - 0.04)
    under = {"position": (0.0, 0.0, _TABLE - 0.02)}
    spec.add_shape("table_look", None, "box", top, color=(0.70, 0.55, 0.38, 1.0), **under)
    spec.add_shape("table", None, "box", top, role="collision", material="wood", **under)
    spec.add_shape("leg", None, "box", leg, position=(0.0, 0.0, 0.5 * leg[2]), color=GREY)
    name, size = ("ball", (_BOX / 2,)) if ball else ("box", (_BOX, _BOX, _BOX))
    shape = "sphere" if ball else "box"
    spec.add_body(name, 1.0, type=shape, size=size)
    spec.add_joint(name, "free", None, name, position=(0.0, 0.0, _TABLE + _BOX / 2))
    spec.add_shape(f"{name}_look", name, shape, size, color=(0.85, 0.70, 0.30, 1.0))
    spec.add_shape(name, name, shape, size, role="collision", material="wood")


def _carry(reach: float) -> list[list[Any]]:
    """Take what stands under the hand, put it down `reach` (m) along the rail, and let go."""
    return [
        [1.5, {"lift": -_ABOVE}],
        [1.0, {"grip": _TRAVEL}],
        [1.5, {"lift": 0.1}],
        [1.5, {"reach": reach}],
        [1.5, {"lift": -_ABOVE}],
        [1.0, {"grip": 0.0}],
        [1.0, {"lift": 0.0}],
    ]


#: There and back again.
_ROUTINE = _carry(0.12) + _carry(0.0)
