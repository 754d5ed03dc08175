"""Convex parts of a mesh, so that it touches as what it is and not as the hull around it.

The decomposition is that of CoACD (Wei and others, "Approximate convex decomposition for 3D meshes with
collision-aware concavity and tree search", 2022). It runs in a process of its own, which ends when its time
is over or the caller is interrupted, and its result is kept on disk under a digest of the mesh and the
settings.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from treadle import store
from treadle.collision.mesh import Mesh, checked_mesh, convex_hull
from treadle.errors import InputError
from treadle.extras import require
from treadle.native.progress import waiting

__all__ = ["PROCESSES", "convex_parts"]

#: Meshes that are worth working on at a time.
PROCESSES = max(os.cpu_count() or 1, 1)

#: Of the search for cuts: fewer of each than CoACD has by default, for which the parts are as good; see
#: docs/decisions/0034-convex-parts-by-coacd.md.
_SEARCH = {"mcts_iterations": 50, "mcts_max_depth": 2, "resolution": 1000, "seed": 0}

#: Changes when the same settings give other parts.
_VERSION = 1

#: Parts whose volume is below this share of the largest are slivers of rounding.
_SLIVER = 1e-9

Triangles = tuple[np.ndarray, np.ndarray]


def convex_parts(
    vertices: ArrayLike,
    triangles: ArrayLike,
    concavity: float = 0.025,
    most: int | None = None,
    seconds: float = 300.0,
) -> list[Triangles]:
    """Points (n, 3) and triangles (m, 3) of convex solids that fill a mesh; one that is convex is one part.

    `concavity` is how far the surface of the parts may be from that of the mesh, as a share of the longest
    side of the box around it, from 0.005 to 0.5: smaller takes longer and gives more parts, of which there
    are at `most` so many. The same mesh and settings always give the same parts. InputError where they were
    not found within `seconds`. Needs the extra "parts" where the mesh is not convex.
    """
    _check(concavity, most, seconds)
    mesh = checked_mesh("mesh", vertices, triangles)
    if mesh.convex:
        return [_placed(convex_hull(mesh.points), mesh)]
    require("coacd", "finding convex parts of a mesh")
    settings = {
        **_SEARCH, "threshold": 2.0 * float(concavity), "max_convex_hull": -1 if most is None else int(most)
    }  # fmt: skip
    digest = _digest(mesh, settings)
    kept = store.read("parts", digest)
    if kept is None:
        with waiting("finding convex parts of a mesh"):
            kept = _decompose(mesh, settings, seconds)
        store.write("parts", digest, kept)
    return [_placed(part, mesh) for part in _solids(_unpacked(kept))]


def _check(concavity: float, most: int | None, seconds: float) -> None:
    if not 0.005 <= concavity <= 0.5:
        raise InputError(f"the concavity must be from 0.005 to 0.5, not {concavity!r}")
    if most is not None and most < 1:
        raise InputError(f"there must be at most one part or more, not {most!r}")
    if not seconds > 0.0:
        raise InputError(f"the time for finding convex parts must be positive, not {seconds!r} s")


def _digest(mesh: Mesh, settings: dict[str, float]) -> str:
    key = json.dumps([_VERSION, version("coacd"), sorted(settings.items()), len(mesh.points)])
    total = hashlib.sha256(key.encode())
    total.update(np.ascontiguousarray(mesh.points, "<f8").tobytes())
    total.update(np.ascontiguousarray(mesh.triangles, "<i8").tobytes())
    return total.hexdigest()


def _decompose(mesh: Mesh, settings: dict[str, float], seconds: float) -> bytes:
    """The points of the parts, packed, from another process; InputError if it fails or takes too long."""
    given = io.BytesIO()
    np.savez(given, points=mesh.points, triangles=mesh.triangles, settings=json.dumps(settings))
    # without its own folder on the path, whose names are those of other modules
    command = [sys.executable, "-P", str(Path(__file__).with_name("coacd_process.py"))]
    try:
        done = subprocess.run(
            command, input=given.getvalue(), capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"no convex parts were found within {seconds:g} s: give td.convex_parts more seconds or a larger "
            "concavity, or a mesh with fewer triangles"
        ) from None
    if done.returncode or not done.stdout:
        raise InputError(
            "CoACD found no convex parts of it: repair the mesh, or use td.convex_hull in their place"
        )
    return done.stdout


def _unpacked(content: bytes) -> list[np.ndarray]:
    with np.load(io.BytesIO(content)) as kept:
        return np.split(kept["points"], np.cumsum(kept["counts"])[:-1])


def _solids(parts: list[np.ndarray]) -> list[Triangles]:
    """The hulls of the parts, without those that have no volume."""
    hulls = []
    for points in parts:
        try:
            hulls.append(convex_hull(points))
        except InputError:
            continue
    volumes = np.array([_volume(*hull) for hull in hulls])
    return [hull for hull, volume in zip(hulls, volumes) if volume > _SLIVER * volumes.max()]


def _volume(points: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def _placed(part: Triangles, mesh: Mesh) -> Triangles:
    """A part of a mesh about its middle, where the mesh is."""
    return part[0] + mesh.middle, part[1]
