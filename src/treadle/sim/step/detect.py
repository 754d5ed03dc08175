"""Detect: the points that may touch in a substep, where the bodies are in its middle."""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import part
from treadle.sim.step.conservative_advancement import place_bodies
from treadle.sim.step.points import fastest, read_point

__all__ = ["detect"]

#: Distance (m) around everything that points are looked for in, however slow it is.
_MARGIN = 1e-6


@part()
def detect(context):
    """Find the points; whether collision detection could (`detection.result` says what was wrong)."""
    now, free, detection, scratch = context.now[0], context.free, context.detection, context.scratch
    place_bodies(free.poses, detection.bodies)
    reach = fastest(detection, free.poses, free.twist, free.twist_free, scratch.reach)
    detection.margin[0] = 1.5 * now.h * reach + _MARGIN
    call(detection.entry, detection.frame)
    now.found = detection.result[0]
    for c in range(now.found):
        read_point(context, c)
    if len(scratch.muted) > 0:
        _mute(context)
    return now.found >= 0


@part()
def _mute(context):
    """Leave out shapes that have overlapped since the start; those that are apart now may touch."""
    now, detection, scratch = context.now[0], context.detection, context.scratch
    pairs = detection.overlapping
    for k in range(len(pairs)):
        # 2: it overlaps still
        if scratch.muted[k] > 0.0:
            scratch.muted[k] = 1.0
    for c in range(now.found):
        point = scratch.points[c]
        k = _find(pairs, point.a * detection.shapes + point.b)
        if k >= 0 and scratch.muted[k] > 0.0:
            point.muted = 1
            if point.distance < 0.0:
                scratch.muted[k] = 2.0
    for k in range(len(pairs)):
        scratch.muted[k] = 1.0 if scratch.muted[k] == 2.0 else 0.0
    for c in range(now.found):
        point = scratch.points[c]
        if point.muted == 1:
            k = _find(pairs, point.a * detection.shapes + point.b)
            point.muted = 1 if scratch.muted[k] > 0.0 else 0


@part()
def _find(pairs, key):
    """The place of a key among sorted ones, -1: it is not there."""
    low, high = 0, len(pairs)
    while low < high:
        middle = (low + high) // 2
        if pairs[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(pairs) and pairs[low] == key else -1
