"""What can be edited of a machine that runs, as fields with names, units and texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.joints import JOINT_TYPES
from treadle.model.elements import ELEMENT_TYPES, ElementSpec
from treadle.model.spec import ModelSpec

__all__ = ["KINDS", "Field", "change", "fields", "item_names", "parsed", "shown", "unit"]


@dataclass(frozen=True)
class Field:
    """A number, or several, of a part: name, unit, what it means, and what it may be instead."""

    name: str
    unit: str
    hint: str
    #: whether it may be empty, for none
    optional: bool = False
    #: texts to choose from, where it is not a number
    choices: tuple[str, ...] = ()
    #: whether it may be a formula, or several
    formula: bool = False


_LIMIT = "none where it is empty"

#: What can be edited: the list of the description, and the fields of its items.
KINDS: dict[str, tuple[str, tuple[Field, ...]]] = {
    "body": (
        "bodies",
        (
            Field("mass", "kg", "mass; the inertia changes in proportion"),
            Field("center", "m", "centre of mass in the axes of the body: x, y, z"),
        ),
    ),
    "joint": (
        "joints",
        (
            Field("type", "", "type of joint", choices=tuple(JOINT_TYPES)),
            Field("lower", "rad or m", f"lower limit, {_LIMIT}", optional=True),
            Field("upper", "rad or m", f"upper limit, {_LIMIT}", optional=True),
            Field("damping", "N m s/rad or N s/m", "force per speed"),
            Field("friction", "N m or N", "dry friction"),
            Field("stiffness", "N m/rad or N/m", "spring towards the reference"),
            Field("reference", "rad or m", "where the spring is at rest"),
            Field("armature", "kg m2 or kg", "inertia of the rotor, as the joint feels it"),
        ),
    ),
    "actuator": (
        "actuators",
        (
            Field("gain", "1", "force per command of a motor"),
            Field("stiffness", "N m/rad or N/m", "force per error of a position servo"),
            Field("damping", "N m s/rad or N s/m", "force per speed"),
            Field("lower", "of the command", f"lowest command, {_LIMIT}", optional=True),
            Field("upper", "of the command", f"highest command, {_LIMIT}", optional=True),
            Field("effort", "N m or N", f"largest force, {_LIMIT}", optional=True),
            Field("pressure", "Pa", "supply pressure of a cylinder"),
            Field("relief", "Pa", f"relief pressure of a cylinder, {_LIMIT}", optional=True),
            Field("flow", "m3/s", "rated flow of a cylinder's valve"),
        ),
    ),
    "material": (
        "materials",
        (
            Field("stiffness", "N/m", f"of the contact, {_LIMIT}", optional=True),
            Field("damping", "N s/m", f"of the contact, {_LIMIT}", optional=True),
            Field("restitution", "1", f"speed after over speed before, {_LIMIT}", optional=True),
            Field("friction", "1", f"coefficient of friction, {_LIMIT}", optional=True),
        ),
    ),
    "element": ("elements", ()),
    "tendon": (
        "tendons",
        (
            Field("stiffness", "N/m", "spring against the length"),
            Field("damping", "N s/m", "force per rate of the length"),
            Field(
                "length", "m", "where the spring is at rest, or two between which it is slack", optional=True
            ),
            Field("lower", "m", f"least length, {_LIMIT}", optional=True),
            Field("upper", "m", f"largest length, {_LIMIT}", optional=True),
            Field("friction", "N", "dry friction"),
        ),
    ),
    "machine": ("", (Field("gravity", "m/s2", "acceleration of free fall: x, y, z"),)),
}

#: Numbers in a field.
_MOST = 16

#: Kinds of parameters of elements that are one field, and those of them that may be formulas.
_NUMBERS = ("number", "magnitude", "length", "vector", "axis", "two", "magnitudes", "choice", "six")
_FORMULAS = ("flow", "history", "law")


def item_names(spec: ModelSpec, kind: str) -> list[str]:
    """Names of the parts of a kind."""
    return [item.name for item in getattr(spec, KINDS[kind][0])] if KINDS[kind][0] else [spec.name]


def fields(spec: ModelSpec, kind: str, name: str) -> tuple[Field, ...]:
    """What can be edited of a part."""
    return _element_fields(_item(spec, kind, name)) if kind == "element" else KINDS[kind][1]


def _element_fields(element: ElementSpec) -> tuple[Field, ...]:
    """Those of its parameters that are numbers, choices or formulas, and no tables or meshes."""
    found = []
    for name, parameter in ELEMENT_TYPES[element.type].parameters.items():
        value = element.parameters.get(name, parameter.default)
        if parameter.kind == "six" and value is not None and _diagonal(value) is None:
            continue
        if parameter.kind in (*_NUMBERS, *_FORMULAS):
            meaning, opened, rest = parameter.meaning.partition(" (")
            unit, closed, more = rest.partition(")")
            measured = opened and closed and not parameter.choices
            given = (unit, meaning + more) if measured else ("", parameter.meaning)
            optional, formula = parameter.default is None, parameter.kind in _FORMULAS
            found.append(Field(name, *given, optional, parameter.choices, formula))
    return tuple(found)


def unit(spec: ModelSpec, kind: str, name: str, field: Field) -> str:
    """The unit of a field: of "N m or N" the one of a joint that turns, or slides."""
    turning, either, sliding = field.unit.partition(" or ")
    if not either or kind in ("element", "tendon"):
        return field.unit
    joint = name if kind == "joint" else _item(spec, kind, name).joint
    type_ = _item(spec, "joint", joint).type
    return {"prismatic": sliding, "revolute": turning, "continuous": turning}.get(type_, field.unit)


def shown(spec: ModelSpec, kind: str, name: str) -> dict[str, str]:
    """The fields of a part as texts."""
    item = _item(spec, kind, name)
    return {field.name: _text(_value(item, field)) for field in fields(spec, kind, name)}


def change(spec: ModelSpec, kind: str, name: str, texts: Mapping[str, str]) -> None:
    """Set the fields of a part that differ from what they are."""
    item, before = _item(spec, kind, name), shown(spec, kind, name)
    known = {field.name: field for field in fields(spec, kind, name)}
    for key, text in texts.items():
        if key not in known:
            raise InputError(f"a {kind} has no field {key!r}; it has {', '.join(known)}")
        if text.strip() != before[key]:
            _set(item, known[key], parsed(known[key], text))


def parsed(field: Field, text: str) -> Any:
    """What a text means for a field: a number, several, None, or a choice."""
    text = text.strip()
    if field.choices:
        if text not in field.choices:
            raise InputError(f"{field.name} must be one of {', '.join(field.choices)}, not {text!r}")
        return text
    if not text:
        if field.optional:
            return None
        raise InputError(f"{field.name} needs a number in {field.unit}")
    if field.formula:
        parts = [_number_or_text(part) for part in _split(text)]
        return parts[0] if len(parts) == 1 else tuple(parts)
    try:
        numbers = [float(part) for part in text.split(",")[: _MOST + 1]]
    except ValueError:
        raise InputError(f"{field.name} must be a number in {field.unit}, not {text[:40]!r}") from None
    if len(numbers) > _MOST or any(map(math.isnan, numbers)):
        raise InputError(f"{field.name} must be a number in {field.unit}, not {text[:40]!r}")
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def _item(spec: ModelSpec, kind: str, name: str) -> Any:
    if not KINDS[kind][0]:
        return spec
    for item in getattr(spec, KINDS[kind][0]):
        if item.name == name:
            return item
    raise InputError(f"there is no {kind} named {name!r}")


def _value(item: Any, field: Field) -> Any:
    if not isinstance(item, ElementSpec):
        return getattr(item, field.name)
    parameter = ELEMENT_TYPES[item.type].parameters[field.name]
    value = item.parameters.get(field.name, parameter.default)
    return _diagonal(value) if parameter.kind == "six" and value is not None else value


def _diagonal(value: Any) -> list[float] | None:
    """The diagonal of a matrix without anything beside it, which may be given for it."""
    matrix = np.array(value, dtype=float)
    if matrix.ndim == 1:
        return matrix.tolist()
    return np.diag(matrix).tolist() if not (matrix - np.diag(np.diag(matrix))).any() else None


def _split(text: str) -> list[str]:
    """Parts between commas that are in no parentheses."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _number_or_text(part: str) -> float | str:
    try:
        return float(part)
    except ValueError:
        return part


def _set(item: Any, field: Field, value: Any) -> None:
    if isinstance(item, ElementSpec):
        item.parameters = {key: x for key, x in item.parameters.items() if key != field.name}
        if value is not None:
            single = field.formula and ELEMENT_TYPES[item.type].parameters[field.name].kind == "law"
            item.parameters[field.name] = str(value) if single else value
        return
    if field.name == "mass":
        if not (isinstance(value, float) and value > 0.0 and math.isfinite(value)):
            raise InputError("the mass must be a positive number in kg")
        # of the same shape: the inertia grows as the mass does
        ratio = value / item.mass if item.mass else 1.0
        if item.inertia is not None:
            item.inertia = _scaled(item.inertia, ratio)
    setattr(item, field.name, value)


def _scaled(numbers: Any, ratio: float) -> Any:
    return tuple(_scaled(x, ratio) for x in numbers) if isinstance(numbers, Sequence) else ratio * numbers


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ", ".join(_text(x) for x in value)
    return "" if math.isinf(value) else f"{value:.10g}"
