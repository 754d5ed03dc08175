"""EPA (expanding polytope algorithm): penetration depth and normal of two overlapping convex shapes.

A polytope inside the Minkowski difference grows by the support point along the normal of its face nearest
to the origin, until there is none beyond that face. The face's distance is the penetration depth, its normal
that of the contact (van den Bergen, 2001).
"""

from __future__ import annotations

from math import cos, pi, sin

from treadle.collision.kinds import REACH
from treadle.collision.simplex import triangle_weights
from treadle.collision.supports import support
from treadle.collision.vectors import (
    along,
    axis,
    corner,
    cross,
    dot,
    minus,
    norm,
    normal_to,
    scaled,
    store,
    unit,
)
from treadle.native.pieces import helper, room

__all__ = ["epa"]

#: Most corners of the polytope, and most faces that are ever made.
_CORNERS, _FACES = 96, 512
#: A point is beyond a face if it is by more than this share of the shapes' size.
_BEYOND = 1e-13


@helper
def epa(a, b, W, A, count):
    """Normal from A to B, signed distance, a point of A, and two errors, from a simplex of `count` corners.

    The errors are that of the distance, by the gap along the normal, and how far the point of B is from where
    it should be: of several triangles in one plane, the origin is over one.
    """
    scale = a[REACH] + b[REACH]
    P, O = room(288), room(288)
    # faces: corners, outward normals and distances from the origin; a negative corner marks a removed face
    F, N, D = room(1536), room(1536), room(512)
    ring = room(512)
    for i in range(count):
        store(P, i, corner(W, i))
        store(O, i, corner(A, i))
    flat = _completed(a, b, P, O, count, 1e-10 * scale)
    if flat < 4:
        return _flat(a, b, P, O, flat)
    faces = 0
    for k in range(4):
        i, j, m = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        p = corner(P, i)
        if dot(cross(minus(corner(P, j), p), minus(corner(P, m), p)), minus(corner(P, k), p)) > 0.0:
            j, m = m, j
        faces = _face(P, F, N, D, faces, i, j, m)
    corners = 4
    least, least_face = 1e300, 0
    while True:
        best = 0
        for k in range(1, faces):
            if D[k] < D[best]:
                best = k
        n, depth = corner(N, best), D[best]
        i, j, m = int(F[3 * best]), int(F[3 * best + 1]), int(F[3 * best + 2])
        on_a = support(a, scaled(n, -1.0))
        w = minus(support(b, n), on_a)
        beyond = dot(n, w) - depth
        if dot(n, w) < least:
            least, least_face = dot(n, w), best
        if beyond <= _BEYOND * scale or corners == _CORNERS or faces > _FACES - 64:
            break
        store(P, corners, w)
        store(O, corners, on_a)
        edges = 0
        for k in range(faces):
            if F[3 * k] >= 0.0 and dot(corner(N, k), w) - D[k] > 1e-2 * _BEYOND * scale:
                for c in range(3):
                    edges = _edge(ring, edges, F[3 * k + c], F[3 * k + (c + 1) % 3])
                F[3 * k], D[k] = -1.0, 1e300
        if edges == 0 or faces + edges > _FACES:
            break
        for k in range(edges):
            faces = _face(P, F, N, D, faces, int(ring[2 * k]), int(ring[2 * k + 1]), corners)
        corners += 1
    # projection of the origin onto the nearest face, in barycentric coordinates
    foot = scaled(n, depth)
    x, y, z = triangle_weights(
        minus(corner(P, i), foot), minus(corner(P, j), foot), minus(corner(P, m), foot)
    )
    on_a = along(along(scaled(corner(O, i), x), y, corner(O, j)), z, corner(O, m))
    across = minus(along(along(scaled(corner(P, i), x), y, corner(P, j)), z, corner(P, m)), foot)
    # a curved surface has no end of faces: the best of all directions
    if least < depth + beyond:
        return scaled(corner(N, least_face), -1.0), -least, on_a, least - depth, 1e300
    return scaled(n, -1.0), -depth, on_a, beyond, norm(across)


@helper
def _face(P, F, N, D, faces, i, j, m):
    p = corner(P, i)
    u, v = minus(corner(P, j), p), minus(corner(P, m), p)
    n = cross(u, v)
    # three corners in a line bound nothing
    thin = norm(n) <= 1e-12 * norm(u) * norm(v)
    n = unit(n, (0.0, 0.0, 1.0))
    F[3 * faces], F[3 * faces + 1], F[3 * faces + 2] = i, j, m
    store(N, faces, n)
    D[faces] = 1e300 if thin else dot(n, p)
    return faces + 1


@helper
def _edge(ring, edges, i, j):
    """Add an edge of a removed face to the horizon; an edge that two removed faces share cancels."""
    for k in range(edges):
        if ring[2 * k] == j and ring[2 * k + 1] == i:
            ring[2 * k], ring[2 * k + 1] = ring[2 * edges - 2], ring[2 * edges - 1]
            return edges - 1
    ring[2 * edges], ring[2 * edges + 1] = i, j
    return edges + 1


@helper
def _completed(a, b, P, O, count, small):
    """Complete the simplex to a tetrahedron; the number of affinely independent corners found."""
    if count > 2:
        u, v = minus(corner(P, 1), corner(P, 0)), minus(corner(P, 2), corner(P, 0))
        m = cross(u, v)
        if norm(m) <= 1e-9 * norm(u) * norm(v):
            count = 2
        elif count == 4 and abs(dot(unit(m, u), minus(corner(P, 3), corner(P, 0)))) <= 1e-3 * small:
            count = 3
    while count < 4:
        p = corner(P, 0)
        found = False
        for k in range(6):
            if count == 1:
                d = axis(a, k % 3)
            elif count == 2:
                u = unit(minus(corner(P, 1), p), axis(a, 0))
                e = normal_to(u)
                f = cross(u, e)
                turn = (k % 3) * pi / 3.0
                d = along(scaled(e, cos(turn)), sin(turn), f)
            else:
                d = unit(cross(minus(corner(P, 1), p), minus(corner(P, 2), p)), axis(a, 0))
            if k > 2:
                d = scaled(d, -1.0)
            on_a = support(a, scaled(d, -1.0))
            w = minus(support(b, d), on_a)
            if abs(dot(d, minus(w, p))) > small:
                found = True
                store(P, count, w)
                store(O, count, on_a)
                break
        if not found:
            return count
        count += 1
    return 4


@helper
def _flat(a, b, P, O, count):
    """Result for a flat Minkowski difference: shapes without thickness in one plane, no depth."""
    p = corner(P, 0)
    n = axis(a, 2)
    if count == 3:
        n = unit(cross(minus(corner(P, 1), p), minus(corner(P, 2), p)), n)
    elif count == 2:
        n = normal_to(unit(minus(corner(P, 1), p), n))
    return n, 0.0, corner(O, 0), 0.0, 0.0
