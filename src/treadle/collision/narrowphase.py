"""The kernel of every pair of shape kinds, and what it calls: compiled when a scene first needs it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from treadle.collision.boxes import box_box
from treadle.collision.broadphase import find_pairs
from treadle.collision.capsules import capsule_capsule
from treadle.collision.contacts import DEPTH, GJK, MANIFOLD, MANY, OVERLAP, PROVE, REFINE, ROUND, TABLE
from treadle.collision.field_pairs import field_pair
from treadle.collision.gjk import convex_pair, gjk_separation, overlap
from treadle.collision.kinds import (
    BOX,
    CAPSULE,
    COUNT,
    CYLINDER,
    ELLIPSOID,
    HEIGHT_FIELD,
    HULL,
    MESH,
    PLANE,
    SPHERE,
)
from treadle.collision.least_depth import least_depth
from treadle.collision.manifold import manifold
from treadle.collision.mesh_pairs import mesh_pair
from treadle.collision.plane_pairs import (
    plane_box,
    plane_capsule,
    plane_corners,
    plane_cylinder,
    plane_ellipsoid,
    plane_sphere,
)
from treadle.collision.proof import prove
from treadle.collision.separation import round_pair, separation
from treadle.collision.sphere_pairs import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from treadle.collision.support_active import refine

__all__ = ["CALLED", "PAIRS", "fill"]

_CONVEX = (SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID, HULL)

#: Kernels by the kinds of their shapes, the lower one first.
PAIRS = {
    (PLANE, SPHERE): plane_sphere,
    (PLANE, CAPSULE): plane_capsule,
    (PLANE, BOX): plane_box,
    (PLANE, CYLINDER): plane_cylinder,
    (PLANE, ELLIPSOID): plane_ellipsoid,
    (PLANE, HULL): plane_corners,
    (PLANE, MESH): plane_corners,
    (SPHERE, SPHERE): sphere_sphere,
    (SPHERE, CAPSULE): sphere_capsule,
    (SPHERE, BOX): sphere_box,
    (SPHERE, CYLINDER): sphere_cylinder,
    (CAPSULE, CAPSULE): capsule_capsule,
    (CAPSULE, BOX): convex_pair,
    (BOX, BOX): box_box,
    **{(kind, CYLINDER): round_pair for kind in (CAPSULE, BOX, CYLINDER)},
    **{(kind, ELLIPSOID): round_pair for kind in (SPHERE, CAPSULE, BOX, CYLINDER, ELLIPSOID)},
    **{(kind, HULL): convex_pair for kind in _CONVEX},
    **{(kind, HEIGHT_FIELD): field_pair for kind in _CONVEX},
    **{(kind, MESH): mesh_pair for kind in _CONVEX},
}

#: Kernels that others call, by their place on the desk.
CALLED = {
    MANIFOLD: manifold,
    GJK: gjk_separation,
    ROUND: separation,
    REFINE: refine,
    DEPTH: least_depth,
    PROVE: prove,
    MANY: find_pairs,
    OVERLAP: overlap,
}

#: Pairs that no kernel serves, but coal does.
_WAITING = {(MESH, MESH), (HEIGHT_FIELD, MESH)}


def fill(desk: np.ndarray, kinds: Iterable[tuple[int, int]], also: Iterable[int] = ()) -> None:
    """Put the addresses of the kernels for these pairs of kinds on a desk, of those that they call, and of
    others by their places.
    """
    _call(desk, also)
    for first, second in {(min(pair), max(pair)) for pair in kinds}:
        place = TABLE + COUNT * first + second
        if (first, second) in _WAITING:
            desk[place] = -1
        elif (first, second) in PAIRS:
            piece = PAIRS[first, second]
            desk[place] = piece.address
            _call(desk, piece.needs)
            # fields and meshes call it for the distance of curved shapes
            if second in (HEIGHT_FIELD, MESH) and first in (CYLINDER, ELLIPSOID):
                _call(desk, [ROUND])


def _call(desk: np.ndarray, places: Iterable[int]) -> None:
    """Put the addresses of kernels on a desk, and of those that they call."""
    for place in places:
        desk[place] = CALLED[place].address
        _call(desk, CALLED[place].needs)
