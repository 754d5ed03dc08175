"""What there is to say about the meshes of a machine once they are opened: missing, damaged, wrong unit.

Loading a machine does not open its meshes, which takes much longer than all the rest; `treadle check` does.
"""

from __future__ import annotations

import numpy as np

from treadle.errors import ModelError
from treadle.geometry.files import mesh_path
from treadle.geometry.mesh import mesh_bounds, suspicious_scale
from treadle.model.attachments import Shape
from treadle.model.finding import Finding
from treadle.model.model import Model

__all__ = ["mesh_findings"]

#: A mesh longer than both is taken to be in millimetres: metres, and multiples of the machine's size.
_LONG = 10.0
_TIMES_LONGER = 50.0


def mesh_findings(model: Model) -> list[Finding]:
    """Open every mesh of the machine and return what is wrong with them, if the report has not said it yet.

    A mesh is suspected to be in millimetres if its longest side is far longer than the machine, and in
    any case if that is over 100 m or below 0.1 mm.
    """
    reported = {name for line in model.report for name in getattr(line, "elements", ())}
    missing, lines = [], []
    bounds: dict[str, np.ndarray] = {}
    for file in dict.fromkeys(shape.file for shape in model.shapes if shape.type == "mesh" and shape.file):
        path = mesh_path(model.file, file)
        if not path.is_file():
            missing += [] if file in reported else [file]
            continue
        try:
            bounds[file] = mesh_bounds(path)
        except ModelError as error:
            lines.append(Finding(f'mesh "{file}" {error.message}', severity="warning", hint=error.hint))
    if missing:
        lines.insert(0, Finding("meshes that are missing", missing, "warning", "correct their paths"))
    span = float(np.linalg.norm(model.summary().size))
    seen = set()
    for shape in model.shapes:
        if shape.file in bounds and (shape.file, shape.scale) not in seen:
            seen.add((shape.file, shape.scale))
            lines += _scale_findings(shape, bounds[shape.file], span)
    return lines


def _scale_findings(shape: Shape, bounds: np.ndarray, span: float) -> list[Finding]:
    """A finding if a mesh, with the bounds that its file has, seems to be in the wrong unit."""
    scaled = np.sort(bounds * np.array(shape.scale), axis=0)
    length = float((scaled[1] - scaled[0]).max())
    far_longer = length > _LONG and 0.0 < span * _TIMES_LONGER < length
    if not far_longer and not suspicious_scale(scaled):
        return []
    unit, factor = ("millimetres", 1e-3) if length > 1.0 else ("metres, but scaled down", 1e3)
    now, better = (" ".join(f"{x:g}" for x in np.array(shape.scale) * f) for f in (1.0, factor))
    machine = f", the machine {span:.3g} m" if span else ""
    what = f'mesh "{shape.file}" of "{shape.name}" is {length:.3g} m long{machine}: it seems to be in {unit}'
    return [Finding(what, severity="warning", hint=f"change its scale from {now} to {better}")]
