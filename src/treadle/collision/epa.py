"""EPA (expanding polytope algorithm): penetration depth and normal of two overlapping convex shapes.

A polytope inside the Minkowski difference grows by the support point along the normal of its face nearest
to the origin, until there is none beyond that face. The face's distance is the penetration depth, its normal
that of the contact (van den Bergen, 2001).
"""

from __future__ import annotations

from math import cos, pi, sin

from treadle.collision.kinds import REACH
from treadle.collision.simplex import triangle_weights
from treadle.collision.supports import core_support, support
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

__all__ = ["BEYOND", "CORNERS", "begin", "epa", "flat_normal", "grow", "is_corner", "over"]

#: Most corners of the polytope of two shapes.
CORNERS = 256
#: A point is beyond the nearest face if it is by more than this share of the shapes' size, and level with
#: others if it is by no more than that: what rounding leaves of a plane, and more of that of a thin triangle.
BEYOND, _LEVEL, _ROUNDING = 1e-13, 1e-12, 4e-16
#: Edges whose angle (sine) to the way to a point is below this span no face with it.
_IN_LINE = 1e-10


@helper
def epa(a, b, W, A, count):
    """Normal from A to B, signed distance, a point of A, and two errors, from a simplex of `count` corners.

    The errors are that of the distance, by the gap along the normal, and how far the point of B is from where
    it should be: of several triangles in one plane, the origin is over one.
    """
    scale = a[REACH] + b[REACH]
    polytope = room(768), room(768), room(1536), room(1536), room(512), room(512), room(1536), room(512)
    P, O, F, N, D, _, _, _ = polytope
    flat = begin(a, b, W, A, count, polytope, scale)
    if flat < 4:
        return flat_normal(P, flat, axis(a, 2)), 0.0, corner(O, 0), 0.0, 0.0
    corners, faces = 4, 4
    least, least_normal = 1e300, (0.0, 0.0, 1.0)
    while True:
        best = 0
        for k in range(1, faces):
            if D[k] < D[best]:
                best = k
        n, depth = corner(N, best), D[best]
        on_a = support(a, scaled(n, -1.0))
        w = minus(support(b, n), on_a)
        beyond = dot(n, w) - depth
        if dot(n, w) < least:
            least, least_normal = dot(n, w), n
        if beyond <= BEYOND * scale or corners == CORNERS or is_corner(P, corners, w, scale):
            break
        grown = grow(polytope, corners, faces, best, w, on_a, scale)
        if grown == 0:
            break
        corners, faces = corners + 1, grown
    on_a, across = over(P, O, F, best, n, depth)
    # where rounding ended it: the best of all directions
    if least < depth + beyond:
        return scaled(least_normal, -1.0), -least, on_a, least - depth, 1e300
    return scaled(n, -1.0), -depth, on_a, beyond, across


@helper
def begin(a, b, W, A, count, polytope, scale):
    """Make a tetrahedron of a simplex of `count` corners; the number of its corners, less if all is flat."""
    P, O, F, N, D, level, _, _ = polytope
    for i in range(count):
        store(P, i, corner(W, i))
        store(O, i, corner(A, i))
    flat = _completed(a, b, P, O, count, 1e-10 * scale)
    if flat < 4:
        return flat
    for k in range(4):
        i, j, m = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        p = corner(P, i)
        if dot(cross(minus(corner(P, j), p), minus(corner(P, m), p)), minus(corner(P, k), p)) > 0.0:
            j, m = m, j
        level[k] = _face(P, F, N, D, k, i, j, m, scale)
    return 4


@helper
def is_corner(P, corners, w, scale):
    """Whether the polytope has this corner."""
    for k in range(corners):  # noqa: SIM110
        if norm(minus(w, corner(P, k))) <= 1e-14 * scale:
            return True
    return False


@helper
def grow(polytope, corners, faces, best, w, on_a, scale):
    """Add a corner that is beyond a face; the new number of faces, 0 if rounding leaves no polytope."""
    P, O, F, N, D, level, ring, seen = polytope
    store(P, corners, w)
    store(O, corners, on_a)
    removed = _seen(F, N, D, level, faces, best, w, seen)
    removed, edges = _horizon(P, F, N, D, level, faces, corners, seen, removed, ring)
    if edges < 3:
        return 0
    for k in range(removed):
        F[3 * int(seen[k])], D[int(seen[k])] = -1.0, 1e300
    for k in range(edges):
        # in the place of one that was removed
        place = int(seen[k]) if k < removed else faces
        i, j = int(ring[2 * k]), int(ring[2 * k + 1])
        level[place] = _face(P, F, N, D, place, i, j, corners, scale)
        if k >= removed:
            faces += 1
    return faces


@helper
def over(P, O, F, k, n, depth):
    """The point of A of the point of a face nearest to the origin, and how far that is from its plane's."""
    i, j, m = int(F[3 * k]), int(F[3 * k + 1]), int(F[3 * k + 2])
    foot = scaled(n, depth)
    x, y, z = triangle_weights(
        minus(corner(P, i), foot), minus(corner(P, j), foot), minus(corner(P, m), foot)
    )
    on_a = along(along(scaled(corner(O, i), x), y, corner(O, j)), z, corner(O, m))
    across = minus(along(along(scaled(corner(P, i), x), y, corner(P, j)), z, corner(P, m)), foot)
    return on_a, norm(across)


@helper
def _face(P, F, N, D, k, i, j, m, scale):
    """Write face k; returns how far from its plane a point is level with it."""
    p = corner(P, i)
    u, v = minus(corner(P, j), p), minus(corner(P, m), p)
    n = cross(u, v)
    # three corners in a line bound nothing
    area = norm(n)
    thin = area <= 1e-12 * norm(u) * norm(v)
    n = unit(n, (0.0, 0.0, 1.0))
    F[3 * k], F[3 * k + 1], F[3 * k + 2] = i, j, m
    store(N, k, n)
    D[k] = 1e300 if thin else dot(n, p)
    return scale * (_LEVEL + _ROUNDING * scale * max(norm(u), norm(v)) / area) if area > 0.0 else scale


@helper
def _seen(F, N, D, level, faces, best, w, seen):
    """List the faces that w sees, which is beyond the best one: connected with it, and not level with w."""
    count = 1
    seen[0] = best
    for k in range(faces):
        if k != best and F[3 * k] >= 0.0 and dot(corner(N, k), w) - D[k] > level[k]:
            seen[count] = k
            count += 1
    connected = 1
    i = 0
    while i < connected:
        for j in range(connected, count):
            if _share_edge(F, int(seen[i]), int(seen[j])):
                seen[connected], seen[j] = seen[j], seen[connected]
                connected += 1
        i += 1
    return connected


@helper
def _share_edge(F, k, m):
    for c in range(3):
        for d in range(3):
            if F[3 * k + c] == F[3 * m + (d + 1) % 3] and F[3 * k + (c + 1) % 3] == F[3 * m + d]:
                return True
    return False


@helper
def _horizon(P, F, N, D, level, faces, corners, seen, count, ring):
    """Write the edges around the faces that are seen from the last corner, and return both numbers.

    A face beyond an edge that is level with the corner is removed with the others if the corner lies in line
    with the edge or within: with it the edge spans no face, or one that is turned over.
    """
    w = corner(P, corners)
    while True:
        edges = 0
        for k in range(count):
            m = 3 * int(seen[k])
            for c in range(3):
                edges = _edge(ring, edges, F[m + c], F[m + (c + 1) % 3])
        before = count
        for k in range(edges):
            p = corner(P, int(ring[2 * k]))
            u, v = minus(corner(P, int(ring[2 * k + 1])), p), minus(w, p)
            m = _across(F, faces, ring[2 * k], ring[2 * k + 1])
            if m < 0:
                continue
            below = dot(corner(N, m), w) - D[m] < -level[m]
            spans = dot(cross(u, v), corner(N, m)) > _IN_LINE * norm(u) * norm(v)
            if D[m] > 1e299 or not (below or spans):
                count = _listed(seen, count, m)
        if count == before:
            return count, edges


@helper
def _across(F, faces, i, j):
    """The face beyond the edge from i to j, -1 without one."""
    for m in range(faces):
        for c in range(3):
            if F[3 * m + c] == j and F[3 * m + (c + 1) % 3] == i:
                return m
    return -1


@helper
def _listed(seen, count, m):
    """Add a face to those that are seen, unless it is one."""
    for k in range(count):
        if seen[k] == m:
            return count
    seen[count] = m
    return count + 1


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
            on_a = core_support(a, scaled(d, -1.0))
            w = minus(core_support(b, d), on_a)
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
def flat_normal(P, count, otherwise):
    """A normal of a flat Minkowski difference: of shapes without thickness in one plane."""
    p = corner(P, 0)
    if count == 3:
        return unit(cross(minus(corner(P, 1), p), minus(corner(P, 2), p)), otherwise)
    if count == 2:
        return normal_to(unit(minus(corner(P, 1), p), otherwise))
    return otherwise
