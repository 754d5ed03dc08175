"""Checked descriptions of currents and of meshes in a fluid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from treadle.graph import trace
from treadle.graph.formula import formula_names, formula_text
from treadle.model.values import number, vector

__all__ = ["PLACES", "flow", "mesh_volume", "profile"]

#: Variables of a formula for a current: place in the world (m) and time (s).
PLACES = ("x", "y", "z", "t")


def flow(value: Any) -> tuple[float | str, ...]:
    """Three velocities (m/s), each a number or a formula; or a function of x, y, z, t that gives them."""
    if callable(value):
        return _traced(value)
    parts = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(parts, Sequence) or isinstance(parts, str) or len(parts) != 3:
        raise ValueError("needs three numbers or formulas")
    found: list[float | str] = []
    for part in parts:
        if isinstance(part, str):
            formula_names(part, PLACES)
        found.append(part if isinstance(part, str) else number(part))
    return tuple(found)


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


def _traced(function: Callable[..., Any]) -> tuple[float | str, ...]:
    """A function of x, y, z, t as formulas."""

    def values(inputs: list) -> list:
        found = list(function(*inputs))
        if len(found) != 3:
            raise ValueError("is a function that must give three velocities, along x, y and z")
        return found

    _, outputs = trace(values, len(PLACES))
    parts = [formula_text(x, PLACES) for x in outputs]
    return tuple(float(x) if _is_number(x) else x for x in parts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
