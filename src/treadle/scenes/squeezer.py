"""Andrews' squeezer: seven bodies and three loops, driven by a motor against a spring, in 30 ms.

The problem and its data are those of the Test Set for Initial Value Problem Solvers (Bari), and A03 of the
IFToMM library; there is no gravity. The spring is a case and a rod that slides in it, too light to matter:
their mass is less than a billionth of the lightest body's.
"""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin

from treadle.model import ModelSpec, rpy
from treadle.scenes.bars import BLUE, DARK, GREEN, GREY, ORANGE, RED, STEEL, add_bar, add_pin

__all__ = ["squeezer"]

#: Fixed points (x, z) in m: pivot of the two long links, of the triangle, end of the spring.
_A, _B, _C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
#: Body, joint, parent, place in the parent, centre of mass, mass (kg), moment (kg m2), angle at first (rad).
_BODIES = (
    ("K1", "beta", None, (0.0, 0.0), (0.00092, 0.0), 0.04325, 2.194e-6, -0.0617138900142764496),
    ("K2", "theta", "K1", (0.007, 0.0), (-0.0115, 0.0), 0.00365, 4.410e-7, 0.0),
    ("K3", "gamma", None, _B, (0.01043, -0.01874), 0.02373, 5.255e-6, 0.455279819163070380),
    ("K4", "phi", "K5", (0.04, 0.0), (0.0, -0.00579), 0.00706, 5.667e-7, 0.222668390165885885),
    ("K5", "delta", None, _A, (0.02308, 0.00916), 0.07050, 1.169e-5, 0.487364979543842550),
    ("K6", "omega", "K7", (0.0, -0.04), (0.00579, 0.0), 0.00706, 5.667e-7, -0.222668390165885885),
    ("K7", "epsilon", None, _A, (-0.00449, -0.01228), 0.05498, 1.912e-5, 1.23054744454982119),
)
#: Where three bodies are pinned to the end of K2 (m).
_E = (("K3", (0.0, -0.035)), ("K4", (0.0, -0.02)), ("K6", (0.02, 0.0)))
_K2_END = (-0.028, 0.0)
#: The spring's end on K3 (m), its stiffness (N/m) and length without force (m); torque of the motor (N m).
_D, _STIFFNESS, _REST, _TORQUE = (0.02, -0.018), 4530.0, 0.07785, 0.033
#: Mass (kg) and moment (kg m2) of the spring's two parts.
_LIGHT, _LIGHT_MOMENT = 1e-12, 1e-15
#: Turns x towards z, as the problem's angles do.
_HINGE = {"axis": (0.0, -1.0, 0.0)}


def squeezer() -> ModelSpec:
    """The mechanism upright; the motor's command is a torque (N m) that is added to its constant 0.033."""
    spec = ModelSpec("squeezer", gravity=(0.0, 0.0, 0.0), settings={"dt": 1e-5, "integrator": "rk4"})
    for name, _, _, _, center, mass, moment, _ in _BODIES:
        spec.add_body(name, mass, center=_at(center), inertia=(moment, moment, moment))
    for name, joint, parent, place, _, _, _, _ in _BODIES:
        spec.add_joint(joint, "revolute", parent, name, position=_at(place), **_HINGE)
    _add_spring(spec)
    for name, place in _E:
        ends = {"position": _at(_K2_END), "child_position": _at(place)}
        spec.add_joint(f"E_{name}", "revolute", "K2", name, **ends, **_HINGE)
    spec.add_joint("D", "revolute", "spring_rod", "K3", child_position=_at(_D), **_HINGE)
    spec.add_actuator("motor", "general", "beta", bias=(_TORQUE, 0.0, 0.0), lower=-0.1, upper=0.1)
    _add_start(spec)
    _add_looks(spec)
    return spec


def _at(point: tuple[float, float]) -> tuple[float, float, float]:
    return (point[0], 0.0, point[1])


def _add_spring(spec: ModelSpec) -> None:
    light = {"mass": _LIGHT, "inertia": (_LIGHT_MOMENT,) * 3}
    spec.add_body("spring_case", **light)
    spec.add_body("spring_rod", **light)
    spec.add_joint("spring_eye", "revolute", None, "spring_case", position=_at(_C), **_HINGE)
    slide = {"axis": (1.0, 0.0, 0.0), "stiffness": _STIFFNESS, "reference": _REST}
    spec.add_joint("spring", "prismatic", "spring_case", "spring_rod", **slide)


def _add_start(spec: ModelSpec) -> None:
    """The published angles, and the spring from C to where D then is."""
    positions = {joint: angle for _, joint, _, _, _, _, _, angle in _BODIES}
    s, c = sin(positions["gamma"]), cos(positions["gamma"])
    x, z = _B[0] + _D[0] * c - _D[1] * s - _C[0], _B[1] + _D[0] * s + _D[1] * c - _C[1]
    spec.add_keyframe("initial", positions=positions | {"spring_eye": atan2(z, x), "spring": hypot(x, z)})


def _add_looks(spec: ModelSpec) -> None:
    width, thickness = 0.006, 0.0015
    triangle = ((0.0, 0.0), _E[0][1], _D)
    bars = (
        ("K1", (0.0, 0.0), (0.007, 0.0), 0, RED),
        ("K2", (0.0, 0.0), _K2_END, 1, ORANGE),
        *[("K3", triangle[k - 1], triangle[k], 2, GREEN) for k in range(3)],
        ("K4", (0.0, 0.0), _E[1][1], 3, ORANGE),
        ("K5", (0.0, 0.0), (0.04, 0.0), 4, BLUE),
        ("K6", (0.0, 0.0), _E[2][1], 4, ORANGE),
        ("K7", (0.0, 0.0), (0.0, -0.04), 5, BLUE),
    )
    for body, start, end, layer, color in bars:
        add_bar(spec, body, start, end, width, layer, color)
    for body, place, layers in (
        ("K1", (0.0, 0.0), (-2.0, 0.0)),
        ("K1", (0.007, 0.0), (0.0, 1.0)),
        ("K2", _K2_END, (1.0, 4.0)),
        ("K3", (0.0, 0.0), (-2.0, 2.0)),
        ("K3", _D, (2.0, 4.0)),
        ("K4", (0.0, 0.0), (3.0, 4.0)),
        ("K5", (0.0, 0.0), (-2.0, 5.0)),
        ("K6", (0.0, 0.0), (4.0, 5.0)),
    ):
        add_pin(spec, body, place, 0.0016, layers, thickness)
    lying = rpy(0.0, pi / 2, 0.0)
    case, rod = 0.05, 0.05
    spec.add_shape(
        "case", "spring_case", "cylinder", (0.005, case), position=(case / 2, 4 * thickness, 0.0),
        rotation=lying, color=STEEL,
    )  # fmt: skip
    spec.add_shape(
        "rod", "spring_rod", "cylinder", (0.0022, rod), position=(-rod / 2, 4 * thickness, 0.0),
        rotation=lying, color=DARK,
    )  # fmt: skip
    add_pin(spec, None, _C, 0.0016, (-2.0, 6.0), thickness)
    board = {"position": (-0.02, -4 * thickness, 0.02), "color": GREY}
    spec.add_shape("board", None, "box", (0.13, 2 * thickness, 0.13), **board)
