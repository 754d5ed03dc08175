"""The largest gap of two convex shapes near a direction: Newton's method with an active set of their corners.

Every shape is the sum of a skeleton with corners (a point, a segment, a box, a hull) and of a disc or an
ellipsoid (see `separation`). So the gap along n is the least of many smooth functions,

    s(n) = min_i w_i . n - sum_m |M_m n|,

w_i the differences of two corners. A bundle of them is kept. Around n each is linear, and all share the
curvature of the rest; of the maximum of this model, at most three are active (sequential quadratic
programming for a minimax problem), and their multipliers are the weights of the corners whose mean is the
point of contact. It lies on both shapes once it is stationary: the distance of the two points, less s n,
bounds the error of all that is returned.
"""

from __future__ import annotations

from math import sqrt

from treadle.collision.kinds import CAPSULE, CYLINDER, ELLIPSOID, KIND, REACH, SIZE, SPHERE
from treadle.collision.pairs import separation_piece, state_at
from treadle.collision.support_newton import gap, image, positive, slopes, tangents, terms
from treadle.collision.supports import rounding, support
from treadle.collision.vectors import (
    along,
    axis,
    corner,
    dot,
    minus,
    norm,
    plus,
    position,
    scaled,
    store,
    unit,
)
from treadle.native.pieces import helper, room

__all__ = ["refine"]

#: Iterations at most, most corners in the bundle, and the error, as a share of the size, at which they end.
_ITERATIONS, _BUNDLE, _EXACT = 60, 8, 1e-15


@separation_piece()
def refine(a, b, margin, result, desk):
    """Normal, signed distance and a point of A near the normal of a result, see `pairs`.

    A ninth number is the error: how far the point of B is from where it should be.
    """
    size = a[REACH] + b[REACH]
    n = corner(result, 0)
    U, M = room(18), room(18)
    for i in range(18):
        M[i] = 0.0
    curves_a = _curves(a, U, M, 0)
    curves = _curves(b, U, M, curves_a)
    A, B, S, G, weights = room(24), room(24), room(8), room(16), room(8)
    p, q = _skeleton(a, n), _skeleton(b, scaled(n, -1.0))
    count = _add(p, q, A, B, S, 0)
    value = gap(n, minus(q, p), U, 0, M, curves)
    best_n, best_value, best_on, least = n, value, p, 1e300
    damping = 0.0
    for _ in range(_ITERATIONS):
        e, f = tangents(n)
        c1, c2, k11, k12, k22 = slopes(n, e, f, (0.0, 0.0, 0.0), U, 0, M, curves)
        k11, k12, k22 = positive(k11 + value, k12, k22 + value)
        k11, k22 = k11 + damping, k22 + damping
        for i in range(count):
            w = minus(corner(B, i), corner(A, i))
            S[i] = gap(n, w, U, 0, M, curves) - value
            G[2 * i], G[2 * i + 1] = dot(w, e) + c1, dot(w, f) + c2
        x, y = _ascent(S, G, weights, count, k11, k12, k22)
        on_a, on_b = _mean(A, weights, count), _mean(B, weights, count)
        for m in range(curves):
            if m < curves_a:
                on_a = plus(on_a, _curved(M, m, n))
            else:
                on_b = minus(on_b, _curved(M, m, n))
        error = norm(minus(minus(on_b, on_a), scaled(n, value)))
        if error < least:
            best_n, best_value, best_on, least = n, value, on_a, error
        length = sqrt(x * x + y * y)
        if error <= _EXACT * size or length < 1e-16:
            break
        if length > 0.5:
            x, y = 0.5 * x / length, 0.5 * y / length
        trial = unit(along(along(n, x, e), y, f), n)
        p, q = _skeleton(a, trial), _skeleton(b, scaled(trial, -1.0))
        other = gap(trial, minus(q, p), U, 0, M, curves)
        before = count
        count = _add(p, q, A, B, S, count)
        if other > value - _EXACT * size:
            damping *= 0.25
            n, value = trial, other
        elif count == before:
            # nothing new in sight: a shorter step
            damping = max(4.0 * damping, 0.5 * (k11 + k22))
    r = rounding(a)
    state_at(result, best_n, best_value - r - rounding(b), along(best_on, r, best_n))
    result[8] = least


@helper
def _curves(a, U, M, curves):
    """Write the disc or the ellipsoid of a shape, and count it."""
    if a[KIND] == CYLINDER or a[KIND] == ELLIPSOID:
        _, curves, _ = terms(a, U, M, 0, curves)
    return curves


@helper
def _skeleton(a, d):
    """The support corner along d of what is left of a shape without its disc, ellipsoid or ball."""
    kind = a[KIND]
    if kind == SPHERE or kind == ELLIPSOID:  # noqa: PLR1714, SIM109
        return position(a)
    if kind == CAPSULE or kind == CYLINDER:  # noqa: PLR1714, SIM109
        u = axis(a, 2)
        return along(position(a), a[SIZE + 1] if dot(d, u) > 0.0 else -a[SIZE + 1], u)
    return support(a, d)


@helper
def _add(p, q, A, B, S, count):
    """Add two corners to the bundle, if it does not have them, in place of the least active if it is full."""
    place = count
    for i in range(count):
        if norm(minus(p, corner(A, i))) == 0.0 and norm(minus(q, corner(B, i))) == 0.0:
            return count
    if count == _BUNDLE:
        place = 0
        for i in range(1, count):
            if S[i] > S[place]:
                place = i
    store(A, place, p)
    store(B, place, q)
    return min(count + 1, _BUNDLE)


@helper
def _ascent(S, G, weights, count, k11, k12, k22):
    """The step that maximizes min_i (S_i + G_i . x) - x . K x / 2; writes the multipliers.

    By the dual problem: of all mixtures of up to three pieces, the one with the least maximum. S are small
    numbers, relative to the least of them, since these maxima differ by the square of a short step.
    """
    determinant = k11 * k22 - k12 * k12
    j11, j12, j22 = k22 / determinant, -k12 / determinant, k11 / determinant
    best, one, two, three, second, third = 1e300, 0, 0, 0, 0.0, 0.0
    best_x = best_y = 0.0
    for i in range(count):
        u, v = G[2 * i], G[2 * i + 1]
        x, y = j11 * u + j12 * v, j12 * u + j22 * v
        single = S[i] + 0.5 * (u * x + v * y)
        if single < best:
            best, one, second, third, best_x, best_y = single, i, 0.0, 0.0, x, y
        for j in range(i):
            du, dv = G[2 * j] - u, G[2 * j + 1] - v
            dx, dy = j11 * du + j12 * dv, j12 * du + j22 * dv
            bend, slope = du * dx + dv * dy, S[j] - S[i] + du * x + dv * y
            t = min(max(-slope / bend, 0.0), 1.0) if bend > 0.0 else 0.0
            pair = single + t * (slope + 0.5 * t * bend)
            if pair < best:
                best, one, two, second, third = pair, i, j, t, 0.0
                best_x, best_y = x + t * dx, y + t * dy
            for k in range(j):
                eu, ev = G[2 * k] - u, G[2 * k + 1] - v
                area = du * ev - dv * eu
                if abs(area) <= 1e-13 * (abs(du * ev) + abs(dv * eu)):
                    continue
                # where all three are equal, and the weights that make it stationary
                tx = (-(S[j] - S[i]) * ev + (S[k] - S[i]) * dv) / area
                ty = (-(S[k] - S[i]) * du + (S[j] - S[i]) * eu) / area
                zu, zv = k11 * tx + k12 * ty - u, k12 * tx + k22 * ty - v
                s, t = (zu * ev - zv * eu) / area, (du * zv - dv * zu) / area
                triple = S[i] + u * tx + v * ty - 0.5 * (tx * (zu + u) + ty * (zv + v))
                if s >= 0.0 and t >= 0.0 and s + t <= 1.0 and triple < best:
                    best, one, two, three, second, third = triple, i, j, k, s, t
                    best_x, best_y = tx, ty
    for i in range(count):
        weights[i] = 0.0
    weights[one] = 1.0 - second - third
    if second > 0.0:
        weights[two] = second
    if third > 0.0:
        weights[three] = third
    return best_x, best_y


@helper
def _mean(P, weights, count):
    """The mean of the corners by their weights."""
    total = (0.0, 0.0, 0.0)
    for i in range(count):
        total = along(total, weights[i], corner(P, i))
    return total


@helper
def _curved(M, m, n):
    """The support point of a disc or an ellipsoid around its centre."""
    w = image(M, m, n)
    length = norm(w)
    if length == 0.0:
        return w
    w = scaled(w, 1.0 / length)
    return along(
        along(scaled(corner(M, 3 * m), w[0]), w[1], corner(M, 3 * m + 1)), w[2], corner(M, 3 * m + 2)
    )
