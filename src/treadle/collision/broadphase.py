"""Broad phase: a bounding volume hierarchy over the shapes' boxes in Morton order, built for every call.

Boxes are sorted along the space-filling Morton curve, neighbours are joined two by two into a balanced tree,
and the tree is queried with every box. That is n log n work plus the pairs found, whatever the sizes of the
boxes. Planes, which have no box, are compared with the bounding spheres of all other shapes.
"""

from __future__ import annotations

from treadle.collision.frame import (
    BODY,
    BOXES,
    COUNTS,
    FORBIDDEN,
    GROUP,
    LINK,
    LINKS,
    MARGINS,
    MEETS,
    PAIRS,
    PAIRS_ROOM,
    ROWS,
    RULES,
    SCRATCH,
    SHAPES,
    TREE,
)  # fmt: skip
from treadle.collision.kinds import KIND, PLANE, REACH, ROW
from treadle.native import c_types as types
from treadle.native.calling import integers, reals
from treadle.native.pieces import WHOLES, call_of, helper, piece, room, wholes_at

__all__ = ["call_find_pairs", "find_key", "find_pairs"]

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
    # order, codes, and copies of both; planes; places of digits, and a stack
    scratch, tree = integers(f[SCRATCH]), reals(f[TREE])
    planes, stack = wholes_at(scratch, 4 * n), wholes_at(scratch, 5 * n + 1024)
    order, boxed, flat = _morton_order(n, X, boxes, scratch, planes)
    size = 1
    while size < boxed:
        size *= 2
    _build(order, boxed, size, boxes, tree)
    count = tests = 0
    for a in range(n):
        start = count
        if X[ROW * a + KIND] == PLANE:
            for b in range(a + 1, n):
                count = _add(f, X, a, b, pairs, count)
            continue
        for i in range(flat):
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
        if height - X[other + REACH] > reals(f[MARGINS])[a] + reals(f[MARGINS])[b]:
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
    return find_key(forbidden, f[RULES], key) < 0


@helper
def find_key(keys, count, key):
    """The place of a key among sorted ones, -1: it is not there."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < count and keys[low] == key else -1


@helper
def _morton_order(n, X, boxes, scratch, planes):
    """Numbers of the shapes with boxes, along the curve; how many these are, and how many planes."""
    order, codes = scratch, wholes_at(scratch, n)
    boxed = flat = 0
    low, high = room(3), room(3)
    for i in range(3):
        low[i], high[i] = 1e300, -1e300
    for s in range(n):
        if X[ROW * s + KIND] == PLANE:
            planes[flat] = s
            flat += 1
            continue
        order[boxed] = s
        boxed += 1
        for i in range(3):
            middle = 0.5 * (boxes[6 * s + i] + boxes[6 * s + 3 + i])
            low[i], high[i] = min(low[i], middle), max(high[i], middle)
    for k in range(boxed):
        s, code = order[k], 0
        for i in range(3):
            span = high[i] - low[i]
            share = (0.5 * (boxes[6 * s + i] + boxes[6 * s + 3 + i]) - low[i]) / span if span > 0.0 else 0.0
            code |= _spread(int(share * 1023.0)) << i
        codes[k] = code
    return _radix_sorted(codes, order, boxed, wholes_at(scratch, 2 * n), n), boxed, flat


@helper
def _spread(x):
    """Ten bits, each followed by two zeros."""
    x = (x | (x << 16)) & 0x30000FF
    x = (x | (x << 8)) & 0x300F00F
    x = (x | (x << 4)) & 0x30C30C3
    return (x | (x << 2)) & 0x9249249


@helper
def _radix_sorted(codes, order, count, copies, n):
    """The entries of `order` by their codes of 30 bits, ten bits at a time."""
    other_codes, other, places = copies, wholes_at(copies, n), wholes_at(copies, 3 * n)
    for turn in range(3):
        shift = 10 * turn
        for k in range(1024):
            places[k] = 0
        for k in range(count):
            places[(codes[k] >> shift) & 1023] += 1
        # where the entries with each digit start
        start = 0
        for k in range(1024):
            start, places[k] = start + places[k], start
        for k in range(count):
            digit = (codes[k] >> shift) & 1023
            place = places[digit]
            other_codes[place], other[place] = codes[k], order[k]
            places[digit] = place + 1
        codes, other_codes = other_codes, codes
        order, other = other, order
    return order


@helper
def _build(order, boxed, size, boxes, tree):
    """Boxes (2 size, 6) of a binary tree: node i has the children 2 i and 2 i + 1, leaves come last."""
    for k in range(size):
        for i in range(3):
            leaf = 6 * (size + k) + i
            tree[leaf] = boxes[6 * order[k] + i] if k < boxed else 1e300
            tree[leaf + 3] = boxes[6 * order[k] + 3 + i] if k < boxed else -1e300
    for node in range(size - 1, 0, -1):
        left = 12 * node
        for i in range(3):
            tree[6 * node + i] = min(tree[left + i], tree[left + 6 + i])
            tree[6 * node + 3 + i] = max(tree[left + 3 + i], tree[left + 9 + i])


@helper
def _overlaps(boxes, a, tree, node):
    a, node = 6 * a, 6 * node
    return (
        boxes[a] <= tree[node + 3]
        and tree[node] <= boxes[a + 3]
        and boxes[a + 1] <= tree[node + 4]
        and tree[node + 1] <= boxes[a + 4]
        and boxes[a + 2] <= tree[node + 5]
        and tree[node + 2] <= boxes[a + 5]
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
