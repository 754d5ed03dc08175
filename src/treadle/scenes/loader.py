"""A skid-steer loader that drives up a ramp of boxes onto a platform and works its arm and bucket there.

Its wheels run on the terrain by their wheel-ground model and on boxes by contact, both at once where a wheel
leaves the ground. Two lift and two tilt cylinders close a loop each: every one hangs on a universal joint,
its rod slides in it, and a ball joint pins the rod, so that no constraint is redundant.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin
from typing import Any

from treadle.model import ModelSpec, box_inertia, rpy
from treadle.scenes.bars import DARK, GLASS, GREY, ORANGE, STEEL
from treadle.scenes.rovers.build import add_wheel, start_level
from treadle.scenes.rovers.looks import add_tube, add_wheel_looks

__all__ = ["loader"]

#: Wheels: radius, width, half of wheelbase and track; how deep they stand in the ground (m); mass (kg).
RADIUS, WIDTH, HALF_BASE, HALF_TRACK, SINKAGE, WHEEL_MASS = 0.4, 0.28, 0.55, 0.68, 0.01, 60.0
#: Mass of chassis, arm and bucket (kg).
MASS, ARM_MASS, BUCKET_MASS = 2000.0, 250.0, 150.0
#: Stones in the bucket: how many, their sides (m), the mass of each (kg).
STONES, STONE, STONE_MASS = 3, 0.3, 50.0
STIFFNESS = 2900.0 * 9.81 / (4.0 * SINKAGE)
CONTACT = {
    "stiffness": STIFFNESS,
    "damping": STIFFNESS / 20,
    "grip": STIFFNESS / 10,
    "side_grip": STIFFNESS / 10,
}

#: In the chassis' frame, between the axles (x, z in m): hinge of the arm, hinge of the bucket.
_ARM, _BUCKET = (-0.75, 0.95), (1.08, 0.0)
#: How far the bucket is curled back at the start (rad); its depth, width, height and thickness of plates (m).
_CURL = 0.3
_DEPTH, _BREADTH, _BACK, _PLATE = 0.6, 1.6, 0.42, 0.03
#: Floor of the bucket below its hinge (m).
_FLOOR = 0.12

#: The sleeper on the ground; the slab of the ramp and its rise; the platform behind it (m).
SLEEPER, SLEEPER_X, SLEEPER_MASS = (0.25, 2.2, 0.06), 1.9, 25.0
SLAB, RAMP_X, RISE = (3.0, 2.2, 0.1), 2.8, 0.15
PLATFORM = 3.2

_WHEELS = {
    "front_left": (HALF_BASE, HALF_TRACK),
    "front_right": (HALF_BASE, -HALF_TRACK),
    "rear_left": (-HALF_BASE, HALF_TRACK),
    "rear_right": (-HALF_BASE, -HALF_TRACK),
}


@dataclass(frozen=True)
class _Cylinder:
    """A hydraulic cylinder between two bodies; pins (x, z) in the chassis' frame as it starts, m."""

    name: str
    barrel_body: str
    barrel_pin: tuple[float, float]
    rod_body: str
    rod_pin: tuple[float, float]
    side: float
    closed: float
    stroke: float
    bore: float
    speed: float

    @property
    def length(self) -> float:
        return hypot(self.rod_pin[0] - self.barrel_pin[0], self.rod_pin[1] - self.barrel_pin[1])

    @property
    def elevation(self) -> float:
        return atan2(self.rod_pin[1] - self.barrel_pin[1], self.rod_pin[0] - self.barrel_pin[0])


#: The rod's pin on the bucket, 0.32 m above the hinge when the bucket is level.
_TILT_PIN = (_BUCKET[0] - 0.32 * sin(_CURL), _BUCKET[1] + 0.32 * cos(_CURL))
_CYLINDERS = tuple(
    cylinder
    for side, sign in (("left", 1.0), ("right", -1.0))
    for cylinder in (
        _Cylinder(
            f"lift_{side}", "chassis", (-0.45, 0.1), "arm", (0.25, 0.62), sign * 0.45, 0.83, 0.70, 0.07, 0.15
        ),
        _Cylinder(
            f"tilt_{side}", "arm", (0.6, 0.65), "bucket", _TILT_PIN, sign * 0.28, 0.49, 0.46, 0.06, 0.15
        ),
    )
)
#: Pressures of pump and relief valves (Pa), bulk modulus (Pa), leakage (m3/(s Pa)).
_SUPPLY, _RELIEF, _BULK, _LEAKAGE = 20e6, 23e6, 1.2e9, 1e-13


def loader(stones: bool = False, sleeper: bool = False) -> ModelSpec:
    """A loader of 2.7 t before a ramp; `stones`: in its bucket, `sleeper`: on the ground on its way."""
    spec = ModelSpec("loader", settings={"dt": 5e-3, "routine": _routine()})
    for name, friction in (
        ("rubber", 0.9),
        ("concrete", 0.8),
        ("steel", 0.6),
        ("stone", 0.6),
        ("terrain", 0.7),
    ):
        spec.add_material(name, friction=friction)
    _add_chassis(spec)
    _add_arm(spec)
    for cylinder in _CYLINDERS:
        _add_cylinder(spec, cylinder)
    # after all others, so that these are the joints that close the loops
    for cylinder in _CYLINDERS:
        pin = (_in_arm if cylinder.rod_body == "arm" else _in_bucket)(*cylinder.rod_pin, cylinder.side)
        spec.add_joint(
            f"{cylinder.name}_pin", "ball", cylinder.rod_body, f"{cylinder.name}_rod", position=pin
        )
    if stones:
        _add_stones(spec)
    if sleeper:
        _add_sleeper(spec)
    _add_course(spec)
    start_level(spec, RADIUS - SINKAGE)
    strokes = {f"{cylinder.name}_stroke": cylinder.length - cylinder.closed for cylinder in _CYLINDERS}
    spec.keyframes[-1].positions |= strokes
    return spec


def _in_arm(x: float, z: float, y: float = 0.0) -> tuple[float, float, float]:
    """A point of the chassis' frame in that of the arm, at the start."""
    return (x - _ARM[0], y, z - _ARM[1])


def _in_bucket(x: float, z: float, y: float = 0.0) -> tuple[float, float, float]:
    """A point of the chassis' frame in that of the bucket, at the start."""
    dx, dz = x - _BUCKET[0], z - _BUCKET[1]
    return (dx * cos(_CURL) + dz * sin(_CURL), y, dz * cos(_CURL) - dx * sin(_CURL))


def _add_chassis(spec: ModelSpec) -> None:
    """The chassis on four driven wheels, each of which touches boxes as a cylinder."""
    spec.add_body("chassis", MASS, center=(-0.25, 0.0, 0.25), inertia=box_inertia(MASS, 1.9, 1.0, 0.8))
    spec.add_joint("base", "free", None, "chassis")
    drive = {"drive": "rigid_velocity", "effort": 2500.0}
    for name, (x, y) in _WHEELS.items():
        add_wheel(spec, name, "chassis", (x, y, 0.0), RADIUS, WIDTH, WHEEL_MASS, "linear", CONTACT, **drive)
        add_wheel_looks(spec, f"{name}_wheel", RADIUS, WIDTH, cleats=20, hub=ORANGE)
        tyre = {"rotation": rpy(0.5 * pi, 0.0, 0.0), "role": "collision", "material": "rubber"}
        spec.add_shape(f"{name}_tyre", f"{name}_wheel", "cylinder", (RADIUS, WIDTH), **tyre)
    box, cab = {"color": ORANGE}, {"color": DARK}
    spec.add_shape("tub", "chassis", "box", (1.9, 0.96, 0.5), position=(-0.1, 0, 0.12), **box)
    spec.add_shape("engine", "chassis", "box", (0.6, 0.9, 0.62), position=(-0.78, 0, 0.6), **box)
    spec.add_shape("grille", "chassis", "box", (0.02, 0.7, 0.4), position=(-1.09, 0, 0.6), **cab)
    spec.add_shape("roof", "chassis", "box", (1.0, 0.86, 0.06), position=(0.05, 0, 1.4), **cab)
    spec.add_shape("seat", "chassis", "box", (0.4, 0.5, 0.35), position=(-0.2, 0, 0.5), **cab)
    spec.add_shape("panes", "chassis", "box", (0.98, 0.84, 1.0), position=(0.05, 0, 0.88), color=GLASS)
    for side, y in (("left", 0.4), ("right", -0.4)):
        for end, x in (("front", 0.52), ("rear", -0.42)):
            add_tube(spec, f"{side}_{end}_post", "chassis", (x, y, 0.35), (x, y, 1.4), 0.035, DARK)
        tower = ((-0.95, 1.25 * y, 0.35), (_ARM[0], 1.25 * y, _ARM[1]))
        add_tube(spec, f"{side}_tower", "chassis", *tower, 0.08, ORANGE)


def _add_arm(spec: ModelSpec) -> None:
    """The arm about its hinge behind the cab, and the bucket about its hinge before the wheels."""
    spec.add_body("arm", ARM_MASS, center=_in_arm(0.2, 0.6), inertia=box_inertia(ARM_MASS, 1.8, 1.1, 0.6))
    hinge = {"position": (_ARM[0], 0.0, _ARM[1]), "axis": (0, -1, 0), "damping": 200.0}
    spec.add_joint("lift", "revolute", "chassis", "arm", lower=-0.2, upper=1.0, **hinge)
    inertia = box_inertia(BUCKET_MASS, 0.6, 1.6, 0.4)
    spec.add_body("bucket", BUCKET_MASS, center=(0.2, 0.0, 0.0), inertia=inertia)
    hinge = {"position": _in_arm(*_BUCKET), "rotation": rpy(0.0, -_CURL, 0.0), "axis": (0, 1, 0)}
    spec.add_joint("tilt", "revolute", "arm", "bucket", lower=-0.1, upper=1.5, damping=100.0, **hinge)
    # a bar from the hinge along the cab, and a knee down to the bucket
    path = ((-0.75, 0.95), (0.25, 0.8), (0.85, 0.62), (1.08, 0.0))
    for side, y in (("left", 0.52), ("right", -0.52)):
        for k in range(3):
            ends = (_in_arm(*path[k], y), _in_arm(*path[k + 1], y))
            add_tube(spec, f"{side}_arm{k}", "arm", *ends, 0.065, ORANGE)
        for k, point in enumerate(path):
            spec.add_shape(
                f"{side}_knee{k}", "arm", "sphere", (0.075,), position=_in_arm(*point, y), color=ORANGE
            )
    for name, point in (("upper", (0.6, 0.65)), ("lower", (1.02, 0.16))):
        ends = (_in_arm(*point, 0.52), _in_arm(*point, -0.52))
        add_tube(spec, f"{name}_cross", "arm", *ends, 0.04, GREY)
    _add_bucket(spec)


def _add_bucket(spec: ModelSpec) -> None:
    """Floor, back and cheeks, seen and touching; the pins of the cylinders on the back."""
    low, mid = -_FLOOR, 0.5 * _DEPTH - _PLATE
    plates = (
        ("floor", (_DEPTH, _BREADTH, _PLATE), (mid, 0.0, low - 0.5 * _PLATE)),
        ("back", (_PLATE, _BREADTH, _BACK), (-0.5 * _PLATE, 0.0, low + 0.5 * _BACK)),
        ("left_cheek", (0.75 * _DEPTH, _PLATE, 0.3), (0.37 * _DEPTH, 0.5 * (_BREADTH + _PLATE), low + 0.15)),
        (
            "right_cheek",
            (0.75 * _DEPTH, _PLATE, 0.3),
            (0.37 * _DEPTH, -0.5 * (_BREADTH + _PLATE), low + 0.15),
        ),
    )
    for name, size, place in plates:
        spec.add_shape(f"bucket_{name}", "bucket", "box", size, position=place, color=GREY)
        touching = {"position": place, "role": "collision", "material": "steel"}
        spec.add_shape(f"bucket_{name}_skin", "bucket", "box", size, **touching)
    edge = (0.06, _BREADTH + 0.06, 0.02)
    spec.add_shape("edge", "bucket", "box", edge, position=(_DEPTH - 0.01, 0, low - 0.02), color=STEEL)
    for cylinder in _CYLINDERS:
        if cylinder.rod_body == "bucket":
            x, y, z = _in_bucket(*cylinder.rod_pin, cylinder.side)
            name = f"{cylinder.name}_lug"
            spec.add_shape(
                name, "bucket", "box", (0.08, 0.05, 0.12), position=(x, y + 0.06, z - 0.03), color=GREY
            )


def _add_cylinder(spec: ModelSpec, cylinder: _Cylinder) -> None:
    """Barrel and rod; the rod's frame is in its eye, and the stroke is zero when closed."""
    barrel, rod = f"{cylinder.name}_barrel", f"{cylinder.name}_rod"
    far, outside = cylinder.closed - 0.08, 0.5 * cylinder.bore + 0.012
    half = 0.5 * far
    spec.add_body(barrel, 14.0, center=(half, 0, 0), inertia=box_inertia(14.0, far, 0.1, 0.1))
    spec.add_body(rod, 9.0, center=(-half, 0, 0), inertia=box_inertia(9.0, far, 0.05, 0.05))
    place = (cylinder.barrel_pin[0], cylinder.side, cylinder.barrel_pin[1])
    if cylinder.barrel_body == "arm":
        place = _in_arm(*cylinder.barrel_pin, cylinder.side)
    spec.add_joint(
        f"{cylinder.name}_mount", "universal", cylinder.barrel_body, barrel, position=place,
        rotation=rpy(0.0, -cylinder.elevation, 0.0), axis=(0, 1, 0), second_axis=(0, 0, 1), damping=5.0,
    )  # fmt: skip
    area = 0.25 * pi * cylinder.bore**2
    annulus = 0.6 * area
    spec.add_joint(
        f"{cylinder.name}_stroke", "prismatic", barrel, rod, position=(cylinder.closed, 0, 0), axis=(1, 0, 0),
        lower=0.0, upper=cylinder.stroke, damping=1e3, friction=150.0,
    )  # fmt: skip
    spec.add_actuator(
        cylinder.name, "cylinder", f"{cylinder.name}_stroke", lower=-1.0, upper=1.0, areas=(area, annulus),
        pressure=_SUPPLY, relief=_RELIEF, bulk_modulus=_BULK, flow=area * cylinder.speed, leakage=_LEAKAGE,
        dead_volume=0.06 * area * cylinder.stroke,
    )  # fmt: skip
    add_tube(spec, f"{barrel}_tube", barrel, (-0.04, 0, 0), (far, 0, 0), outside, DARK)
    add_tube(spec, f"{rod}_tube", rod, (-far, 0, 0), (0.02, 0, 0), 0.3 * cylinder.bore, STEEL)


def _add_stones(spec: ModelSpec) -> None:
    """Stones side by side in the bucket, on its floor and at its back."""
    x, z = 0.5 * STONE + 0.02, -_FLOOR + 0.5 * STONE
    middle = (_BUCKET[0] + x * cos(_CURL) - z * sin(_CURL), _BUCKET[1] + z * cos(_CURL) + x * sin(_CURL))
    for k in range(STONES):
        name, size = f"stone{k + 1}", (STONE, STONE, STONE)
        y = 0.45 * (k - 0.5 * (STONES - 1))
        spec.add_body(name, STONE_MASS, inertia=box_inertia(STONE_MASS, *size))
        place = {"position": (middle[0], y, middle[1] + RADIUS - SINKAGE), "rotation": rpy(0.0, -_CURL, 0.0)}
        spec.add_joint(name, "free", None, name, **place)
        shade = 0.52 + 0.05 * k
        spec.add_shape(name, name, "box", size, color=(shade, shade - 0.03, shade - 0.08, 1.0))
        spec.add_shape(f"{name}_skin", name, "box", size, role="collision", material="stone")


def _add_sleeper(spec: ModelSpec) -> None:
    """A loose sleeper on the ground."""
    spec.add_body("sleeper", SLEEPER_MASS, inertia=box_inertia(SLEEPER_MASS, *SLEEPER))
    spec.add_joint("sleeper", "free", None, "sleeper", position=(SLEEPER_X, 0.0, 0.5 * SLEEPER[2]))
    spec.add_shape("sleeper", "sleeper", "box", SLEEPER, color=(0.45, 0.33, 0.22, 1.0))
    spec.add_shape("sleeper_skin", "sleeper", "box", SLEEPER, role="collision", material="rubber")


def _add_course(spec: ModelSpec) -> None:
    """A ramp and a platform that are fixed to the world."""
    length, width, thick = SLAB
    end, top = RAMP_X + length * cos(RISE), length * sin(RISE)
    ramp = (RAMP_X + 0.5 * length * cos(RISE) + 0.5 * thick * sin(RISE),
            0.0, 0.5 * length * sin(RISE) - 0.5 * thick * cos(RISE))  # fmt: skip
    block = (end + 0.5 * PLATFORM, 0.0, 0.5 * top)
    things: tuple[tuple[str, tuple, dict[str, Any], tuple], ...] = (
        ("ramp", SLAB, {"position": ramp, "rotation": rpy(0.0, -RISE, 0.0)}, (0.68, 0.67, 0.64, 1.0)),
        ("platform", (PLATFORM, width, top), {"position": block}, (0.6, 0.6, 0.58, 1.0)),
    )
    for name, size, place, color in things:
        spec.add_shape(name, None, "box", size, color=color, **place)
        spec.add_shape(f"{name}_skin", None, "box", size, role="collision", material="concrete", **place)


def _drive(rate: float) -> dict[str, float]:
    """Commands of all wheels (rad/s)."""
    return dict.fromkeys(_WHEELS, rate)


def _valves(kind: str, opening: float) -> dict[str, float]:
    """Commands of both lift or both tilt cylinders."""
    return {f"{kind}_left": opening, f"{kind}_right": opening}


def _routine() -> list[list[Any]]:
    """Up the ramp; raise the arm, dump what is in the bucket, curl it and lower the arm, and back down."""
    return [
        [1.5, _drive(2.5)],
        [6.0, {}],
        [1.5, _drive(0.0)],
        [0.5, _valves("lift", 1.0)],
        [2.0, {}],
        [0.5, _valves("lift", 0.0) | _valves("tilt", 1.0)],
        [1.7, {}],
        [0.5, _valves("tilt", 0.0)],
        [1.5, {}],
        [0.5, _valves("tilt", -1.0)],
        [1.3, _valves("lift", -1.0)],
        [0.5, _valves("tilt", 0.0)],
        [0.7, {}],
        [0.5, _valves("lift", 0.0)],
        [1.5, _drive(-2.5)],
        [6.0, {}],
        [1.5, _drive(0.0)],
    ]
