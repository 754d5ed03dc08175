"""Springs between two points as spatial tendons; other force elements are left out, and reported."""

from __future__ import annotations

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model import Model

__all__ = ["add_elements"]


def add_elements(model: Model, tree: Tree, section: Element, names: Names, notes: Notes) -> None:
    """A tendon through two sites for every spring that pulls and pushes, without a table."""
    for element in model.elements:
        p = element.parameters
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
