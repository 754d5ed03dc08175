"""Springs between two points as spatial tendons; other force elements are left out, and reported."""

from __future__ import annotations

from typing import Any

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model import Model
from treadle.model.elements import Element as ForceElement
from treadle.model.model import WORLD, Link

__all__ = ["add_elements", "fluid_options"]


def add_elements(model: Model, tree: Tree, section: Element, names: Names, notes: Notes) -> None:
    """A tendon through two sites for every spring that pulls and pushes, without a table."""
    for element in model.elements:
        p = element.parameters
        if element.type == "mujoco_fluid":
            _add_fluid_shape(element, tree, names, notes)
            continue
        if element.type != "spring" or p["acts"] != "both" or p["table"]:
            notes.add("force elements that are not written", element.name)
            continue
        if p["pretension"] and not p["stiffness"]:
            notes.add("force elements that are not written", element.name)
            continue
        sites = []
        for k, (body, placement) in enumerate(zip(element.bodies, element.placements, strict=True)):
            parent, pose = tree.on_body(body, placement)
            sites.append(names.free("site", f"{element.name}_{k + 1}"))
            parent.add("site", name=sites[-1], **pose)
        # a pretension is a shorter spring
        length = p["length"] - (p["pretension"] / p["stiffness"] if p["pretension"] else 0.0)
        tendon = section.add(
            "spatial",
            name=names.free("tendon", element.name),
            stiffness=p["stiffness"] or None,
            damping=p["damping"] or None,
            springlength=length,
        )
        for site in sites:
            tendon.add("site", site=site)


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
