"""The largest gap s(n) on the circles normal to one segment: an edge of one shape against the other."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

from treadle.collision.vectors import along, corner, cross, dot, minus, norm, normal_to, scaled, unit
from treadle.native.pieces import helper, room

__all__ = ["maximize_on_circles"]

#: Samples of the slope within an interval without kinks.
_SAMPLES = 4


@helper
def maximize_on_circles(n, best, d, U, segments, M, curves):
    """The best of n and of the directions at right angles to a segment."""
    angles, flat, bent = room(10), room(12), room(12)
    for k in range(segments):
        u = corner(U, k)
        if norm(u) == 0.0:
            continue
        u = unit(u, u)
        # the half circle around the direction of d, beyond which s is lower
        e = _normal_part(d, u)
        f = cross(u, e)
        ahead = dot(d, e)
        count = 0
        for j in range(segments):
            v = corner(U, j)
            flat[2 * j], flat[2 * j + 1] = (0.0, 0.0) if j == k else (dot(v, e), dot(v, f))
            if flat[2 * j] != 0.0 or flat[2 * j + 1] != 0.0:
                angles[count] = _folded(atan2(-flat[2 * j], flat[2 * j + 1]))
                count += 1
        for m in range(curves):
            for j in range(3):
                w = corner(M, 3 * m + j)
                bent[6 * m + 2 * j], bent[6 * m + 2 * j + 1] = dot(w, e), dot(w, f)
            # a disc has a kink at its axis
            w = cross(corner(M, 3 * m), corner(M, 3 * m + 1))
            angles[count] = _folded(atan2(dot(w, f), dot(w, e)))
            count += 1
        angles[count], angles[count + 1] = -0.5 * pi, 0.5 * pi
        count += 2
        _sort(angles, count)
        for i in range(count - 1):
            if angles[i + 1] - angles[i] > 1e-12:
                t, value = _maximize(angles[i], angles[i + 1], ahead, flat, segments, bent, curves)
                if value > best:
                    best = value
                    x, y = cos(t), sin(t)
                    n = along(scaled(e, x), y, f)
    return n, best


@helper
def _normal_part(d, u):
    """The unit vector along the part of d at right angles to u, of length 1; any such one if that is zero."""
    w = minus(d, scaled(u, dot(u, d)))
    if norm(w) <= 1e-14 * norm(d):
        return normal_to(u)
    w = unit(w, normal_to(u))
    # what rounding left along u counts where d is nearly parallel to it
    return unit(minus(w, scaled(u, dot(u, w))), normal_to(u))


@helper
def _maximize(low, high, ahead, flat, segments, bent, curves):
    """The best angle between two kinks, and s there."""
    # signs of the segments between the kinks make s smooth
    t = 0.5 * (low + high)
    p, q = ahead, 0.0
    for j in range(segments):
        sign = 1.0 if flat[2 * j] * cos(t) + flat[2 * j + 1] * sin(t) > 0.0 else -1.0
        p -= sign * flat[2 * j]
        q -= sign * flat[2 * j + 1]
    if curves == 0:
        t = min(max(atan2(q, p), low), high)
        return t, p * cos(t) + q * sin(t)
    best_t, best = t, -1e300
    left, (_, slope_left, _) = low, _at(low, p, q, bent, curves)
    for i in range(_SAMPLES):
        right = low + (high - low) * (i + 1) / _SAMPLES
        _, slope_right, _ = _at(right, p, q, bent, curves)
        if slope_left >= 0.0 and slope_right <= 0.0:
            t, value = _root(left, right, p, q, bent, curves)
            if value > best:
                best_t, best = t, value
        left, slope_left = right, slope_right
    return best_t, best


@helper
def _root(low, high, p, q, bent, curves):
    """Where the slope falls through zero: Newton's method, safeguarded by bisection."""
    t = 0.5 * (low + high)
    value = 0.0
    for _ in range(60):
        value, slope, bend = _at(t, p, q, bent, curves)
        if slope > 0.0:
            low = t
        else:
            high = t
        step = -slope / bend if bend < 0.0 else 0.0
        following = t + step
        if not low < following < high or bend >= 0.0:
            following = 0.5 * (low + high)
        if abs(following - t) < 4e-16 or high - low < 4e-16:
            break
        t = following
    return t, value


@helper
def _at(t, p, q, bent, curves):
    """s and its first two derivatives by the angle."""
    c, s = cos(t), sin(t)
    value, slope, bend = p * c + q * s, q * c - p * s, -p * c - q * s
    for m in range(curves):
        ww = wv = vv = 0.0
        for j in range(3):
            w = bent[6 * m + 2 * j] * c + bent[6 * m + 2 * j + 1] * s
            v = bent[6 * m + 2 * j + 1] * c - bent[6 * m + 2 * j] * s
            ww += w * w
            wv += w * v
            vv += v * v
        length = sqrt(ww)
        value -= length
        if length > 0.0:
            slope -= wv / length
            # d2|w| = (|v|2 + w . w'' - (w . v)2 / |w|2) / |w| with w'' = -w
            bend -= (vv - ww - wv * wv / ww) / length
    return value, slope, bend


@helper
def _folded(t):
    """An angle modulo pi, in [-pi/2, pi/2]."""
    if t > 0.5 * pi:
        return t - pi
    if t < -0.5 * pi:
        return t + pi
    return t


@helper
def _sort(values, count):
    for i in range(1, count):
        x = values[i]
        j = i
        while j > 0 and values[j - 1] > x:
            values[j] = values[j - 1]
            j -= 1
        values[j] = x
