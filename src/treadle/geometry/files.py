"""Where the geometry files of a machine are."""

from __future__ import annotations

from pathlib import Path

from treadle.geometry import threedt
from treadle.geometry.components import Geometry
from treadle.model.model import Model

__all__ = ["mesh_path", "open_geometry"]


def mesh_path(file: str | None, name: str) -> Path:
    """Where a mesh is that a description names, from the folder of the description."""
    return (Path() if file is None else Path(file).parent) / name


def open_geometry(model: Model) -> Geometry | None:
    """The geometry of a machine; None if it names no file or that file is missing."""
    if model.geometry is None:
        return None
    path = mesh_path(model.file, model.geometry)
    return threedt.read(path) if path.is_file() else None
