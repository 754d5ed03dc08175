"""Combine the friction of two materials, and their stiffness and damping per mass, as they ask for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

from treadle.model.attachments import Material
from treadle.model.parts import COMBINATIONS

__all__ = ["combined", "dimensions", "mixed_impedance", "mixed_per_mass", "turning_friction"]

#: What becomes of two coefficients of friction, by the name of the combination.
_COMBINE: dict[str, Callable[[float, float], float]] = {
    "geometric_mean": lambda one, other: math.sqrt(one * other),
    "maximum": max,
    "minimum": min,
    "multiply": lambda one, other: one * other,
}


def combined(materials: Sequence[Material], one: float, other: float) -> float:
    """The coefficient of sliding friction of two materials from that of each."""
    return _COMBINE[_combination(materials) or "geometric_mean"](one, other)


def turning_friction(materials: Sequence[Material]) -> dict[str, float]:
    """Rolling and spinning friction (m) of materials."""
    combine = _COMBINE[_combination(materials) or "maximum"]
    most = dimensions(materials)
    rolling = [m.rolling_friction for m in materials]
    spinning = [m.spinning_friction for m in materials]
    return {
        "rolling": reduce(combine, rolling) if most >= 6 else 0.0,
        "spinning": reduce(combine, spinning) if most >= 4 else 0.0,
    }


def dimensions(materials: Sequence[Material]) -> int:
    """Which frictions a contact has (see `MaterialSpec`): the most that a material states, else all."""
    if all(m.friction_dimensions is None for m in materials):
        return 6
    return max(m.friction_dimensions or _needed(m) for m in materials)


def mixed_per_mass(soft: Sequence[Material]) -> tuple[float, float]:
    """Stiffness (1/s2) and damping (1/s) per mass of two materials, as MuJoCo mixes solref.

    With K = 1/(T z)^2 and D = 2/T the time constants T and the damping ratios z are averaged, with the
    weights `mix`; where one of the numbers is zero the larger stiffness and the larger damping count.
    """
    stiffness = [m.stiffness or 0.0 for m in soft]
    damping = [m.damping for m in soft if m.damping is not None]
    if len(damping) < len(soft):
        # some state a restitution
        return sum(stiffness) / len(soft), sum(damping) / len(damping) if damping else math.nan
    if len(soft) == 1 or not all((*stiffness, *damping)):
        return max(stiffness), max(damping)
    time = _mean(soft, [2.0 / d for d in damping])
    ratio = _mean(soft, [d / (2.0 * math.sqrt(k)) for k, d in zip(stiffness, damping, strict=True)])
    return 1.0 / (time * ratio) ** 2, 2.0 / time


def mixed_impedance(soft: Sequence[Material]) -> dict[str, float]:
    """The impedance of two materials by its numbers: the mean of those that state one, none without."""
    stated = [m for m in soft if m.impedance is not None]
    given = [m.impedance for m in stated if m.impedance is not None]
    names = ("impedance", "most_impedance", "width", "midpoint", "power")
    means = [_mean(stated, column) for column in zip(*given, strict=True)]
    return dict(zip(names, means, strict=True)) if given else {}


def _mean(materials: Sequence[Material], values: Sequence[float]) -> float:
    """The mean of a value of materials, weighted by `mix`."""
    weights = [m.mix for m in materials] if any(m.mix for m in materials) else [1.0] * len(materials)
    return sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights)


def _combination(materials: Sequence[Material]) -> str | None:
    """The rule that combines the friction of materials, None where none states one."""
    stated = {m.combination for m in materials}
    return next((name for name in COMBINATIONS if name in stated), None)


def _needed(material: Material) -> int:
    return 6 if material.rolling_friction else 4 if material.spinning_friction else 3
