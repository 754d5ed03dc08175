"""Comparing arrays, and derivatives to compare exact ones with."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle import Model

__all__ = ["central", "complex_step", "integrate", "position_rate", "relative_error"]

#: Size of a complex step: its square is lost in rounding, so that the derivative is exact.
_STEP = 1e-100


def relative_error(actual: ArrayLike, expected: ArrayLike, scale: float = 0.0) -> float:
    """Largest error of an array, relative to its largest entry or to `scale`, whichever is larger."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape
    if actual.size == 0:
        return 0.0
    error, size = np.abs(actual - expected).max(), max(np.abs(expected).max(), scale)
    return float(error / size) if error else 0.0


def complex_step(
    function: Callable[..., Any], point: Sequence[ArrayLike], rate: Sequence[ArrayLike]
) -> np.ndarray:
    """d/dt function(*point) when the vectors of the point change at these rates.

    Exact to rounding for functions of plain arithmetic, sines and cosines, without comparisons.
    """
    moved = [
        (np.asarray(x) + 1j * _STEP * np.asarray(dx)).tolist() for x, dx in zip(point, rate, strict=True)
    ]
    return np.imag(np.array(function(*moved), dtype=complex)) / _STEP


def central(function: Callable[[float], ArrayLike], step: float) -> np.ndarray:
    """Derivative at zero by central differences of order four (Richardson), error of order step^4."""
    near = np.asarray(function(step)) - np.asarray(function(-step))
    far = np.asarray(function(2.0 * step)) - np.asarray(function(-2.0 * step))
    return (8.0 * near - far) / (12.0 * step)


def position_rate(model: Model, q: Sequence, v: Sequence) -> list:
    """dq/dt of a machine that moves with v."""
    return [x for joint in model.joints for x in joint.type.rate(q[joint.q], v[joint.v])]


def integrate(model: Model, q: Sequence, delta: Sequence) -> list:
    """The position that the tangent step delta reaches from q."""
    return [x for joint in model.joints for x in joint.type.integrate(q[joint.q], delta[joint.v])]
