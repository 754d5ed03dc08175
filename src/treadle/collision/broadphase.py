"""Which shapes may be near each other: a tree over their boxes in Morton order, built anew for every call.

Boxes are sorted along a curve that fills space, neighbours are joined two by two into a balanced tree, and
every box is let down the tree. That is n log n work plus what is found, whatever the sizes of the boxes.
Planes, which have no box, are compared with the balls around all other shapes.
"""

from __future__ import annotations

import numpy as np

from treadle.collision.kinds import PLANE
from treadle.collision.vectors import axis, dot, minus, position
from treadle.native.signatures import kernel

__all__ = ["find_pairs", "may_touch"]

#: Up to this many shapes all pairs are tried.
_FEW = 48


@kernel()
def find_pairs(shapes, X, margin, low, high, forbidden, links, pairs, tests):
    """Write the pairs a < b that may touch and may be within the margin, sorted; returns their number.

    A number beyond the rows of `pairs` means that there are more; the search ends there. `tests[0]` counts
    the comparisons of boxes.
    """
    if len(shapes.kind) <= _FEW:
        return _try_all(shapes, X, margin, low, high, forbidden, links, pairs, tests)
    order, boxes, planes = _morton_order(shapes, low, high)
    size = 1
    while size < boxes:
        size *= 2
    tree = _tree(order, boxes, size, low, high)
    stack = np.empty(128, dtype=np.int64)
    count = 0
    for a in range(len(shapes.kind)):
        start = count
        if shapes.kind[a] == PLANE:
            for b in range(a + 1, len(shapes.kind)):
                count = _add(shapes, X, margin, forbidden, links, a, b, pairs, count)
            continue
        for i in range(len(planes)):
            if planes[i] > a:
                count = _add(shapes, X, margin, forbidden, links, a, planes[i], pairs, count)
        depth = 1
        stack[0] = 1
        while depth > 0 and count <= len(pairs):
            depth -= 1
            node = stack[depth]
            tests[0] += 1
            if not _overlaps(low, high, a, tree, node):
                continue
            if node < size:
                stack[depth], stack[depth + 1] = 2 * node + 1, 2 * node
                depth += 2
            elif order[node - size] > a:
                count = _add(shapes, X, margin, forbidden, links, a, order[node - size], pairs, count)
        if count > len(pairs):
            return count
        _sort(pairs, start, count)
    return count


@kernel()
def _try_all(shapes, X, margin, low, high, forbidden, links, pairs, tests):
    count = 0
    for a in range(len(shapes.kind)):
        for b in range(a + 1, len(shapes.kind)):
            tests[0] += 1
            infinite = shapes.kind[a] == PLANE or shapes.kind[b] == PLANE
            if infinite or (
                low[a, 0] <= high[b, 0]
                and low[b, 0] <= high[a, 0]
                and low[a, 1] <= high[b, 1]
                and low[b, 1] <= high[a, 1]
                and low[a, 2] <= high[b, 2]
                and low[b, 2] <= high[a, 2]
            ):
                count = _add(shapes, X, margin, forbidden, links, a, b, pairs, count)
    return count


@kernel()
def _add(shapes, X, margin, forbidden, links, a, b, pairs, count):
    """Append a pair, unless its shapes may not touch or one is a plane far below the other."""
    if shapes.kind[a] == PLANE or shapes.kind[b] == PLANE:
        if shapes.kind[a] == shapes.kind[b]:
            return count
        plane, other = (a, b) if shapes.kind[a] == PLANE else (b, a)
        height = dot(axis(X, plane, 2), minus(position(X, other), position(X, plane)))
        if height - shapes.radius[other] > margin:
            return count
    if not may_touch(shapes, forbidden, links, a, b):
        return count
    if count < len(pairs):
        pairs[count, 0], pairs[count, 1] = a, b
        return count + 1
    return len(pairs) + 1


@kernel()
def may_touch(shapes, forbidden, count, a, b):
    """Whether shapes a and b may touch; `count` is the number of links and the world."""
    if shapes.body[a] == shapes.body[b]:
        return False
    first, second = min(shapes.link[a], shapes.link[b]), max(shapes.link[a], shapes.link[b])
    key = first * count + second
    low, high = 0, len(forbidden)
    while low < high:
        middle = (low + high) // 2
        if forbidden[middle] < key:
            low = middle + 1
        else:
            high = middle
    return not (low < len(forbidden) and forbidden[low] == key)


@kernel()
def _morton_order(shapes, low, high):
    """Numbers of the shapes with boxes, along the curve; how many; and the numbers of the planes."""
    n = len(shapes.kind)
    order = np.empty(n, dtype=np.int64)
    planes = np.empty(n, dtype=np.int64)
    boxes = flat = 0
    origin, largest = np.full(3, np.inf), np.full(3, -np.inf)
    for s in range(n):
        if shapes.kind[s] == PLANE:
            planes[flat] = s
            flat += 1
            continue
        order[boxes] = s
        boxes += 1
        for i in range(3):
            middle = 0.5 * (low[s, i] + high[s, i])
            origin[i] = min(origin[i], middle)
            largest[i] = max(largest[i], middle)
    codes = np.zeros(n, dtype=np.int64)
    for k in range(boxes):
        s = order[k]
        for i in range(3):
            span = largest[i] - origin[i]
            share = (0.5 * (low[s, i] + high[s, i]) - origin[i]) / span if span > 0.0 else 0.0
            codes[k] |= _spread(np.int64(share * 1023.0)) << i
    return _radix_sorted(codes, order, boxes), boxes, planes[:flat]


@kernel()
def _spread(x):
    """Ten bits, each followed by two zeros."""
    x = (x | (x << 16)) & 0x30000FF
    x = (x | (x << 8)) & 0x300F00F
    x = (x | (x << 4)) & 0x30C30C3
    return (x | (x << 2)) & 0x9249249


@kernel()
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


@kernel()
def _tree(order, boxes, size, low, high):
    """Boxes (2 size, 6) of a binary tree: node i has the children 2 i and 2 i + 1, leaves come last."""
    tree = np.empty((2 * size, 6))
    for k in range(size):
        for i in range(3):
            tree[size + k, i] = low[order[k], i] if k < boxes else np.inf
            tree[size + k, 3 + i] = high[order[k], i] if k < boxes else -np.inf
    for node in range(size - 1, 0, -1):
        for i in range(3):
            tree[node, i] = min(tree[2 * node, i], tree[2 * node + 1, i])
            tree[node, 3 + i] = max(tree[2 * node, 3 + i], tree[2 * node + 1, 3 + i])
    return tree


@kernel()
def _overlaps(low, high, a, tree, node):
    return (
        low[a, 0] <= tree[node, 3]
        and tree[node, 0] <= high[a, 0]
        and low[a, 1] <= tree[node, 4]
        and tree[node, 1] <= high[a, 1]
        and low[a, 2] <= tree[node, 5]
        and tree[node, 2] <= high[a, 2]
    )


@kernel()
def _sort(pairs, start, stop):
    """Sort the partners of one shape by their numbers (Shell, 1959)."""
    step = 1
    while step < (stop - start) // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(start + step, stop):
            x = pairs[i, 1]
            j = i
            while j - step >= start and pairs[j - step, 1] > x:
                pairs[j, 1] = pairs[j - step, 1]
                j -= step
            pairs[j, 1] = x
        step //= 3
