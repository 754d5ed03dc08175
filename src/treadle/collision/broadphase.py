"""Which of many shapes may be near each other: a tree over their boxes in Morton order, built for every call.

Boxes are sorted along a curve that fills space, neighbours are joined two by two into a balanced tree, and
every box is let down the tree. That is n log n work plus what is found, whatever the sizes of the boxes.
Planes, which have no box, are compared with the balls around all other shapes.
"""

from __future__ import annotations

import numpy as np
from numba import types

from treadle.collision.frame import (
    BODY, BOXES, COUNTS, FORBIDDEN, GROUP, LINK, LINKS, MARGIN, MEETS, PAIRS, PAIRS_ROOM, ROWS, RULES, SHAPES,
)  # fmt: skip
from treadle.collision.kinds import KIND, PLANE, REACH, ROW
from treadle.native.calling import integers, reals
from treadle.native.pieces import WHOLES, call_of, helper, piece

__all__ = ["call_find_pairs", "find_pairs"]

_FIND = types.void(WHOLES)
call_find_pairs = call_of(_FIND)


@piece(_FIND)
def find_pairs(f):
    """Write the pairs a < b that may touch and may be within the margin, sorted, and their number.

    A number beyond the room for pairs means that there are more; the search ends there. `counts[2]` is the
    number of comparisons of boxes.
    """
    n, X, boxes = f[SHAPES], reals(f[ROWS]), reals(f[BOXES])
    pairs, counts = integers(f[PAIRS]), integers(f[COUNTS])
    order, boxed, planes = _morton_order(n, X, boxes)
    size = 1
    while size < boxed:
        size *= 2
    tree = _tree(order, boxed, size, boxes)
    stack = np.empty(128, dtype=np.int64)
    count = tests = 0
    for a in range(n):
        start = count
        if X[ROW * a + KIND] == PLANE:
            for b in range(a + 1, n):
                count = _add(f, X, a, b, pairs, count)
            continue
        for i in range(len(planes)):
            if planes[i] > a:
                count = _add(f, X, a, planes[i], pairs, count)
        depth = 1
        stack[0] = 1
        while depth > 0 and count <= f[PAIRS_ROOM]:
            depth -= 1
            node = stack[depth]
            tests += 1
            if not _overlaps(boxes, a, tree, node):
                continue
            if node < size:
                stack[depth], stack[depth + 1] = 2 * node + 1, 2 * node
                depth += 2
            elif order[node - size] > a:
                count = _add(f, X, a, order[node - size], pairs, count)
        if count > f[PAIRS_ROOM]:
            break
        _sort(pairs, start, count)
    counts[0], counts[2] = count, tests


@helper
def _add(f, X, a, b, pairs, count):
    """Append a pair, unless its shapes may not touch or one is a plane far below the other."""
    flat, other = ROW * a, ROW * b
    if X[flat + KIND] == PLANE or X[other + KIND] == PLANE:
        if X[flat + KIND] == X[other + KIND]:
            return count
        if X[flat + KIND] != PLANE:
            flat, other = other, flat
        height = 0.0
        for i in range(3):
            height += X[flat + 3 * i + 2] * (X[other + 9 + i] - X[flat + 9 + i])
        if height - X[other + REACH] > reals(f[MARGIN])[0]:
            return count
    if not _may_touch(f, a, b):
        return count
    if count < f[PAIRS_ROOM]:
        pairs[2 * count], pairs[2 * count + 1] = a, b
        return count + 1
    return f[PAIRS_ROOM] + 1


@helper
def _may_touch(f, a, b):
    """Whether the rules let shapes a and b touch."""
    body, link, forbidden = integers(f[BODY]), integers(f[LINK]), integers(f[FORBIDDEN])
    group, meets = integers(f[GROUP]), integers(f[MEETS])
    if body[a] == body[b] or group[a] & meets[b] == 0 or group[b] & meets[a] == 0:
        return False
    key = min(link[a], link[b]) * f[LINKS] + max(link[a], link[b])
    low, high = 0, f[RULES]
    while low < high:
        middle = (low + high) // 2
        if forbidden[middle] < key:
            low = middle + 1
        else:
            high = middle
    return not (low < f[RULES] and forbidden[low] == key)


@helper
def _morton_order(n, X, boxes):
    """Numbers of the shapes with boxes, along the curve; how many; and the numbers of the planes."""
    order = np.empty(n, dtype=np.int64)
    planes = np.empty(n, dtype=np.int64)
    boxed = flat = 0
    origin, largest = np.full(3, np.inf), np.full(3, -np.inf)
    for s in range(n):
        if X[ROW * s + KIND] == PLANE:
            planes[flat] = s
            flat += 1
            continue
        order[boxed] = s
        boxed += 1
        for i in range(3):
            middle = 0.5 * (boxes[6 * s + i] + boxes[6 * s + 3 + i])
            origin[i] = min(origin[i], middle)
            largest[i] = max(largest[i], middle)
    codes = np.zeros(n, dtype=np.int64)
    for k in range(boxed):
        s = order[k]
        for i in range(3):
            span = largest[i] - origin[i]
            share = (
                (0.5 * (boxes[6 * s + i] + boxes[6 * s + 3 + i]) - origin[i]) / span if span > 0.0 else 0.0
            )
            codes[k] |= _spread(np.int64(share * 1023.0)) << i
    return _radix_sorted(codes, order, boxed), boxed, planes[:flat]


@helper
def _spread(x):
    """Ten bits, each followed by two zeros."""
    x = (x | (x << 16)) & 0x30000FF
    x = (x | (x << 8)) & 0x300F00F
    x = (x | (x << 4)) & 0x30C30C3
    return (x | (x << 2)) & 0x9249249


@helper
def _radix_sorted(codes, order, count):
    """The entries of `order` by their codes of 30 bits, ten bits at a time."""
    other_codes, other = np.empty_like(codes), np.empty_like(order)
    places = np.empty(1025, dtype=np.int64)
    for shift in (0, 10, 20):
        places[:] = 0
        for k in range(count):
            places[((codes[k] >> shift) & 1023) + 1] += 1
        for k in range(1024):
            places[k + 1] += places[k]
        for k in range(count):
            digit = (codes[k] >> shift) & 1023
            other_codes[places[digit]], other[places[digit]] = codes[k], order[k]
            places[digit] += 1
        codes, other_codes = other_codes, codes
        order, other = other, order
    return order


@helper
def _tree(order, boxed, size, boxes):
    """Boxes (2 size, 6) of a binary tree: node i has the children 2 i and 2 i + 1, leaves come last."""
    tree = np.empty((2 * size, 6))
    for k in range(size):
        for i in range(3):
            tree[size + k, i] = boxes[6 * order[k] + i] if k < boxed else np.inf
            tree[size + k, 3 + i] = boxes[6 * order[k] + 3 + i] if k < boxed else -np.inf
    for node in range(size - 1, 0, -1):
        for i in range(3):
            tree[node, i] = min(tree[2 * node, i], tree[2 * node + 1, i])
            tree[node, 3 + i] = max(tree[2 * node, 3 + i], tree[2 * node + 1, 3 + i])
    return tree


@helper
def _overlaps(boxes, a, tree, node):
    return (
        boxes[6 * a + 0] <= tree[node, 3]
        and tree[node, 0] <= boxes[6 * a + 3]
        and boxes[6 * a + 1] <= tree[node, 4]
        and tree[node, 1] <= boxes[6 * a + 4]
        and boxes[6 * a + 2] <= tree[node, 5]
        and tree[node, 2] <= boxes[6 * a + 5]
    )


@helper
def _sort(pairs, start, stop):
    """Sort the partners of one shape by their numbers (Shell, 1959)."""
    step = 1
    while step < (stop - start) // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(start + step, stop):
            x = pairs[2 * i + 1]
            j = i
            while j - step >= start and pairs[2 * (j - step) + 1] > x:
                pairs[2 * j + 1] = pairs[2 * (j - step) + 1]
                j -= step
            pairs[2 * j + 1] = x
        step //= 3
