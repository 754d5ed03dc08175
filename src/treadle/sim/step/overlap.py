"""Shapes of one machine that overlap from the start: they do not touch until they have been apart.

Robots from files often have shapes of links a joint or two apart that overlap in every legal pose. Pushing
them apart would tear at the joints, so such pairs are muted, as planners filter them. Shapes of different
machines, and of the world, are pushed apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.collision.collider import Collider
from treadle.model.model import Model
from treadle.sim.contact_default import connected_machines

__all__ = ["StartOverlap", "overlapping_pairs", "start_overlaps"]

#: Depth (m) from which on shapes overlap.
_DEPTH = 1e-9


class StartOverlap(NamedTuple):
    """Two shapes of one machine, and their depth (m)."""

    first: str
    second: str
    depth: float


def overlapping_pairs(model: Model, collider: Collider, q: np.ndarray) -> np.ndarray:
    """Pairs of shapes that overlap at q or in the initial posture: first * shapes + second, sorted."""
    count = len(collider.names)
    initial = np.array(model.initial()[0])
    postures = [q] if np.array_equal(q, initial) else [q, initial]
    keys = {a * count + b for posture in postures for a, b in _depths(model, collider, posture)}
    return np.array(sorted(keys), dtype=np.int64)


def start_overlaps(model: Model, collider: Collider, q: np.ndarray) -> list[StartOverlap]:
    """The same by name, the deepest first."""
    deepest: dict[tuple[str, str], float] = {}
    for (a, b), depth in _depths(model, collider, q).items():
        pair = collider.names[a], collider.names[b]
        deepest[pair] = max(deepest.get(pair, 0.0), depth)
    named = [StartOverlap(*pair, depth) for pair, depth in deepest.items()]
    return sorted(named, key=lambda overlap: -overlap.depth)


def _depths(model: Model, collider: Collider, q: np.ndarray) -> dict[tuple[int, int], float]:
    """The deepest point of every pair of shapes of one machine that overlaps."""
    machine, body, link = connected_machines(model), collider.shapes.body, collider.shapes.link
    # a rule for the contact of two links says that they are to touch
    number = {None: 0} | {item.name: i + 1 for i, item in enumerate(model.links)}
    ruled = {frozenset((number[rule.first], number[rule.second])) for rule in model.contacts}
    margins, collider.margins[:] = collider.margins.copy(), 0.0
    collider.place(q)
    points = collider.collide()
    collider.margins[:] = margins
    depths: dict[tuple[int, int], float] = {}
    for (a, b), numbers in zip(collider.contacts.pairs[:points], collider.contacts.data[:points]):
        if body[a] == 0 or body[b] == 0 or frozenset((int(link[a]), int(link[b]))) in ruled:
            continue
        if machine[int(body[a]) - 1] == machine[int(body[b]) - 1] and numbers[9] < -_DEPTH:
            pair = int(a), int(b)
            depths[pair] = max(depths.get(pair, 0.0), -float(numbers[9]))
    return depths
