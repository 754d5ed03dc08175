"""The robotics model of the roadheader: bodies, joints, loops, cylinders, drives, frames and postures.

Every cylinder hangs on a universal joint, its rod slides in it, and a ball joint (the spherical bearing
in the rod's eye) pins the rod to the body that it moves: such a leg has six freedoms and so takes none
away, and no constraint is redundant although all pins of a linkage are parallel.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import radians

import numpy as np

from treadle.model import ModelSpec
from treadle.scenes.roadheader.components import Shape, components
from treadle.scenes.roadheader.components.cutting_head import pick_tips
from treadle.scenes.roadheader.dimensions import (
    BULK_MODULUS,
    CYLINDERS,
    DRIVES,
    LEAKAGE,
    RANGES,
    RELIEF,
    SUPPLY,
    Cylinder,
    body_masses,
)
from treadle.scenes.roadheader.kinematics import MOUNTS, joint_positions, mount_rotation
from treadle.scenes.roadheader.solid import mass_properties, rotation

__all__ = ["POSTURES", "centers", "machine"]

#: Named postures: what is not named is zero. Angles from the boom's zero, 17.5 deg above the level.
POSTURES: dict[str, dict[str, float]] = {
    "initial": {},
    "travel": {"lift": radians(-17.5), "extend": -0.34, "shovel": radians(8.0),
               "rear_leg_left": radians(-28.0), "rear_leg_right": radians(-28.0)},
    "sump": {"lift": radians(-20.0), "extend": 0.25},
    "crown": {"lift": radians(32.0), "extend": 0.20},
    "left_rib": {"slew": radians(34.0), "lift": radians(-8.0), "extend": 0.10},
    "right_rib": {"slew": radians(-36.0), "lift": radians(-8.0), "extend": 0.10},
    "undercut": {"lift": radians(-39.0), "extend": 0.28},
}  # fmt: skip

#: viscous friction of the working joints (N m s/rad, N s/m): bearings, slide, churned oil
_DAMPING = {
    "slew": 4.0e3, "lift": 2.0e3, "extend": 8.0e3, "shovel": 1.0e3, "rear_leg_left": 2.0e2,
    "rear_leg_right": 2.0e2, "cutter": 40.0, "gather_left": 8.0, "gather_right": 8.0,
}  # fmt: skip
#: of a piston (N s/m), of a pin (N m s/rad); dry friction of the seals as a share of full force
_PISTON_DAMPING, _PIN_DAMPING, _SEAL_FRICTION = 6.0e3, 20.0, 0.015
#: oil that stays in a cylinder at the end of its stroke, as a share of its displacement
_DEAD_SHARE = 0.06
#: a drive holds its speed with this share of slip at full torque
_SLIP = 0.03


def machine() -> ModelSpec:
    """The roadheader, its main body fixed to the floor."""
    spec = ModelSpec("roadheader", geometry="roadheader.3dt")
    spec.settings = {"dt": 1e-3, "integrator": "symplectic_euler", "scenery": "tunnel.3dt"}
    shapes = components()
    _add_bodies(spec, shapes)
    _add_working_joints(spec)
    for cylinder in CYLINDERS:
        _add_cylinder(spec, cylinder)
    # after all others, so that these are the joints that close the loops
    for cylinder in CYLINDERS:
        spec.add_joint(
            f"{cylinder.name}_pin",
            "ball",
            cylinder.rod_body,
            f"{cylinder.name}_rod",
            position=cylinder.rod_pin,
        )
    _add_drives(spec)
    _add_frames(spec)
    for name, posture in POSTURES.items():
        # to a femtometre: without the noise that the last digits are
        positions = {joint: np.round(value, 15) + 0.0 for joint, value in joint_positions(posture).items()}
        spec.add_keyframe(name, {joint: value.tolist() for joint, value in positions.items() if value.any()})
    return spec


def centers(shapes: Mapping[str, list[Shape]]) -> dict[str, np.ndarray]:
    """Centre of mass of every body in its own frame (m)."""
    return {name: _inertia(shapes[name], 1.0)[0] for name in body_masses()}


def _add_bodies(spec: ModelSpec, shapes: Mapping[str, list[Shape]]) -> None:
    for name, mass in body_masses().items():
        center, inertia = _inertia(shapes[name], mass)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tolist()
        spec.add_body(name, mass, center=center, inertia=(xx, yy, zz, xy, xz, yz))
        spec.add_shape(name, name, "part", file=name)


def _inertia(shapes: list[Shape], mass: float) -> tuple[np.ndarray, np.ndarray]:
    """Centre (m) and inertia about it (kg m2), the mass spread evenly over the volume of the parts."""
    volume, center, inertia = mass_properties([shape.solid for shape in shapes])
    # a tenth of a millimetre, and four digits of the smallest moment
    digits = 3 - int(np.floor(np.log10(np.diag(inertia).min() * mass / volume)))
    return np.round(center, 4) + 0.0, np.round(inertia * mass / volume, digits) + 0.0


def _add_working_joints(spec: ModelSpec) -> None:
    drives = {drive.joint: drive for drive in DRIVES}
    for mount in MOUNTS:
        options: dict[str, object] = {"position": mount.position}
        if mount.pitch:
            options["rotation"] = rotation("y", mount.pitch)
        if mount.type != "fixed":
            options |= {"axis": mount.axis, "damping": _DAMPING[mount.joint]}
        if mount.joint in RANGES:
            options["lower"], options["upper"] = RANGES[mount.joint]
        if mount.joint in drives:
            drive = drives[mount.joint]
            options |= {"effort": drive.torque, "speed": drive.speeds[1]}
        spec.add_joint(mount.joint, mount.type, mount.parent, mount.body, **options)


def _add_cylinder(spec: ModelSpec, cylinder: Cylinder) -> None:
    """Universal mounting and sliding rod; the rod's frame is in its eye, the stroke is zero when closed."""
    barrel, rod = f"{cylinder.name}_barrel", f"{cylinder.name}_rod"
    across = {"y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    spec.add_joint(
        f"{cylinder.name}_mount",
        "universal",
        cylinder.barrel_body,
        barrel,
        position=cylinder.barrel_pin,
        rotation=mount_rotation(cylinder),
        axis=across[cylinder.pin_axis],
        second_axis=across["z" if cylinder.pin_axis == "y" else "y"],
        damping=_PIN_DAMPING,
    )
    cap, annulus = cylinder.areas
    spec.add_joint(
        f"{cylinder.name}_stroke",
        "prismatic",
        barrel,
        rod,
        position=(cylinder.closed, 0.0, 0.0),
        axis=(1.0, 0.0, 0.0),
        lower=0.0,
        upper=cylinder.stroke,
        effort=cap * RELIEF,
        speed=cylinder.speed * cap / annulus,
        damping=_PISTON_DAMPING,
        friction=round(_SEAL_FRICTION * cap * SUPPLY, 1),
    )


def _add_drives(spec: ModelSpec) -> None:
    for cylinder in CYLINDERS:
        cap, annulus = cylinder.areas
        spec.add_actuator(
            cylinder.name,
            "cylinder",
            f"{cylinder.name}_stroke",
            lower=-1.0,
            upper=1.0,
            areas=(cap, annulus),
            pressure=SUPPLY,
            relief=RELIEF,
            bulk_modulus=BULK_MODULUS,
            flow=cap * cylinder.speed,
            leakage=LEAKAGE,
            dead_volume=_DEAD_SHARE * cap * cylinder.stroke,
        )
    for drive in DRIVES:
        top = drive.speeds[1]
        spec.add_actuator(
            drive.name,
            "velocity",
            drive.joint,
            damping=drive.torque / (_SLIP * top),
            lower=-top,
            upper=top,
            effort=drive.torque,
        )


def _add_frames(spec: ModelSpec) -> None:
    tips = pick_tips()
    spec.add_frame("head_tip", "cutting_head", position=(round(float(tips[:, 0].max()), 4), 0.0, 0.0))
    spec.add_frame("operator", "main_body", position=(-2.85, 0.95, 2.00))
    spec.add_frame("shovel_lip", "shovel_plate", position=(2.49, 0.0, -0.65))
    spec.add_frame("conveyor_end", "conveyor", position=(-7.15, 0.0, 0.993))
