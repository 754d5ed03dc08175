"""Coupled linear contacts (Kelvin-Voigt) of one machine, in closed form over an interval of any length.

The penetrations delta of n contact points obey, with the Delassus matrix A = J M^-1 J^T of the normals and
the approach acceleration b that all other forces cause,

    d2 delta/dt2 = b - A F,    F = K delta + D d delta/dt

A, b, K and D are constant over the interval, so that delta, the impulses P = int F dt and their integrals
Q = int P dt are a matrix exponential times the initial state. A contact ends where its penetration returns to
zero; that time is found inside the interval, and the solution ends there.

Time is in units of 1/omega, omega a bound on the fastest motion of the system and at least one over the
interval, which scales all numbers to about one, also where A = 0 since rows that keep their velocity hold the
contact. Over one unit the exponential is a power series per contact, exact to rounding; up to a lower bound
on the time to separation (`separation_bound`) the propagator (`propagator`) covers any length at once.
"""

from __future__ import annotations

import numpy as np

from treadle.contact.polynomial import OVER_TWO, falling_zero, moments, rising_zero, value
from treadle.contact.propagator import propagate
from treadle.contact.separation_bound import separation_bound
from treadle.native.kernels import kernel

__all__ = ["advance_groups", "linear_contacts"]

#: Length (in 1/omega) of one series; half an oscillation takes pi or more.
_STRETCH = 1.0

#: Terms of the series at most: the next one is below rounding, since the k-th is at most 1.62^k / k!.
_TERMS = 24

#: Share of the largest term below which two terms in a row end a series: none that follows is larger.
_NEGLIGIBLE = 1e-18

#: Separation rate (m/s) that counts as rest where a contact begins.
_STILL = 1e-9

#: Series between two evaluations of the separation bound.
_BETWEEN = 8

#: Length (in 1/omega) up to which series alone cost less than the propagator, which is a matrix for them all.
_SHORT = 8.0


@kernel()
def linear_contacts(A, K, D, b, delta, rate, span, impulse, moment, peak, force):
    """Advance penetrations and rates over `span` (s), or until a contact separates.

    In place: `delta` (m), `rate` (m/s), the largest penetrations `peak` (m) and forces `force` (N) so far.
    Filled: impulses P (N s) and their integrals Q (N s^2). Returns the time taken and the contact that ended,
    or -1. A contact that others lift off at its start carries no force, and "ends" where it closes again.
    """
    n = len(delta)
    own = np.empty((4, n))
    _pressing(A, K, D, b, delta, rate, own)
    K, D = own[0], own[1]
    omega = max(_fastest(A, K, D), 1.0 / span if span > 0.0 else 1.0)
    for i in range(n):
        impulse[i] = moment[i] = 0.0
        force[i] = max(force[i], K[i] * delta[i] + D[i] * rate[i])
        rate[i] /= omega
        own[2, i], own[3, i] = K[i] / (omega * omega), D[i] / omega
    series, at_end = np.empty((n + 1, _TERMS)), np.empty((n, 4))
    end, done, ended, count = omega * span, 0.0, -1, 0
    while done < end:
        if count % _BETWEEN == 0 and end > _SHORT:
            safe = min(separation_bound(A, K, b, delta, rate, omega, count == 0), end - done)
            if safe == end - done or (count > 0 and safe > _BETWEEN):
                propagate(A, K, D, b, omega, safe, delta, rate, impulse, moment)
                done += safe
                continue
        stretch = min(_STRETCH, end - done)
        terms = _polynomials(A, own, b, omega, delta, rate, series)
        for i in range(n):
            c = series[i, :terms]
            last, rising, once, twice = moments(c, stretch)
            at_end[i, 0], at_end[i, 1], at_end[i, 2], at_end[i, 3] = last, rising, once, twice
            where = _ending(c, stretch, last, rising) if K[i] > 0.0 else _beginning(c, stretch, last, rising)
            if where >= 0.0:
                stretch, ended = where, i
        for i in range(n):
            c = series[i, :terms]
            if ended >= 0:
                last, rising, once, twice = moments(c, stretch)
            else:
                last, rising, once, twice = at_end[i, 0], at_end[i, 1], at_end[i, 2], at_end[i, 3]
            delta[i], rate[i] = last, rising
            deepest = _peak(c, stretch, last, rising)
            hardest, gained, pushed = K[i] * deepest, K[i] * once, K[i] * twice
            if D[i] > 0.0:
                f = series[n, : terms - 1]
                _force(c, K[i], D[i] * omega, f)
                pushing, growing, gained, pushed = moments(f, stretch)
                hardest = _peak(f, stretch, pushing, growing)
            peak[i], force[i] = max(peak[i], deepest), max(force[i], hardest)
            moment[i] += impulse[i] * (stretch / omega) + pushed / (omega * omega)
            impulse[i] += gained / omega
        done += stretch
        count += 1
        if ended >= 0:
            delta[ended] = 0.0
            break
    for i in range(n):
        rate[i] *= omega
        peak[i] = max(peak[i], delta[i])
    return (span if ended < 0 else min(done / omega, span)), ended


@kernel()
def advance_groups(A, group, contacts, span):
    """Advance groups of contacts that act on each other, each by itself; when the first contact separates.

    `group` has the number of each contact's, below zero: it is left out. `contacts` has K, D, b, and what
    `linear_contacts` changes and fills.
    """
    n, until, same = len(group), span, True
    for i in range(n):
        same = same and group[i] == group[0] >= 0
    if same and n > 0:
        K, D, b, delta, rate, impulse, moment, peak, force = contacts
        return linear_contacts(A, K, D, b, delta, rate, span, impulse, moment, peak, force)[0]
    members = np.empty(n, np.int64)
    done = np.zeros(n, np.bool_)
    for first in range(n):
        if done[first] or group[first] < 0:
            continue
        m = 0
        for i in range(first, n):
            if group[i] == group[first]:
                members[m], done[i] = i, True
                m += 1
        until = min(until, _advance_group(A, members[:m], contacts, span))
    return until


@kernel()
def _advance_group(A, members, contacts, span):
    """The contacts of one group; when the first separates."""
    K, D, b, delta, rate, impulse, moment, peak, force = contacts
    m = len(members)
    own_A, own = np.empty((m, m)), np.empty((9, m))
    for i in range(m):
        k = members[i]
        own[0, i], own[1, i], own[2, i], own[3, i], own[4, i] = K[k], D[k], b[k], delta[k], rate[k]
        own[5, i], own[6, i], own[7, i], own[8, i] = 0.0, 0.0, peak[k], force[k]
        for j in range(m):
            own_A[i, j] = A[k, members[j]]
    until, _ = linear_contacts(
        own_A, own[0], own[1], own[2], own[3], own[4], span, own[5], own[6], own[7], own[8]
    )
    for i in range(m):
        k = members[i]
        delta[k], rate[k], impulse[k] = own[3, i], own[4, i], own[5, i]
        moment[k], peak[k], force[k] = own[6, i], own[7, i], own[8, i]
    return until


@kernel()
def _pressing(A, K, D, b, delta, rate, own):
    """Stiffness and damping of the closed contacts, zero for those that others lift off."""
    n = len(delta)
    for i in range(n):
        own[0, i], own[1, i] = K[i], D[i]
        if delta[i] <= 0.0 and rate[i] <= 0.0:
            pressed = b[i]
            for j in range(n):
                pressed -= A[i, j] * (K[j] * delta[j] + D[j] * rate[j])
            if pressed <= 0.0 or rate[i] < -_STILL:
                own[0, i] = own[1, i] = 0.0


@kernel()
def _fastest(A, K, D):
    """Upper bound on the frequencies (rad/s) and decay rates (1/s) of the system."""
    stiff, decay = 0.0, 0.0
    for i in range(len(K)):
        a, d = 0.0, 0.0
        for j in range(len(K)):
            a += abs(A[i, j]) * K[j]
            d += abs(A[i, j]) * D[j]
        stiff, decay = max(stiff, a), max(decay, d)
    return max(np.sqrt(stiff), decay)


@kernel()
def _polynomials(A, own, b, omega, delta, rate, c):
    """Series coefficients of the penetrations over s = omega t, by recursion; how many there are.

    `own` has the stiffness over omega^2 and the damping over omega in its last two rows.
    """
    n = len(delta)
    for i in range(n):
        c[i, 0], c[i, 1] = delta[i], rate[i]
        c[i, 2] = b[i] / (omega * omega)
    for k in range(_TERMS - 2):
        ends = k >= 2
        for i in range(n):
            total = c[i, 2] if k == 0 else 0.0
            for j in range(n):
                total -= A[i, j] * (own[2, j] * c[j, k] + (k + 1) * own[3, j] * c[j, k + 1])
            c[i, k + 2] = total * OVER_TWO[k]
            # one that is not small is enough to go on
            if ends:
                small = _NEGLIGIBLE * max(abs(c[i, 0]), abs(c[i, 1]), abs(c[i, 2]))
                ends = abs(c[i, k + 1]) <= small and abs(c[i, k + 2]) <= small
        if ends:
            return k + 2
    return _TERMS


@kernel()
def _force(c, k, d, f):
    """Series coefficients of the force k x + d dx/ds."""
    for j in range(len(f)):
        f[j] = k * c[j] + (j + 1) * d * c[j + 1]


@kernel()
def _ending(c, s, last, rising):
    """Where a penetration falls to zero in (0, s], with its last value and slope; -1 where it does not."""
    if last <= 0.0 and rising < 0.0 and c[1] >= 0.0:
        return falling_zero(c, s, 0)
    if c[0] > 0.0 and c[1] < 0.0:
        # it may dip below zero and return within the interval
        lowest = s if rising < 0.0 else rising_zero(c, s, 1)
        if value(c, lowest) <= 0.0:
            return falling_zero(c, lowest, 0)
    return -1.0


@kernel()
def _beginning(c, s, last, rising):
    """Where an open contact closes in (0, s], with its last value and slope; -1 where it does not."""
    if last >= 0.0 and rising > 0.0:
        return rising_zero(c, s, 0)
    return -1.0


@kernel()
def _peak(c, s, last, rising):
    """Largest value of a polynomial on (0, s], with its last value and slope, or where the slope falls."""
    if c[1] > 0.0 >= rising:
        return max(last, value(c, falling_zero(c, s, 1)))
    return last
