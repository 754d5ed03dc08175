"""Named constants of force elements and of the fluid around a machine (see `parameters`).

    "<element>.<parameter>"        a number, such as "strut.stiffness"
    "<element>.<parameter>.x"      a part of a vector (y, z), such as "hull.current.x"
    "<element>.<parameter>[2]"     one of a list, of a 6 x 6 matrix that of its diagonal
    "fluid.density"  "fluid.viscosity"  "fluid.surface"  "fluid.current.x" (y, z)

Those of the fluid are of all elements that are in the machine's fluid. With the density of the fluid goes the
added mass that follows from it. Sizes, axes, tables, profiles and waves are no parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from treadle.graph import Expr, Scalar, maximum
from treadle.model.attachments import Settings
from treadle.model.elements import ELEMENT_TYPES, Element, law_scales
from treadle.model.hydrodynamics import Fluid, ellipsoid_added_mass
from treadle.model.model import WORLD, Model
from treadle.spatial import ArticulatedInertia, Inertia

__all__ = [
    "ElementPlace",
    "element_names",
    "element_value",
    "find_element_place",
    "lift_elements",
    "may_stiffen",
]

_NAME = re.compile(r"(?P<name>.+?)\.(?P<field>[a-z_]+)(\.(?P<axis>[xyz])|\[(?P<index>\d+)\])?", re.DOTALL)

#: How a kind of parameter is named: as a number, by axis, or by index.
_NUMBERS = ("number", "magnitude", "length")
_VECTORS = ("vector", "flow", "history")
_LISTS = ("two", "magnitudes", "six")

#: What other constants follow from, or what decides which code is made.
_FIXED = {
    "hull": ("size", "gravity", "added_mass"),
    "mujoco_fluid": ("size", "added_mass"),
    "bushing": ("stiffness", "damping"),
}

_FLUID = ("density", "viscosity", "surface", "current")

#: Parameters that an element may become stiff for a step by.
_STIFFENING = (
    "stiffness",
    "damping",
    "linear_drag",
    "quadratic_drag",
    "drag_coefficient",
    "density",
    "viscosity",
)


@dataclass(frozen=True)
class ElementPlace:
    """Where a constant lives: elements by their number, a parameter, and a place in it if it is a list."""

    elements: tuple[int, ...]
    field: str
    index: int | None
    #: whether it may be negative
    signed: bool
    #: whether it is that of the machine's fluid
    fluid: bool = False


def element_names(model: Model) -> list[str]:
    """The names of all constants of elements and the fluid that can be replaced."""
    names = []
    for element in model.elements:
        for field in ELEMENT_TYPES[element.type].parameters:
            names += [f"{element.name}.{field}{end}" for end in _ends(element, field)]
    ends = {"current": (".x", ".y", ".z")}
    for field in _FLUID:
        if _in_fluid(model, field):
            names += [f"fluid.{field}{end}" for end in ends.get(field, ("",))]
    return names


def find_element_place(model: Model, name: str) -> ElementPlace | None:
    """Where a constant lives, if it is one of an element or of the fluid."""
    match = _NAME.fullmatch(name)
    if not match:
        return None
    field, end = match["field"], name[match.end("field") :]
    index = (
        "xyz".index(match["axis"])
        if match["axis"]
        else None
        if match["index"] is None
        else int(match["index"])
    )
    for k, element in enumerate(model.elements):
        if element.name == match["name"] and end in _ends(element, field):
            kind = ELEMENT_TYPES[element.type].parameters[field].kind
            return ElementPlace((k,), field, index, kind not in ("magnitude", "length", "magnitudes", "six"))
    if match["name"] == "fluid" and field in _FLUID and (match["axis"] is not None) == (field == "current"):
        found = _in_fluid(model, field)
        signed = field in ("surface", "current")
        return ElementPlace(tuple(found), field, index, signed, True) if found else None
    return None


def element_value(model: Model, place: ElementPlace) -> float:
    """The present value of a constant, in a model of floats."""
    value = model.elements[place.elements[0]].parameters[place.field]
    if place.index is None:
        return float(value)
    value = value[place.index]
    return float(value[place.index] if isinstance(value, tuple) else value)


def may_stiffen(model: Model, names: Sequence[str]) -> Model:
    """The model with those elements implicit that these parameters may make stiff."""
    elements = list(model.elements)
    for name in names:
        place = find_element_place(model, name)
        if place is not None and place.field in _STIFFENING:
            for k in place.elements:
                elements[k] = replace(elements[k], implicit=True)
    return model if elements == list(model.elements) else replace(model, elements=tuple(elements))


def lift_elements(model: Model, values: Mapping[ElementPlace, Scalar]) -> Model:
    """A copy of the model with constants of its elements replaced by floats or traced scalars."""
    elements, bodies = list(model.elements), list(model.bodies)
    # those of the fluid first, so that one element can differ from the others
    for place in sorted(values, key=lambda place: not place.fluid):
        for k in place.elements:
            old, value = elements[k], values[place]
            parameters = dict(old.parameters)
            parameters[place.field] = _with_value(parameters[place.field], place.index, value)
            if place.field == "density" and _of_lamb(old):
                ratio = value / old.parameters["density"]
                parameters["added_mass"] = tuple(
                    tuple(x * ratio for x in row) for row in old.parameters["added_mass"]
                )
                body = old.bodies[0]
                if body != WORLD:
                    inertia = _with_added(bodies[body].inertia, old, ratio - 1.0)
                    bodies[body] = replace(bodies[body], inertia=inertia)
            elements[k] = _rated(replace(old, parameters=Settings(parameters)))
    settings = _with_fluid(model.settings, values)
    return replace(model, elements=tuple(elements), bodies=tuple(bodies), settings=settings)


def _with_fluid(settings: Mapping[str, Any], values: Mapping[ElementPlace, Scalar]) -> Mapping[str, Any]:
    """The settings with numbers of the fluid replaced."""
    fluid = dict(settings.get("fluid", {}))
    changed = False
    for place, value in values.items():
        if place.fluid and not isinstance(value, Expr):
            old = fluid.get(place.field, getattr(Fluid(), place.field))
            fluid[place.field] = _with_value(old, place.index, value)
            changed = True
    return Settings({**settings, "fluid": fluid}) if changed else settings


def _ends(element: Element, field: str) -> list[str]:
    """What follows the name of a parameter, for each of its numbers."""
    kind = ELEMENT_TYPES[element.type].parameters.get(field)
    value = element.parameters.get(field)
    if kind is None or value is None or field in _FIXED.get(element.type, ()):
        return []
    if field == "volume" and element.parameters["shape"] != "volume":
        return []
    if kind.kind in _NUMBERS:
        return [""]
    if kind.kind in _VECTORS:
        return [] if any(isinstance(x, str) for x in value) else [".x", ".y", ".z"]
    return [f"[{i}]" for i in range(len(value))] if kind.kind in _LISTS else []


def _in_fluid(model: Model, field: str) -> list[int]:
    """Elements whose parameter is that of the machine's fluid."""
    value = getattr(Fluid.of(_thawed(model.settings.get("fluid", {}))), field)
    if value is None or (field == "current" and any(isinstance(x, str) for x in value)):
        return []
    return [
        k
        for k, element in enumerate(model.elements)
        if ELEMENT_TYPES[element.type].immersed and element.parameters.get(field) == value
    ]


def _thawed(value: Any) -> Any:
    return {name: _thawed(x) for name, x in value.items()} if isinstance(value, Mapping) else value


def _with_value(old: Any, index: int | None, value: Scalar) -> Any:
    if index is None:
        return value
    if isinstance(old[index], tuple):
        row = tuple(value if j == index else x for j, x in enumerate(old[index]))
        return tuple(row if i == index else x for i, x in enumerate(old))
    return tuple(value if i == index else x for i, x in enumerate(old))


def _of_lamb(element: Element) -> bool:
    """Whether the added mass of a hull follows from its size and the density."""
    if element.type != "hull" or element.parameters["shape"] != "ellipsoid":
        return False
    density = element.parameters["density"]
    if isinstance(density, Expr) or float(density) == 0.0:
        # the fluid's density was replaced before: the hull followed it
        return isinstance(density, Expr)
    size = [float(x) for x in element.parameters["size"]]
    own = np.array([[float(x) for x in row] for row in element.parameters["added_mass"]])
    return np.array_equal(own, ellipsoid_added_mass(size, float(density)))


def _with_added(inertia: Inertia, element: Element, share: Scalar) -> Inertia:
    """An inertia with more of the added mass of a hull."""
    rows = [[x * share for x in row] for row in element.parameters["added_mass"]]
    own = ArticulatedInertia.of_matrix(rows).to_parent(element.placements[0])
    added = own if inertia.added is None else inertia.added + own
    return Inertia(inertia.mass, inertia.moment, inertia.rotational, added)


def _rated(element: Element) -> Element:
    """The element with the frequency that its stiffness gives the machine."""
    if element.type not in ("spring", "torsion_spring"):
        return element
    stiffness = element.parameters["stiffness"] + law_scales(element.parameters).stiffness
    table = element.parameters.get("table", ())
    slopes = [(f1 - f0) / (x1 - x0) for (x0, f0), (x1, f1) in pairwise(table)]
    turning, sliding = element.mobility
    scale = turning if element.type == "torsion_spring" else sliding
    return replace(element, stiffness_rate=reduce(maximum, slopes, stiffness) * scale)
