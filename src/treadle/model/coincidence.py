"""Whether lengths of a machine are equal but for rounding, as those of parallelograms from files are.

Positions in which loops lose rank follow from lengths that fit together. Where they fit but for rounding,
loops cannot be closed there, and steps have to look out for it (see `integrators.singular`).
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from treadle.graph import Scalar
from treadle.joints import Tie
from treadle.model.model import Model
from treadle.spatial import Transform

__all__ = ["length_rounding", "nearly_equal_lengths"]

#: Differences of lengths, of the largest, that are rounding of the processor at most, and of files at most.
_EXACT, _ROUNDED = 1e-13, 3e-5

#: Sine of the angle between axes that are parallel but for rounding.
_PARALLEL = 1e-4

#: A point of a joint on a body, and the axis through it, zero where it has none.
_Anchor = tuple[np.ndarray, np.ndarray]


def nearly_equal_lengths(model: Model) -> bool:
    """Whether two links of a closed machine are of the same length but for rounding."""
    return length_rounding(model) > 0.0


def length_rounding(model: Model) -> float:
    """The largest difference of two such lengths, of the largest length; zero where there are none."""
    kept = vars(model).setdefault("_functions", {})
    if "length rounding" not in kept:
        kept["length rounding"] = _rounding(model) if model.closed else 0.0
    return kept["length rounding"]


def _rounding(model: Model) -> float:
    try:
        lengths = _lengths(model)
    except TypeError:
        # numbers that are parameters
        return 0.0
    largest = max(lengths, default=0.0)
    steps = [(b - a) / largest for a, b in pairwise(sorted(lengths)) if a > _ROUNDED * largest]
    return max((step for step in steps if _EXACT < step < _ROUNDED), default=0.0)


def _lengths(model: Model) -> list[float]:
    """Distances between the joints of every body: of parallel axes, or of points."""
    anchors: dict[int, list[_Anchor]] = {}
    for number, body in enumerate(model.bodies):
        kind = body.joint.type
        columns = kind.subspace(kind.neutral())
        axis = np.array([float(x) for x in columns[0]][:3]) if len(columns) == 1 else np.zeros(3)
        anchors.setdefault(body.parent, []).append(_anchor(body.placement, axis))
        anchors.setdefault(number, []).append((np.zeros(3), axis))
    for loop in model.loops:
        axis = np.zeros(3)
        if loop.type is not None and not isinstance(loop.type, Tie):
            columns = loop.type.subspace(loop.type.neutral())
            axis = np.array([float(x) for x in columns[0]][:3]) if len(columns) == 1 else axis
        anchors.setdefault(loop.predecessor, []).append(_anchor(loop.predecessor_placement, axis))
        anchors.setdefault(loop.successor, []).append(_anchor(loop.successor_placement, axis))
    return [_distance(a, b) for places in anchors.values() for a, b in combinations(places, 2)]


def _anchor(placement: Transform, axis: np.ndarray) -> _Anchor:
    R, p = np.array(placement.rotation.to_rows(), dtype=float), [_number(x) for x in placement.translation]
    return np.array(p), R @ axis


def _distance(a: _Anchor, b: _Anchor) -> float:
    (p, u), (q, w) = a, b
    way = q - p
    if u.any() and w.any() and np.linalg.norm(np.cross(u, w)) < _PARALLEL:
        return float(np.linalg.norm(np.cross(u, way)))
    return float(np.linalg.norm(way))


def _number(value: Scalar) -> float:
    return float(value)  # type: ignore[arg-type]
