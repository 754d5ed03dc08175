"""A six-axis industrial arm: 60 kg with its base, 0.9 m of reach to the wrist, 7 kg of payload.

At zero the upper arm points up and the forearm forward along x. Dimensions, limits and speeds are
those of a compact arm of this class; masses are spread over housings and castings of simple shapes.
"""

from __future__ import annotations

from math import radians

from treadle.model import ModelSpec, box_inertia, cylinder_inertia

__all__ = ["arm"]

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def arm(payload: float = 0.0) -> ModelSpec:
    """The arm on the floor at the origin, z up, with a point mass `payload` (kg) at the tool."""
    spec = ModelSpec("arm")
    _add_links(spec)
    _add_joints(spec)
    if payload:
        spec.add_body("payload", mass=payload)
        spec.add_joint("payload_mount", "fixed", "flange", "payload", position=(0.05, 0.0, 0.0))
    spec.add_frame("tool", "flange", position=(0.05, 0.0, 0.0))
    return spec


def _add_links(spec: ModelSpec) -> None:
    """Each link's frame is at its joint; lengths in m, masses in kg."""
    spec.add_body("base", 15.7, center=(-0.02, 0.0, 0.11), inertia=box_inertia(15.7, 0.28, 0.22, 0.22))
    # turns on the base and holds the motors of the first two axes
    spec.add_body("shoulder", 13.0, center=(0.005, -0.02, 0.09), inertia=box_inertia(13.0, 0.20, 0.20, 0.24))
    # a casting 0.45 m long between its two bearings, beside the shoulder
    spec.add_body("upper_arm", 12.4, center=(0.0, 0.06, 0.20), inertia=box_inertia(12.4, 0.14, 0.12, 0.56))
    # elbow housing with the motors of the third and fourth axis
    spec.add_body("elbow", 10.2, center=(0.03, 0.0, 0.03), inertia=box_inertia(10.2, 0.24, 0.18, 0.18))
    # the tube of the forearm, with the wrist motors at its rear
    spec.add_body(
        "forearm", 6.1, center=(0.24, 0.0, 0.0), inertia=cylinder_inertia(6.1, 0.06, 0.34, axis="x")
    )
    spec.add_body("wrist", 2.2, center=(0.025, 0.0, 0.0), inertia=box_inertia(2.2, 0.12, 0.10, 0.09))
    spec.add_body(
        "flange", 0.4, center=(0.008, 0.0, 0.0), inertia=cylinder_inertia(0.4, 0.032, 0.02, axis="x")
    )


def _add_joints(spec: ModelSpec) -> None:
    """Torques at the joint, after the gears; armature is the rotor's inertia times the ratio squared."""
    spec.add_joint("mount", "fixed", None, "base")
    # limits in deg, speed in deg/s, effort in N m, then damping, friction and armature
    rows = [
        ("turn", "base", "shoulder", (0, 0, 0.22), _Z, (-170, 170), 288, 260, 14.0, 8.0, 1.3),
        ("swing", "shoulder", "upper_arm", (0, 0, 0.179), _Y, (-100, 130), 240, 330, 16.0, 9.0, 1.5),
        ("bend", "upper_arm", "elbow", (0, 0, 0.448), _Y, (-200, 70), 297, 160, 8.0, 5.0, 0.6),
        ("roll", "elbow", "forearm", (0.1, 0, 0.042), _X, (-270, 270), 400, 45, 1.5, 1.2, 0.12),
        ("pitch", "forearm", "wrist", (0.351, 0, 0), _Y, (-130, 130), 405, 40, 1.2, 1.0, 0.10),
        ("spin", "wrist", "flange", (0.082, 0, 0), _X, (-400, 400), 600, 18, 0.5, 0.5, 0.04),
    ]
    for name, parent, child, position, axis, limits, speed, effort, damping, friction, armature in rows:
        spec.add_joint(
            name,
            "revolute",
            parent,
            child,
            position=position,
            axis=axis,
            lower=radians(limits[0]),
            upper=radians(limits[1]),
            speed=radians(speed),
            effort=effort,
            damping=damping,
            friction=friction,
            armature=armature,
        )
