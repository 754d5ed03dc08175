"""How large the meshes and parts of a machine are, for which their files have to be opened."""

from __future__ import annotations

import contextlib

import numpy as np

from treadle.errors import ModelError
from treadle.geometry.files import mesh_path, open_geometry
from treadle.geometry.mesh import mesh_bounds
from treadle.model.attachments import Shape
from treadle.model.model import Model
from treadle.model.summary import Summary, summarize

__all__ = ["measured_summary", "shape_boxes"]


def measured_summary(model: Model) -> Summary:
    """`model.summary()` with the true size of meshes and parts."""
    return summarize(model, shape_boxes(model))


def shape_boxes(model: Model) -> dict[int, np.ndarray]:
    """Lowest and highest coordinates (2, 3) of meshes and parts in their own frames, by index of shape.

    Files that are missing or cannot be read are left out: `treadle check` reports them.
    """
    components: dict[str, np.ndarray] = {}
    with contextlib.suppress(ModelError):
        geometry = open_geometry(model)
        for component in () if geometry is None else geometry.components:
            bounds = component.bounds
            if bounds is not None:
                components[component.name] = bounds
    files: dict[str, np.ndarray | None] = {}
    boxes = {}
    for index, shape in enumerate(model.shapes):
        if shape.file is None:
            continue
        if shape.type == "mesh" and shape.file not in files:
            files[shape.file] = _file_box(model, shape)
        box = files[shape.file] if shape.type == "mesh" else components.get(shape.file)
        if box is not None:
            boxes[index] = np.sort(box * np.array(shape.scale), axis=0)
    return boxes


def _file_box(model: Model, shape: Shape) -> np.ndarray | None:
    try:
        return mesh_bounds(mesh_path(model.file, str(shape.file)))
    except ModelError:
        return None
