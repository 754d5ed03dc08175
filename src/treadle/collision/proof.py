"""Contact points where the support features of two shapes do not prove their distance."""

from __future__ import annotations

from treadle.collision.contacts import GJK, MANIFOLD, REFINE
from treadle.collision.kinds import REACH
from treadle.collision.pairs import PROVED, call_manifold, call_separation, separation_piece, state
from treadle.collision.vectors import corner
from treadle.native.pieces import room

__all__ = ["prove"]


@separation_piece(GJK, MANIFOLD, REFINE)
def prove(a, b, margin, result, desk):
    """Append the contact points, once Newton's method has refined the normal and found two points.

    If that fails, a search along support points serves. A distance that is larger than the one found is kept:
    every direction is a bound of it from below.
    """
    found, s = room(9), result[3]
    error = PROVED * (a[REACH] + b[REACH])
    for k in range(3):
        found[k] = result[k]
    call_separation(desk[REFINE], (a, b, margin, found, desk))
    if found[8] > error or found[3] < s - error:
        other = room(9)
        call_separation(desk[GJK], (a, b, margin, other, desk))
        # a point that is nearly right is better than none
        if other[3] > found[3] + error or other[7] != 0.0 or found[8] > 100.0 * error:
            for k in range(9):
                found[k] = other[k]
    if found[3] < s - error:
        state(found, corner(result, 0), s)
    if found[3] <= margin:
        call_manifold(desk[MANIFOLD], (a, b, found, margin, 1, desk))
