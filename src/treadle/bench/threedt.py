"""Geometry files: reading a large `.3dt` against the same mesh as OBJ with trimesh, and a robot's `.3dt`."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from treadle.bench.peers import difference
from treadle.bench.race import FULL, Effort
from treadle.bench.results import Outcome, Rival, Row, at_least, compare, limited
from treadle.errors import TreadleError
from treadle.geometry import threedt
from treadle.geometry.components import Component, Geometry, Part

__all__ = ["grid", "measure_geometry", "robot_of_many_parts"]

#: Megabytes per second of a large file, and how many times faster than trimesh reads the same mesh.
RATE_LIMIT = 100.0
RATIO_LIMIT = 5.0

#: Seconds for a robot of 162 parts with 24.6 thousand points and 27.2 thousand faces.
ROBOT_LIMIT = 0.15

_TURNS = 3

_READ = """
import sys, time
import treadle
treadle.load
start = time.perf_counter()
from treadle.geometry import threedt
threedt.read(sys.argv[1])
print(time.perf_counter() - start)
"""


def measure_geometry(size_mb: float = 100.0, effort: Effort = FULL) -> Outcome:
    """Read a mesh of about that many megabytes, and in fresh processes a robot of 27 thousand faces.

    All times are the shortest of several turns.
    """
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
        outcome = _large_mesh(Path(folder), size_mb)
        outcome.add(_robot(Path(folder), effort.processes))
    return outcome


def grid(rows: int, columns: int) -> Part:
    """A wavy square metre of triangles, its heights of full precision."""
    x, y = np.meshgrid(np.linspace(0.0, 1.0, columns), np.linspace(0.0, 1.0, rows))
    points = np.stack([x, y, 0.1 * np.sin(9.0 * x) * np.cos(7.0 * y)], axis=-1).reshape(-1, 3)
    quads = _quads(rows, columns)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Part("grid", points, triangles.reshape(-1), np.arange(0, triangles.size + 1, 3))


def robot_of_many_parts() -> Geometry:
    """As large as the roadheader of the paper: 18 components, 162 parts, 24,624 points, 27,216 faces."""
    points, quads = grid(8, 19).points, _quads(8, 19)
    # every third quadrilateral is cut in two
    cut = quads[::3]
    faces = [
        *quads[1::3].tolist(),
        *quads[2::3].tolist(),
        *cut[:, [0, 1, 2]].tolist(),
        *cut[:, [0, 2, 3]].tolist(),
    ]
    parts = [Part.from_faces(f"part {i}", points + math.sqrt(i), faces) for i in range(162)]
    return Geometry("robot", [Component(f"component {i}", parts[i::18]) for i in range(18)])


def _quads(rows: int, columns: int) -> np.ndarray:
    """The quadrilaterals (n, 4) between the points of a grid."""
    corner = np.add.outer(np.arange(rows - 1) * columns, np.arange(columns - 1)).reshape(-1)
    return np.stack([corner, corner + 1, corner + columns + 1, corner + columns], axis=1)


def _large_mesh(folder: Path, size_mb: float) -> Outcome:
    """The same mesh in both formats, read in turns."""
    import trimesh

    # a point and its two triangles take some hundred bytes
    side = max(2, round(math.sqrt(size_mb * 1e4)))
    part = grid(side, side)
    own, other = folder / "mesh.3dt", folder / "mesh.obj"
    threedt.write(Geometry("mesh", [Component("mesh", [part])]), own)
    _write_obj(part, other)
    size = own.stat().st_size / 1e6

    own_seconds, other_seconds, agreement = math.inf, math.inf, math.inf
    for _ in range(_TURNS):
        seconds, geometry = _timed(lambda: threedt.read(own))
        own_seconds = min(own_seconds, seconds)
        seconds, mesh = _timed(lambda: trimesh.load_mesh(other, process=False, skip_materials=True))
        other_seconds = min(other_seconds, seconds)
        read = geometry.components[0].parts[0]
        if read != part:
            raise TreadleError("the mesh that was read is not the one that was written")
        agreement = max(difference(mesh.vertices, read.points), difference(mesh.faces, read.triangles()))

    name = f"mesh of {part.face_count} triangles"
    peer, detail = f"trimesh {version('trimesh')}", "the same mesh as OBJ"
    rival = Rival(peer, other_seconds, agreement, detail)
    outcome = compare(Row("geometry", name, 0, "reading", "s", own_seconds), rival, "trimesh", RATIO_LIMIT)
    rate = Row("geometry", name, 0, f"reading {size:.0f} MB", "MB/s", size / own_seconds, limit=RATE_LIMIT)
    check = at_least(f"{name}: {rate.quantity}, in {rate.unit}", rate.value, RATE_LIMIT)
    outcome.add(Outcome([replace(rate, holds=check.holds)], [check]))
    return outcome


def _robot(folder: Path, processes: int) -> Outcome:
    """Seconds from a process that has `treadle.load`, but has read nothing before, to the robot."""
    geometry = robot_of_many_parts()
    path = folder / "robot.3dt"
    threedt.write(geometry, path)
    seconds = math.inf
    for _ in range(2 * processes):
        command = [sys.executable, "-c", _READ, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise TreadleError(f"a measured process failed: {result.stderr.strip().splitlines()[-1]}")
        seconds = min(seconds, float(result.stdout))
    name = f"robot of {geometry.face_count} faces"
    return limited(Row("geometry", name, 0, "first reading", "s", seconds), ROBOT_LIMIT)


def _write_obj(part: Part, path: Path) -> None:
    """The same decimals as in the `.3dt`, indices from 1."""
    with path.open("w") as file:
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in part.points.tolist())
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in (part.triangles() + 1).tolist())


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result
