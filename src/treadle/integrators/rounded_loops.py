"""By how much loops of rounded lengths are open at the singular position that they come to.

With exact lengths constraints are c = k x y near it, and the branch of the motion is y = 0. Rounded ones make
it c = k x y - e. The gap e is the critical value of c: what is left of closed positions on both sides of
x = 0, where y = e / (k x) is odd, in the middle of them. So closed positions are followed up to a little
before x = 0, and interpolated from places before and after it. The distances k x at these places tell first
where x = 0 is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from treadle.constraints.rows import closure_rows, rates, residuals, row_groups
from treadle.graph import Scalar, clip, cos, entry, iterate, maximum, minimum, sqrt, where
from treadle.integrators.system import System
from treadle.model.coincidence import length_rounding
from treadle.model.model import Model
from treadle.solvers.closure import DEPENDENT, closure_factor
from treadle.solvers.projection import project

__all__ = ["FARTHEST", "Opening", "fastest", "no_opening", "opening"]

#: The way (rad, m) from the singular position to the first place beside it; the places in these, and their
#: weights for a value in the middle and for its slope, of order 6. Places are so many times as far as closed
#: positions are off the branch, where that is more.
_BESIDE, _MOST_BESIDE, _CLEAR = 0.03, 0.2, 3.0
_PLACES = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)
_WEIGHTS = (0.05, -0.3, 0.75, 0.75, -0.3, 0.05)
_SLOPES = (-1.0 / 60.0, 0.15, -0.75, 0.75, -0.15, 1.0 / 60.0)

#: Looks at the distance on the way there; the longest way (rad, m) between two, and in all.
_LOOKS, _LONGEST, _FAR = 6, 0.3, 1.2

#: Gaps (of the size of the loop, rad) that are rounding of the processor; the largest, in roundings of the
#: lengths, and the largest of files.
_EXACT, _GAPS, _ROUNDED = 1e-11, 3.0, 1e-5

#: Distance k x up to which loops stay open, in square roots of k e; steps before and after that it may take.
_ZONE, _ZONE_STEPS = 40.0, 50.0

#: Distance within which directions of rows are noise, in roundings of the lengths; its square for a step that
#: passes the position, in roundings and changes of the distance in that step.
_NOISE, _NOISE_IN_STEP = 30.0, 100.0

#: Distance from which on a row can be told from those that are dependent everywhere, in the same; these have
#: up to ten.
_SEEN = 60.0

#: The farthest distance at which a loop stays open.
FARTHEST = _ZONE * _ROUNDED**0.5


class Opening(NamedTuple):
    """When (s from now) a singular position is passed, how fast, and by how much loops are open around it."""

    time: Scalar
    #: change of the distance (see `solvers.closure`) in a second
    speed: Scalar
    #: seconds before and after it within which loops are open; zero if they never are
    zone: Scalar
    #: seconds within which directions of rows are noise of the rounding
    noise: Scalar
    #: residuals at the singular position
    gaps: Sequence[Scalar]

    def flat(self) -> list[Scalar]:
        """All of it, one after the other."""
        return [self.time, self.speed, self.zone, self.noise, *self.gaps]

    @staticmethod
    def of(values: Sequence[Scalar]) -> Opening:
        """From what `flat` gives."""
        return Opening(values[0], values[1], values[2], values[3], list(values[4:]))

    def least_share(self, rounding: float, dt: Scalar) -> Scalar:
        """Of its loop, that of a row whose direction is too uncertain for a step of dt through the position.

        Noise n of the directions turns velocities by n / d at the distance d = k x, and a step that changes d
        by s dt magnifies that by s dt / d.
        """
        return where(self.zone > 0.0, _NOISE_IN_STEP * rounding * (self.speed * dt), 0.0)

    def gaps_after(self, dt: Scalar) -> list[Scalar]:
        """By how much loops are open so many seconds from now."""
        return self.gaps_around(dt - self.time)

    def gaps_around(self, after: Scalar) -> list[Scalar]:
        """By how much loops are open so long (s) after the singular position: all in half of the zone."""
        if isinstance(self.zone, float) and self.zone == 0.0:
            return []
        share = clip(2.0 * abs(after) / maximum(self.zone, 1e-30) - 1.0, 0.0, 1.0)
        weight = 0.5 + 0.5 * cos(3.141592653589793 * share)
        return [weight * gap for gap in self.gaps]


def no_opening() -> Opening:
    """Of machines with exact lengths."""
    return Opening(0.0, 1.0, 0.0, 0.0, [])


def fastest(v: Sequence[Scalar]) -> Scalar:
    """The largest speed of a joint."""
    most: Scalar = 0.0
    for x in v:
        most = maximum(most, abs(x))
    return most


def opening(system: System, q: Sequence[Scalar], v: Sequence[Scalar], dt: Scalar, when: object) -> Opening:
    """The singular position ahead or behind of q, found along v by closed positions, `when` one is near."""
    model, nq, nv = system.model, len(q), len(v)
    scales = [group.scale for group in row_groups(model)]
    count, places = len(scales), len(_PLACES)
    rounding = length_rounding(model)
    centring, last = float(_LOOKS), float(_LOOKS + 2 * places)

    def one_place(values: list[Scalar]) -> tuple[list[Scalar], object]:
        (number, passed, ahead, speed, beside, middle, slope, once), rest = values[:8], values[8:]
        q, v, mean, left = rest[:nq], rest[nq : nq + nv], rest[nq + nv : nq + 2 * nv], rest[nq + 2 * nv :]
        looking, counting = number < centring - 0.5, number > centring + places - 0.5
        found, fast = _ahead(model, q, v)
        ahead, speed = where(looking, found, ahead), where(looking, fast, speed)
        # where closed positions are nearer to the branch than to the position
        off = sqrt(rounding / maximum(fast * once, 1e-30))
        beside = where(looking, clip(_CLEAR * off, _BESIDE, _MOST_BESIDE) * once, beside)
        # short of the position, not to lose the side
        short = ahead - where(ahead > 0.0, beside, -beside)
        there = abs(ahead) < 2.0 * beside
        longest = _LONGEST * once
        step = where(looking, where(there, 0.0, clip(short, -longest, longest)), 0.0)
        place = maximum(number - where(counting, centring + places, centring), 0.0)
        side = entry(_PLACES, place)
        away = where(looking, step, ahead + side * beside)
        at, speeds, _ = project(model, system.integrate(q, [away * x for x in v]), v)
        distance = sqrt(_least(model, at))
        distance = where(looking | counting, 0.0, where(side > 0.0, distance, -distance))
        middle, slope = middle + entry(_WEIGHTS, place) * distance, slope + entry(_SLOPES, place) * distance
        # the distance is zero there
        centred = abs(number - (centring + places - 1.0)) < 0.5
        shift = clip(middle / maximum(slope, 1e-30), -1.0, 1.0) * beside
        ahead = where(centred, ahead - shift, ahead)
        weight = where(counting, entry(_WEIGHTS, place), 0.0)
        way = [x for joint in model.joints for x in joint.type.difference(q[joint.q], at[joint.q])]
        mean = [x + weight * dx for x, dx in zip(mean, way, strict=True)]
        left = [x + weight * c for x, c in zip(left, residuals(model, at), strict=True)]
        moves = looking & (abs(step) > 0.0)
        q = [where(moves, new, old) for new, old in zip(at, q, strict=True)]
        v = [where(moves, new, old) for new, old in zip(speeds, v, strict=True)]
        number = where(looking & there, centring, number + 1.0)
        begun = [number, passed + step, ahead, speed, beside, middle, slope, once]
        return [*begun, *q, *v, *mean, *left], number < last - 0.5

    # for a way of 1 rad or m
    once = 1.0 / maximum(fastest(v), 1e-30)
    begin = [0.0, 0.0, 0.0, 1.0, _BESIDE * once, 0.0, 0.0, once, *q, *v, *[0.0] * (nv + count)]
    _, passed, ahead, speed, beside, _, _, _, *rest = iterate(one_place, begin, _LOOKS + 2 * places, when)
    mean, smooth = rest[nq + nv : nq + 2 * nv], rest[nq + 2 * nv :]
    # what dependent rows are open by everywhere is no part of it
    gaps = [c - x for c, x in zip(residuals(model, system.integrate(rest[:nq], mean)), smooth, strict=True)]
    size: Scalar = 0.0
    for gap, scale in zip(gaps, scales, strict=True):
        size = maximum(size, abs(gap) * (1.0 / scale))
    time = passed + ahead
    here = when & (abs(time) < _FAR * once) & (abs(ahead) < 3.0 * beside)  # type: ignore[operator]
    open_up = here & (size > _EXACT) & (size < _GAPS * rounding)
    zone = minimum(_ZONE * sqrt(size * once / speed), _ZONE_STEPS * dt)
    gaps = [where(open_up, gap, 0.0) for gap in gaps]
    noise = _NOISE * rounding / speed
    return Opening(time, speed, where(open_up, zone, 0.0), where(open_up, noise, 0.0), gaps)


def _ahead(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """When the square of the distance will vanish, by its rate, and how fast the distance changes.

    It does so as the square of the time.
    """
    least = _least(model, q)
    (rate,) = rates(model, q, v, [least])  # type: ignore[arg-type]
    rate = where(abs(rate) > 1e-30, rate, 1e-30)
    time = -2.0 * least / rate
    return time, sqrt(least) / maximum(abs(time), 1e-30)


def _least(model: Model, q: Sequence[Scalar]) -> Scalar:
    """The square of the distance, also where the row that has it counts as dependent."""
    least: Scalar = 1.0
    seen = max(DEPENDENT, (_SEEN * length_rounding(model)) ** 2)
    for share in closure_factor(model, q, closure_rows(model, q)).shares:  # type: ignore[arg-type]
        least = where((share > seen) & (share < least), share, least)
    return least
