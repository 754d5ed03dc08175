"""STEP files as triangles, by cascadio (Open CASCADE) in a process of its own.

Open CASCADE may crash on a damaged file, or not end: then that process does, and not this one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

import numpy as np

from treadle.errors import ModelError
from treadle.extras import missing_package
from treadle.geometry.mesh import read_mesh
from treadle.model.values import path_of

__all__ = ["read_step"]

#: Seconds that a file may take, and more per megabyte.
_SECONDS, _PER_MEGABYTE = 15.0, 60.0

# trimesh, which cascadio has a handler for, takes most of the time to import
_READER = """
import sys
sys.modules["trimesh"] = None
from cascadio import step_to_glb
file, out, tolerance, angle = sys.argv[1:]
sys.exit(step_to_glb(file, out, tol_linear=float(tolerance), tol_angular=float(angle)))
"""


def read_step(
    path: str | PathLike[str], tolerance: float = 1e-5, angle: float = 0.01
) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) in metres and triangles (m, 3) of the solids of a STEP file.

    The surface of the triangles is within `tolerance` (m) and `angle` (rad) of that of the file.
    """
    path = path_of(path)
    if not path.is_file():
        raise ModelError("is not a file", file=path, hint="check the path")
    if find_spec("cascadio") is None:
        raise missing_package("cascadio", "reading STEP files")
    seconds = _SECONDS + _PER_MEGABYTE * path.stat().st_size / 1e6
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "solids.glb"
        arguments = [str(path.resolve()), str(out), str(tolerance), str(angle)]
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", _READER, *arguments],
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            hint = "export it with fewer details"
            raise ModelError(f"was not read within {seconds:.0f} s", file=path, hint=hint) from None
        if done.returncode or not out.is_file():
            hint = "export it again as STEP AP203, AP214 or AP242"
            raise ModelError("is not a STEP file that Open CASCADE can read", file=path, hint=hint)
        try:
            return read_mesh(out)
        except ModelError as error:
            raise ModelError("has no solids that can be tessellated", file=path, hint=error.hint) from None
