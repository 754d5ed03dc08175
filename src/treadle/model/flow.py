"""Checked descriptions of currents and of meshes in a fluid, and other values that are formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, cast

import numpy as np

from treadle.graph import Scalar, evaluate, forward, trace
from treadle.graph.formula import formula_names, formula_text, formula_value
from treadle.model.values import number, vector

__all__ = ["LINE", "PLACES", "flow", "law", "law_slopes", "mesh_volume", "profile"]

#: Variables of a formula for a current: place in the world (m) and time (s).
PLACES = ("x", "y", "z", "t")

#: Variables of the law of a spring: extension (m) and its rate (m/s).
LINE = ("x", "v")


def flow(value: Any, variables: Sequence[str] = PLACES, what: str = "velocities") -> tuple[float | str, ...]:
    """Three values, each a number or a formula over these variables; or a function of them that gives all."""
    if callable(value):
        return _traced(value, variables, what)
    parts = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(parts, Sequence) or isinstance(parts, str) or len(parts) != 3:
        raise ValueError("needs three numbers or formulas")
    found: list[float | str] = []
    for part in parts:
        if isinstance(part, str):
            formula_names(part, variables)
        found.append(part if isinstance(part, str) else number(part))
    return tuple(found)


def law(value: Any) -> str:
    """The tension (N) of a spring by extension and rate as a formula; or a function of them that gives it."""
    if not callable(value):
        formula_names(value, LINE)
        return value
    given = cast("Callable[..., Scalar]", value)
    _, (tension,) = trace(lambda inputs: [given(*inputs)], len(LINE))
    return formula_text(tension, LINE)


def law_slopes(text: str, x: Scalar, v: Scalar) -> tuple[Scalar, Scalar]:
    """Derivatives of the law of a spring by extension (N/m) and by rate (N s/m)."""

    def slopes(inputs: list) -> list[Scalar]:
        tension = formula_value(text, dict(zip(LINE, inputs, strict=True)))
        return forward([tension], {given: {k: 1.0} for k, given in enumerate(inputs)}, len(LINE))[0]

    graph, outputs = trace(slopes, len(LINE))
    by_extension, by_rate = evaluate(graph, outputs, [x, v])
    return by_extension, by_rate


def profile(value: Any) -> tuple[tuple[float, ...], ...]:
    """Rows of height (m) and velocity (m/s), the heights rising."""
    try:
        rows = tuple(tuple(vector(row, 4).tolist()) for row in value)
    except (TypeError, ValueError):
        raise ValueError("needs four numbers in each row: height, and velocity along x, y, z") from None
    if any(a[0] >= b[0] for a, b in pairwise(rows)):
        raise ValueError("needs heights that rise from row to row")
    return rows


def mesh_volume(points: Sequence[Sequence[float]], triangles: Sequence[Sequence[int]]) -> float:
    """Volume (m3) of a closed mesh."""
    a, b, c = np.array(points, dtype=float)[np.array(triangles).T]
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def _traced(function: Callable[..., Any], variables: Sequence[str], what: str) -> tuple[float | str, ...]:
    """A function of variables as formulas."""

    def values(inputs: list) -> list:
        found = list(function(*inputs))
        if len(found) != 3:
            raise ValueError(f"is a function that must give three {what}, along x, y and z")
        return found

    _, outputs = trace(values, len(variables))
    parts = [formula_text(x, variables) for x in outputs]
    return tuple(float(x) if _is_number(x) else x for x in parts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
