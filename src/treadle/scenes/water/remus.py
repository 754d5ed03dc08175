"""REMUS 100: a torpedo-shaped underwater vehicle with one propeller, a rudder and stern planes.

The hull is a spheroid as heavy as the water, with the drag, the time constants and damping ratios, and the
propeller of the published model (Allen et al. 2000, Fossen 2021); 1525 rpm drive it at 2.5 m/s.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from treadle.model import ModelSpec, rpy
from treadle.model.hydrodynamics import Fluid, ellipsoid_added_mass
from treadle.scenes.bars import DARK, ORANGE, STEEL

__all__ = ["remus"]

#: Half axes of the hull (m), density of sea water (kg/m3), centre of mass below that of buoyancy (m).
HALF_AXES, DENSITY, LOW = (0.8, 0.095, 0.095), 1026.0, 0.02
#: Mass of the hull with all parts (kg), of the propeller and of a pair of fins.
MASS = DENSITY * 4.0 / 3.0 * pi * HALF_AXES[0] * HALF_AXES[1] ** 2
SCREW_MASS, FIN_MASS = 0.2, 0.1
#: Added inertia about the long axis over the hull's own.
ROLL_SHARE = 0.3
#: Time constants of surge, sway and heave, and of yaw (s); damping ratios of roll and pitch.
SURGE, YAW, ROLL_DAMPING, PITCH_DAMPING = 20.0, 1.0, 0.3, 0.8
#: Propeller: diameter (m), KT and KQ at rest and their slopes by J, share of the wake, thrust deduction.
DIAMETER, THRUST, TORQUE, WAKE, DEDUCTION = 0.14, (0.4566, -0.41737), (0.07, -0.0585), 0.056, 0.1
#: Fins: area of a pair (m2), lift per angle (1/rad), where they are (m), how far they turn (rad).
FIN_AREA, FIN_LIFT, FIN_X, FIN_RANGE = 0.03, 3.5, -0.68, 0.35

_G = 9.81


def remus() -> ModelSpec:
    """REMUS 100 under water, 31 kg: propeller, rudder and stern planes."""
    spec = ModelSpec("remus", settings={"dt": 1e-2, "routine": _routine()})
    Fluid(DENSITY, surface=10.0).surround(spec)
    a, b, _ = HALF_AXES
    along, across = 0.4 * MASS * b**2, MASS * (a**2 + b**2) / 5.0
    parts = SCREW_MASS + 2.0 * FIN_MASS
    # the centre of all parts together lies below that of buoyancy
    ends = SCREW_MASS * -0.82 + 2.0 * FIN_MASS * FIN_X
    own = MASS - parts
    center = (-ends / own, 0.0, -LOW * MASS / own)
    spec.add_body("hull", own, center=center, inertia=(along, across, across))
    spec.add_joint("base", "free", None, "hull")
    A = ellipsoid_added_mass(HALF_AXES, DENSITY)
    A[0, 0] = ROLL_SHARE * along
    spec.add_hull(
        "shape", "hull", size=HALF_AXES, drag_coefficient=0.42, added_mass=A,
        linear_drag=_linear_drag(along, across, A),
    )  # fmt: skip
    spec.add_shape("skin", "hull", "ellipsoid", HALF_AXES, color=ORANGE)
    spec.add_shape("mast", "hull", "box", (0.12, 0.02, 0.12), position=(0.1, 0, 0.13), color=DARK)
    _add_propeller(spec)
    _add_fins(spec, "rudder", (0.0, 0.0, -1.0), rpy(-0.5 * pi, 0.0, 0.0), "z")
    _add_fins(spec, "planes", (0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0), "y")
    return spec


def _linear_drag(along: float, across: float, A: Any) -> tuple[float, ...]:
    """From time constants and damping ratios at rest."""
    weight = MASS * _G * LOW
    roll, pitch = along + A[0, 0], across + A[1, 1]
    return (
        2.0 * ROLL_DAMPING * sqrt(weight * roll),
        2.0 * PITCH_DAMPING * sqrt(weight * pitch),
        (across + A[2, 2]) / YAW,
        *((MASS + A[k, k]) / SURGE for k in (3, 4, 5)),
    )


def _add_propeller(spec: ModelSpec) -> None:
    spec.add_body("screw", SCREW_MASS, inertia=(4e-4, 2e-4, 2e-4))
    spec.add_joint("shaft", "revolute", "hull", "screw", position=(-0.82, 0, 0), axis=(1, 0, 0))
    spec.add_element(
        "propeller", "propeller", ("screw",), diameter=DIAMETER, thrust=THRUST, torque=TORQUE,
        wake=WAKE, deduction=DEDUCTION,
    )  # fmt: skip
    spec.add_actuator("propeller", "velocity", "shaft", damping=1.0, effort=5.0, lower=-250.0, upper=250.0)
    for k in range(2):
        turn = rpy(0.5 * pi * k, 0.0, 0.0)
        spec.add_shape(f"blade{k}", "screw", "box", (0.015, DIAMETER, 0.03), rotation=turn, color=STEEL)


def _add_fins(spec: ModelSpec, name: str, axis: tuple, turn: Any, along: str) -> None:
    """A pair of fins on a shaft across the hull; the normal of its foil is z of the frame."""
    spec.add_body(name, FIN_MASS, inertia=(2e-4, 2e-4, 2e-4))
    limits = {"lower": -FIN_RANGE, "upper": FIN_RANGE, "damping": 0.01}
    spec.add_joint(name, "revolute", "hull", name, position=(FIN_X, 0, 0), axis=axis, **limits)
    spec.add_frame(f"{name}_foil", name, rotation=turn)
    foil = {"area": FIN_AREA, "lift_slope": FIN_LIFT, "drag": (0.02, 1.2)}
    spec.add_element(name, "foil", (f"{name}_foil",), **foil)
    servo = {"stiffness": 5.0, "damping": 0.3, "lower": -FIN_RANGE, "upper": FIN_RANGE}
    spec.add_actuator(name, "position", name, **servo)
    size = (0.08, 0.01, 0.3) if along == "z" else (0.08, 0.3, 0.01)
    spec.add_shape(f"{name}_blades", name, "box", size, color=DARK)


def _routine() -> list[list[Any]]:
    """Straight on, a turn to the left, a dive, and level again."""
    return [
        [1.0, {"propeller": 1525.0 / 60.0 * 2.0 * pi}],
        [6.0, {}],
        [1.0, {"rudder": 0.08}],
        [8.0, {}],
        [1.0, {"rudder": 0.0}],
        [1.0, {"planes": -0.1}],
        [1.0, {}],
        [1.0, {"planes": 0.1}],
        [2.0, {}],
        [1.0, {"planes": 0.0}],
        [6.0, {}],
    ]
