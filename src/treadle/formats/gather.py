"""All meshes of a machine as components of one geometry, so that its shapes are one .3dt file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from treadle.errors import ModelError
from treadle.geometry.components import DEFAULT_COLOR, Component, Geometry, Part
from treadle.geometry.mesh import read_mesh

__all__ = ["gather_meshes"]


def gather_meshes(
    name: str, shapes: list[Any], locate: Callable[[str], Path], before: Geometry | None = None
) -> tuple[list[Any], Geometry]:
    """The shapes with parts in place of meshes, and the geometry that has the parts.

    A component is a mesh in one scale and colour; those of `before` come first. Meshes that are missing or
    cannot be read stay meshes.
    """
    components = {} if before is None else {component.name: component for component in before.components}
    names: dict[tuple[Any, ...], str | None] = {}
    result = []
    for shape in shapes:
        if shape.type != "mesh" or not shape.file:
            result.append(shape)
            continue
        key = (shape.file, shape.scale, shape.color)
        if key not in names:
            component = _component(shape, locate(shape.file), set(components))
            names[key] = None if component is None else component.name
            if component is not None:
                components[component.name] = component
        own = names[key]
        if own is not None:
            shape = replace(shape, type="part", file=own, scale=(1.0, 1.0, 1.0), color=None)
        result.append(shape)
    attributes = {} if before is None else before.attributes
    title = name or "machine" if before is None else before.name
    return result, Geometry(title, tuple(components.values()), attributes)


def _component(shape: Any, path: Path, taken: set[str]) -> Component | None:
    """The mesh of a shape under a name that is free; None if there is no such mesh."""
    try:
        points, triangles = read_mesh(path, shape.scale)
    except ModelError:
        return None
    stem = name = PurePosixPath(shape.file).stem
    number = 1
    while name in taken:
        number += 1
        name = f"{stem} {number}"
    offsets = np.arange(0, triangles.size + 1, 3)
    color = DEFAULT_COLOR if shape.color is None else shape.color
    part = Part(name, points, triangles.reshape(-1), offsets, np.array(color))
    return Component(name, [part])
