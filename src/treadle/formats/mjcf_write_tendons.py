"""Tendons: sites and geoms in the bodies, and the path over them; what the file has already is used again."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model import Model
from treadle.model.tendons import PathPart, Tendon
from treadle.model.values import rotation_matrix
from treadle.spatial import Mat3, Transform

__all__ = ["add_tendons"]


def add_tendons(model: Model, tree: Tree, section: Element, names: Names, notes: Notes) -> dict[int, str]:
    """Every tendon; the names that they have in the file, by their number."""
    written = {}
    for number, tendon in enumerate(model.tendons):
        name = written[number] = names.free("tendon", tendon.name)
        if tendon.path:
            element = section.add("spatial", name=name, **_options(tendon, notes))
            for part in tendon.path:
                _add_part(part, tree, element, names, name)
        else:
            element = section.add("fixed", name=name, **_options(tendon, notes))
            for q, _, coefficient in tendon.joints:
                joint = next(joint for joint in model.joints if joint.q.start == q)
                element.add("joint", joint=tree.parts_of(joint.name)[0].name, coef=coefficient)
    return written


def _options(tendon: Tendon, notes: Notes) -> dict[str, Any]:
    low, high = tendon.lower[0], tendon.upper[0]
    if np.isfinite(low) != np.isfinite(high):
        # MuJoCo knows two-sided limits only; a length is never below zero
        low, high = (0.0, high) if np.isfinite(high) else (low, 1e6)
    if any((*tendon.limit_restitution, *tendon.limit_stiffness, *tendon.limit_damping)):
        notes.add("tendons whose limits yield or throw back, written as those of MuJoCo", tendon.name)
    rest = tendon.reference
    return {
        "stiffness": tendon.stiffness[0] or None,
        "damping": tendon.damping[0] or None,
        "frictionloss": tendon.friction[0] or None,
        "springlength": (rest[0] if rest[0] == rest[1] else rest) if tendon.stiffness[0] else None,
        "limited": "true" if np.isfinite(low) else None,
        "range": (low, high) if np.isfinite(low) else None,
    }


def _add_part(part: PathPart, tree: Tree, element: Element, names: Names, tendon: str) -> None:
    if part.kind == "pulley":
        element.add("pulley", divisor=part.divisor)
    elif part.kind == "point":
        point = Transform(Mat3.identity(), part.placement.translation)
        element.add("site", site=_site(names, tendon, *tree.on_link(part.link, point)))
    else:
        side = None
        if part.side is not None:
            place = Transform(Mat3.identity(), part.side)
            side = _site(names, f"{tendon}_side", *tree.on_body(part.side_body, place))
        element.add("geom", geom=_geom(tree, names, tendon, part), sidesite=side)


def _site(names: Names, wanted: str, parent: Element, place: dict[str, Any]) -> str:
    """A site at a place in an element: one that is there, or a new one."""
    place = {name: value for name, value in place.items() if name == "pos"}
    for child in parent.children:
        if child.tag == "site" and _same(child.attributes.get("pos"), place.get("pos")):
            return child.attributes["name"]
    return parent.add("site", name=names.free("site", wanted, own=False), **place).attributes["name"]


def _geom(tree: Tree, names: Names, tendon: str, part: PathPart) -> str:
    """A sphere or cylinder to wrap around: one that is there, or a new one that touches nothing."""
    parent, place = tree.on_link(part.link, part.placement)
    for child in parent.children:
        given = child.attributes
        if child.tag != "geom" or given.get("type", "sphere") != part.kind or not given.get("name"):
            continue
        same = _same(given.get("pos"), place.get("pos")) and np.atleast_1d(given["size"])[0] == part.radius
        if same and (part.kind == "sphere" or np.allclose(_axis(given), _axis(place), rtol=0.0, atol=1e-12)):
            return given["name"]
    size = part.radius if part.kind == "sphere" else (part.radius, 4.0 * part.radius)
    geom = parent.add(
        "geom", name=names.free("geom", f"{tendon}_wrap", own=False), type=part.kind, size=size, **place,
        mass=0, contype=0, conaffinity=0, group=4,
    )  # fmt: skip
    return geom.attributes["name"]


def _same(first: Any, second: Any) -> bool:
    a, b = (np.zeros(3) if value is None else np.asarray(value, dtype=float) for value in (first, second))
    return bool(np.allclose(a, b, rtol=0.0, atol=1e-14))


def _axis(given: dict[str, Any]) -> np.ndarray:
    """The z axis of a pose."""
    return rotation_matrix(given.get("quat", (1.0, 0.0, 0.0, 0.0)))[:, 2]
