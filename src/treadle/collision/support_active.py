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
from treadle.collision.support_terms import gap, image, positive, slopes, tangents, terms
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

#: Iterations at most, most corners in the bundle, and the errors, as shares of the size, at which they end
#: and at which cap and rim are not tried again.
_ITERATIONS, _BUNDLE, _EXACT, _SETTLED = 60, 8, 1e-15, 1e-10
#: Longest step (rad), and the least curvature as a share of the largest.
_LONGEST, _FLAT = 0.5, 1e-12
#: Angle (rad) to its axis up to which the cap of a cylinder is taken by its corners, iterations that this and
#: the rim are given in turn, how often one begins anew, and directions around the axis.
_CAP, _TURNS, _CHANGES = 0.01, (4, 12, 24, 60), 6
_AROUND = ((1.0, 0.0), (-0.5, sqrt(0.75)), (-0.5, -sqrt(0.75)))


@separation_piece()
def refine(a, b, margin, result, desk):
    """Normal, signed distance and a point of A near the normal of a result, see `pairs`.

    A ninth number is the error: how far the point of B is from where it should be. Along the axis of a
    cylinder its support function has a kink: there its disc is taken by its corners, as if it were a polygon.
    """
    size = a[REACH] + b[REACH]
    n = corner(result, 0)
    U, M, weights = room(18), room(18), room(8)
    A, B, S, G = room(24), room(24), room(8), room(16)
    best_n, best_value, best_on, least = n, -1e300, n, 1e300
    turn = 0
    for change in range(_CHANGES):
        faces = _faces(a, n, _CAP) or _faces(b, n, _CAP)
        smooth = turn % 2 == 1 or change == _CHANGES - 1
        flat_a, flat_b = not smooth and _faces(a, n, _CAP), not smooth and _faces(b, n, _CAP)
        for i in range(18):
            M[i] = weights[i % _BUNDLE] = 0.0
        curves_a = 0 if flat_a else _curves(a, U, M, 0)
        curves = curves_a if flat_b else _curves(b, U, M, curves_a)
        p, q = _skeleton(a, n, flat_a), _skeleton(b, scaled(n, -1.0), flat_b)
        count = _add(p, q, A, B, S, 0)
        value = gap(n, minus(q, p), U, 0, M, curves)
        if flat_a or flat_b:
            # corners all around
            e, f = tangents(n)
            for i in range(3):
                trial = unit(along(along(n, _CAP * _AROUND[i][0], e), _CAP * _AROUND[i][1], f), n)
                p, q = _skeleton(a, trial, flat_a), _skeleton(b, scaled(trial, -1.0), flat_b)
                count = _add(p, q, A, B, S, count)
        damping, changed, last = 0.0, False, 1e300
        longest = 2.0 * _CAP if flat_a or flat_b else _LONGEST
        for _ in range(_TURNS[turn] if faces else _ITERATIONS):
            e, f = tangents(n)
            exact = _EXACT * (size + abs(value))
            c1, c2, k11, k12, k22 = slopes(n, e, f, (0.0, 0.0, 0.0), U, 0, M, curves)
            for i in range(count):
                w = minus(corner(B, i), corner(A, i))
                S[i] = gap(n, w, U, 0, M, curves) - value
                G[2 * i], G[2 * i + 1] = dot(w, e) + c1, dot(w, f) + c2
            k11, k12, k22 = _curvature(k11 + value, k12, k22 + value, G, weights, count, exact)
            k11, k22 = k11 + damping, k22 + damping
            x, y = _ascent(S, G, weights, count, k11, k12, k22, exact)
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
            # rounding: the last steps of Newton's method do more than halve it
            if error <= exact or length < 1e-16 or (error < 1e-9 * size and error > 0.5 * last):
                break
            last = error
            # of a step that fails: what makes it a quarter as long
            stiffness = (x * (k11 * x + k12 * y) + y * (k12 * x + k22 * y)) / (length * min(length, longest))
            if length > longest:
                x, y = longest * x / length, longest * y / length
            trial = unit(along(along(n, x, e), y, f), n)
            p, q = _skeleton(a, trial, flat_a), _skeleton(b, scaled(trial, -1.0), flat_b)
            other = gap(trial, minus(q, p), U, 0, M, curves)
            before = count
            count = _add(p, q, A, B, S, count)
            if other > value - exact:
                damping *= 0.25
                n, value = trial, other
                changed = _faces(a, n, 3.0 * _CAP if flat_a else _CAP) != flat_a
                changed = changed or _faces(b, n, 3.0 * _CAP if flat_b else _CAP) != flat_b
                changed = changed and not smooth
                if changed:
                    break
            elif count == before:
                # nothing new in sight: a shorter step
                damping += 3.0 * stiffness
        if least <= _SETTLED * size or not (changed or faces) or turn == len(_TURNS) - 1:
            break
        # the rim is what touches, or after all the cap
        turn += 0 if changed else 1
    r = rounding(a)
    state_at(result, best_n, best_value - r - rounding(b), along(best_on, r, best_n))
    result[8] = least


@helper
def _faces(a, n, tilt):
    """Whether a shape is a cylinder that faces n, or -n, with its cap, tilted by no more than this (rad)."""
    x, y = dot(axis(a, 0), n), dot(axis(a, 1), n)
    return a[KIND] == CYLINDER and x * x + y * y < tilt * tilt


@helper
def _curves(a, U, M, curves):
    """Write the disc or the ellipsoid of a shape, and count it."""
    if a[KIND] == CYLINDER or a[KIND] == ELLIPSOID:
        _, curves, _ = terms(a, U, M, 0, curves)
    return curves


@helper
def _skeleton(a, d, flat):
    """The support corner along d of a shape without its disc (unless `flat`), its ellipsoid or its ball."""
    kind = a[KIND]
    if kind == SPHERE or kind == ELLIPSOID:  # noqa: PLR1714, SIM109
        return position(a)
    if kind == CAPSULE or (kind == CYLINDER and not flat):
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
def _curvature(k11, k12, k22, G, weights, count, exact):
    """The curvature of the model, positive definite.

    Where two corners were active in the last step, the maximum lies on their kink: only the curvature along
    it counts, which another positive one, of the whole, would exceed.
    """
    one, two, active = 0, 0, 0
    for i in range(count):
        if weights[i] > 0.0:
            one, two, active = i, one, active + 1
    u, v = G[2 * two] - G[2 * one], G[2 * two + 1] - G[2 * one + 1]
    square, across = u * u + v * v, abs(k11) + abs(k12) + abs(k22) + exact
    least = max(_FLAT * across, exact)
    if active != 2 or square == 0.0:
        return positive(k11, k12, k22, least)
    along_kink = max(abs(k11 * v * v - 2.0 * k12 * u * v + k22 * u * u) / square, least)
    return (
        (along_kink * v * v + across * u * u) / square,
        (across - along_kink) * u * v / square,
        (along_kink * u * u + across * v * v) / square,
    )


@helper
def _ascent(S, G, weights, count, k11, k12, k22, exact):
    """The step that maximizes min_i (S_i + G_i . x) - x . K x / 2; writes the multipliers.

    Of all mixtures of up to three pieces it is the one with the least maximum (the dual problem), and the
    one where no other piece is less. S are small numbers, relative to the least of them, since these maxima
    differ by the square of a short step.
    """
    determinant = k11 * k22 - k12 * k12
    best, one, two, three, second, third = 1e300, 0, 0, 0, 0.0, 0.0
    best_x = best_y = 0.0
    sure = False
    for i in range(count):
        u, v = G[2 * i], G[2 * i + 1]
        x, y = (k22 * u - k12 * v) / determinant, (k11 * v - k12 * u) / determinant
        single = S[i] + 0.5 * (u * x + v * y)
        if single < best:
            best, one, best_x, best_y = single, i, x, y
    sure = _is_least(S, G, count, one, best_x, best_y, exact)
    for i in range(count):
        if sure:
            break
        u, v = G[2 * i], G[2 * i + 1]
        for j in range(i):
            du, dv = G[2 * j] - u, G[2 * j + 1] - v
            square = du * du + dv * dv
            if square == 0.0:
                continue
            # across the kink where both are equal, along it where the curvature has it
            back = (S[i] - S[j]) / square
            tx, ty = back * du, back * dv
            along_kink = (v * du - u * dv) - (du * (k12 * tx + k22 * ty) - dv * (k11 * tx + k12 * ty))
            along_kink /= k11 * dv * dv - 2.0 * k12 * du * dv + k22 * du * du
            tx, ty = tx - along_kink * dv, ty + along_kink * du
            zu, zv = k11 * tx + k12 * ty - u, k12 * tx + k22 * ty - v
            t = (zu * du + zv * dv) / square
            pair = S[i] + u * tx + v * ty - 0.5 * (tx * (zu + u) + ty * (zv + v))
            if 0.0 <= t <= 1.0 and pair < best:
                best, one, two, second, best_x, best_y = pair, i, j, t, tx, ty
    sure = sure or (second > 0.0 and _is_least(S, G, count, one, best_x, best_y, exact))
    for i in range(count):
        if sure:
            break
        u, v = G[2 * i], G[2 * i + 1]
        for j in range(i):
            du, dv = G[2 * j] - u, G[2 * j + 1] - v
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
def _is_least(S, G, count, i, x, y, exact):
    """Whether no piece is less than piece i after a step."""
    least = S[i] + G[2 * i] * x + G[2 * i + 1] * y - exact
    for k in range(count):  # noqa: SIM110
        if S[k] + G[2 * k] * x + G[2 * k + 1] * y < least:
            return False
    return True


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
    if length <= 1e-14 * norm(corner(M, 3 * m)):
        return (0.0, 0.0, 0.0)
    w = scaled(w, 1.0 / length)
    return along(
        along(scaled(corner(M, 3 * m), w[0]), w[1], corner(M, 3 * m + 1)), w[2], corner(M, 3 * m + 2)
    )
