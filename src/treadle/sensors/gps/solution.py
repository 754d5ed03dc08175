"""Position, velocity and clock of a receiver by weighted least squares, and dilutions of precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treadle.sensors.gps.constellation import EARTH_RATE, LIGHT

__all__ = ["Dop", "Solution", "dilutions", "signal_path", "solve_position", "solve_velocity"]

_MOST_ROUNDS = 20

#: Modelled delays are those of a point at most so far away (m).
_SAME_DELAYS = 0.1


class Dop(NamedTuple):
    """Dilutions of precision: geometry, position, horizontal, vertical and time."""

    gdop: float
    pdop: float
    hdop: float
    vdop: float
    tdop: float


class Solution(NamedTuple):
    """A position (m) or velocity (m/s) in Earth-fixed axes, the clock's bias (m) or drift (m/s)."""

    value: np.ndarray
    clock: float
    #: (4, 4) of the value and the clock, in Earth-fixed axes
    covariance: np.ndarray
    #: unit vectors (n, 3) to the satellites
    directions: np.ndarray
    #: (n,) what the ranges or rates differ by from the solution
    residuals: np.ndarray


def signal_path(receiver: np.ndarray, satellites: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Length (m) and unit vector (n, 3) of the signals' paths from satellites at their times of transmission.

    The Earth turns while a signal is under way (Sagnac): positions of transmission are turned into the
    Earth-fixed axes at reception.
    """
    arrived, length = satellites, np.linalg.norm(satellites - receiver, axis=-1)
    for _ in range(2):
        arrived = earth_turned(satellites, length / LIGHT)
        length = np.linalg.norm(arrived - receiver, axis=-1)
    return length, (arrived - receiver) / length[..., None]


def earth_turned(vectors: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) in the Earth-fixed axes of some seconds later."""
    c, s = np.cos(EARTH_RATE * seconds), np.sin(EARTH_RATE * seconds)
    turned = np.array(vectors)
    turned[..., 0], turned[..., 1] = (
        c * vectors[..., 0] + s * vectors[..., 1],
        c * vectors[..., 1] - s * vectors[..., 0],
    )
    return turned


def solve_position(
    satellites: np.ndarray,
    ranges: np.ndarray,
    sigma: np.ndarray,
    correction: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    guess: np.ndarray | None = None,
) -> Solution | None:
    """The position that fits pseudoranges (n,) with standard deviations sigma; None if there is none.

    Gauss-Newton on |s_i - r| + b + correction_i = range_i, weights 1 / sigma^2. Satellites (n, 3) are at
    their times of transmission. `correction(position, directions)` gives the modelled delays (m).
    """
    if len(ranges) < 4:
        return None
    # without a guess: the point of the Earth below the satellites
    middle = satellites.sum(axis=0)
    r = 6.371e6 * middle / np.linalg.norm(middle) if guess is None else np.array(guess, dtype=float)
    bias, modelled, place = 0.0, np.zeros(len(ranges)), None
    for _ in range(_MOST_ROUNDS):
        length, direction = signal_path(r, satellites)
        # delays change little over the last centimetres
        moved = place is None or np.linalg.norm(r - place) > _SAME_DELAYS
        if correction is not None and moved and 6.2e6 < np.linalg.norm(r) < 8e6:
            modelled, place = correction(r, direction), r
        residuals = ranges - (length + bias + modelled)
        step, covariance = _weighted(direction, residuals, sigma)
        if step is None:
            return None
        r, bias = r + step[:3], bias + step[3]
        if np.linalg.norm(step) < 1e-4:
            return Solution(r, float(bias), covariance, direction, residuals)
    return None


def solve_velocity(directions: np.ndarray, rates: np.ndarray, sigma: np.ndarray) -> Solution | None:
    """The velocity that fits range rates (n,) less the satellites' own part: rate_i = -u_i . v + drift."""
    solution, covariance = _weighted(directions, rates, sigma)
    if solution is None:
        return None
    residuals = rates - (solution[3] - directions @ solution[:3])
    return Solution(solution[:3], float(solution[3]), covariance, directions, residuals)


def _weighted(
    directions: np.ndarray, values: np.ndarray, sigma: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray]:
    """Least squares of [-u, 1] x = values with weights 1 / sigma^2, and the covariance of x."""
    H = np.column_stack([-directions, np.ones(len(values))]) / sigma[:, None]
    q, triangle = np.linalg.qr(H)
    diagonal = np.abs(np.diag(triangle))
    if len(values) < 4 or diagonal.min() < 1e-6 * diagonal.max():
        return None, np.full((4, 4), np.inf)
    inverse = np.linalg.inv(triangle)
    return inverse @ (q.T @ (values / sigma)), inverse @ inverse.T


def dilutions(directions: np.ndarray) -> Dop:
    """Dilutions of precision for unit vectors (n, 3) to the satellites in axes whose z points up."""
    none = Dop(*[np.inf] * 5)
    if len(directions) < 4:
        return none
    _, Q = _weighted(directions, np.zeros(len(directions)), np.ones(len(directions)))
    if not np.isfinite(Q).all():
        return none
    d = np.diag(Q)
    return Dop(*np.sqrt([d.sum(), d[:3].sum(), d[:2].sum(), d[2], d[3]]).tolist())
