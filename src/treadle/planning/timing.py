"""The fastest timing of a path within limits of speed and acceleration (TOPP-RA).

Along q(s) with x = (ds/dt)^2 and u = d2s/dt2 the limits are linear:

    |q'(s)|^2 x <= v_max^2,    |q'(s) u + q''(s) x| <= a_max,    x(s + d) = x(s) + 2 d u

A pass from the end finds the largest x from which the end can be reached at every point, and a pass from the
start takes the largest u that stays below (Pham and Pham 2018, "A new approach to time-optimal path
parameterization based on reachability analysis").
"""

from __future__ import annotations

import numpy as np

from treadle.errors import InputError

__all__ = ["fastest_rates"]

#: What counts as no motion along the path, and as no limit.
_SMALL, _MANY = 1e-12, 1e12


def fastest_rates(
    s: np.ndarray, slope: np.ndarray, bend: np.ndarray, speed: np.ndarray, acceleration: np.ndarray
) -> np.ndarray:
    """Rates ds/dt (points) from rest to rest, of a path with dq/ds (points, n) and d2q/ds2 (points, n).

    `speed` is the largest rate ds/dt at every point, limits of the joints' speeds included; `acceleration`
    are the largest of the joints (n).
    """
    count, steps = len(s), np.diff(s)
    lines = [_lines(slope, bend, acceleration, steps, i) for i in range(count - 1)]
    reachable = np.append(speed[:-1] ** 2, 0.0)
    for i in range(count - 2, -1, -1):
        reachable[i] = min(reachable[i], _largest(lines[i], steps[i], reachable[i + 1]))
    x = np.zeros(count)
    for i in range(count - 1):
        offset, rise, _ = lines[i]
        most = float((offset + rise * x[i]).min(initial=_MANY))
        x[i + 1] = min(max(x[i] + 2.0 * steps[i] * most, 0.0), reachable[i + 1])
    if (x[1:-1] <= 0.0).any():
        raise InputError("the path cannot be followed within these limits: give it fewer or smoother corners")
    return np.sqrt(x)


#: Ends of the range of u at x: |u - rise x| <= offset for every line, and the largest x that needs no u.
_Lines = tuple[np.ndarray, np.ndarray, float]


def _lines(slope: np.ndarray, bend: np.ndarray, limit: np.ndarray, steps: np.ndarray, i: int) -> _Lines:
    """The limits of acceleration at both ends of a step, as lines in x and u."""
    a = np.concatenate([slope[i], slope[i + 1] + 2.0 * steps[i] * bend[i + 1]])
    b, most = np.concatenate([bend[i], bend[i + 1]]), np.concatenate([limit, limit])
    size = np.abs(a)
    moves = size > _SMALL * np.maximum(1.0, np.abs(b))
    still = float((most[~moves] / np.maximum(np.abs(b[~moves]), _SMALL)).min(initial=_MANY))
    return most[moves] / size[moves], -b[moves] / a[moves], still


def _largest(lines: _Lines, step: float, ahead: float) -> float:
    """The largest x from which some u within the limits leads to an x between 0 and `ahead`.

    The least u is the largest of -offset + rise x, the largest u the least of offset + rise x: every pair of
    lines bounds x, and so does every line together with the two ends of what is ahead.
    """
    offset, rise, most = lines
    # lower lines against upper ones, (rise_j - rise_k) x <= offset_j + offset_k
    bound = _bound(rise[:, None] - rise, offset[:, None] + offset)
    # x + 2 d u <= ahead with every lower line, and >= 0 with every upper one
    end = _bound(1.0 + 2.0 * step * rise, ahead + 2.0 * step * offset)
    begin = _bound(-1.0 - 2.0 * step * rise, 2.0 * step * offset)
    return max(min(most, bound, end, begin), 0.0)


def _bound(slope: np.ndarray, offset: np.ndarray) -> float:
    """The largest x >= 0 with slope x <= offset for all of them."""
    rising = slope > _SMALL
    return float((offset[rising] / slope[rising]).min(initial=_MANY))
