"""Two convex primitives: the normal that separates them best, and the contact points along it."""

from __future__ import annotations

from treadle.collision.boxes import box_axis
from treadle.collision.capsules import capsule_separation
from treadle.collision.contacts import CONTACTS
from treadle.collision.kinds import BOX, CAPSULE
from treadle.collision.manifold import manifold
from treadle.collision.separation import separation
from treadle.native.signatures import INT, MATRIX, REAL, kernel

__all__ = ["convex_convex"]


@kernel((INT, INT, MATRIX, MATRIX, INT, INT, REAL, CONTACTS))
def convex_convex(kind_a, kind_b, X, S, a, b, margin, out):
    """A face's corners (up to eight), a line's two ends or a single point.

    The best of fifteen axes gives the depth of two boxes that overlap. Of boxes that are apart it gives the
    distance only if two of their points are that far from each other; if not, `separation` does.
    """
    quick = kind_a == BOX and kind_b == BOX
    while True:
        if quick:
            n, s = box_axis(X, S, a, b, margin)
        elif kind_a == CAPSULE and kind_b == CAPSULE:
            n, s = capsule_separation(X, S, a, b)
        else:
            n, s = separation(kind_a, kind_b, X, S, a, b)
        if s > margin or manifold(kind_a, kind_b, X, S, a, b, n, s, margin, not quick or s <= 0.0, out):
            return
        quick = False
