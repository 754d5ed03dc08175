"""Single rows of a table: what impulses do to their velocity, and lengths of impulses in their cones."""

from __future__ import annotations

from math import sqrt

from treadle.native.kernels import inner

__all__ = ["cone_length", "paired", "push", "push_pair", "rate", "rates", "same_places", "scaled"]


@inner()
def rate(first, place, y, i, z):
    """y . z: what all impulses do to the velocity of row i."""
    total = 0.0
    for e in range(first[i], first[i + 1]):
        total += y[e] * z[place[e]]
    return total


@inner()
def push(first, loops, place, y, i, impulse, z):
    """z after an impulse of row i."""
    for e in range(first[i], loops[i]):
        z[place[e]] += y[e] * impulse
    for e in range(loops[i], first[i + 1]):
        z[place[e]] -= y[e] * impulse


@inner()
def paired(first, loops, i):
    """Whether row i and the one after it, two of a contact, have the same places."""
    end = first[i + 1]
    return loops[i] == end and loops[i + 1] == first[i + 2] == 2 * end - first[i]


@inner()
def rates(first, loops, place, y, i, z):
    """y . z of both rows of a pair."""
    if not paired(first, loops, i):
        return rate(first, place, y, i, z), rate(first, place, y, i + 1, z)
    one, two, width = 0.0, 0.0, first[i + 1] - first[i]
    for e in range(first[i], first[i + 1]):
        x = z[place[e]]
        one += y[e] * x
        two += y[e + width] * x
    return one, two


@inner()
def push_pair(first, loops, place, y, i, one, two, z):
    """z after impulses of both rows of a pair."""
    if not paired(first, loops, i):
        push(first, loops, place, y, i, one, z)
        push(first, loops, place, y, i + 1, two, z)
        return
    width = first[i + 1] - first[i]
    for e in range(first[i], first[i + 1]):
        z[place[e]] += y[e] * one + y[e + width] * two


@inner()
def cone_length(share, impulse, i):
    """Length of a pair's impulse in units of its coefficients."""
    return sqrt(scaled(share, impulse, i) ** 2 + scaled(share, impulse, i + 1) ** 2)


@inner()
def scaled(share, x, i):
    """An impulse in units of its coefficient; there is none where that is zero."""
    return x[i] / share[i] if share[i] > 0.0 else 0.0


@inner()
def same_places(first, place, i):
    """Whether row i and the two after it have the same places."""
    begin, width = first[i], first[i + 1] - first[i]
    if first[i + 2] != begin + 2 * width or first[i + 3] != begin + 3 * width:
        return False
    for e in range(begin, begin + width):
        if place[e + width] != place[e] or place[e + 2 * width] != place[e]:
            return False
    return True
