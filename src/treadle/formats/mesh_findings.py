"""What there is to say about the meshes of a machine once they are opened: missing, damaged, wrong unit.

Loading a machine does not open its meshes, which takes much longer than all the rest; `treadle check` does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treadle.errors import ModelError
from treadle.formats.mesh import read_mesh, suspicious_scale
from treadle.model.fittings import Shape
from treadle.model.model import Model
from treadle.model.values import listed

__all__ = ["mesh_findings", "mesh_path", "missing_meshes"]

#: A mesh longer than both is taken to be in millimetres: metres, and multiples of the machine's size.
_LONG = 10.0
_TIMES_LONGER = 50.0


def mesh_findings(model: Model) -> list[str]:
    """Open every mesh of the machine and return what is wrong with them, one sentence each.

    A mesh is suspected to be in millimetres if its longest side is far longer than the machine, and in
    any case if that is over 100 m or below 0.1 mm.
    """
    files = list(dict.fromkeys(shape.file for shape in model.shapes if shape.type == "mesh" and shape.file))
    missing = missing_meshes(model.file, files)
    lines = [missing] if missing else []
    bounds: dict[str, np.ndarray] = {}
    for file in files:
        path = mesh_path(model.file, file)
        if not path.is_file():
            continue
        try:
            points, _ = read_mesh(path)
            bounds[file] = np.array([points.min(axis=0), points.max(axis=0)])
        except ModelError as error:
            lines.append(f'mesh "{file}" {error.message}; {error.hint}')
    span = float(np.linalg.norm(model.summary().size))
    seen = set()
    for shape in model.shapes:
        if shape.file in bounds and (shape.file, shape.scale) not in seen:
            seen.add((shape.file, shape.scale))
            lines += _scale_lines(shape, bounds[shape.file], span)
    return lines


def mesh_path(file: str | None, name: str) -> Path:
    """Where a mesh is that a description names, from the folder of the description."""
    return (Path() if file is None else Path(file).parent) / name


def missing_meshes(file: str | None, names: list[str]) -> str | None:
    """The sentence about those meshes of a description in `file` that are not there."""
    missing = [name for name in names if not mesh_path(file, name).is_file()]
    return f"meshes that are missing: {listed(missing)}" if missing else None


def _scale_lines(shape: Shape, bounds: np.ndarray, span: float) -> list[str]:
    """A sentence if a mesh, with the bounds that its file has, seems to be in the wrong unit."""
    scaled = bounds * np.array(shape.scale)
    length = float(np.abs(scaled[1] - scaled[0]).max())
    far_longer = length > _LONG and 0.0 < span * _TIMES_LONGER < length
    if not far_longer and not suspicious_scale(np.sort(scaled, axis=0)):
        return []
    unit, factor = ("millimetres", 1e-3) if length > 1.0 else ("metres, and scaled as if it were not", 1e3)
    now = " ".join(f"{x:g}" for x in shape.scale)
    better = " ".join(f"{x * factor:g}" for x in shape.scale)
    machine = f", the machine {span:.3g} m" if span else ""
    return [
        f'mesh "{shape.file}" of "{shape.name}" is {length:.3g} m long{machine}: '
        f"it seems to be in {unit}; change its scale from {now} to {better}"
    ]
