"""Climbing s(n) on the circles at right angles to one segment: an edge of one shape against the other."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np

from treadle.collision.vectors import cross, dot, minus, norm, normal_to, scaled, unit
from treadle.native.signatures import kernel

__all__ = ["climb_circles"]

#: Points of an interval without kinks at which the slope is looked at.
_SAMPLES = 4


@kernel()
def climb_circles(n, best, d, U, segments, M, curves):
    """The best of n and of the directions at right angles to a segment."""
    angles = np.empty(segments + curves + 2)
    flat = np.empty((segments, 2))
    bent = np.empty((2, 3, 2))
    for k in range(segments):
        u = (U[k, 0], U[k, 1], U[k, 2])
        if norm(u) == 0.0:
            continue
        u = unit(u, u)
        # the half circle around the direction of d, beyond which s is lower
        e = unit(minus(d, scaled(u, dot(u, d))), normal_to(u))
        f = cross(u, e)
        along = dot(d, e)
        count = 0
        for j in range(segments):
            v = (U[j, 0], U[j, 1], U[j, 2])
            flat[j, 0], flat[j, 1] = (0.0, 0.0) if j == k else (dot(v, e), dot(v, f))
            if flat[j, 0] != 0.0 or flat[j, 1] != 0.0:
                angles[count] = _folded(atan2(-flat[j, 0], flat[j, 1]))
                count += 1
        for m in range(curves):
            for j in range(3):
                w = (M[m, j, 0], M[m, j, 1], M[m, j, 2])
                bent[m, j, 0], bent[m, j, 1] = dot(w, e), dot(w, f)
            # a disc has a kink at its axis
            w = cross((M[m, 0, 0], M[m, 0, 1], M[m, 0, 2]), (M[m, 1, 0], M[m, 1, 1], M[m, 1, 2]))
            angles[count] = _folded(atan2(dot(w, f), dot(w, e)))
            count += 1
        angles[count], angles[count + 1] = -0.5 * pi, 0.5 * pi
        count += 2
        _sort(angles, count)
        for i in range(count - 1):
            if angles[i + 1] - angles[i] > 1e-12:
                t, value = _climb(angles[i], angles[i + 1], along, flat, segments, bent, curves)
                if value > best:
                    best = value
                    x, y = cos(t), sin(t)
                    n = (x * e[0] + y * f[0], x * e[1] + y * f[1], x * e[2] + y * f[2])
    return n, best


@kernel()
def _climb(low, high, along, flat, segments, bent, curves):
    """The best angle between two kinks, and s there."""
    # signs of the segments between the kinks make s smooth
    t = 0.5 * (low + high)
    p, q = along, 0.0
    for j in range(segments):
        sign = 1.0 if flat[j, 0] * cos(t) + flat[j, 1] * sin(t) > 0.0 else -1.0
        p -= sign * flat[j, 0]
        q -= sign * flat[j, 1]
    if curves == 0:
        t = min(max(atan2(q, p), low), high)
        return t, p * cos(t) + q * sin(t)
    best_t, best = t, -np.inf
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


@kernel()
def _root(low, high, p, q, bent, curves):
    """Where the slope falls through zero: Newton's method, held between the ends."""
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


@kernel()
def _at(t, p, q, bent, curves):
    """s and its first two derivatives by the angle."""
    c, s = cos(t), sin(t)
    value, slope, bend = p * c + q * s, q * c - p * s, -p * c - q * s
    for m in range(curves):
        ww = wv = vv = 0.0
        for j in range(3):
            w = bent[m, j, 0] * c + bent[m, j, 1] * s
            v = bent[m, j, 1] * c - bent[m, j, 0] * s
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


@kernel()
def _folded(t):
    """An angle modulo pi, in [-pi/2, pi/2]."""
    if t > 0.5 * pi:
        return t - pi
    if t < -0.5 * pi:
        return t + pi
    return t


@kernel()
def _sort(values, count):
    for i in range(1, count):
        x = values[i]
        j = i
        while j > 0 and values[j - 1] > x:
            values[j] = values[j - 1]
            j -= 1
        values[j] = x
