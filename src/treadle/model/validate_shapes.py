"""Checks of what bodies look like and are made of: shapes, materials, contacts; and of the settings."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

from treadle.model.faults import check_body_name, check_names, converted, fault
from treadle.model.model import suggest
from treadle.model.parts import SHAPE_TYPES
from treadle.model.validate_materials import check_material
from treadle.model.values import not_json, plain, rotation_matrix, vector

if TYPE_CHECKING:
    from treadle.model.parts import ContactSpec, ShapeSpec
    from treadle.model.spec import ModelSpec

__all__ = ["check_choice", "check_size", "validate_shapes"]

#: How many numbers the size of a shape has.
_SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3}
_ROLES = ("visual", "collision")


def validate_shapes(spec: ModelSpec, bodies: set[str]) -> None:
    """Raise ModelError at the first mistake."""
    _check_scene(spec)
    for kind, items in (("shape", spec.shapes), ("material", spec.materials)):
        check_names(spec, [(kind, item) for item in items])
    for material in spec.materials:
        check_material(spec, material)
    materials = [material.name for material in spec.materials]
    groups = {shape.group for shape in spec.shapes if isinstance(shape.group, str)} | {"default"}
    for shape in spec.shapes:
        _check_shape(spec, shape, bodies, materials)
        _check_groups(spec, shape, groups)
    _check_contacts(spec, bodies, materials)


def check_size(spec: ModelSpec, element: str, item: Any) -> None:
    """That the size of a shape, or of a body that is one, has the right numbers."""
    meaning = f"the size of a {item.type} is: {SHAPE_TYPES[item.type]}"
    try:
        size = vector(plain(item.size), _SIZES.get(item.type, 0))
    except ValueError as error:
        raise fault(spec, element, f"size {error}", meaning, item) from None
    if (size < 0.0).any():
        raise fault(spec, element, "size is negative", meaning, item)


def check_choice(spec: ModelSpec, element: str, item: Any, name: str, known: Iterable[str]) -> None:
    """That a field is one of the known words."""
    value = getattr(item, name)
    if not isinstance(value, str) or value not in known:
        hint = f"use one of {', '.join(known)}"
        raise fault(spec, element, f"unknown {name} {value!r}", hint, item)


def _check_scene(spec: ModelSpec) -> None:
    element = f'model "{spec.name}"'
    if spec.geometry is not None and not (isinstance(spec.geometry, str) and spec.geometry.strip()):
        raise fault(spec, element, "geometry needs the path of a file", "or leave it out", spec)
    if not isinstance(spec.settings, dict):
        raise fault(spec, element, "settings need names with values", 'such as {"dt": 0.001}', spec)
    problem = not_json(spec.settings)
    if problem:
        hint = "use text, numbers, true or false, and lists and tables of these"
        raise fault(spec, element, f"settings hold {problem}", hint, spec)


def _check_shape(spec: ModelSpec, shape: ShapeSpec, bodies: set[str], materials: list[str]) -> None:
    element = f'shape "{shape.name}"'
    check_choice(spec, element, shape, "type", SHAPE_TYPES)
    check_choice(spec, element, shape, "role", _ROLES)
    check_body_name(spec, element, shape, "body", bodies)
    check_size(spec, element, shape)
    converted(spec, element, shape, "position", vector)
    converted(spec, element, shape, "rotation", rotation_matrix)
    converted(spec, element, shape, "surface_velocity", vector)
    converted(spec, element, shape, "surface_rotation", vector)
    if (converted(spec, element, shape, "scale", vector) == 0.0).any():
        raise fault(spec, element, "scale is zero", "give three numbers, such as (1, 1, 1)", shape)
    if shape.color is not None:
        color = converted(spec, element, shape, "color", lambda value: vector(value, 4))
        if (color < 0.0).any() or (color > 1.0).any():
            hint = "give red, green, blue and alpha between 0 and 1"
            raise fault(spec, element, "color is out of range", hint, shape)
    _check_material_name(spec, element, shape, materials)
    _check_file(spec, element, shape)


def _check_groups(spec: ModelSpec, shape: ShapeSpec, groups: set[str]) -> None:
    element = f'shape "{shape.name}"'
    if not (isinstance(shape.group, str) and shape.group.strip()):
        raise fault(spec, element, f"group needs a name, not {shape.group!r}", "or leave it out", shape)
    if shape.meets is None:
        return
    if isinstance(shape.meets, str) or not all(isinstance(name, str) for name in shape.meets):
        hint = 'give a list, such as ["ground"], or leave it out to meet all'
        raise fault(spec, element, "meets needs names of groups", hint, shape)
    for name in shape.meets:
        if name not in groups:
            raise fault(
                spec, element, f"no shape is in the group {name!r}", suggest(name, sorted(groups)), shape
            )


def _check_file(spec: ModelSpec, element: str, shape: ShapeSpec) -> None:
    if shape.type not in ("mesh", "part"):
        if shape.file is not None:
            raise fault(spec, element, f"a {shape.type} has no file", "make it a mesh", shape)
        return
    # a simulation may be given the points of a mesh
    given = shape.type == "mesh" and shape.role == "collision" and spec.file is None
    if shape.file is None and given:
        return
    if not (isinstance(shape.file, str) and shape.file.strip()):
        hint = "name its file" if shape.type == "mesh" else "name the component of the geometry file"
        raise fault(spec, element, f"a {shape.type} needs a file", hint, shape)
    if shape.type == "part" and spec.geometry is None:
        hint = "state the model's geometry"
        raise fault(spec, element, "is part of a geometry file, but the model names none", hint, shape)


def _check_contacts(spec: ModelSpec, bodies: set[str], materials: list[str]) -> None:
    seen: dict[frozenset[str | None], ContactSpec] = {}
    for contact in spec.contacts:
        element = f'contact of "{contact.first or "world"}" and "{contact.second or "world"}"'
        for role in ("first", "second"):
            check_body_name(spec, element, contact, role, bodies)
        if contact.first == contact.second:
            raise fault(spec, element, "is that of a body with itself", "name two bodies", contact)
        if not isinstance(contact.enabled, bool):
            raise fault(spec, element, f"enabled needs true or false, not {contact.enabled!r}", None, contact)
        _check_material_name(spec, element, contact, materials)
        other = seen.setdefault(frozenset((contact.first, contact.second)), contact)
        if (other.enabled, other.material) != (contact.enabled, contact.material):
            raise fault(spec, element, "is stated twice and differently", "remove one of them", contact)


def _check_material_name(spec: ModelSpec, element: str, item: Any, materials: Container[str]) -> None:
    if item.material is not None and item.material not in materials:
        hint = suggest(item.material, [material.name for material in spec.materials])
        raise fault(spec, element, f"its material {item.material!r} is not stated", hint, item)
