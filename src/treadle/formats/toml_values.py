"""The kinds of values in robot.toml: how each is read, and what a JSON schema says about it."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable
from datetime import date
from typing import Any

from treadle.model.values import rpy

__all__ = ["KINDS", "SCHEMAS", "short"]


def short(value: Any) -> str:
    """A value for a message, cut where it is long."""
    return reprlib.repr(value)


def text(value: Any) -> str:
    """Text."""
    if not isinstance(value, str):
        raise ValueError(f"needs text in quotes, not {short(value)}")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"needs a list of texts in quotes, not {short(value)}")
    return tuple(value)


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"needs true or false, not {short(value)}")
    return value


def whole(value: Any) -> int:
    """A whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"needs a whole number, not {short(value)}")
    return value


def number(value: Any) -> float:
    """A finite number."""
    return _number(value, "one number")


def floor(value: Any) -> float | None:
    """A lower limit; minus infinity says that there is none."""
    result = _number(value, "one number", endless=True)
    return None if result == -math.inf else result


def ceiling(value: Any) -> float | None:
    """An upper limit; infinity says that there is none."""
    result = _number(value, "one number", endless=True)
    return None if result == math.inf else result


def numbers(value: Any, count: int | None = None) -> tuple[float, ...]:
    """Finite numbers."""
    what = "a list of numbers" if count is None else f"{count} numbers"
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise ValueError(f"needs {what}, not {short(value)}")
    return tuple(_number(item, what) for item in value)


def vector(value: Any) -> tuple[float, ...]:
    """Three finite numbers."""
    return numbers(value, 3)


def four(value: Any) -> tuple[float, ...]:
    """Four finite numbers."""
    return numbers(value, 4)


def matrix(value: Any) -> tuple[tuple[float, ...], ...]:
    """Three rows of three finite numbers."""
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(row, list) for row in value):
        raise ValueError(f"needs three rows of three numbers, not {short(value)}")
    return tuple(vector(row) for row in value)


def angles(value: Any) -> tuple[tuple[float, ...], ...]:
    """Roll, pitch and yaw, as a rotation matrix."""
    return rpy(*vector(value))


def inertia(value: Any) -> tuple[Any, ...]:
    """Three or six numbers, or three rows of three."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        return matrix(value)
    if not isinstance(value, list) or len(value) not in (3, 6):
        raise ValueError(f"needs 3 numbers, 6 numbers or a 3 x 3 matrix, not {short(value)}")
    return numbers(value)


def per_dof(value: Any) -> float | tuple[float, ...]:
    """One number for all degrees of freedom of a joint, or one for each."""
    return numbers(value) if isinstance(value, list) else _number(value, "one number or a list of them")


def floors(value: Any) -> float | tuple[float | None, ...] | None:
    """A lower limit for all degrees of freedom of a joint, or one for each."""
    return tuple(floor(item) for item in value) if isinstance(value, list) else floor(value)


def ceilings(value: Any) -> float | tuple[float | None, ...] | None:
    """An upper limit for all degrees of freedom of a joint, or one for each."""
    return tuple(ceiling(item) for item in value) if isinstance(value, list) else ceiling(value)


def states(value: Any) -> dict[str, float | tuple[float, ...]]:
    """Numbers by the name of a joint."""
    if not isinstance(value, dict):
        raise ValueError(f"needs joint names with values, not {short(value)}")
    result = {}
    for name, item in value.items():
        try:
            result[name] = per_dof(item)
        except ValueError as error:
            raise ValueError(f"of joint {name!r} {error}") from None
    return result


def named(value: Any) -> dict[str, float]:
    """Numbers by name."""
    if not isinstance(value, dict):
        raise ValueError(f"needs names with numbers, not {short(value)}")
    return {name: _number(item, f"one number for {name!r}") for name, item in value.items()}


def vectors(value: Any) -> tuple[tuple[float, ...], ...]:
    """Lists of three numbers."""
    if not isinstance(value, list):
        raise ValueError(f"needs a list of vectors, not {short(value)}")
    return tuple(vector(item) for item in value)


def values(value: Any) -> dict[str, Any]:
    """Numbers, words, dates, lists of them, and lists of lists of numbers, by name."""
    if not isinstance(value, dict):
        raise ValueError(f"needs names with values, not {short(value)}")
    return {name: _nested(item, name) for name, item in value.items()}


def groups(value: Any) -> dict[str, Any]:
    """As `values`, also by the name of a group."""
    if not isinstance(value, dict):
        raise ValueError(f"needs names with values, not {short(value)}")
    return {
        name: values(item) if isinstance(item, dict) else _nested(item, name) for name, item in value.items()
    }


def _nested(value: Any, name: str, depth: int = 0) -> Any:
    if isinstance(value, str) and depth <= 1:
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list) and depth < 3:
        return tuple(_nested(item, name, depth + 1) for item in value)
    return _number(value, f"numbers for {name!r}")


def path(value: Any) -> tuple[dict[str, Any], ...]:
    """Parts of a path, each a table of numbers, vectors and words."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f"needs a list of tables, not {short(value)}")
    return tuple(values(item) for item in value)


def table(value: Any) -> dict[str, Any]:
    """Keys with values."""
    if not isinstance(value, dict):
        raise ValueError(f"needs a table, not {short(value)}")
    return value


def _number(value: Any, what: str, endless: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"needs {what}, not {short(value)}")
    try:
        result = float(value)
    except OverflowError:
        raise ValueError(f"needs {what}, and {short(value)} is too large") from None
    if math.isnan(result) or (math.isinf(result) and not endless):
        raise ValueError(f"needs finite numbers, not {result}")
    return result


#: Readers by kind: the value for the description, or a ValueError that says what is needed.
KINDS: dict[str, Callable[[Any], Any]] = {
    "text": text,
    "texts": texts,
    "body": text,
    "flag": flag,
    "whole": whole,
    "number": number,
    "floor": floor,
    "ceiling": ceiling,
    "numbers": numbers,
    "vector": vector,
    "quaternion": four,
    "row": four,
    "color": four,
    "matrix": matrix,
    "rpy": angles,
    "inertia": inertia,
    "per_dof": per_dof,
    "floors": floors,
    "ceilings": ceilings,
    "states": states,
    "named": named,
    "bodies": texts,
    "vectors": vectors,
    "values": values,
    "groups": groups,
    "path": path,
    "limits": table,
    "settings": table,
}

_NUMBER = {"type": "number"}
_NUMBERS = {"type": "array", "items": _NUMBER}


def _listed(count: int, item: dict[str, Any] = _NUMBER) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


_EACH = {"anyOf": [_NUMBER, _NUMBERS]}

#: The same for editors, as JSON schemas; that of "limits" is made from its keys.
SCHEMAS: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "body": {"type": "string"},
    "flag": {"type": "boolean"},
    "whole": {"type": "integer", "minimum": 0},
    "number": _NUMBER,
    "floor": _NUMBER,
    "ceiling": _NUMBER,
    "numbers": _NUMBERS,
    "vector": _listed(3),
    "quaternion": _listed(4),
    "color": _listed(4, {"type": "number", "minimum": 0, "maximum": 1}),
    "matrix": _listed(3, _listed(3)),
    "rpy": _listed(3),
    "row": _listed(4),
    "inertia": {"anyOf": [_listed(3), _listed(6), _listed(3, _listed(3))]},
    "per_dof": _EACH,
    "floors": _EACH,
    "ceilings": _EACH,
    "states": {"type": "object", "additionalProperties": _EACH},
    "named": {"type": "object", "additionalProperties": _NUMBER},
    "bodies": {"type": "array", "items": {"type": "string"}},
    "vectors": {"type": "array", "items": _listed(3)},
    "values": {"type": "object"},
    "groups": {"type": "object"},
    "path": {
        "type": "array",
        "items": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                **{name: {"type": "string"} for name in ("frame", "side_frame")},
                **{name: _listed(3) for name in ("point", "axis", "side")},
                **dict.fromkeys(("pulley", "radius"), _NUMBER),
                "wrap": {"type": "string", "enum": ["sphere", "cylinder"]},
            },
        },
    },
    "settings": {"type": "object"},
}
