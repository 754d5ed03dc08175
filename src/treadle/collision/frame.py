"""The arguments of `collide` as an array of whole numbers: counts, then the addresses of arrays.

The arrays must not move while the frame is used; `Collider` keeps them.
"""

from __future__ import annotations

__all__ = [
    "BODIES", "BODY", "BOXES", "CANDIDATES", "COUNTS", "DESK", "FORBIDDEN", "GROUP", "LINK", "LINKS",
    "MARGINS", "MEETS", "MUTED", "MUTED_COUNT", "MUTED_KEYS", "NEAR", "PAIRS", "PAIRS_ROOM", "PLACEMENT",
    "RESTING", "RESULT", "ROWS", "RULES", "SCRATCH", "SHAPES", "TREE",
]  # fmt: skip

(
    #: how many shapes, links and the world, forbidden pairs of links, pairs that there is room for
    SHAPES, LINKS, RULES, PAIRS_ROOM,
    #: how many pairs may touch, if they are listed; -1: there are too many to list
    NEAR,
    #: addresses: poses of bodies (bodies + 1, 12), of shapes in them (n, 12), bodies and links of shapes (n)
    BODIES, PLACEMENT, BODY, LINK,
    #: groups of shapes and those that they meet (n), as bits
    GROUP, MEETS,
    #: margins of shapes (n), of which pairs have the sum, rows of shapes (n, 18), their boxes (n, 6), pairs
    #: that may touch, forbidden pairs of links
    MARGINS, ROWS, BOXES, CANDIDATES, FORBIDDEN,
    #: pairs to look at (p, 2), counts (3) of these, of those that wait for Python, of comparisons of boxes
    PAIRS, COUNTS,
    #: the desk of the contacts, the result (1)
    DESK, RESULT,
    #: room for sorting (5 n + 1152 whole numbers) and for a tree of boxes
    SCRATCH, TREE,
    #: flags of bodies (bodies + 1), 1: it rests, and shapes of two that do are not compared
    RESTING,
    #: how many pairs of shapes do not touch until they have been apart; addresses of their keys,
    #: first * shapes + second, sorted, and of flags, 0: they have been
    MUTED_COUNT, MUTED_KEYS, MUTED,
) = range(26)  # fmt: skip
