"""What there is to say about a machine's geometry file (.3dt) once it is opened."""

from __future__ import annotations

from pathlib import Path

from treadle.errors import ModelError
from treadle.formats import threedt
from treadle.formats.geometry import Geometry
from treadle.model.finding import Finding
from treadle.model.model import Model

__all__ = ["geometry_findings", "open_geometry"]


def open_geometry(model: Model) -> Geometry | None:
    """The geometry of a machine; None if it names no file or that file is missing."""
    if model.geometry is None:
        return None
    path = (Path() if model.file is None else Path(model.file).parent) / model.geometry
    return threedt.read(path) if path.is_file() else None


def geometry_findings(model: Model) -> list[Finding]:
    """What is wrong with the geometry file; that it is missing is in the report already."""
    try:
        geometry = open_geometry(model)
    except ModelError as error:
        return [Finding(f'geometry "{model.geometry}": {error.message}', severity="error", hint=error.hint)]
    if geometry is None:
        return []
    known = {component.name for component in geometry.components}
    used = {shape.file for shape in model.shapes if shape.type == "part"}
    absent, unused = sorted(str(name) for name in used - known), sorted(known - used)
    lines = []
    if absent:
        hint = f'the components of "{model.geometry}" have other names'
        lines.append(Finding("parts that the geometry file does not have", absent, "warning", hint))
    if unused:
        lines.append(Finding("components of the geometry file that no shape shows", unused))
    return lines
