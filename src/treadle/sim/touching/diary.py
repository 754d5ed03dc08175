"""What contacts with stiffness started from in every span of the last step, to follow their course later."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.native.frames import Integers, RealList, RealTable
from treadle.native.kernels import inner, part

__all__ = ["PER_CONTACT", "Diary", "make_diary", "open_diary", "write_span"]

#: Numbers kept per contact: two shapes, a feature, K, D, b, depth, rate, law, four settings.
PER_CONTACT = 13


class Diary(NamedTuple):
    """Room for a number of spans; what does not fit is left out, and told by `size`."""

    size: Integers  # (2) spans with such contacts, and of these kept
    #: start in the step (s), length (s), number of contacts, place of the first number in `kept`
    spans: RealTable  # (spans, 4)
    kept: RealList  # (numbers) per span PER_CONTACT for each contact, then the responses A


def make_diary(spans: int, numbers: int) -> Diary:
    """Room for so many spans and numbers in all."""
    return Diary(np.zeros(2, np.int64), np.zeros((spans, 4)), np.zeros(numbers))


@part()
def open_diary(diary):
    """Begin a step."""
    diary.size[0] = diary.size[1] = 0


@inner()
def write_span(diary, points, found, soft, springs, start, span):
    """Write down a span that begins at `start` (s) in the step."""
    if springs == 0:
        return
    number, place = diary.size[1], 0
    if number > 0:
        n = int(diary.spans[number - 1, 2])
        place = int(diary.spans[number - 1, 3]) + n * (PER_CONTACT + n)
    diary.size[0] += 1
    if number >= len(diary.spans) or place + springs * (PER_CONTACT + springs) > len(diary.kept):
        return
    diary.size[1] += 1
    mark, kept = diary.spans[number], diary.kept
    mark[0], mark[1], mark[2], mark[3] = start, span, springs, place
    for c in range(found):
        point = points[c]
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
