"""What there is to say about a machine's geometry file (.3dt) once it is opened."""

from __future__ import annotations

from treadle.errors import ModelError
from treadle.geometry.files import open_geometry
from treadle.model.finding import Finding
from treadle.model.model import Model

__all__ = ["geometry_findings"]


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
