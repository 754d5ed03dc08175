"""Checks of force elements."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.model.elements import ELEMENT_TYPES, ElementSpec, Parameter
from treadle.model.faults import check_names, fault
from treadle.model.flow import flow, law, mesh_volume, profile
from treadle.model.model import suggest
from treadle.model.validate_shapes import check_choice
from treadle.model.values import number, vector

if TYPE_CHECKING:
    from treadle.model.spec import ModelSpec

__all__ = ["MOST_TRIANGLES", "element_parameters", "validate_elements"]

#: Triangles of a hull's mesh, every one of which is part of the compiled step.
MOST_TRIANGLES = 500


#: Parameters of springs that act both ways, and what to do instead.
_BOTH_WAYS = {
    "table": "write zeros into the table where it does not act",
    "law": "let the law be zero where it does not act, such as max(x, 0)",
}


def validate_elements(spec: ModelSpec) -> None:
    """Raise ModelError at the first mistake."""
    check_names(spec, [("element", item) for item in spec.elements])
    known = [item.name for item in (*spec.bodies, *spec.frames)]
    for item in spec.elements:
        _check_element(spec, item, known)


def element_parameters(item: ElementSpec) -> dict[str, Any]:
    """All parameters of an element, checked and in one form; ValueError if one is wrong."""
    kind = ELEMENT_TYPES[item.type]
    unknown = [name for name in item.parameters if name not in kind.parameters]
    if unknown:
        hint = suggest(unknown[0], list(kind.parameters))
        raise ValueError(f"has no parameter {unknown[0]!r}; {hint}")
    values = {}
    for name, parameter in kind.parameters.items():
        given = item.parameters.get(name, parameter.default)
        if given is None and parameter.default is None:
            values[name] = None
            continue
        try:
            values[name] = _KINDS[parameter.kind](given, parameter)
        except ValueError as error:
            raise ValueError(f"its {name} {error}") from None
    return values


def _check_element(spec: ModelSpec, item: ElementSpec, known: list[str]) -> None:
    element = f'element "{item.name}"'
    check_choice(spec, element, item, "type", ELEMENT_TYPES)
    kind = ELEMENT_TYPES[item.type]
    if not isinstance(item.frames, tuple) or (kind.frames and len(item.frames) != kind.frames):
        hint = "give their names, None for the world"
        raise fault(spec, element, f"a {item.type} acts on {kind.frames} frame(s)", hint, item)
    for name in item.frames:
        if name is not None and name not in known:
            hint = "use None for the world" if name == "world" else suggest(name, known)
            raise fault(spec, element, f"{name!r} is not a body or frame of {spec.name!r}", hint, item)
    if all(name is None for name in item.frames):
        raise fault(spec, element, "acts on the world alone", "name a body that moves", item)
    try:
        if item.offsets and len(item.offsets) != len(item.frames):
            raise ValueError(f"has {len(item.offsets)} offsets for {len(item.frames)} frames")
        for point in item.offsets:
            vector(point)
        values = element_parameters(item)
    except ValueError as error:
        raise fault(spec, element, str(error), None, item) from None
    if values.get("shape") == "mesh":
        _check_mesh(spec, element, item, values)
    for name, hint in _BOTH_WAYS.items():
        if values.get(name) and values.get("acts", "both") != "both":
            raise fault(spec, element, f"a spring with a {name} acts both ways", hint, item)


def _check_mesh(spec: ModelSpec, element: str, item: ElementSpec, values: dict[str, Any]) -> None:
    """A closed mesh of few triangles, all facing outward."""
    triangles = values["triangles"]
    if len(triangles) > MOST_TRIANGLES:
        hint = f"make it coarser: at most {MOST_TRIANGLES}"
        raise fault(spec, element, f"its mesh has {len(triangles)} triangles", hint, item)
    if not triangles or max(max(row) for row in triangles) >= len(values["points"]):
        raise fault(spec, element, "its mesh needs points, and triangles of their numbers", None, item)
    edges = {pair for i, j, k in triangles for pair in ((i, j), (j, k), (k, i))}
    if len(edges) != 3 * len(triangles) or any((j, i) not in edges for i, j in edges):
        hint = "every edge must belong to two triangles that run along it in opposite senses"
        raise fault(spec, element, "its mesh is not closed", hint, item)
    if mesh_volume(values["points"], triangles) <= 0.0:
        hint = "turn its triangles round: counterclockwise from outside"
        raise fault(spec, element, "its mesh is inside out", hint, item)


def _number(value: Any, parameter: Parameter) -> float:
    return number(value)


def _magnitude(value: Any, parameter: Parameter) -> float:
    result = number(value)
    if result < 0.0:
        raise ValueError("is negative; it must be zero or positive")
    return result


def _choice(value: Any, parameter: Parameter) -> str:
    if value not in parameter.choices:
        raise ValueError(f"is {value!r}; use one of {', '.join(parameter.choices)}")
    return value


def _vector(value: Any, parameter: Parameter) -> tuple[float, ...]:
    return tuple(vector(value).tolist())


def _axis(value: Any, parameter: Parameter) -> tuple[float, ...]:
    axis = vector(value)
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        raise ValueError("is zero; give it a direction, such as (0, 0, 1)")
    return tuple((axis / length).tolist())


def _pairs(value: Any, parameter: Parameter) -> tuple[tuple[float, float], ...]:
    try:
        pairs = tuple((number(x), number(y)) for x, y in value)
    except (TypeError, ValueError):
        raise ValueError("needs pairs of numbers") from None
    if len(pairs) == 1 or any(a[0] >= b[0] for a, b in pairwise(pairs)):
        raise ValueError("needs at least two pairs, the first numbers rising")
    return pairs


def _magnitudes(value: Any, parameter: Parameter) -> tuple[float, ...]:
    numbers = vector(value, len(parameter.default))
    if (numbers < 0.0).any():
        raise ValueError("is negative; it must be zero or positive")
    return tuple(numbers.tolist())


def _two(value: Any, parameter: Parameter) -> tuple[float, ...]:
    return tuple(vector(value, 2).tolist())


def _waves(value: Any, parameter: Parameter) -> tuple[tuple[float, ...], ...]:
    try:
        waves = tuple(tuple(vector(wave, 4).tolist()) for wave in value)
    except (TypeError, ValueError):
        raise ValueError("needs four numbers for each wave: amplitude, frequency, direction, phase") from None
    if any(wave[1] <= 0.0 for wave in waves):
        raise ValueError("needs waves of a positive frequency")
    return waves


def _flow(value: Any, parameter: Parameter) -> tuple[float | str, ...]:
    return flow(value)


def _history(value: Any, parameter: Parameter) -> tuple[float | str, ...]:
    return flow(value, ("t",), "numbers")


def _law(value: Any, parameter: Parameter) -> str:
    return law(value)


def _profile(value: Any, parameter: Parameter) -> tuple[tuple[float, ...], ...]:
    return profile(value)


def _points(value: Any, parameter: Parameter) -> tuple[tuple[float, ...], ...]:
    try:
        return tuple(tuple(vector(point).tolist()) for point in value)
    except (TypeError, ValueError):
        raise ValueError("needs three numbers for each point") from None


def _triangles(value: Any, parameter: Parameter) -> tuple[tuple[int, ...], ...]:
    try:
        numbers = np.array(value, dtype=float).reshape(-1, 3)
    except (TypeError, ValueError):
        numbers = np.full((1, 3), -1.0)
    if (numbers < 0.0).any() or (numbers != np.floor(numbers)).any():
        raise ValueError("needs three numbers of points for each triangle")
    return tuple(tuple(int(x) for x in row) for row in numbers)


def _six(value: Any, parameter: Parameter) -> tuple[tuple[float, ...], ...]:
    """A symmetric 6 x 6 matrix that is not negative, or the six numbers of its diagonal."""
    try:
        matrix = np.array(value, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    matrix = np.diag(matrix) if matrix.shape == (6,) else matrix
    if matrix.shape != (6, 6) or not np.isfinite(matrix).all():
        raise ValueError("needs six numbers, or a 6 x 6 matrix")
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-9 * size:
        raise ValueError("is not symmetric")
    if np.linalg.eigvalsh(matrix).min() < -1e-9 * size:
        raise ValueError("has a negative eigenvalue, so that it would give energy without end")
    return tuple(tuple(row) for row in (0.5 * (matrix + matrix.T)).tolist())


_KINDS = {
    "number": _number,
    "magnitude": _magnitude,
    "length": _magnitude,
    "choice": _choice,
    "vector": _vector,
    "axis": _axis,
    "pairs": _pairs,
    "six": _six,
    "two": _two,
    "waves": _waves,
    "magnitudes": _magnitudes,
    "flow": _flow,
    "history": _history,
    "law": _law,
    "profile": _profile,
    "points": _points,
    "triangles": _triangles,
}
