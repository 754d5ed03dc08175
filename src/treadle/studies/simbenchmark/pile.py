"""666 and elastic 666: a cube of 6 x 6 x 6 balls of 10 kg falls on the ground without friction, for 10 s.

The error of 666, restitution 0, is the mean over the steps of the sum of all squared depths, of balls in each
other and in the ground (m2). That of elastic 666, restitution 1, falling from 1 m, is the mean of the squared
difference of the energy from what it was (J2).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
from scipy.spatial import KDTree

from treadle.studies.simbenchmark.measure import Run, energy, follow
from treadle.studies.simbenchmark.scene import Scene, Solid
from treadle.studies.simbenchmark.worlds import World

__all__ = ["PUBLISHED", "SECONDS", "SIDE", "STEPS", "depths", "drop", "pile"]

#: Steps, and the time simulated (s); balls along a side.
STEPS, SECONDS, SIDE = (4e-3, 1e-2, 4e-2, 1e-1), 10.0, 6

#: Smallest published errors (m2, J2), with the engine, by step.
PUBLISHED = {
    "666": dict(
        zip(STEPS, ((2.08149e-3, "ODE"), (0.0152745, "RaiSim"), (0.236774, "ODE"), (0.961629, "RaiSim")),
            strict=True)
    ),
    "elastic 666": dict(
        zip(STEPS, ((264.072, "RaiSim"), (5.18417e6, "RaiSim"), (2.73152e9, "RaiSim"), (1.88435e7, "ODE")),
            strict=True)
    ),
}  # fmt: skip

#: Mass (kg), radius, distance of centres, the most that chance adds to each coordinate, lowest centre (m).
_MASS, _RADIUS, _SPACING, _CHANCE, _LOWEST, _DROP = 10.0, 0.1, 0.21, 1e-3, 0.101, 1.0

_SEED = 42


def pile(side: int, elastic: bool) -> Scene:
    """The cube of balls, none quite above another."""
    grid = _SPACING * np.stack(np.meshgrid(*3 * [np.arange(side)], indexing="ij"), axis=-1).reshape(-1, 3)
    grid += np.random.default_rng(_SEED).uniform(0.0, _CHANCE, grid.shape)
    grid[:, 2] += _LOWEST + (_DROP if elastic else 0.0)
    solids = tuple(Solid(_MASS, (_RADIUS,), (x, y, z)) for x, y, z in grid.tolist())
    return Scene("elastic-pile" if elastic else "pile", solids, restitution=float(elastic))


def drop(
    make: Callable[[Scene, float], World], dt: float, seconds: float, elastic: bool, side: int = SIDE
) -> Run:
    """Let the cube fall in a world of some engine."""
    scene = pile(side, elastic)
    world = make(scene, dt)
    start = energy(scene, world)

    def lost(world: World, number: int) -> float:
        return (energy(scene, world) - start) ** 2

    def deep(world: World, number: int) -> float:
        return depths(world.centres())

    return follow(world, round(seconds / dt), lost if elastic else deep)


def depths(centres: np.ndarray) -> float:
    """Sum of the squared depths of all balls in each other and in the ground (m2)."""
    if not np.isfinite(centres).all():
        return inf
    total = float(np.sum(np.maximum(_RADIUS - centres[:, 2], 0.0) ** 2))
    pairs = KDTree(centres).query_pairs(2.0 * _RADIUS, output_type="ndarray")
    apart = np.linalg.norm(centres[pairs[:, 0]] - centres[pairs[:, 1]], axis=1)
    return total + float(np.sum((2.0 * _RADIUS - apart) ** 2))
