"""Where the geometry files of a machine are."""

from __future__ import annotations

from pathlib import Path

from treadle.errors import ModelError
from treadle.geometry import threedt
from treadle.geometry.components import Geometry
from treadle.model.model import Model

__all__ = ["file_inside", "mesh_path", "open_geometry"]


def mesh_path(file: str | None, name: str) -> Path:
    """Where a mesh is that a description names, from the folder of the description."""
    return (Path() if file is None else Path(file).parent) / name


def file_inside(file: str | None, name: str, what: str) -> Path:
    """Where a file is that settings or sensors name; ModelError if that is outside the description's folder.

    A description that was made in Python (`file` is None) may name any file.
    """
    path = mesh_path(file, name)
    if file is not None and not path.resolve().is_relative_to(Path(file).resolve().parent):
        raise ModelError(
            f"its {what} {name!r} is outside the folder of the description",
            file=file,
            hint="put the file into that folder",
        )
    return path


def open_geometry(model: Model) -> Geometry | None:
    """The geometry of a machine; None if it names no file or that file is missing."""
    if model.geometry is None:
        return None
    path = mesh_path(model.file, model.geometry)
    return threedt.read(path) if path.is_file() else None
