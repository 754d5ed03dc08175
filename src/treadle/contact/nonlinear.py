"""Coupled contacts of one machine under nonlinear laws, integrated over an interval with error control.

The equations of `contact.linear_contact` with nonlinear forces F(delta, d delta/dt):

    d2 delta/dt2 = b - A F,    d P/dt = F,    d Q/dt = P

An L-stable Rosenbrock method (`contact.rosenbrock`) chooses its steps by the error estimate: an impact takes
some dozens, a contact at rest few, however stiff it is. The end of a contact is the step length at which its
penetration is zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treadle.contact.law_forces import law_forces
from treadle.contact.rosenbrock import make_stages, rosenbrock_step
from treadle.native.kernels import kernel

__all__ = ["ContactMotion", "nonlinear_contacts"]

#: Local error relative to the largest penetration and to the speed of the contact's energy.
_TOLERANCE = 1e-9

#: Step size control: safety factor, least and largest change.
_SAFETY, _LEAST, _MOST = 0.9, 0.1, 5.0

#: Accuracy of a penetration relative to that of its neighbours.
_FAINT = 1e-3

#: Most steps; the rest of the interval is then taken in one.
_STEPS = 20_000


class ContactMotion(NamedTuple):
    """Depths and rates of contacts, at the start and then at the end, and what their forces did between."""

    delta: np.ndarray  # (n) m
    rate: np.ndarray  # (n) m/s
    impulse: np.ndarray  # (n) N s
    moment: np.ndarray  # (n) N s2, its integral
    peak: np.ndarray  # (n) m, largest depth
    force: np.ndarray  # (n) N, largest force


@kernel()
def nonlinear_contacts(contacts, motion, span):
    """Advance `LawContacts` over `span` (s), or until one separates; the time, and which one (-1: none)."""
    A, b = contacts.A, contacts.b
    delta, rate, peak, force = motion.delta, motion.rate, motion.peak, motion.force
    n = len(delta)
    now, then = np.zeros((4, n)), np.zeros((4, n))
    push, after = np.zeros((3, n)), np.zeros((3, n))
    stages, lifted = make_stages(n), np.zeros(n, np.int64)
    for i in range(n):
        now[0, i], now[1, i] = delta[i], rate[i]
    _forces(contacts, now, push)
    for i in range(n):
        force[i], peak[i] = max(force[i], push[0, i]), max(peak[i], delta[i])
        lifted[i] = 1 if delta[i] <= 0.0 and rate[i] <= 0.0 and _acceleration(A, b, push, i) <= 0.0 else 0
    time, h, ended, steps = 0.0, span, -1, 0
    while time < span and ended < 0:
        left = span - time
        h = min(h, left)
        rosenbrock_step(contacts, now, push, h, stages, then)
        error = _error(A, stages.k, now, then, push, peak)
        steps += 1
        if error > 1.0 and h > 1e-15 * span and steps < _STEPS:
            h *= max(_LEAST, _SAFETY * error**-0.25)
            continue
        for i in range(n):
            if _changed(now, then, lifted, i):
                ended = i
                h = _moment(contacts, now, push, h, stages, then, lifted, i)
        _forces(contacts, then, after)
        for i in range(n):
            a, z = _acceleration(A, b, push, i), _acceleration(A, b, after, i)
            peak[i] = max(peak[i], _top(now[0, i], now[1, i], then[0, i], then[1, i], h))
            rising = push[1, i] * now[1, i] + push[2, i] * a
            falling = after[1, i] * then[1, i] + after[2, i] * z
            force[i] = max(force[i], _top(push[0, i], rising, after[0, i], falling, h))
        time = span if h >= left and ended < 0 else time + h
        now, then = then, now
        push, after = after, push
        h = h * min(_MOST, _SAFETY * max(error, 1e-12) ** -0.25) if steps < _STEPS else span
    for i in range(n):
        delta[i], rate[i], motion.impulse[i], motion.moment[i] = now[0, i], now[1, i], now[2, i], now[3, i]
    if ended >= 0:
        delta[ended] = 0.0
    return min(time, span), ended


@kernel()
def _forces(contacts, state, push):
    law_forces(contacts.law, contacts.K, contacts.D, contacts.settings, contacts.programs, state, push)


@kernel()
def _acceleration(A, b, push, i):
    total = b[i]
    for j in range(len(b)):
        total -= A[i, j] * push[0, j]
    return total


@kernel()
def _error(A, k, now, then, push, peak):
    """Local error relative to the tolerance; above one, the step is rejected."""
    n = len(peak)
    deepest, energy = 0.0, 0.0
    for i in range(n):
        deepest = max(deepest, peak[i], then[0, i])
        speed = max(abs(now[1, i]), abs(then[1, i]))
        energy = max(energy, speed * speed / A[i, i] + push[0, i] * now[0, i]) if A[i, i] > 0.0 else energy
    worst = 0.0
    for i in range(n):
        depth = max(peak[i], abs(then[0, i]), _FAINT * deepest)
        speed, impulse = np.sqrt(max(A[i, i], 0.0) * energy), np.inf
        if A[i, i] <= 0.0:
            # other rows hold it: it has no energy, and its motion does not show the error of its force
            speed, impulse = max(abs(now[1, i]), abs(then[1, i])), abs(then[2, i])
        for row, scale in ((0, depth), (1, speed), (2, impulse)):
            e = abs(k[5, row, i])
            if not e <= 1e300:
                return 1e300
            if e > 0.0:
                worst = max(worst, e / max(scale, 1e-300))
    return worst / _TOLERANCE


@kernel()
def _changed(now, then, lifted, i):
    """Whether a contact opened, or a lifted one closed, within a step."""
    if lifted[i] == 1:
        return then[0, i] > 0.0 and now[0, i] < 0.0
    return then[0, i] <= 0.0 and then[1, i] < 0.0


@kernel()
def _moment(contacts, now, push, h, stages, then, lifted, i):
    """The step length after which penetration i is zero, with its state: Newton with bisection."""
    low, high, t = 0.0, h, h
    sign = -1.0 if lifted[i] == 1 else 1.0
    for _ in range(60):
        if sign * then[0, i] > 0.0:
            low = t
        else:
            high = t
        speed = then[1, i]
        new = t - then[0, i] / speed if speed != 0.0 else 0.5 * (low + high)
        if abs(new - t) <= 1e-15 * h:
            break
        if not low < new < high:
            new = 0.5 * (low + high)
        t = new
        rosenbrock_step(contacts, now, push, t, stages, then)
    return t


@kernel()
def _top(y0, s0, y1, s1, h):
    """The largest value on a step of the cubic with these values and slopes at its ends."""
    top = max(y0, y1)
    if s0 > 0.0 > s1:
        # zero of the slope s0 + 2 p t + 3 q t^2 over t in (0, 1)
        a, z = s0 * h, s1 * h
        p, q = 3.0 * (y1 - y0) - 2.0 * a - z, 2.0 * (y0 - y1) + a + z
        root = np.sqrt(max(p * p - 3.0 * q * a, 0.0))
        t = a / (root - p) if root > p else 0.5
        if 0.0 < t < 1.0:
            top = max(top, y0 + t * (a + t * (p + t * q)))
    return top
