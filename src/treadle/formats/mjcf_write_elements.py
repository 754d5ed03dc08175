"""Springs as spatial tendons, compensated weights and MuJoCo's fluid; other elements are reported."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model import Model
from treadle.model.elements import Element as ForceElement
from treadle.model.model import WORLD, Link
from treadle.spatial import Transform

__all__ = ["add_elements", "fluid_options"]

#: A length (m) that no spring reaches.
_FAR = 1e6


def add_elements(model: Model, tree: Tree, section: Element, names: Names, notes: Notes) -> None:
    """Those that MJCF has a word for."""
    compensation: dict[str, float] = {}
    for element in model.elements:
        if element.type == "mujoco_fluid":
            _add_fluid_shape(element, tree, names, notes)
        elif (lengths := _spring_lengths(element)) is not None:
            _add_spring(element, lengths, tree, section, names)
        elif (share := _compensated(model, element)) is not None:
            name = element.frames[0]
            assert name is not None
            compensation[name] = compensation.get(name, 0.0) + share
        else:
            notes.add("force elements that are not written", element.name)
    for name, share in compensation.items():
        tree.on_link(name, Transform.identity())[0].attributes["gravcomp"] = share


def _spring_lengths(element: ForceElement) -> float | tuple[float, float] | None:
    """The lengths at which a tendon is as slack as the spring; None if no tendon is like it."""
    p = element.parameters
    if element.type != "spring" or p["table"] or p["law"] or (p["pretension"] and not p["stiffness"]):
        return None
    # a pretension is a shorter spring
    length = p["length"] - (p["pretension"] / p["stiffness"] if p["pretension"] else 0.0)
    if p["acts"] == "both":
        return length
    # the damper of a tendon acts always, and its lengths are not negative
    if p["damping"] or length < 0.0:
        return None
    return (0.0, length) if p["acts"] == "tension" else (length, _FAR)


def _add_spring(
    element: ForceElement, lengths: float | tuple[float, float], tree: Tree, section: Element, names: Names
) -> None:
    """A tendon through two sites."""
    p = element.parameters
    sites = []
    for k, (body, placement) in enumerate(zip(element.bodies, element.placements, strict=True)):
        parent, pose = tree.on_body(body, placement)
        sites.append(names.free("site", f"{element.name}_{k + 1}"))
        parent.add("site", name=sites[-1], **pose)
    tendon = section.add(
        "spatial",
        name=names.free("tendon", element.name),
        stiffness=p["stiffness"] or None,
        damping=p["damping"] or None,
        springlength=lengths,
    )
    for site in sites:
        tendon.add("site", site=site)


def _compensated(model: Model, element: ForceElement) -> float | None:
    """The share of a link's weight that a field against the machine's gravity carries, at its centre."""
    p, gravity = element.parameters, np.array(model.gravity, dtype=float)
    if element.type != "gravity" or p["parameter"] or not gravity.any():
        return None
    link = next((link for link in model.links if link.name == element.frames[0]), None)
    if link is None or link.body == WORLD or not link.mass:
        return None
    point = np.array(element.offsets[0] if element.offsets else (0.0, 0.0, 0.0), dtype=float)
    field = np.array(p["uniform"], dtype=float)
    share = -float(field @ gravity) / float(gravity @ gravity)
    off = np.abs(point - np.array(list(link.center), dtype=float)).max()
    across = np.abs(field + share * gravity).max()
    if off > 1e-9 or across > 1e-9 * np.abs(gravity).max():
        return None
    return share * p["mass"] / float(link.mass)


def _add_fluid_shape(element: ForceElement, tree: Tree, names: Names, notes: Notes) -> None:
    """A massless ellipsoid that touches nothing; MuJoCo finds the boxes of the other bodies by itself."""
    p = element.parameters
    if p["model"] == "box":
        low, middle, high = sorted(p["size"])
        if min(middle - low, high - middle) < 1e-6 * high:
            notes.add(
                "fluid forces of inertia boxes with equal sides, whose axes MuJoCo chooses", element.name
            )
        return
    parent, pose = tree.on_body(element.bodies[0], element.placements[0])
    parent.add(
        "geom", name=names.free("geom", element.name), type="ellipsoid", size=p["size"], mass=0,
        contype=0, conaffinity=0, fluidshape="ellipsoid", fluidcoef=p["coefficients"], **pose,
    )  # fmt: skip


def fluid_options(model: Model, notes: Notes) -> dict[str, Any]:
    """Density, viscosity and wind of the medium, where its fluid acts as MuJoCo's does."""
    acting = [element for element in model.elements if element.type == "mujoco_fluid"]
    if not acting:
        return {}
    p = acting[0].parameters
    moved = {element.bodies[0] for element in acting}
    other = [model.links[k].name for k in range(len(model.links)) if _left_out(model.links[k], moved)]
    if other:
        notes.add("bodies that a fluid acts on in MuJoCo and not here", other[0])
    if p["profile"] or any(isinstance(x, str) for x in p["current"]):
        notes.add("currents that vary, which are not written", acting[0].name)
        return {"density": p["density"], "viscosity": p["viscosity"]}
    return {"density": p["density"], "viscosity": p["viscosity"], "wind": p["current"]}


def _left_out(link: Link, moved: set[int]) -> bool:
    return link.body != WORLD and link.body not in moved
