"""An arm of seven joints: three in the shoulder, one in the elbow, three in the wrist."""

from __future__ import annotations

from math import pi

from treadle.model import ModelSpec, rpy
from treadle.scenes.bars import DARK, GREY, ORANGE, STEEL
from treadle.scenes.torso.dimensions import BREADTH, FOREARM, HAND, PALM, SHOULDER, UPPER_ARM

__all__ = ["JOINTS", "add_arm"]

_WHITE = (0.93, 0.93, 0.91, 1.0)
_ALONG, _AROUND = rpy(0.0, pi / 2, 0.0), rpy(pi / 2, 0.0, 0.0)

#: Joints from the shoulder on: axis, limits (rad), stiffness (N m/rad), damping (N m s/rad) and effort (N m)
#: of the servo. Positive is forward and up, outward, and inward about the length of a limb.
JOINTS = {
    "shoulder_pitch": ((0.0, -1.0, 0.0), (-1.0, 2.6), 4000.0, 160.0, 200.0),
    "shoulder_roll": ((1.0, 0.0, 0.0), (-0.2, 1.8), 4000.0, 160.0, 200.0),
    "shoulder_yaw": ((0.0, 0.0, -1.0), (-1.2, 1.2), 1000.0, 40.0, 120.0),
    "elbow": ((0.0, -1.0, 0.0), (-1.2, 0.9), 3000.0, 90.0, 120.0),
    "wrist_roll": ((-1.0, 0.0, 0.0), (-1.6, 1.6), 1000.0, 20.0, 60.0),
    "wrist_pitch": ((0.0, -1.0, 0.0), (-1.2, 1.2), 1000.0, 20.0, 60.0),
    "wrist_yaw": ((0.0, 0.0, -1.0), (-1.0, 1.0), 500.0, 10.0, 60.0),
}


def add_arm(spec: ModelSpec, side: str, sign: float) -> None:
    """At zero the upper arm hangs, the forearm is level, and the palm looks inward; `sign` of y."""
    names = [f"{side}_{name}" for name in JOINTS]
    bodies = [f"{side}_{name}" for name in _BODIES]
    places = {
        f"{side}_shoulder_pitch": (0.0, sign * BREADTH, SHOULDER),
        f"{side}_elbow": (0.0, 0.0, -UPPER_ARM),
        f"{side}_wrist_roll": (0.1, 0.0, 0.0),
        f"{side}_wrist_pitch": (FOREARM - 0.1, 0.0, 0.0),
    }
    for body, (mass, center, radius) in zip(bodies, _BODIES.values(), strict=True):
        spec.add_body(body, mass, center=center, type="sphere", size=(radius,))
    for parent, name, body in zip(["chest", *bodies], names, bodies):
        axis, limits, stiffness, damping, effort = JOINTS[name.removeprefix(f"{side}_")]
        if name.endswith(("roll", "yaw")):
            # the arms are mirrored: about x and z they turn the other way
            axis = tuple(sign * x for x in axis)
        place = places.get(name, (0.0, 0.0, 0.0))
        bounds = {"lower": limits[0], "upper": limits[1]}
        spec.add_joint(
            name, "revolute", parent, body, position=place, axis=axis, effort=effort, armature=0.05, **bounds
        )
        spec.add_actuator(
            name, "position", name, stiffness=stiffness, damping=damping, effort=effort, **bounds
        )
    _add_looks(spec, side, sign)
    at = {"position": (HAND, 0.0, 0.0)}
    spec.add_shape(f"{side}_palm", f"{side}_hand", "box", PALM, role="collision", material="rubber", **at)
    spec.add_frame(f"{side}_palm", f"{side}_hand", position=(HAND, -sign * PALM[1] / 2, 0.0))


#: Bodies after each joint: mass (kg), centre (m) and radius (m) of a ball with the same inertia.
_BODIES = {
    "shoulder": (1.2, (0.0, 0.0, 0.0), 0.07),
    "collar": (0.8, (0.0, 0.0, -0.02), 0.06),
    "upper_arm": (2.2, (0.0, 0.0, -0.16), 0.12),
    "elbow": (1.0, (0.02, 0.0, 0.0), 0.06),
    "forearm": (1.2, (0.06, 0.0, 0.0), 0.08),
    "wrist": (0.3, (0.0, 0.0, 0.0), 0.035),
    "hand": (0.5, (0.08, 0.0, 0.0), 0.06),
}


def _add_looks(spec: ModelSpec, side: str, sign: float) -> None:
    def add(part: str, name: str, type: str, size: tuple, position: tuple, color: tuple, turned=None) -> None:
        rotation = {} if turned is None else {"rotation": turned}
        body = f"{side}_{part}"
        spec.add_shape(f"{side}_{name}", body, type, size, position=position, color=color, **rotation)

    add("shoulder", "ball", "sphere", (0.072,), (0.0, 0.0, 0.0), ORANGE)
    add("collar", "ring", "cylinder", (0.056, 0.03), (0.0, 0.0, -0.065), DARK)
    add("upper_arm", "biceps", "capsule", (0.05, 0.13), (0.0, 0.0, -0.15), _WHITE)
    add("upper_arm", "fork", "cylinder", (0.042, 0.10), (0.0, 0.0, -UPPER_ARM), DARK, _AROUND)
    add("elbow", "hinge", "cylinder", (0.05, 0.07), (0.0, 0.0, 0.0), ORANGE, _AROUND)
    add("elbow", "sleeve", "cylinder", (0.042, 0.08), (0.06, 0.0, 0.0), GREY, _ALONG)
    add("forearm", "cuff", "capsule", (0.042, 0.08), (0.06, 0.0, 0.0), _WHITE, _ALONG)
    add("wrist", "knuckle", "sphere", (0.034,), (0.0, 0.0, 0.0), DARK)
    add("hand", "back", "box", (0.085, 0.024, 0.085), (0.07, 0.0, 0.0), STEEL)
    pad = (PALM[0], 0.006, PALM[2])
    add("hand", "pad", "box", pad, (HAND, -sign * (PALM[1] / 2 - 0.003), 0.0), DARK)
    for finger in range(4):
        place = (0.15, 0.002 * sign, 0.036 - 0.024 * finger)
        add("hand", f"finger{finger}", "capsule", (0.0095, 0.058), place, _WHITE, _ALONG)
    add("hand", "thumb", "capsule", (0.011, 0.04), (0.07, 0.0, 0.055), _WHITE, rpy(0.0, 0.7, 0.0))
