"""A process that cuts one mesh into convex parts: the mesh from standard input, their points to its output.

It is started by `convex_parts`, and imports nothing of Treadle.
"""

from __future__ import annotations

import io
import json
import os
import sys
from typing import Any

import numpy as np

__all__: list[str] = []


def _main() -> None:
    # what CoACD prints goes to standard error
    out = os.dup(1)
    os.dup2(2, 1)
    with np.load(io.BytesIO(sys.stdin.buffer.read())) as given:
        points, triangles, settings = given["points"], given["triangles"], json.loads(str(given["settings"]))
    packed = io.BytesIO()
    parts = _parts(points, triangles, settings)
    np.savez(packed, points=np.concatenate(parts), counts=np.array([len(part) for part in parts]))
    with os.fdopen(out, "wb") as file:
        file.write(packed.getvalue())


def _parts(points: np.ndarray, triangles: np.ndarray, settings: dict[str, Any]) -> list[np.ndarray]:
    import coacd

    coacd.set_log_level("error")
    return [part for part, _ in coacd.run_coacd(coacd.Mesh(points, triangles), **settings)]


if __name__ == "__main__":
    _main()
