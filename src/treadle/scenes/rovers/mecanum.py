"""A base on four mecanum wheels, which drives in any direction and turns on the spot."""

from __future__ import annotations

from math import cos, pi, sin

from treadle.model import ModelSpec, box_inertia, rpy
from treadle.scenes.rovers.build import add_wheel, start_level
from treadle.scenes.rovers.looks import add_tube

__all__ = ["mecanum", "mecanum_rates"]

#: Wheel (m), half of the wheelbase and of the track.
RADIUS, WIDTH, HALF_LENGTH, HALF_TRACK = 0.1, 0.08, 0.26, 0.22

MASS, WHEEL_MASS = 32.0, 2.0

#: Wheels: place fore or aft, left or right, and the angle of the roller on the ground.
WHEELS = {
    "front_left": (1.0, 1.0, 0.25 * pi),
    "front_right": (1.0, -1.0, -0.25 * pi),
    "rear_left": (-1.0, 1.0, -0.25 * pi),
    "rear_right": (-1.0, -1.0, 0.25 * pi),
}

#: Contact of hard rollers: they stand 1 mm deep.
CONTACT = {"stiffness": 1e5, "damping": 2e3, "grip": 1e4}


def mecanum() -> ModelSpec:
    """The base at rest, with a drive of up to 12 N m at every wheel that holds its rate (rad/s)."""
    spec = ModelSpec("mecanum", settings={"dt": 0.01})
    spec.add_body("body", MASS, center=(0.0, 0.0, 0.04), inertia=box_inertia(MASS, 0.7, 0.4, 0.16))
    spec.add_joint("base", "free", None, "body")
    for name, (fore, left, angle) in WHEELS.items():
        place = (fore * HALF_LENGTH, left * HALF_TRACK, 0.0)
        parameters = CONTACT | {"angle": angle}
        add_wheel(
            spec, name, "body", place, RADIUS, WIDTH, WHEEL_MASS, "roller", parameters, "rigid_velocity",
            effort=12.0,
        )  # fmt: skip
        _add_wheel_looks(spec, name, angle)
    _add_looks(spec)
    start_level(spec, RADIUS - 1e-3)
    return spec


def mecanum_rates(forward: float, left: float, turning: float) -> dict[str, float]:
    """Rates of the wheels (rad/s) for velocities forward and to the left (m/s) and a turning rate (rad/s)."""
    arm = HALF_LENGTH + HALF_TRACK
    rates = {}
    for name, (_, side, angle) in WHEELS.items():
        across = -left if angle > 0.0 else left
        rates[name] = (forward + across - side * arm * turning) / RADIUS
    return rates


def _add_wheel_looks(spec: ModelSpec, name: str, angle: float) -> None:
    """A hub between two plates with rollers around it, each turned about the line to the axle."""
    body, dark, steel = f"{name}_wheel", (0.12, 0.12, 0.13, 1.0), (0.7, 0.71, 0.73, 1.0)
    spec.add_shape(
        f"{name}_hub", body, "cylinder", (0.6 * RADIUS, WIDTH), rotation=rpy(0.5 * pi, 0, 0), color=steel
    )
    count, thick, away = 9, 0.2 * RADIUS, 0.8 * RADIUS
    # below the axle the roller's axle points along (cos, -sin) of the angle; above it is mirrored
    for k in range(count):
        turn = 2.0 * pi * k / count
        middle = (-away * sin(turn), 0.0, -away * cos(turn))
        along = (cos(angle) * cos(turn), -sin(angle), -cos(angle) * sin(turn))
        half = 0.42 * WIDTH
        ends = [[m + sign * half * a for m, a in zip(middle, along, strict=True)] for sign in (-1.0, 1.0)]
        add_tube(spec, f"{name}_roller_{k}", body, ends[0], ends[1], thick, dark)


def _add_looks(spec: ModelSpec) -> None:
    """A flat deck on a chassis with lights and an emergency stop."""
    orange, dark, light = (0.90, 0.45, 0.10, 1.0), (0.18, 0.18, 0.20, 1.0), (0.9, 0.9, 0.88, 1.0)
    spec.add_shape("chassis", "body", "box", (0.72, 0.30, 0.12), position=(0, 0, 0.03), color=dark)
    spec.add_shape("deck", "body", "box", (0.78, 0.56, 0.03), position=(0, 0, 0.135), color=orange)
    for end, x in (("front", 0.37), ("rear", -0.37)):
        spec.add_shape(f"{end}_bar", "body", "box", (0.03, 0.44, 0.06), position=(x, 0, 0.04), color=light)
    spec.add_shape(
        "stop", "body", "cylinder", (0.025, 0.03), position=(-0.3, 0.2, 0.165), color=(0.8, 0, 0, 1)
    )
