"""Borders between processes: boxes that bodies sweep in a step, pairs of them, and islands across borders."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.collision.kinds import CAPSULE, CYLINDER, SPHERE

__all__ = ["half_sizes", "overlaps", "reached", "shared_islands", "swept_boxes"]

#: Distance (m) that boxes have around them, however slow their bodies are.
_SKIN = 1e-5

#: Comparisons of boxes that are made at once.
_AT_ONCE = 1 << 20


def half_sizes(kind: np.ndarray, size: np.ndarray) -> np.ndarray:
    """(shapes, 3) half the sides of a box around each shape, in its own axes."""
    half = size.copy()
    ball, long, round_ = kind == SPHERE, kind == CAPSULE, kind == CYLINDER
    half[ball] = size[ball][:, [0, 0, 0]]
    half[long] = np.column_stack([size[long, 0], size[long, 0], size[long, 0] + size[long, 1]])
    half[round_] = size[round_][:, [0, 0, 1]]
    return half


def swept_boxes(R: np.ndarray, p: np.ndarray, half: np.ndarray, way: np.ndarray) -> np.ndarray:
    """(shapes, 6) lowest and highest coordinates that shapes reach when they move by a way (m)."""
    reach = (np.abs(R) @ half[:, :, None])[:, :, 0] + (way + _SKIN)[:, None]
    return np.hstack([p - reach, p + reach])


def reached(boxes: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Which boxes overlap one."""
    return np.all((boxes[:, :3] <= box[3:]) & (box[:3] <= boxes[:, 3:]), axis=1)


def overlaps(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(pairs, 2) places of boxes of two lists that overlap, by a sweep along the axis of largest spread."""
    if not len(first) or not len(second):
        return np.zeros((0, 2), dtype=np.int64)
    axis = int(np.argmax(np.ptp(second[:, :3], axis=0)))
    order = np.argsort(second[:, axis], kind="stable")
    low = second[order, axis]
    widest = float((second[:, axis + 3] - second[:, axis]).max())
    begin = np.searchsorted(low, first[:, axis] - widest, "left")
    end = np.searchsorted(low, first[:, axis + 3], "right")
    found, counts = [], np.cumsum(end - begin)
    start = 0
    while start < len(first):
        before = counts[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(counts, before + _AT_ONCE, "right")))
        found.append(_compared(first, second, order, np.arange(start, stop), begin, end))
        start = stop
    return np.concatenate(found)


def _compared(
    first: np.ndarray,
    second: np.ndarray,
    order: np.ndarray,
    rows: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
) -> np.ndarray:
    """Pairs of some rows with those of the second list that lie within their ranges."""
    count = (end - begin)[rows]
    a = np.repeat(rows, count)
    offset = np.arange(len(a)) - np.repeat(np.cumsum(count) - count, count)
    b = order[np.repeat(begin[rows], count) + offset]
    meet = (first[a, :3] <= second[b, 3:]).all(axis=1) & (second[b, :3] <= first[a, 3:]).all(axis=1)
    return np.column_stack([a[meet], b[meet]])


def shared_islands(
    comm: Any, boxes: np.ndarray, unit: np.ndarray, far_boxes: np.ndarray, far_unit: np.ndarray
) -> dict[int, int]:
    """The process that solves each unit of this process that is part of an island across a border.

    `boxes` are those of this process and `unit` the units (bodies, machines) that they are of; `far_boxes`
    those of others that come near, with their units. Islands grow from the pairs across borders; every
    process hears of the islands of all, joins those that share a unit, and so finds the same ones. The
    process with most of the units of an island solves it.
    """
    islands = _grow(boxes, unit, overlaps(boxes, far_boxes), far_unit)
    told = comm.allgather(islands)
    if not any(told):
        return {}
    above: dict[int, int] = {}
    members: dict[int, np.ndarray] = {}
    for own, far in [island for islands in told for island in islands]:
        tops = [_top(above, int(x)) for x in (*own, *far)]
        for top in tops:
            above[top] = min(tops)
    for rank, given in enumerate(told):
        for own, _ in given:
            counts = members.setdefault(_top(above, int(own[0])), np.zeros(comm.size, dtype=np.int64))
            counts[rank] += len(own)
    solver = {island: int(np.argmax(counts)) for island, counts in members.items()}
    return {int(x): solver[_top(above, int(x))] for own, _ in islands for x in own}


def _grow(
    boxes: np.ndarray, unit: np.ndarray, across: np.ndarray, far_unit: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Islands of this process that have pairs across a border: units of this process, units of others."""
    if not len(across):
        return []
    above: dict[int, int] = {}
    far: list[tuple[int, int]] = [(int(unit[a]), int(far_unit[b])) for a, b in across]
    new, known = np.unique([a for a, _ in far]), np.zeros(0, dtype=np.int64)
    while len(new):
        known = np.union1d(known, new)
        rows = np.isin(unit, new)
        pairs = overlaps(boxes[rows], boxes)
        first, second = unit[rows][pairs[:, 0]], unit[pairs[:, 1]]
        for a, b in np.unique(np.column_stack([first, second]), axis=0).tolist():
            above[_top(above, max(a, b))] = _top(above, min(a, b))
        new = np.setdiff1d(second, known)
    islands: dict[int, tuple[list[int], list[int]]] = {}
    for x in known.tolist():
        islands.setdefault(_top(above, x), ([], []))[0].append(x)
    for a, b in far:
        islands[_top(above, a)][1].append(b)
    return [(np.array(own), np.unique(others)) for own, others in islands.values()]


def _top(above: dict[int, int], x: int) -> int:
    """The unit that stands for the set of one (union-find with path halving)."""
    while above.setdefault(x, x) != x:
        above[x] = above[above[x]]
        x = above[x]
    return x
