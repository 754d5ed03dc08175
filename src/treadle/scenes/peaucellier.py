"""The Peaucellier-Lipkin linkage: seven bars and three loops that turn a rotation into a straight line.

Mikhaylyuk et al., "Algorithms of Multibody Dynamics Simulation Using Articulated-Body Method", figure 5.
The crank's end runs on a circle through the pivot of the two arms, so the opposite corner of the rhombus,
the frame "pen", runs on a line: the product of their distances from that pivot is constant.
"""

from __future__ import annotations

from math import acos, cos

from treadle.model import ModelSpec, box_inertia
from treadle.scenes.bars import BLUE, DARK, GREEN, GREY, HINGE, ORANGE, RED, add_bar, add_pin

__all__ = ["peaucellier"]

#: Lengths of the crank and of the ground between the pivots, of an arm, of a side of the rhombus (m).
_CRANK, _ARM, _SIDE = 0.3, 1.0, 0.45
#: Mass of a bar (kg), its width, and the height of the pivots (m).
_MASS, _WIDTH, _HEIGHT = 0.5, 0.05, 1.2

#: Body, joint, parent, place in the parent, length, layer, colour; every bar lies along its x axis.
_BARS = (
    ("crank", "motor", None, _CRANK, _CRANK, -1, RED),
    ("upper", "upper_arm", None, 0.0, _ARM, 0, BLUE),
    ("lower", "lower_arm", None, 0.0, _ARM, 1, BLUE),
    ("crank_upper", "a", "crank", _CRANK, _SIDE, 1, ORANGE),
    ("crank_lower", "b", "crank", _CRANK, _SIDE, 2, ORANGE),
    ("pen_upper", "c", "upper", _ARM, _SIDE, 2, ORANGE),
    ("pen_lower", "d", "lower", _ARM, _SIDE, 3, ORANGE),
)


def peaucellier() -> ModelSpec:
    """The pen goes up and down as the motor turns the crank, which it can by 0.8 rad to either side."""
    spec = ModelSpec("peaucellier", settings={"dt": 2e-3})
    for body, joint, parent, place, length, layer, color in _BARS:
        inertia = box_inertia(_MASS, length, _WIDTH / 4, _WIDTH)
        spec.add_body(body, _MASS, center=(length / 2, 0.0, 0.0), inertia=inertia)
        height = 0.0 if parent else _HEIGHT
        spec.add_joint(joint, "revolute", parent, body, position=(place, 0.0, height), **HINGE)
        add_bar(spec, body, (0.0, 0.0), (length, 0.0), _WIDTH, layer, color)
    for name, first, second, reach in (
        ("close_a", "crank_upper", "upper", _ARM),
        ("close_b", "crank_lower", "lower", _ARM),
        ("close_p", "pen_upper", "pen_lower", _SIDE),
    ):
        ends = {"position": (_SIDE, 0.0, 0.0), "child_position": (reach, 0.0, 0.0)}
        spec.add_joint(name, "revolute", first, second, **ends, **HINGE)
    spec.add_actuator(
        "motor", "position", "motor", stiffness=2e3, damping=100.0, lower=-0.75, upper=0.75, effort=500.0
    )
    spec.add_frame("pen", "pen_upper", position=(_SIDE, 0.0, 0.0))
    _add_start(spec)
    _add_looks(spec)
    return spec


def _add_start(spec: ModelSpec) -> None:
    """The crank points away from the arms' pivot; the bars above the middle are turned against their axes."""
    arm = acos((_ARM**2 + (2 * _CRANK) ** 2 - _SIDE**2) / (4 * _ARM * _CRANK))
    side = acos((_ARM * cos(arm) - 2 * _CRANK) / _SIDE)
    turned = {"upper_arm": -arm, "lower_arm": arm, "a": -side, "b": side, "c": arm + side, "d": -arm - side}
    spec.add_keyframe("initial", positions=turned)


def _add_looks(spec: ModelSpec) -> None:
    thickness = _WIDTH / 4
    for body, place, layers in (
        ("crank", 0.0, (-3.0, -1.0)),
        ("crank", _CRANK, (-1.0, 2.0)),
        ("upper", 0.0, (-3.0, 1.0)),
        ("upper", _ARM, (0.0, 2.0)),
        ("lower", _ARM, (1.0, 3.0)),
    ):
        add_pin(spec, body, (place, 0.0), 0.014, layers, thickness)
    spec.add_shape("pen_tip", "pen_upper", "sphere", (0.03,), position=(_SIDE, 0.04, 0.0), color=GREEN)
    for number, x in enumerate((0.0, _CRANK)):
        size = (0.08, 0.04, _HEIGHT + 0.06)
        place = (x, -4.5 * thickness, 0.5 * size[2])
        spec.add_shape(f"stand{number}", None, "box", size, position=place, color=GREY)
    spec.add_shape("plate", None, "box", (0.7, 0.3, 0.03), position=(0.15, -0.04, 0.015), color=DARK)
    # what the pen runs along
    line = ((_ARM**2 - _SIDE**2) / (2 * _CRANK), -0.02, _HEIGHT)
    spec.add_shape("line", None, "box", (0.012, 0.012, 1.2), position=line, color=GREEN)
