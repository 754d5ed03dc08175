"""Blocks of all shapes on an incline, just below and just above the angle at which they slide."""

from __future__ import annotations

from functools import partial
from math import atan, cos, pi, sin, tan

import numpy as np

from treadle.model import ModelSpec, box_inertia
from treadle.studies.gauntlet.case import GRAVITY, Case, Trace, turn

__all__ = ["INCLINES", "incline"]

Rng = np.random.Generator

#: Distance of the slopes from tan(angle) = friction, as a share of it; how long a block is watched (s).
_CLOSE, _SECONDS = 1e-6, 0.2

#: Share of the exact speed by which the speed of a block that slides may differ, and of that, for one that
#: does not, how much it may have.
_SHARE = 0.1

#: Directions of the slope, and sides of the angle.
_DIRECTIONS = 8

#: What blocks stand on: kind and size of a foot (m), and where the feet are.
_FEET: dict[str, tuple[str, tuple[float, ...], tuple[tuple[float, float], ...], bool]] = {
    "box": ("box", (0.4, 0.3, 0.1), ((0.0, 0.0),), False),
    "cylinder": ("cylinder", (0.2, 0.1), ((0.0, 0.0),), False),
    "spheres": ("sphere", (0.05,), ((0.2, 0.0), (-0.1, 0.17), (-0.1, -0.17)), False),
    "ellipsoids": ("ellipsoid", (0.06, 0.04, 0.05), ((0.2, 0.0), (-0.1, 0.17), (-0.1, -0.17)), False),
    "capsules": ("capsule", (0.05, 0.3), ((0.0, 0.15), (0.0, -0.15)), True),
    "hull": ("mesh", (0.4, 0.3, 0.1), ((0.0, 0.0),), False),
}


def incline(rng: Rng, feet: str) -> Case:
    """Sixteen blocks side by side, each on a slope of its own direction and angle.

    Gravity is upright; every block stands on a fixed slab that is tilted, half of them by a little less than
    the friction angle and half by a little more.
    """
    kind, size, places, lying = _FEET[feet]
    friction = float(rng.uniform(0.2, 0.5))
    spec = ModelSpec(f"incline {feet}", gravity=(0.0, 0.0, -GRAVITY))
    spec.add_material("skin", friction=friction, restitution=0.0)
    positions, meshes = {}, {}
    rise = (
        size[-1] * 0.5 if kind in ("box", "cylinder", "mesh") else size[-1] if kind != "capsule" else size[0]
    )
    slopes = []
    for k in range(2 * _DIRECTIONS):
        away = 2.0 * pi * ((k // 2) + float(rng.uniform(0.0, 1.0))) / _DIRECTIONS
        above = bool(k % 2)
        angle = atan(friction * (1.0 + (_CLOSE if above else -_CLOSE)))
        slopes.append((angle, above))
        R = turn((-sin(away), cos(away), 0.0), angle)
        base = np.array([2.0 * k, 0.0, 0.0])
        spec.add_shape(
            f"slab{k}", None, "box", (1.5, 1.5, 0.2), role="collision", material="skin",
            position=base - 0.1 * R[:, 2], rotation=R,
        )  # fmt: skip
        name = f"block{k}"
        spec.add_body(name, 2.0, inertia=box_inertia(2.0, 0.4, 0.3, 0.1))
        spec.add_joint(name, "free", None, name)
        for number, (x, y) in enumerate(places):
            foot = f"{name}-{number}"
            rotation = turn((0.0, 1.0, 0.0), 0.5 * pi) if lying else np.eye(3)
            options = {"file": f"{foot}.obj"} if kind == "mesh" else {}
            spec.add_shape(
                foot, name, kind, () if kind == "mesh" else size, role="collision", material="skin",
                position=(x, y, 0.0), rotation=rotation, **options,
            )  # fmt: skip
            if kind == "mesh":
                meshes[foot] = _prism(size)
        start = base + rise * R[:, 2]
        yaw = R @ turn((0.0, 0.0, 1.0), float(rng.uniform(-pi, pi)))
        positions[name] = (*_quaternion(yaw), *start.tolist())
    spec.add_keyframe("initial", positions)
    exact = [GRAVITY * cos(angle) * (tan(angle) - friction) for angle, _ in slopes]

    def judge(trace: Trace) -> str:
        wrong = [
            f"block {k} {'sticks' if above else 'slides'} ({speed:.1e} m/s)"
            for k, (speed, (_, above)) in enumerate(zip(trace.speeds(), slopes, strict=True))
            if not _right(speed, abs(exact[k]) * trace.times[-1], above)
        ]
        return f"{len(wrong)} of {len(slopes)}: {wrong[0]}" if wrong else ""

    return Case(spec.name, spec.compile(), _SECONDS, judge, meshes=meshes or None, passive=False)


def _right(speed: float, exact: float, slides: bool) -> bool:
    if not np.isfinite(speed):
        return False
    return abs(speed - exact) < _SHARE * exact if slides else speed < _SHARE * exact


def _quaternion(R: np.ndarray) -> list[float]:
    from treadle.spatial import Mat3, Quaternion

    return [float(x) for x in Quaternion.from_matrix(Mat3.of(R.tolist()))]  # type: ignore[arg-type]


def _prism(size: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """A hexagonal prism of these lengths."""
    import trimesh

    ring = [(0.5 * size[0] * cos(a), 0.5 * size[1] * sin(a)) for a in np.arange(6) * pi / 3.0]
    points = np.array([(x, y, z) for x, y in ring for z in (-0.5 * size[2], 0.5 * size[2])])
    hull = trimesh.Trimesh(points).convex_hull
    return np.array(hull.vertices), np.array(hull.faces)


#: Cases by name.
INCLINES = {f"incline {feet}": partial(incline, feet=feet) for feet in _FEET}
