"""Cases of many bodies: boxes dropped into a pile, capsules through a hopper, a chain over a peg."""

from __future__ import annotations

from functools import partial
from math import cos, hypot, pi, sin, tan

import numpy as np

from treadle.dynamics.compiled import frame_poses
from treadle.model import ModelSpec
from treadle.studies.gauntlet.case import GRAVITY, Case, Scene, Trace, turn

__all__ = ["PILES", "chain", "hopper", "pile"]

Rng = np.random.Generator

#: Speed (m/s) below which a pile is at rest.
_STILL = 0.05


def pile(rng: Rng, count: int) -> Case:
    """Boxes of random sizes and orientations that fall on each other."""
    scene = Scene(f"pile-{count}", float(rng.uniform(0.3, 0.8)))
    side = int(np.ceil(count ** (1.0 / 3.0)))
    smallest = np.inf
    for k in range(count):
        size = rng.uniform(0.05, 0.15, 3)
        smallest = min(smallest, float(size.min()))
        cell = np.array([k % side, k // side % side, k // side**2]) - (0.5 * side, 0.5 * side, 0.0)
        place = 0.27 * cell + rng.uniform(-0.02, 0.02, 3) + (0.0, 0.0, 0.3)
        scene.add(f"box{k}", "box", size, float(700.0 * size.prod()), place, _orientation(rng))
    model = scene.model()

    def judge(trace: Trace) -> str:
        places = np.array([trace.centres(k) for k in range(len(trace.times))])
        if not np.isfinite(places).all():
            return "positions are not finite"
        top = places[0, :, 2].max() + 0.1
        if places[:, :, 2].max() > top:
            return f"a box flew {places[:, :, 2].max() - top + 0.1:.2g} m above where the highest started"
        sunk = int((places[-1, :, 2] < 0.45 * smallest).sum())
        if sunk:
            return f"{sunk} boxes are in the floor"
        fast = float(trace.speeds().max())
        return "" if fast < _STILL else f"the fastest still moves with {fast:.2g} m/s"

    seconds = {24: 3.0, 100: 4.0}.get(count, 6.0)
    return Case(scene.spec.name, model, seconds, judge, quick_seconds=None if count <= 100 else 1.0)


def hopper(rng: Rng, count: int = 200) -> Case:
    """Capsules that run out of a funnel."""
    scene = Scene(f"hopper-{count}", float(rng.uniform(0.2, 0.35)))
    outlet, rim, low, high = 0.08, 0.24, 0.7, 0.7 + 0.16 * tan(pi / 3)
    along, thick = hypot(rim - outlet, high - low), 0.04
    slope = np.arctan2(high - low, rim - outlet)
    for k in range(4):
        around = turn((0.0, 0.0, 1.0), 0.5 * pi * k)
        # its x axis runs up the slope, its z axis is the normal that looks inward
        R = around @ turn((0.0, 1.0, 0.0), -slope)
        middle = around @ np.array([0.5 * (outlet + rim), 0.0, 0.5 * (low + high)])
        place = middle - 0.5 * thick * R[:, 2]
        scene.fix(f"wall{k}", "box", (along, 2.0 * rim, thick), place, R)
    for k in range(count):
        cell = np.array([k % 5 - 2, k // 5 % 5 - 2, k // 25])
        place = 0.065 * cell + rng.uniform(-5e-3, 5e-3, 3) + (0.0, 0.0, high)
        radius, length = float(rng.uniform(0.007, 0.012)), float(rng.uniform(0.015, 0.03))
        mass = 1000.0 * pi * radius**2 * (length + 4.0 / 3.0 * radius)
        scene.add(f"capsule{k}", "capsule", (radius, length), mass, place, _orientation(rng))

    def judge(trace: Trace) -> str:
        places = np.array([trace.centres(k) for k in range(len(trace.times))])
        if not np.isfinite(places).all():
            return "positions are not finite"
        through = places[:, :, 2] < low
        for body in np.flatnonzero(through.any(axis=0)):
            x, y, _ = places[through[:, body].argmax(), body]
            if max(abs(x), abs(y)) > outlet + 0.1:
                return f"capsule {body} went through a wall"
        share = float(through[-1].mean())
        return "" if share >= 0.95 else f"{share:.0%} ran out"

    return Case(scene.spec.name, scene.model(), 2.5, judge)


def chain(rng: Rng, links: int = 60) -> Case:
    """Capsules on ball joints, hung over a round peg; friction carries the longer side."""
    length, radius, bends = float(rng.uniform(0.04, 0.07)), 0.01, 6
    bend = pi / bends
    peg = length / (2.0 * tan(0.5 * bend)) - radius
    height, mass = 2.5, 0.05
    left = (links - bends - 1) // 2 - 1
    spec = ModelSpec("chain-over-a-peg", gravity=(0.0, 0.0, -GRAVITY))
    spec.add_material("skin", friction=0.6, restitution=0.0)
    spec.add_shape(
        "peg", None, "cylinder", (peg, 0.4), role="collision", material="skin", position=(0.0, 0.0, height),
        rotation=turn((1.0, 0.0, 0.0), 0.5 * pi),
    )  # fmt: skip
    positions: dict[str, tuple[float, ...]] = {}
    for k in range(links):
        name, middle = f"link{k}", (0.0, 0.0, 0.5 * length)
        spec.add_body(name, mass, center=middle, type="capsule", size=(radius, length))
        spec.add_shape(
            name, name, "capsule", (radius, length), role="collision", material="skin", position=middle
        )
        if k == 0:
            spec.add_joint(name, "free", None, name)
            start = (-peg - radius, 0.0, height - (0.5 + left) * length)
            positions[name] = (1.0, 0.0, 0.0, 0.0, *start)
            continue
        before = f"link{k - 1}"
        spec.add_joint(name, "ball", before, name, position=(0.0, 0.0, length), damping=1e-4)
        half = 0.5 * bend if left < k <= left + bends else 0.0
        positions[name] = (cos(half), 0.0, sin(half), 0.0)
    spec.add_keyframe("initial", positions)
    model = spec.compile()
    names = [frame.name for frame in model.frames]
    ends = [names.index("link0"), names.index(f"link{links - 1}")]

    def judge(trace: Trace) -> str:
        poses = frame_poses(model, trace.q[-1])[:, :3, 3]
        if not np.isfinite(poses).all():
            return "positions are not finite"
        if poses[:, 2].max() < height:
            return "it fell off the peg"
        sides = poses[ends, 0]
        return "" if sides[0] < 0.0 < sides[1] else "it hangs on one side"

    return Case(spec.name, model, 10.0, judge, quick_seconds=0.5)


def _orientation(rng: Rng) -> np.ndarray:
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    Q[:, 0] *= np.sign(np.linalg.det(Q))
    return Q


#: Cases by name.
PILES = {
    **{f"pile-{count}": partial(pile, count=count) for count in (24, 100, 1000)},
    "hopper-200": hopper,
    "chain-over-a-peg": chain,
}
