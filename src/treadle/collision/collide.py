"""All contact points of a scene, in one compiled call."""

from __future__ import annotations

from math import isfinite

from treadle.collision.bounds import boxes_apart, compose, enclose
from treadle.collision.broadphase import call_find_pairs, find_key
from treadle.collision.contacts import DATA, MANY, OVERLAP, ROOM, TABLE, TOTAL, flip
from treadle.collision.contacts import PAIRS as FOUND
from treadle.collision.frame import (
    BODIES,
    BODY,
    BOXES,
    CANDIDATES,
    COUNTS,
    DESK,
    MARGINS,
    MUTED,
    MUTED_COUNT,
    MUTED_KEYS,
    NEAR,
    PAIRS,
    PAIRS_ROOM,
    PLACEMENT,
    RESTING,
    RESULT,
    ROWS,
    SHAPES,
)  # fmt: skip
from treadle.collision.kinds import COUNT, HEIGHT_FIELD, KIND, PLANE, ROW
from treadle.collision.pairs import call_overlap, call_pair
from treadle.native import c_types as types
from treadle.native.calling import integers, reals
from treadle.native.pieces import REALS, WHOLES, at, helper, piece

__all__ = [
    "FIRST",
    "NOT_FINITE",
    "TOO_MANY_CONTACTS",
    "TOO_MANY_PAIRS",
    "collide",
    "least_distance",
    "touch",
    "touch_pair",
]

#: What `collide` writes as its result if it could not finish.
TOO_MANY_PAIRS, TOO_MANY_CONTACTS, NOT_FINITE = -1, -2, -3

#: Where in the frame of `least_distance` the two shapes stand; addresses as in `frame` follow.
FIRST = 0
_SECOND, _BODIES, _PLACEMENT, _BODY, _ROWS, _DESK, _RESULT = 1, 2, 3, 4, 5, 6, 7


@piece(types.void(WHOLES))
def collide(f):
    """Find the contact points of all shapes within their margins (m), see `frame`.

    The result is their number, or one of TOO_MANY_PAIRS, TOO_MANY_CONTACTS (make room: `total` tells how
    much) and NOT_FINITE. Pairs that no kernel serves are left to the caller: the first `counts[1]` of
    `pairs`.
    """
    X, boxes, margins, desk = reals(f[ROWS]), reals(f[BOXES]), reals(f[MARGINS]), integers(f[DESK])
    B, P, body = reals(f[BODIES]), reals(f[PLACEMENT]), integers(f[BODY])
    pairs, counts, result = integers(f[PAIRS]), integers(f[COUNTS]), integers(f[RESULT])
    desk[TOTAL] = counts[0] = counts[1] = counts[2] = 0
    poses = 0.0
    for s in range(f[SHAPES]):
        compose(B, 12 * body[s], P, 12 * s, X, ROW * s)
        poses += enclose(at(X, ROW * s), margins[s], boxes, 6 * s)
    if not isfinite(poses):
        result[0] = NOT_FINITE
        return
    _unmute(f, boxes)
    if f[NEAR] >= 0:
        listed = integers(f[CANDIDATES])
        counts[2] = f[NEAR]
        for k in range(f[NEAR]):
            a, b = listed[2 * k], listed[2 * k + 1]
            if _overlap(boxes, 6 * a, 6 * b):
                counts[0] += 1
                _meet(X, a, b, margins[a] + margins[b], f, pairs, counts, desk)
    else:
        call_find_pairs(desk[MANY], (f,))
        if counts[0] > f[PAIRS_ROOM]:
            result[0] = TOO_MANY_PAIRS
            return
        for k in range(counts[0]):
            a, b = pairs[2 * k], pairs[2 * k + 1]
            _meet(X, a, b, margins[a] + margins[b], f, pairs, counts, desk)
    result[0] = desk[TOTAL] if desk[TOTAL] <= desk[ROOM] else TOO_MANY_CONTACTS
    if counts[1] > f[PAIRS_ROOM]:
        result[0] = TOO_MANY_PAIRS


@piece(types.void(WHOLES))
def least_distance(f):
    """The least distance of the shapes f[FIRST] and f[FIRST + 1] of bodies where they are, and its normal.

    It is looked for as far as the last number of the result says, which is the distance of shapes that are
    farther apart.
    """
    B, P, body = reals(f[_BODIES]), reals(f[_PLACEMENT]), integers(f[_BODY])
    X, desk, a, b = reals(f[_ROWS]), integers(f[_DESK]), f[FIRST], f[_SECOND]
    compose(B, 12 * body[a], P, 12 * a, X, ROW * a)
    compose(B, 12 * body[b], P, 12 * b, X, ROW * b)
    data, result = reals(desk[DATA]), reals(f[_RESULT])
    desk[TOTAL] = 0
    touch_pair(X, a, b, result[4], desk)
    result[0] = min(data[9], result[4]) if desk[TOTAL] > 0 else result[4]
    for k in range(3):
        result[1 + k] = data[6 + k]


@piece(types.void(REALS, types.int64, types.int64, types.float64, WHOLES))
def touch(X, a, b, margin, desk):
    """Append the points of shapes a and b that come within the margin of each other."""
    touch_pair(X, a, b, margin, desk)


@helper
def _meet(X, a, b, margin, f, pairs, counts, desk):
    body, resting = integers(f[BODY]), integers(f[RESTING])
    if resting[body[a]] != 0 and resting[body[b]] != 0:
        return
    low, high = min(X[ROW * a + KIND], X[ROW * b + KIND]), max(X[ROW * a + KIND], X[ROW * b + KIND])
    convex = low > PLANE and high < HEIGHT_FIELD
    far = convex and boxes_apart(at(X, ROW * a), at(X, ROW * b), margin)
    if f[MUTED_COUNT] > 0 and _muted(X, a, b, far, convex, f, desk):
        return
    if far:
        return
    if not touch_pair(X, a, b, margin, desk):
        k = counts[1]
        if k < f[PAIRS_ROOM]:
            pairs[2 * k], pairs[2 * k + 1] = a, b
        counts[1] = k + 1


@helper
def _unmute(f, boxes):
    """Let shapes that overlapped at the start touch from now on if their boxes are apart."""
    keys, flags = integers(f[MUTED_KEYS]), reals(f[MUTED])
    for k in range(f[MUTED_COUNT]):
        a, b = keys[k] // f[SHAPES], keys[k] % f[SHAPES]
        if flags[k] > 0.0 and not _overlap(boxes, 6 * a, 6 * b):
            flags[k] = 0.0


@helper
def _muted(X, a, b, far, convex, f, desk):
    """Whether two shapes have overlapped since the start; those that are apart may touch from now on."""
    k = find_key(integers(f[MUTED_KEYS]), f[MUTED_COUNT], a * f[SHAPES] + b)
    flags = reals(f[MUTED])
    if k < 0 or flags[k] == 0.0:
        return False
    deep = False
    if convex:
        deep = not far and call_overlap(desk[OVERLAP], (at(X, ROW * a), at(X, ROW * b))) != 0
    else:
        start = desk[TOTAL]
        touch_pair(X, a, b, 0.0, desk)
        data = reals(desk[DATA])
        for i in range(start, min(desk[TOTAL], desk[ROOM])):
            deep = deep or data[10 * i + 9] < 0.0
        desk[TOTAL] = start
    if not deep:
        flags[k] = 0.0
    return deep


@helper
def touch_pair(X, a, b, margin, desk):
    """Call the kernel of the pair; False where there is none and there should be one."""
    first, second = int(X[ROW * a + KIND]), int(X[ROW * b + KIND])
    swapped = first > second
    kernel = desk[TABLE + COUNT * second + first] if swapped else desk[TABLE + COUNT * first + second]
    if kernel <= 0:
        return kernel == 0
    start = desk[TOTAL]
    if swapped:
        call_pair(kernel, (at(X, ROW * b), at(X, ROW * a), margin, desk))
        flip(desk, start)
    else:
        call_pair(kernel, (at(X, ROW * a), at(X, ROW * b), margin, desk))
    found = integers(desk[FOUND])
    for i in range(start, min(desk[TOTAL], desk[ROOM])):
        found[2 * i], found[2 * i + 1] = a, b
    return True


@helper
def _overlap(boxes, a, b):
    return (
        boxes[a] <= boxes[b + 3]
        and boxes[b] <= boxes[a + 3]
        and boxes[a + 1] <= boxes[b + 4]
        and boxes[b + 1] <= boxes[a + 4]
        and boxes[a + 2] <= boxes[b + 5]
        and boxes[b + 2] <= boxes[a + 5]
    )
