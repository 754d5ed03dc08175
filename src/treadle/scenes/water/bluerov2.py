"""BlueROV2 Heavy: an underwater vehicle with eight thrusters, alone or with an arm of two links.

Mass, volume, added mass and drag are the published ones (von Benzon et al. 2022). Where thrusters are, their
propellers and the arm are of our own. Propellers of the two sides turn in opposite senses.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from treadle.model import ModelSpec, cylinder_inertia, rpy
from treadle.model.hydrodynamics import Fluid
from treadle.scenes.bars import BLUE, DARK, GREY, STEEL

__all__ = ["bluerov2", "bluerov2_arm"]

#: Mass of vehicle and rotors (kg), volume (m3), centre of buoyancy above that of mass (m).
MASS, VOLUME, HIGH = 13.5, 0.0134, 0.01
INERTIA = (0.26, 0.23, 0.37)
#: Added inertia and mass; linear and quadratic drag; turns first.
ADDED = (0.186, 0.135, 0.222, 6.36, 7.12, 18.69)
LINEAR_DRAG, QUADRATIC_DRAG = (0.0, 0.8, 0.0, 13.7, 0.0, 33.0), (1.19, 0.47, 1.5, 141.0, 217.0, 190.0)
#: Propellers: diameter (m), KT and KQ at rest and their slopes by J; mass of a rotor (kg).
DIAMETER, THRUST, TORQUE, ROTOR = 0.076, (0.4, -0.3), (0.05, -0.03), 0.05
#: Speed that thrusters reach (rad/s).
FASTEST = 350.0
#: Arm: length, radius (m); shoulder in the vehicle.
LENGTH, RADIUS, SHOULDER = 0.28, 0.025, (0.2, 0.0, -0.13)

_ROOT = sqrt(0.5)

#: Thrusters: place in the vehicle, direction of the push.
THRUSTERS = {
    "front_left": ((0.156, 0.111, 0.0), (_ROOT, -_ROOT, 0.0)),
    "front_right": ((0.156, -0.111, 0.0), (_ROOT, _ROOT, 0.0)),
    "rear_left": ((-0.156, 0.111, 0.0), (_ROOT, _ROOT, 0.0)),
    "rear_right": ((-0.156, -0.111, 0.0), (_ROOT, -_ROOT, 0.0)),
    "up_front_left": ((0.12, 0.218, 0.0), (0.0, 0.0, 1.0)),
    "up_front_right": ((0.12, -0.218, 0.0), (0.0, 0.0, 1.0)),
    "up_rear_left": ((-0.12, 0.218, 0.0), (0.0, 0.0, 1.0)),
    "up_rear_right": ((-0.12, -0.218, 0.0), (0.0, 0.0, 1.0)),
}


def bluerov2() -> ModelSpec:
    """BlueROV2 Heavy under water, 13.5 kg, with eight thrusters."""
    spec = ModelSpec("bluerov2", settings={"dt": 1e-2, "routine": _swim()})
    _add_vehicle(spec)
    return spec


def bluerov2_arm() -> ModelSpec:
    """The same with an arm of two links, which moves the vehicle as it moves."""
    spec = ModelSpec("bluerov2-arm", settings={"dt": 5e-3, "routine": _reach()})
    _add_vehicle(spec)
    for name, parent, place in (("upper", "vehicle", SHOULDER), ("lower", "upper", (LENGTH, 0.0, 0.0))):
        mass = 1000.0 * pi * RADIUS**2 * LENGTH
        along, across = cylinder_inertia(mass, RADIUS, LENGTH)[2], cylinder_inertia(mass, RADIUS, LENGTH)[0]
        spec.add_body(name, mass, center=(0.5 * LENGTH, 0, 0), inertia=(along, across, across))
        joint = {"position": place, "axis": (0.0, 1.0, 0.0), "lower": -2.4, "upper": 2.4, "damping": 0.05}
        spec.add_joint(name, "revolute", parent, name, **joint)
        # an ellipsoid of the same length and volume
        radius = RADIUS * sqrt(1.5)
        hull = {"size": (0.5 * LENGTH, radius, radius), "drag_coefficient": 1.0}
        spec.add_hull(f"{name}_hull", name, (0.5 * LENGTH, 0, 0), **hull)
        servo = {"stiffness": 20.0, "damping": 3.0, "effort": 20.0, "lower": -2.4, "upper": 2.4}
        spec.add_actuator(name, "position", name, **servo)
        tube = {"position": (0.5 * LENGTH, 0, 0), "rotation": rpy(0.0, 0.5 * pi, 0.0), "color": STEEL}
        spec.add_shape(f"{name}_tube", name, "cylinder", (RADIUS, LENGTH), **tube)
        spec.add_shape(f"{name}_knee", name, "sphere", (1.3 * RADIUS,), color=DARK)
    spec.add_frame("hand", "lower", position=(LENGTH, 0.0, 0.0))
    spec.add_shape("claw", "lower", "box", (0.05, 0.06, 0.02), position=(LENGTH, 0, 0), color=DARK)
    return spec


def _add_vehicle(spec: ModelSpec) -> None:
    Fluid(1000.0).surround(spec)
    own = MASS - ROTOR * len(THRUSTERS)
    spec.add_body("vehicle", own, inertia=INERTIA)
    spec.add_joint("base", "free", None, "vehicle")
    spec.add_hull(
        "hull", "vehicle", (0.0, 0.0, HIGH), shape="volume", volume=VOLUME, added_mass=ADDED,
        linear_drag=LINEAR_DRAG, quadratic_drag=QUADRATIC_DRAG,
    )  # fmt: skip
    _add_looks(spec)
    for k, (name, (place, push)) in enumerate(THRUSTERS.items()):
        _add_thruster(spec, name, place, push, 1.0 if k % 2 else -1.0)


def _add_thruster(spec: ModelSpec, name: str, place: Any, push: Any, sense: float) -> None:
    """A rotor in a nozzle; a positive command pushes along `push`, whichever way the rotor turns."""
    spec.add_body(name, ROTOR, inertia=(1e-4, 1e-4, 1e-4))
    axis = tuple(sense * x for x in push)
    spec.add_joint(name, "revolute", "vehicle", name, position=place, axis=axis)
    propeller = {"diameter": DIAMETER, "thrust": (sense * THRUST[0], THRUST[1]), "torque": TORQUE}
    spec.add_element(name, "propeller", (name,), axis=push, **propeller)
    spec.add_actuator(name, "velocity", name, damping=0.05, effort=1.0, lower=-FASTEST, upper=FASTEST)
    turn = rpy(0.0, 0.0, 0.0) if push[2] else rpy(0.0, 0.5 * pi, 0.25 * pi if push[1] > 0.0 else -0.25 * pi)
    nozzle = {"rotation": turn, "color": DARK}
    spec.add_shape(f"{name}_nozzle", "vehicle", "cylinder", (0.05, 0.05), position=place, **nozzle)


def _add_looks(spec: ModelSpec) -> None:
    across = rpy(0.0, 0.5 * pi, 0.0)
    for side, y in (("left", 0.15), ("right", -0.15)):
        foam = {"position": (0.0, y, 0.1), "color": BLUE}
        spec.add_shape(f"{side}_foam", "vehicle", "box", (0.42, 0.13, 0.09), **foam)
        plate = {"position": (0.0, 1.1 * y, -0.06), "color": DARK}
        spec.add_shape(f"{side}_plate", "vehicle", "box", (0.44, 0.012, 0.2), **plate)
    spec.add_shape("tube", "vehicle", "cylinder", (0.055, 0.36), rotation=across, color=GREY)
    spec.add_shape("dome", "vehicle", "sphere", (0.055,), position=(0.18, 0, 0), color=STEEL)
    battery = {"position": (0.0, 0.0, -0.12), "rotation": across, "color": GREY}
    spec.add_shape("battery", "vehicle", "cylinder", (0.04, 0.3), **battery)


def _horizontal(surge: float, turn: float = 0.0) -> dict[str, float]:
    """Commands of the level thrusters: all forward; the right ones more than the left ones to turn left."""
    return {
        "front_left": surge - turn, "rear_left": surge - turn,
        "front_right": surge + turn, "rear_right": surge + turn,
    }  # fmt: skip


def _vertical(lift: float) -> dict[str, float]:
    return {name: lift for name in THRUSTERS if name.startswith("up")}


def _swim() -> list[list[Any]]:
    """Forward, a turn, up and down."""
    return [
        [1.0, _horizontal(200.0) | _vertical(30.0)],
        [4.0, {}],
        [1.0, _horizontal(0.0, 120.0)],
        [3.0, {}],
        [1.0, _horizontal(150.0)],
        [3.0, {}],
        [1.0, _horizontal(0.0) | _vertical(150.0)],
        [3.0, {}],
        [1.0, _vertical(-150.0)],
        [3.0, {}],
        [1.0, _vertical(0.0)],
    ]


def _reach() -> list[list[Any]]:
    """Fold the arm, reach out, reach down, and stretch it again."""
    return [
        [2.0, {"upper": 0.6, "lower": 1.0}],
        [2.0, {"upper": 0.2, "lower": 0.2}],
        [2.0, {"upper": 1.2, "lower": 0.4}],
        [2.0, {"upper": 0.6, "lower": 1.6}],
        [2.0, {"upper": 0.0, "lower": 0.0}],
        [1.0, {}],
    ]
