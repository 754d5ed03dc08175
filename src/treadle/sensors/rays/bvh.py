"""Trees of boxes over things in space, built by the surface area heuristic (Wald, 2007).

A node is a row of eight numbers: lowest and highest corner, then for a leaf the first of its things and their
number, for an inner node the first of its two children, which lie side by side, and 0.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from treadle.native.c_types import CPointer, int64
from treadle.native.entries import entry
from treadle.native.frames import IntegerList, RealTable, view
from treadle.native.kernels import inner

__all__ = ["build_tree", "tree_over"]

_BINS = 12


def tree_over(low: np.ndarray, high: np.ndarray, leaf: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (m, 8) of a tree over boxes (n, 3), n > 0, and the order (n,) of the things in its leaves."""
    n = len(low)
    nodes, order = np.zeros((2 * n, 8)), np.zeros(n, dtype=np.int64)
    count = tree_of_boxes(Boxes(_reals(low), _reals(high), leaf, nodes, order))
    return nodes[:count].copy(), order


def _reals(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x, dtype=float)


class Boxes(NamedTuple):
    """What the kernel of `tree_over` takes, see `build_tree`."""

    low: RealTable
    high: RealTable
    leaf: int
    nodes: RealTable
    order: IntegerList


_boxes = view(Boxes)


@entry(int64(CPointer(int64)), nogil=True)
def tree_of_boxes(address):
    """The kernel of `tree_over`, which takes the table of Boxes."""
    boxes = _boxes(address)
    return build_tree(boxes.low, boxes.high, boxes.leaf, boxes.nodes, boxes.order)


@inner()
def build_tree(low, high, leaf, nodes, order):
    """Fill nodes (2 n, 8) and order (n,) for boxes (n, 3); return the number of nodes."""
    n = len(low)
    for i in range(n):
        order[i] = i
    waiting = np.empty((128, 3), dtype=np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, n
    depth, used = 1, 1
    while depth > 0:
        depth -= 1
        node, first, last = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2]
        _bound(low, high, order, first, last, nodes, node)
        middle = _split(low, high, order, first, last, leaf, depth)
        if middle < 0:
            nodes[node, 6], nodes[node, 7] = first, last - first
            continue
        nodes[node, 6], nodes[node, 7] = used, 0.0
        waiting[depth, 0], waiting[depth, 1], waiting[depth, 2] = used, first, middle
        waiting[depth + 1, 0], waiting[depth + 1, 1], waiting[depth + 1, 2] = used + 1, middle, last
        depth += 2
        used += 2
    return used


@inner()
def _bound(low, high, order, first, last, nodes, node):
    """The box of a node."""
    for k in range(3):
        a, b = inf, -inf
        for i in range(first, last):
            a, b = min(a, low[order[i], k]), max(b, high[order[i], k])
        nodes[node, k], nodes[node, 3 + k] = a, b


@inner()
def _split(low, high, order, first, last, leaf, depth):
    """Sort the things of a node into two parts; where the second starts, -1 if they stay together."""
    count = last - first
    if count <= 1:
        return -1
    axis, place, cost = _best_plane(low, high, order, first, last)
    if axis < 0 or (count <= leaf and cost >= count):
        return -1 if count <= leaf else first + count // 2
    i, j = first, last - 1
    while i <= j:
        s = order[i]
        if low[s, axis] + high[s, axis] < place:
            i += 1
        else:
            order[i], order[j] = order[j], order[i]
            j -= 1
    # a stack of 128 holds any tree that splits evenly from some depth on
    if i in (first, last) or depth > 100:
        return first + count // 2
    return i


@inner()
def _best_plane(low, high, order, first, last):
    """Axis (-1: none), twice the coordinate and cost of the plane that makes rays test the fewest things."""
    best, axis, place = inf, -1, 0.0
    counts = np.zeros(_BINS, dtype=np.int64)
    boxes = np.zeros((_BINS, 6))
    right = np.zeros(_BINS)
    for k in range(3):
        a, b = inf, -inf
        for i in range(first, last):
            c = low[order[i], k] + high[order[i], k]
            a, b = min(a, c), max(b, c)
        if not b > a:
            continue
        for s in range(_BINS):
            counts[s] = 0
            for m in range(3):
                boxes[s, m], boxes[s, 3 + m] = inf, -inf
        scale = _BINS / (b - a)
        for i in range(first, last):
            t = order[i]
            s = min(int((low[t, k] + high[t, k] - a) * scale), _BINS - 1)
            counts[s] += 1
            for m in range(3):
                boxes[s, m], boxes[s, 3 + m] = min(boxes[s, m], low[t, m]), max(boxes[s, 3 + m], high[t, m])
        whole = _sweep(boxes, counts, right)
        cost, at = _cheapest(boxes, counts, right)
        # a step down the tree costs about as much as a test of a triangle
        cost = 1.0 + cost / whole if whole > 0.0 else inf
        if cost < best:
            best, axis, place = cost, k, a + at / scale
    return axis, place, best


@inner()
def _sweep(boxes, counts, right):
    """Area times number of everything from each bin on; the area of all."""
    x0, y0, z0, x1, y1, z1 = inf, inf, inf, -inf, -inf, -inf
    total, area = 0, 0.0
    for s in range(_BINS - 1, -1, -1):
        if counts[s] > 0:
            x0, y0, z0 = min(x0, boxes[s, 0]), min(y0, boxes[s, 1]), min(z0, boxes[s, 2])
            x1, y1, z1 = max(x1, boxes[s, 3]), max(y1, boxes[s, 4]), max(z1, boxes[s, 5])
            total += counts[s]
            area = (x1 - x0) * (y1 - y0) + (y1 - y0) * (z1 - z0) + (z1 - z0) * (x1 - x0)
        right[s] = total * area
    return area


@inner()
def _cheapest(boxes, counts, right):
    """Least cost over the borders of bins, and the number of bins before that border."""
    x0, y0, z0, x1, y1, z1 = inf, inf, inf, -inf, -inf, -inf
    best, at, total = inf, 0, 0
    for s in range(_BINS - 1):
        if counts[s] > 0:
            x0, y0, z0 = min(x0, boxes[s, 0]), min(y0, boxes[s, 1]), min(z0, boxes[s, 2])
            x1, y1, z1 = max(x1, boxes[s, 3]), max(y1, boxes[s, 4]), max(z1, boxes[s, 5])
            total += counts[s]
        if total == 0 or right[s + 1] == 0.0:
            continue
        area = (x1 - x0) * (y1 - y0) + (y1 - y0) * (z1 - z0) + (z1 - z0) * (x1 - x0)
        cost = total * area + right[s + 1]
        if cost < best:
            best, at = cost, s + 1
    return best, at
