"""The meshes that shapes touch with in a step.

What a mesh of the machine's files touches as is a word: "hull", the smallest convex solid around it; "parts",
a few convex solids that fill it, see `convex_parts`; or "mesh", its triangles as they are. A mesh that is
fixed to the world stays as it is, unless it is chosen by its name: then no two meet for which there is no
kernel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from treadle.collision.convex_parts import PROCESSES, convex_parts
from treadle.collision.mesh import convex_hull
from treadle.errors import InputError
from treadle.geometry.collision_meshes import Meshes, is_mesh, missing_meshes
from treadle.model.model import WORLD, Model, suggest
from treadle.native.progress import waiting
from treadle.sim.checks import MESH_FORMS, check_choice

__all__ = ["contact_meshes", "unchanged_meshes"]

Triangles = tuple[np.ndarray, np.ndarray]


def contact_meshes(
    model: Model, given: Mapping[str, Triangles | Sequence[Triangles] | str] | None, form: str | None = None
) -> dict[str, Triangles | Sequence[Triangles]]:
    """The meshes that are given, and from the machine's files those that are not.

    `form`, or else the machine's setting `meshes`, or else "hull", is what those that move touch as; a word
    among the given ones is what that mesh touches as, wherever it is.
    """
    chosen = _check_form(model.settings.get("meshes", "hull") if form is None else form)
    known = [shape.name for shape in model.shapes if is_mesh(shape)]
    for name in given or {}:
        if name not in known:
            raise InputError(
                f"meshes: {model.name!r} has no collision mesh named {name!r}; {suggest(name, known)}"
            )
    words = {name: _check_form(item) for name, item in (given or {}).items() if isinstance(item, str)}
    meshes = {name: item for name, item in (given or {}).items() if not isinstance(item, str)}
    fixed = {shape.name for shape in model.shapes if shape.body == WORLD}
    read = missing_meshes(model, meshes)
    forms = {name: words.get(name, "mesh" if name in fixed else chosen) for name in read}
    parts = _parts({name: mesh for name, mesh in read.items() if forms[name] == "parts"})
    hulls = {name: _hull(mesh) for name, mesh in read.items() if forms[name] == "hull"}
    return {**meshes, **read, **hulls, **parts}


def unchanged_meshes(
    meshes: Meshes, before: Model, after: Model
) -> dict[str, Triangles | Sequence[Triangles]]:
    """The meshes of shapes that an edit of the machine has left alone."""
    old, new = (
        {shape.name: (shape.type, shape.file, shape.scale) for shape in model.shapes if is_mesh(shape)}
        for model in (before, after)
    )
    return {name: mesh for name, mesh in meshes.items() if name in new and old.get(name) == new[name]}


def _check_form(word: str) -> str:
    check_choice("form of meshes", word, MESH_FORMS)
    return word


def _parts(meshes: Mapping[str, Triangles]) -> dict[str, list[Triangles]]:
    """The convex parts of meshes, several of which are worked on at a time."""

    def parts(name: str) -> list[Triangles]:
        try:
            return convex_parts(*meshes[name])
        except InputError as error:
            raise InputError(f"the mesh of {name!r}: {error}") from None

    if not meshes:
        return {}
    several = f"{len(meshes)} meshes" if len(meshes) > 1 else f"the mesh of {next(iter(meshes))!r}"
    with ThreadPoolExecutor(PROCESSES) as pool, waiting(f"finding convex parts of {several}"):
        return dict(zip(meshes, pool.map(parts, meshes), strict=True))


def _hull(mesh: Triangles) -> Triangles:
    try:
        return convex_hull(mesh[0])
    except InputError:
        # a flat one is a surface
        return mesh
