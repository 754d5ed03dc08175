"""Signatures of the pair kernels, and how they call each other.

A kernel of a pair is called with the rows of two shapes (see `kinds`), the first of the lower kind, the
margin and the desk of the contacts, and appends the points of both that come within the margin of each other.
"""

from __future__ import annotations

from typing import Any

from treadle.native import c_types as types
from treadle.native.entries import Entry
from treadle.native.formulas import formula
from treadle.native.pieces import REALS, WHOLES, call_of, piece

__all__ = [
    "PAIR", "call_manifold", "call_overlap", "call_pair", "call_separation", "manifold_piece",
    "overlap_piece", "pair", "separation_piece", "state", "state_at",
]  # fmt: skip

#: (a, b, margin, desk)
PAIR = types.void(REALS, REALS, types.float64, WHOLES)
#: (a, b, margin, result, desk) -> None; the result is the unit normal from A to B (3), the signed distance
#: along it, a point of A in which they touch (3), and 1, or 0 if that point is not known. A distance beyond
#: the margin may be less than the true one.
SEPARATION = types.void(REALS, REALS, types.float64, REALS, WHOLES)
#: (a, b, result, margin, sure, desk) -> whether a point at the distance of the result was found
MANIFOLD = types.int64(REALS, REALS, REALS, types.float64, types.int64, WHOLES)

#: (a, b) -> whether two convex shapes overlap
OVERLAPPING = types.int64(REALS, REALS)

call_pair, call_separation, call_manifold = call_of(PAIR), call_of(SEPARATION), call_of(MANIFOLD)
call_overlap = call_of(OVERLAPPING)


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


def separation_piece(function: Any) -> Entry:
    """Make a function one that finds the normal and the distance of two shapes."""
    return piece(SEPARATION)(function)


def overlap_piece(function: Any) -> Entry:
    """Make a function one that tells whether two shapes overlap."""
    return piece(OVERLAPPING)(function)


def manifold_piece(function: Any) -> Entry:
    """Make a function one that finds the contact points, once the normal is known."""
    return piece(MANIFOLD)(function)
