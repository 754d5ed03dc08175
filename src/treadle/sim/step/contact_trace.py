"""What contacts with stiffness started from in every span of the last step, to follow their course later."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.frames import Integers, RealList, RealTable
from treadle.native.kernels import inner, part

__all__ = ["PER_CONTACT", "ContactTrace", "make_trace", "open_trace", "record_substep"]

#: Numbers kept per contact: two shapes, a feature, K, D, b, depth, rate, law, four settings.
PER_CONTACT = 13


class ContactTrace(NamedTuple):
    """Scratch for a number of spans; what does not fit is left out, and told by `size`."""

    size: Integers  # (2) spans with such contacts, and of these kept
    #: start in the step (s), length (s), number of contacts, place of the first number in `kept`
    spans: RealTable  # (spans, 4)
    kept: RealList  # (numbers) per span PER_CONTACT for each contact, then the responses A


def make_trace(spans: int, numbers: int) -> ContactTrace:
    """Scratch for so many spans and numbers in all."""
    return ContactTrace(np.zeros(2, np.int64), np.zeros((spans, 4)), np.zeros(numbers))


@part()
def open_trace(trace):
    """Begin a step."""
    trace.size[0] = trace.size[1] = 0


@inner()
def record_substep(context):
    """Record what the compliant contacts of a substep started from."""
    now, soft, trace, springs = context.now[0], context.soft, context.scratch.trace, context.now[0].springs
    if springs == 0:
        return
    number, place = trace.size[1], 0
    if number > 0:
        n = int(trace.spans[number - 1, 2])
        place = int(trace.spans[number - 1, 3]) + n * (PER_CONTACT + n)
    trace.size[0] += 1
    if number >= len(trace.spans) or place + springs * (PER_CONTACT + springs) > len(trace.kept):
        return
    trace.size[1] += 1
    mark, kept = trace.spans[number], trace.kept
    mark[0], mark[1], mark[2], mark[3] = now.elapsed, now.h, springs, place
    for c in range(now.found):
        point = context.scratch.points[c]
        i = point.spring
        if point.row < 0 or i < 0:
            continue
        e = place + PER_CONTACT * i
        kept[e], kept[e + 1], kept[e + 2] = point.a, point.b, point.feature
        kept[e + 3], kept[e + 4], kept[e + 5] = soft.K[i], soft.D[i], soft.b[i]
        kept[e + 6], kept[e + 7], kept[e + 8] = soft.delta_start[i], soft.rate_start[i], soft.law[i]
        for j in range(4):
            kept[e + 9 + j] = soft.settings[4 * i + j]
    e = place + PER_CONTACT * springs
    for j in range(springs * springs):
        kept[e + j] = soft.A[j]
