"""Time of collision detection: nanoseconds per scene of two shapes, and per body of a heap.

A scene of two shapes goes the whole way: poses, boxes, pairs, contact points.

python benchmarks/collision.py
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numba import njit
from scipy.spatial.transform import Rotation

import treadle as td
from treadle.collision.collider import Collider
from treadle.native.calling import call

SIZES = {
    "plane": (),
    "sphere": (0.5,),
    "capsule": (0.2, 1.0),
    "box": (1.0, 0.8, 0.6),
    "cylinder": (0.4, 1.0),
    "ellipsoid": (0.5, 0.4, 0.3),
}


@njit(cache=True)
def collide_poses(entry, frame, bodies, poses, count):
    for k in range(count):
        bodies[2] = poses[k % len(poses)]
        call(entry, frame)


@njit(cache=True)
def collide_many(entry, frame, count):
    for _ in range(count):
        call(entry, frame)


def machine(*kinds):
    """Free bodies, each with one shape."""
    spec = td.ModelSpec("pair")
    for i, kind in enumerate(kinds):
        spec.add_body(f"b{i}", mass=1.0, type="sphere", size=(0.1,))
        spec.add_joint(f"j{i}", "free", None, f"b{i}")
        spec.add_shape(f"s{i}", f"b{i}", kind, SIZES[kind], role="collision")
    return spec.compile()


def pair_time(first: str, second: str, count: int = 5_000) -> float:
    """Seconds per pair, over 64 poses in which the shapes nearly or just touch."""
    rng = np.random.default_rng(0)
    collider = Collider(machine(first, second), 0.01)
    poses = np.zeros((64, 12))
    poses[:, :9] = Rotation.random(64, rng=rng).as_matrix().reshape(64, 9)
    poses[:, 9:] = rng.normal(size=(64, 3)) * 0.4
    poses[:, 11] = np.abs(poses[:, 11])
    arguments = (collider.entry, collider.frame.ctypes.data, collider.bodies, poses)
    collide_poses(*arguments, 10)
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        collide_poses(*arguments, count)
        best = min(best, (time.perf_counter() - start) / count)
    return best


def heap_time(count: int) -> tuple[float, int]:
    """Seconds per body of balls that fill a cube, and how many points they touch in."""
    base = machine("sphere")
    names = [f"b{i}" for i in range(count)]
    heap = replace(
        base,
        bodies=tuple(replace(base.bodies[0], name=name) for name in names),
        links=tuple(replace(base.links[0], name=name, body=i) for i, name in enumerate(names)),
        shapes=tuple(
            replace(base.shapes[-1], name=f"s{i}", body=i, link=name) for i, name in enumerate(names)
        ),
    )
    collider = Collider(heap)
    collider.bodies[1:, 9:] = np.random.default_rng(1).uniform(0, 1.2 * count ** (1 / 3), (count, 3))
    found = collider.collide()
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        collide_many(collider.entry, collider.frame.ctypes.data, 1)
        best = min(best, time.perf_counter() - start)
    return best / count, found


def main() -> None:
    kinds = list(SIZES)
    print("pair                      ns")
    for i, first in enumerate(kinds):
        for second in kinds[max(i, 1) :]:
            print(f"{first + ' - ' + second:22s} {1e9 * pair_time(first, second):7.0f}")
    print("\nbodies    points   ns per body")
    for count in (100, 1000, 10_000):
        seconds, found = heap_time(count)
        print(f"{count:6d} {found:9d} {1e9 * seconds:13.0f}")


if __name__ == "__main__":
    main()
