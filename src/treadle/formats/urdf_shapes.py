"""The shapes of a URDF: <visual> and <collision>, with the colours of materials."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.urdf11 import is_capsule
from treadle.model import ModelSpec
from treadle.model.finding import Finding

__all__ = ["add_shapes", "leave_out_shapes"]


def leave_out_shapes(root: Any) -> list[Finding]:
    """Remove shapes of which there is nothing to read, for their geometry is none that is known."""
    left = []
    for link in root.findall("link"):
        for element in [*link.findall("visual"), *link.findall("collision")]:
            geometry = element.find("geometry")
            if geometry is not None and len(geometry) == 0:
                left.append(f"{element.tag} of {link.get('name')}")
                link.remove(element)
    what = "shapes left out, for their geometry is not box, cylinder, sphere, capsule or mesh"
    return [Finding(what, left, "warning")] if left else []


def add_shapes(spec: ModelSpec, robot: Any, root: Any) -> list[Finding]:
    """Append the shapes of yourdfpy's `robot`, whose elements are those of `root`; what was guessed."""
    colors = _Colors(robot)
    used: set[str] = set()
    for link, element in zip(robot.links, root.findall("link"), strict=True):
        for role, items in (("visual", link.visuals), ("collision", link.collisions)):
            for item, place in zip(items, element.findall(role), strict=True):
                name = _unique(item.name or f"{link.name}/{role}", used)
                kind, options = _geometry(item.geometry)
                kind = "capsule" if is_capsule(place) else kind
                if item.origin is not None:
                    options |= {"position": item.origin[:3, 3], "rotation": item.origin[:3, :3]}
                if role == "visual":
                    options["color"] = colors.of(item.material, name)
                line = place.sourceline
                spec.add_shape(name, link.name, kind, role=role, line=line, **options)
    return colors.findings()


def _geometry(geometry: Any) -> tuple[str, dict[str, Any]]:
    """Type and size of a shape, or its file and scale."""
    if geometry.box is not None:
        return "box", {"size": geometry.box.size}
    if geometry.cylinder is not None:
        return "cylinder", {"size": (geometry.cylinder.radius, geometry.cylinder.length)}
    if geometry.sphere is not None:
        return "sphere", {"size": (geometry.sphere.radius,)}
    options: dict[str, Any] = {"file": geometry.mesh.filename.strip()}
    if geometry.mesh.scale is not None:
        options["scale"] = np.broadcast_to(geometry.mesh.scale, 3)
    return "mesh", options


def _unique(name: str, used: set[str]) -> str:
    """The name, with a number if it is used already."""
    number, given = 1, name
    while name in used:
        number += 1
        name = f"{given}{number}"
    used.add(name)
    return name


class _Colors:
    """The colours of a robot's materials, which any visual may define and any may name."""

    def __init__(self, robot: Any) -> None:
        inner = [item.material for link in robot.links for item in link.visuals if item.material]
        self.known: dict[str | None, Any] = {}
        self.repeated: list[str] = []
        for material in [*robot.materials, *inner]:
            if material.color is None or material.name is None:
                continue
            first = self.known.setdefault(material.name, material.color.rgba)
            if not np.array_equal(first, material.color.rgba) and material.name not in self.repeated:
                self.repeated.append(material.name)
        self.undefined: list[str] = []
        self.cut: list[str] = []

    def of(self, material: Any, shape: str) -> Any:
        """The colour of a visual: its own, or that of the material that it names."""
        if material is None:
            return None
        rgba = self.known.get(material.name) if material.color is None else material.color.rgba
        if rgba is None:
            self.undefined.append(str(material.name))
            return None
        if (rgba < 0.0).any() or (rgba > 1.0).any():
            self.cut.append(shape)
        return np.clip(rgba, 0.0, 1.0)

    def findings(self) -> list[Finding]:
        """What is odd about the materials."""
        notes = {
            "materials without a colour, of which nothing is read": list(dict.fromkeys(self.undefined)),
            "materials whose colour is stated twice and differently, each where it stands": self.repeated,
            "shapes with colours outside 0 to 1, which were cut": self.cut,
        }
        return [Finding(what, names) for what, names in notes.items() if names]
