"""Shapes as geoms, materials as their friction, frames as sites, and who touches whom."""

from __future__ import annotations

import math
from itertools import product
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from treadle.collision.rules import loop_neighbours
from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_groups import masks_of, meet
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model.attachments import Material, Shape
from treadle.model.model import WORLD, Model

__all__ = ["add_contacts", "add_frames", "add_shapes"]

#: MuJoCo's sizes are half lengths.
_HALVES = {
    "box": (0.5, 0.5, 0.5),
    "sphere": (1.0,),
    "cylinder": (1.0, 0.5),
    "capsule": (1.0, 0.5),
    "ellipsoid": (1.0, 1.0, 1.0),
}
#: By custom the groups of geoms that are seen and of those that touch; the latter are hidden.
_SEEN, _HIDDEN = 2, 3


def add_shapes(
    model: Model, tree: Tree, asset: Element, names: Names, notes: Notes
) -> dict[str, dict[str, Shape]]:
    """The geoms; returns those that touch by their names, by link ("" for the world)."""
    meshes: dict[tuple[Any, ...], str] = {}
    materials = {material.name: material for material in model.materials}
    touching: dict[str, dict[str, Shape]] = {}
    masks = masks_of(model, notes)
    for shape in model.shapes:
        fields = _geometry(shape, asset, meshes, names, notes)
        if fields is None:
            continue
        name = names.free("geom", shape.name)
        element, place = tree.on_link(shape.link, shape.placement)
        contact = {"group": _SEEN, "contype": 0, "conaffinity": 0}
        if shape.role == "collision":
            friction = _friction(materials.get(shape.material or ""), notes)
            contact = {"group": _HIDDEN, **masks.get(shape.name, {}), **friction}
            touching.setdefault(shape.link or "", {})[name] = shape
        element.add("geom", name=name, **fields, **place, rgba=shape.color, **contact)
    return touching


def add_frames(model: Model, tree: Tree, names: Names) -> None:
    """A site for each frame that is not a link's."""
    for frame in model.frames[len(model.links) :]:
        element, place = tree.on_body(frame.body, frame.placement)
        element.add("site", name=names.free("site", frame.name), **place)


def add_contacts(
    model: Model, tree: Tree, contact: Element, touching: dict[str, dict[str, Shape]], notes: Notes
) -> None:
    """Bodies that must not touch, and pairs of geoms with a material of their own."""
    materials = {material.name: material for material in model.materials}
    forbidden = [(item.first, item.second) for item in model.contacts if not item.enabled]
    for first, second in dict.fromkeys([*forbidden, *_connected(model, touching)]):
        bodies = [tree.body_names.get(name) for name in (first, second)]
        if None not in bodies:
            contact.add("exclude", body1=bodies[0], body2=bodies[1])
    for item in model.contacts:
        if item.enabled:
            stated = {} if item.material is None else _friction(materials[item.material], notes)
            own = {name: value for name, value in stated.items() if name in ("condim", "friction")}
            if "friction" in own:
                slide, spin, roll = own["friction"]
                own["friction"] = (slide, slide, spin, roll, roll)
            sides = (touching.get(name or "", {}).items() for name in (item.first, item.second))
            for (first, one), (second, other) in product(*sides):
                if meet(one, other):
                    contact.add("pair", geom1=first, geom2=second, **own)


def _connected(model: Model, touching: dict[str, dict[str, Shape]]) -> list[tuple[str, str]]:
    """Links that a joint keeps from touching here but not in MuJoCo: it closes a loop, or one is fixed."""
    held: dict[int, list[str]] = {}
    for link in model.links:
        if link.name in touching:
            held.setdefault(link.body, []).append(link.name)
    pairs = [
        pair
        for one, other in loop_neighbours(model)
        for pair in product(held.get(one, []), held.get(other, []))
    ]
    for index, body in enumerate(model.bodies):
        if body.parent == WORLD and body.holder is not None and body.holder in touching:
            pairs += [(body.holder, link) for link in held.get(index, [])]
    allowed = {frozenset((item.first, item.second)) for item in model.contacts if item.enabled}
    return [pair for pair in pairs if frozenset(pair) not in allowed]


def _geometry(
    shape: Shape, asset: Element, meshes: dict[tuple[Any, ...], str], names: Names, notes: Notes
) -> dict[str, Any] | None:
    """Type and size of a geom; None if there is none for the shape."""
    if any((*shape.surface_velocity, *shape.surface_rotation)):
        notes.add(
            "shapes whose surface stands still, for MuJoCo has no moving surfaces", shape.name, "warning"
        )
    if shape.type in _HALVES:
        size = np.array(shape.size) * _HALVES[shape.type]
        if (size <= 0.0).any():
            notes.add("shapes left out, for they have no size", shape.name, "warning")
            return None
        return {"type": shape.type, "size": size}
    if shape.type == "plane":
        if shape.body != WORLD:
            notes.add("planes left out, which MuJoCo has on fixed bodies only", shape.name, "warning")
            return None
        return {"type": "plane", "size": (0, 0, 1)}
    if shape.type != "mesh" or not shape.file:
        notes.add("shapes left out, for MJCF has no parts of a geometry file", shape.name, "warning")
        return None
    key = (shape.file, shape.scale)
    if key not in meshes:
        meshes[key] = names.free("mesh", PurePosixPath(shape.file).stem, own=False)
        scale = shape.scale if tuple(shape.scale) != (1.0, 1.0, 1.0) else None
        # as a shell, because surfaces that are not closed have no volume
        asset.add("mesh", name=meshes[key], file=shape.file, scale=scale, inertia="shell")
    return {"type": "mesh", "mesh": meshes[key]}


def _friction(material: Material | None, notes: Notes) -> dict[str, Any]:
    """Coefficients of friction, and as many dimensions of contact as they need."""
    if material is None:
        return {}
    soft = _reference(material)
    if not soft and any(x is not None for x in (material.stiffness, material.damping, material.restitution)):
        what = "materials of which only the friction is written: MuJoCo's contact is soft per unit of mass"
        notes.add(what, material.name)
    if material.friction is None:
        return soft
    if material.friction_across not in (None, material.friction):
        notes.add("materials written with friction alike in all directions, as geoms have it", material.name)
    rolls, spins = material.rolling_friction > 0.0, material.spinning_friction > 0.0
    slide = material.friction
    own = {"priority": material.priority or None, "solmix": None if material.mix == 1.0 else material.mix}
    own |= soft
    dimensions = material.friction_dimensions
    if slide == 0.0 and not (rolls or spins) and dimensions in (None, 1):
        return {"condim": 1, **own}
    if material.combination not in (None, "maximum"):
        notes.add("materials whose friction combines in another way than MuJoCo's maximum", material.name)
    numbers = (slide, material.spinning_friction, material.rolling_friction)
    return {"condim": dimensions or (6 if rolls else 4 if spins else 3), "friction": numbers, **own}


def _reference(material: Material) -> dict[str, Any]:
    """solref and solimp of a material with an impedance, the other way round as they are read."""
    if material.impedance is None or not material.stiffness or material.damping is None:
        return {}
    stiffness, damping = material.stiffness, material.damping
    timed = (2.0 / damping, damping / (2.0 * math.sqrt(stiffness))) if damping else (-stiffness, 0.0)
    return {"solref": timed, "solimp": material.impedance}
