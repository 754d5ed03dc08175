"""Signatures of the pair kernels, and how they call each other.

A kernel of a pair is called with the rows of two shapes (see `kinds`), the first of the lower kind, the
margin and the desk of the contacts, and appends the points of both that come within the margin of each other.
"""

from __future__ import annotations

from typing import Any

from treadle.collision.contacts import MANIFOLD, PROVE
from treadle.native import c_types as types
from treadle.native.entries import Entry
from treadle.native.formulas import formula
from treadle.native.pieces import REALS, WHOLES, call_of, helper, piece

__all__ = [
    "PAIR", "PROVED", "call_manifold", "call_overlap", "call_pair", "call_separation", "manifold_piece",
    "overlap_piece", "pair", "put_points", "separation_piece", "state", "state_at",
]  # fmt: skip

#: Error of a result, as a share of the size of both shapes, up to which it is proved.
PROVED = 1e-9

#: (a, b, margin, desk)
PAIR = types.void(REALS, REALS, types.float64, WHOLES)
#: (a, b, margin, result, desk) -> None; the result is the unit normal from A to B (3), the signed distance
#: along it, a point of A in which they touch (3), and 1, or 0 if that point is not known. A distance beyond
#: the margin may be less than the true one.
SEPARATION = types.void(REALS, REALS, types.float64, REALS, WHOLES)
#: (a, b, result, margin, sure, desk) -> whether a point at the distance of the result was found
POINTS = types.int64(REALS, REALS, REALS, types.float64, types.int64, WHOLES)

#: (a, b) -> whether two convex shapes overlap
OVERLAPPING = types.int64(REALS, REALS)

call_pair, call_separation, call_manifold = call_of(PAIR), call_of(SEPARATION), call_of(POINTS)
call_overlap = call_of(OVERLAPPING)


@helper
def put_points(a, b, margin, result, desk):
    """Append the contact points for a normal and a distance, once two points prove them (or `proof` does)."""
    if call_manifold(desk[MANIFOLD], (a, b, result, margin, 0, desk)) == 0:
        call_separation(desk[PROVE], (a, b, margin, result, desk))


@formula
def state(result, n, distance):
    """Write a result without a point."""
    result[0], result[1], result[2] = n
    result[3], result[7] = distance, 0.0


@formula
def state_at(result, n, distance, p):
    """Write a result with a point of A."""
    result[0], result[1], result[2] = n
    result[4], result[5], result[6] = p
    result[3], result[7] = distance, 1.0


def pair(*needs: int) -> Any:
    """Make a function the kernel of a pair; `needs` are places on the desk of kernels that it calls."""
    return piece(PAIR, *needs)


def separation_piece(*needs: int) -> Any:
    """Make a function one that finds the normal and the distance of two shapes; `needs` as for a pair."""
    return piece(SEPARATION, *needs)


def overlap_piece(function: Any) -> Entry:
    """Make a function one that tells whether two shapes overlap."""
    return piece(OVERLAPPING)(function)


def manifold_piece(function: Any) -> Entry:
    """Make a function one that finds the contact points, once the normal is known."""
    return piece(POINTS)(function)
