"""Named constants of a model, and copies of the model with some of them replaced.

    "<link>.mass"                   kg; the link's rotational inertia scales with it (another density)
    "<link>.center.x"  (y, z)       m, centre of mass in the link's frame
    "<joint>.offset.x" (y, z)       m, the joint's frame in the parent body: the length of a link
    "<joint>.damping"  "<joint>.stiffness"  "<joint>.armature"
    "<joint>.friction"              N m, N; of joints that have dry friction
    "<joint>.lower"  "<joint>.upper"   rad, m; of joints that have that limit
    "material.<name>.friction"  (restitution, stiffness, damping)   of contact, where the material states it

A joint with several degrees of freedom takes "<joint>.damping" for all of them and "<joint>.damping[1]" for
one. Those of force elements and of the fluid are named in `element_values`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from treadle.errors import InputError
from treadle.graph import Expr, Scalar
from treadle.model.attachments import Material
from treadle.model.element_values import (
    ElementPlace,
    element_names,
    element_value,
    find_element_place,
    lift_elements,
)
from treadle.model.model import WORLD, Body, Link, Model, ModelJoint, suggest
from treadle.model.topology import total_inertia
from treadle.spatial import Inertia, Transform, Vec3

__all__ = ["check_values", "lift", "of_material", "parameter_names", "parameter_value"]

# names may contain dots, but none of these endings is the end of another
_LINK = re.compile(r"(?P<name>.+)\.(?P<field>mass|center)(\.(?P<axis>[xyz]))?", re.DOTALL)
_JOINT = re.compile(
    r"(?P<name>.+)\.(?P<field>offset|damping|stiffness|armature|friction|lower|upper)"
    r"(\.(?P<axis>[xyz])|\[(?P<index>\d+)\])?",
    re.DOTALL,
)
_MATERIAL = re.compile(
    r"material\.(?P<name>.+)\.(?P<field>friction|restitution|stiffness|damping)", re.DOTALL
)


def lift(model: Model, values: Mapping[str, Scalar]) -> Model:
    """A copy of the model with named constants replaced by floats or traced scalars."""
    of_elements = {name: place for name in values if (place := _element_place(model, name)) is not None}
    if of_elements:
        found = {place: _checked(name, values[name], place.signed) for name, place in of_elements.items()}
        model = lift_elements(model, found)
        values = {name: value for name, value in values.items() if name not in of_elements}
    links = {link.name: link for link in model.links}
    bodies = {body.joint.name: body for body in model.bodies}
    materials = {material.name: material for material in model.materials}
    changed: set[int] = set()
    places = {name: _place(model, name) for name in values}
    # "damping" before "damping[1]", so that one dof can differ from the others
    for name in sorted(values, key=lambda name: places[name].index is not None):
        place, value = places[name], _checked(name, values[name])
        if place.material is not None:
            materials[place.material] = _with_material_value(materials[place.material], place, value)
        elif place.link is not None:
            links[place.link] = _with_link_value(links[place.link], place, value)
            changed.add(links[place.link].body)
        else:
            bodies[place.joint] = _with_joint_value(bodies[place.joint], place, value)
    new_links = tuple(links[link.name] for link in model.links)
    new_bodies = []
    for index, body in enumerate(bodies[body.joint.name] for body in model.bodies):
        if index in changed:
            own = total_inertia(link for link in new_links if link.body == index)
            body = replace(body, inertia=Inertia(own.mass, own.moment, own.rotational, body.inertia.added))
        new_bodies.append(body)
    return replace(model, bodies=tuple(new_bodies), links=new_links, materials=tuple(materials.values()))


def check_values(model: Model, name: str, values: np.ndarray) -> None:
    """InputError where one of the values is none that this constant can have."""
    element = _element_place(model, name)
    if element is None:
        _place(model, name)
        if _is_end(name):
            # infinite where a world has no limit
            values = np.nan_to_num(values, nan=np.nan, posinf=0.0, neginf=0.0)
    for value in (values.min(), values.max()):
        _checked(name, value, element is not None and element.signed)


def parameter_value(model: Model, name: str) -> float:
    """The current value of a named constant, in a model of floats."""
    element = _element_place(model, name)
    if element is not None:
        return element_value(model, element)
    place = _place(model, name)
    if place.material is not None:
        return float(getattr(_materials(model)[place.material], place.field))
    if place.link is not None:
        link = next(link for link in model.links if link.name == place.link)
        return float(link.mass if place.field == "mass" else getattr(link.center, place.axis))
    body = next(body for body in model.bodies if body.joint.name == place.joint)
    if place.field == "offset":
        return getattr(body.placement.translation, place.axis)
    given = getattr(body.joint, place.field)
    if place.index is not None:
        return given[place.index]
    if any(value != given[0] for value in given):
        raise InputError(f"the degrees of freedom of {name!r} differ; name one of them, such as '{name}[0]'")
    return given[0]


def parameter_names(model: Model) -> list[str]:
    """The names of all constants that can be replaced; joints with several dofs one by one."""
    names = []
    for link in model.links:
        if link.body != WORLD:
            names += [f"{link.name}.mass", *[f"{link.name}.center.{axis}" for axis in "xyz"]]
    for joint in model.joints:
        names += [f"{joint.name}.offset.{axis}" for axis in "xyz"]
        for field in _joint_fields(joint):
            count = joint.type.nv
            names += [f"{joint.name}.{field}" + (f"[{i}]" if count > 1 else "") for i in range(count)]
        for field in ("friction", "lower", "upper"):
            stated = [i for i in range(joint.type.nv) if _states(joint, field, i)]
            names += [f"{joint.name}.{field}" + (f"[{i}]" if joint.type.nv > 1 else "") for i in stated]
    for material in _materials(model).values():
        names += [f"material.{material.name}.{field}" for field in _material_fields(material)]
    return names + element_names(model)


def _element_place(model: Model, name: str) -> ElementPlace | None:
    """Where a constant of an element lives; links and joints of the same name go first."""
    if not isinstance(name, str) or not model.elements or _find(model, name) is not None:
        return None
    return find_element_place(model, name)


def of_material(model: Model, name: str) -> bool:
    """Whether a name is one of contact, and not of a link or joint that is called like a material."""
    match = _MATERIAL.fullmatch(name) if isinstance(name, str) else None
    return match is not None and f"material.{match['name']}" not in {
        part.name for part in (*model.links, *model.joints)
    }


@dataclass(frozen=True)
class _Place:
    """Where a named constant lives: a field of a link, of a joint or of a material."""

    link: str | None
    joint: str
    field: str
    axis: str
    index: int | None
    material: str | None = None


def _place(model: Model, name: str) -> _Place:
    """Find a constant by its name; InputError if there is none."""
    found = _find(model, name)
    if found is None:
        hint = suggest(name, parameter_names(model))
        raise InputError(f"{model.name!r} has no parameter named {name!r}; {hint}")
    return found


def _find(model: Model, name: str) -> _Place | None:
    if isinstance(name, str):
        match = _MATERIAL.fullmatch(name)
        if match and of_material(model, name):
            material = _materials(model).get(match["name"])
            if material is not None and match["field"] in _material_fields(material):
                return _Place(None, "", match["field"], "", None, match["name"])
        match = _LINK.fullmatch(name)
        if match and (match["field"] == "center") == bool(match["axis"]):
            found = {link.name: link for link in model.links}.get(match["name"])
            if found is not None and found.body == WORLD:
                raise InputError(f"{name!r} has no effect: {match['name']!r} is fixed to the world")
            if found is not None:
                return _Place(match["name"], "", match["field"], match["axis"] or "", None)
        match = _JOINT.fullmatch(name)
        if match and (match["field"] == "offset") == bool(match["axis"]):
            joint = {joint.name: joint for joint in model.joints}.get(match["name"])
            index = None if match["index"] is None else int(match["index"])
            if joint is not None and _has(joint, match["field"], index):
                return _Place(None, match["name"], match["field"], match["axis"] or "", index)
    return None


def _has(joint: ModelJoint, field: str, index: int | None) -> bool:
    if field == "offset":
        return True
    if field in ("friction", "lower", "upper"):
        wanted = range(joint.type.nv) if index is None else [index]
        return all(i < joint.type.nv and _states(joint, field, i) for i in wanted)
    return field in _joint_fields(joint) and (index is None or index < joint.type.nv)


def _states(joint: ModelJoint, field: str, i: int) -> bool:
    """Whether a dof has friction or a limit, so that a step has a row for it."""
    values = getattr(joint, field)
    if field == "friction":
        return i < len(values) and values[i] != 0.0
    limited = joint.type.nq == joint.type.nv and not joint.continuous and i < len(values)
    return limited and math.isfinite(values[i])


def _materials(model: Model) -> dict[str, Material]:
    return {material.name: material for material in model.materials}


def _material_fields(material: Material) -> list[str]:
    fields = ("friction", "restitution", "stiffness", "damping")
    return [field for field in fields if getattr(material, field) is not None]


def _joint_fields(joint: ModelJoint) -> list[str]:
    """Constants per dof; there are no springs on positions that are quaternions."""
    return ["damping", "armature"] + (["stiffness"] if joint.type.nq == joint.type.nv else [])


def _checked(name: str, value: Scalar, signed: bool = False) -> Scalar:
    if isinstance(value, Expr):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name!r} needs a number, not {value!r}") from None
    if not math.isfinite(number):
        raise InputError(f"{name!r} needs a finite number, not {number:g}")
    if number < 0.0 and not (signed or _is_end(name) or name.endswith((".x", ".y", ".z"))):
        raise InputError(f"{name!r} must not be negative, and {number:g} is")
    if number > 1.0 and _MATERIAL.fullmatch(name) and name.endswith(".restitution"):
        raise InputError(f"{name!r} must not be above 1, and {number:g} is")
    return number


def _is_end(name: str) -> bool:
    return name.partition("[")[0].endswith((".lower", ".upper"))


def _with_link_value(link: Link, place: _Place, value: Scalar) -> Link:
    if place.field == "center":
        return replace(link, center=_with_component(link.center, place.axis, value))
    # a massless link has no density to scale: it becomes a point mass at its centre
    known = isinstance(link.mass, Expr) or link.mass != 0.0
    rotational = link.rotational * (value / link.mass) if known else link.rotational
    return replace(link, mass=value, rotational=rotational)


def _with_joint_value(body: Body, place: _Place, value: Scalar) -> Body:
    if place.field == "offset":
        placement = body.placement
        moved = _with_component(placement.translation, place.axis, value)
        return replace(body, placement=Transform(placement.rotation, moved))
    given = list(getattr(body.joint, place.field))
    for i in range(len(given)) if place.index is None else [place.index]:
        given[i] = value
    return replace(body, joint=replace(body.joint, **{place.field: tuple(given)}))


def _with_material_value(material: Material, place: _Place, value: Scalar) -> Material:
    if place.field == "friction" and material.friction_across is not None and material.friction:
        # friction of two directions keeps their ratio
        across = material.friction_across * (value / material.friction)
        return replace(material, friction=value, friction_across=across)
    return replace(material, **{place.field: value})


def _with_component(vector: Vec3, axis: str, value: Scalar) -> Vec3:
    return Vec3(*[value if name == axis else old for name, old in zip("xyz", vector, strict=True)])
