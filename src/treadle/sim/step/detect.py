"""Detect: the points that may touch in a substep, where the bodies are in its middle."""

from __future__ import annotations

from treadle.native.calling import call
from treadle.native.kernels import part
from treadle.sim.step.conservative_advancement import place_bodies
from treadle.sim.step.points import fastest, read_point
from treadle.sim.step.sleep import place_resting
from treadle.solvers.agreement import agreed, largest

__all__ = ["detect"]

#: Distance (m) around everything that points are looked for in, however slow it is.
_MARGIN = 1e-6

#: Share of the way of a shape in a substep within which points are looked for: half of it leads from its
#: middle to its end; and share of the way of the fastest, which may set others into motion.
_WAY, _PUSHED = 0.75, 0.25


@part()
def detect(context):
    """Find the points; whether collision detection could (`detection.result` says what was wrong)."""
    now, free, detection, scratch = context.now[0], context.free, context.detection, context.scratch
    place_bodies(free.poses, detection.bodies)
    pushed = _PUSHED * largest(context, fastest(context, free.poses, free.twist, free.twist_free))
    for s in range(len(scratch.reach)):
        way = max(scratch.reach[s], pushed) if detection.body[s] > 0 else 0.0
        detection.margins[s] = _WAY * now.h * way + 0.5 * _MARGIN
    call(detection.entry, detection.frame)
    now.found = detection.result[0]
    for b in range(len(scratch.reference)):
        scratch.laid[b] = 0
    for c in range(now.found):
        read_point(context, c)
    place_resting(context)
    return agreed(context, now.found >= 0)
