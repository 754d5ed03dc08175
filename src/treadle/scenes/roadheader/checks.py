"""What the roadheader's geometry has to satisfy: strokes, holding forces, mobility, working envelope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import cos, radians, sin

import numpy as np

from treadle.scenes.roadheader.components.cutting_head import pick_tips
from treadle.scenes.roadheader.dimensions import CYLINDERS, DRIVES, RANGES, Cylinder, body_masses
from treadle.scenes.roadheader.kinematics import MOUNTS, Posture, body_poses, cylinder_state, working_poses

__all__ = [
    "Envelope",
    "Holding",
    "Mobility",
    "Stroke",
    "holding_table",
    "mobility",
    "stroke_table",
    "working_envelope",
]

_GRAVITY = 9.81
#: cross slope on which the slewing cylinders are to hold the boom, and load on a support leg's foot
CROSS_SLOPE, FOOT_LOAD = radians(16.0), 150.0e3
_LOADS = {"slew": "boom on a cross slope of 16 deg", "rear": "150 kN on the foot"}
#: picks this near to the floor's level count as cutting on it
_FLOOR_BAND = 0.15


@dataclass(frozen=True)
class Stroke:
    """How far a cylinder's rod comes out over the whole range of its joint, and its lever arms there (m)."""

    cylinder: Cylinder
    lowest: float
    highest: float
    #: |d length / d joint position|: m per rad, or 1 for a slide
    shortest_lever: float
    longest_lever: float

    @property
    def inside(self) -> bool:
        """Whether the piston stays clear of both ends by 5 mm, and has room in the barrel when closed."""
        cylinder = self.cylinder
        within = self.lowest > 0.005 and self.highest < cylinder.stroke - 0.005
        return within and cylinder.closed > cylinder.stroke + 1.8 * cylinder.bore


@dataclass(frozen=True)
class Holding:
    """The largest static force on a cylinder (N, pushing is positive) and the pressure for it (Pa)."""

    cylinder: Cylinder
    load: str
    force: float
    pressure: float


@dataclass(frozen=True)
class Mobility:
    """Gruebler's count: freedoms of the tree's joints less the constraints of the loops."""

    bodies: int
    tree_freedoms: int
    loops: int
    constraints: int

    @property
    def freedoms(self) -> int:
        """Freedoms of the machine, if no constraint is redundant."""
        return self.tree_freedoms - self.constraints


@dataclass(frozen=True)
class Envelope:
    """What the picks can cut (m): above and below the floor, sideways, and ahead of the slewing axis."""

    height: float
    undercut: float
    left: float
    right: float
    reach: float
    floor_width: float

    @property
    def width(self) -> float:
        """From the leftmost to the rightmost pick."""
        return self.left + self.right


def stroke_table(steps: int = 40) -> list[Stroke]:
    """Each cylinder over the range of the joint that it moves."""
    table = []
    for cylinder in CYLINDERS:
        positions = np.linspace(*RANGES[cylinder.joint], steps + 1)
        lengths = np.array([cylinder_state(cylinder, {cylinder.joint: q})[1] for q in positions])
        out = lengths - cylinder.closed
        levers = np.abs([_lever(cylinder, {cylinder.joint: q}) for q in positions])
        table.append(Stroke(cylinder, out.min(), out.max(), levers.min(), levers.max()))
    return table


def holding_table(centers: Mapping[str, np.ndarray], steps: int = 16) -> list[Holding]:
    """The worst static load of each cylinder over its range, the boom fully out; centres of mass by body.

    Pairs share the load. Slewing holds the boom on a cross slope, to either side; a leg holds a load on its
    foot, the others the weight of what they move.
    """
    table = []
    for cylinder in CYLINDERS:
        pair = [other for other in CYLINDERS if other.joint == cylinder.joint]
        forces = []
        for q, lift in product(np.linspace(*RANGES[cylinder.joint], steps + 1), _lifts(cylinder)):
            posture = {"extend": RANGES["extend"][1], "lift": lift, cylinder.joint: q}
            levers = {other.name: _lever(other, posture) for other in pair}
            # of all forces that balance the load, those of the least norm: in proportion to the levers
            share = levers[cylinder.name] / sum(lever**2 for lever in levers.values())
            forces.append(_load(cylinder, posture, centers) * share)
        if cylinder.joint == "slew":
            forces += [-force for force in forces]
        # the side that pulls has the smaller area
        push, pull = max(0.0, *forces), min(0.0, *forces)
        cap, annulus = cylinder.areas
        worst = push if push / cap > -pull / annulus else pull
        pressure = max(push / cap, -pull / annulus)
        load = _LOADS.get(cylinder.joint.split("_")[0], "weight")
        table.append(Holding(cylinder, load, float(worst), float(pressure)))
    return table


def mobility() -> Mobility:
    """The machine's freedoms: nine cylinders of a universal, a sliding and a closing ball joint each."""
    working = len(RANGES) + len(DRIVES)
    moving = sum(mount.type != "fixed" for mount in MOUNTS)
    return Mobility(
        bodies=moving + 2 * len(CYLINDERS),
        tree_freedoms=working + 3 * len(CYLINDERS),
        loops=len(CYLINDERS),
        constraints=3 * len(CYLINDERS),
    )


def working_envelope(steps: int = 96) -> Envelope:
    """Where the tips of the picks come over the ranges of slew, lift and extend."""
    tips = pick_tips()
    radii = np.hypot(tips[:, 1], tips[:, 2])[:, None]
    swept = []
    for lift, extend in product(np.linspace(*RANGES["lift"], steps + 1), RANGES["extend"]):
        pose = working_poses({"lift": lift, "extend": extend})["cutting_head"]
        along, aside, up = pose.R.T
        middles = pose.p + tips[:, :1] * along
        # top, bottom and left side of the circle that each pick describes
        swept += [middles + radii * up, middles - radii * up, middles + radii * aside]
    points = np.vstack(swept)
    ahead, aside, _ = (points - working_poses({})["arm_base"].p).T
    right, left = (sin(angle) * ahead + cos(angle) * aside for angle in np.abs(RANGES["slew"]))
    on_floor = np.abs(points[:, 2]) < _FLOOR_BAND
    return Envelope(
        height=float(points[:, 2].max()),
        undercut=float(-points[:, 2].min()),
        left=float(left.max()),
        right=float(right.max()),
        reach=float(ahead.max()),
        floor_width=float(left[on_floor].max() + right[on_floor].max()),
    )


def _lifts(cylinder: Cylinder) -> list[float]:
    """Postures of the boom that matter for a cylinder's load."""
    return list(np.linspace(*RANGES["lift"], 5)) if cylinder.joint in ("slew", "extend") else [0.0]


def _lever(cylinder: Cylinder, posture: Posture, step: float = 1e-6) -> float:
    """d length / d joint position."""
    q = posture.get(cylinder.joint, 0.0)
    ahead, back = (
        cylinder_state(cylinder, {**posture, cylinder.joint: q + side * step})[1] for side in (1, -1)
    )
    return (ahead - back) / (2 * step)


def _load(
    cylinder: Cylinder, posture: Posture, centers: Mapping[str, np.ndarray], step: float = 1e-6
) -> float:
    """Generalized force that the cylinders of a joint have to bring: d energy / d joint position."""
    q = posture.get(cylinder.joint, 0.0)
    ahead, back = (
        _energy(cylinder, {**posture, cylinder.joint: q + side * step}, centers) for side in (1, -1)
    )
    return (ahead - back) / (2 * step)


def _energy(cylinder: Cylinder, posture: Posture, centers: Mapping[str, np.ndarray]) -> float:
    poses = body_poses(posture)
    if cylinder.joint.startswith("rear_leg"):
        return FOOT_LOAD * -poses[cylinder.rod_body].apply((-0.70, 0.0, -0.60))[2]
    up = np.array([0.0, sin(CROSS_SLOPE), 0.0] if cylinder.joint == "slew" else [0.0, 0.0, 1.0])
    heights = {body: float(up @ pose.apply(centers[body])) for body, pose in poses.items()}
    return _GRAVITY * sum(mass * heights[body] for body, mass in body_masses().items())
