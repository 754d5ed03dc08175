"""Meshes that lie beside a robot's description, as points and triangles."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Sequence
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treadle.errors import ModelError
from treadle.extras import require
from treadle.geometry import SUFFIXES
from treadle.model.values import path_of

__all__ = ["mesh_bounds", "read_mesh", "suspicious_scale"]

_LARGEST_FILE = 1_000_000_000
_MOST_TRIANGLES = 50_000_000
_MOST_INSTANCES = 100_000

#: What is taken out of a DAE before it is read.
_DAE_WITHOUT = (
    "library_images", "library_effects", "library_materials", "bind_material",
    "library_cameras", "instance_camera", "library_lights", "instance_light",
)  # fmt: skip

_VERTEX = re.compile(rb"^\s*vertex\s", re.MULTILINE | re.IGNORECASE)


def read_mesh(
    path: str | PathLike[str], scale: float | Sequence[float] = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) in metres and triangles (m, 3) of a file, times `scale` (one number or one per axis).

    All meshes of the file are joined, each where the file places it. A DAE's unit is applied, its up axis
    is not. Materials, textures and other files that the mesh refers to are not opened.
    """
    path = path_of(path)
    try:
        factors = np.broadcast_to(np.asarray(scale, dtype=np.float64), 3)
    except (TypeError, ValueError):
        factors = np.zeros(3)
    if not (np.isfinite(factors).all() and factors.all()):
        message = f"cannot be scaled by {scale!r}"
        raise ModelError(message, file=path, hint="give one or three numbers other than 0")
    try:
        kind = path.suffix.lower()
        content, unit = _prepare(_content(path), kind)
        points, triangles = _load(content, kind)
    except ModelError as error:
        error.file = str(path)
        raise
    # a mirrored mesh is turned inside out: restore the sense of its triangles
    if factors.prod() < 0:
        triangles = triangles[:, ::-1]
    return points * (unit * factors), np.ascontiguousarray(triangles)


def mesh_bounds(path: str | PathLike[str]) -> np.ndarray:
    """Lowest and highest coordinates (2, 3) of a mesh; a file that has not changed is read once only."""
    path = path_of(path)
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        stamp = 0
    return _bounds(path, stamp)


@lru_cache(maxsize=4096)
def _bounds(path: Path, stamp: int) -> np.ndarray:
    points, _ = read_mesh(path)
    return np.array([points.min(axis=0), points.max(axis=0)])


def suspicious_scale(bounds: ArrayLike) -> bool:
    """Whether a mesh with these lowest and highest coordinates (2, 3) seems to be in the wrong unit.

    That is, if its longest side is more than 100 m or less than 0.1 mm: nearly always millimetres taken
    for metres, or the reverse.
    """
    low, high = np.asarray(bounds, dtype=np.float64)
    return not 1e-4 <= (high - low).max() <= 100.0


def _content(path: Path) -> bytes:
    """The bytes of the file; ModelError if there is none of a known kind."""
    if path.suffix.lower() not in SUFFIXES:
        hint = f"meshes that can be read end in {', '.join(SUFFIXES)}"
        raise ModelError(f"unknown kind of mesh {path.suffix!r}", hint=hint)
    try:
        if not path.is_file():
            message = "is a folder, not a mesh" if path.is_dir() else "there is no such mesh"
            raise ModelError(message, hint="check the path")
        if path.stat().st_size > _LARGEST_FILE:
            message = f"is larger than {_LARGEST_FILE / 1e9:.0f} GB, the most that is read"
            raise ModelError(message, hint="reduce the mesh")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        message = f"cannot be read ({getattr(error, 'strerror', None) or error})"
        raise ModelError(message, hint="check the path and its permissions") from None


def _prepare(content: bytes, kind: str) -> tuple[bytes, float]:
    """What to give to the reader, and the unit in metres.

    ModelError for what would keep the reader busy or fill the memory.
    """
    try:
        if kind == ".dae":
            return _prepare_dae(content)
        if kind == ".glb":
            length = int.from_bytes(content[12:16], "little")
            accessors = json.loads(content[20 : 20 + length]).get("accessors", ())
            if any(accessor["count"] > len(content) for accessor in accessors):
                raise ModelError("announces more numbers than it holds", hint="export it again")
    except (ValueError, TypeError, KeyError, AttributeError, SyntaxError, RecursionError) as error:
        raise _unreadable(kind, error) from None
    return content, 1.0


def _prepare_dae(content: bytes) -> tuple[bytes, float]:
    """The same for a DAE, without its materials: the reader drops what has a broken one."""
    from lxml import etree  # type: ignore[reportAttributeAccessIssue]

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    root = etree.fromstring(content, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise ModelError("has a document type, which is not read", hint="remove the <!DOCTYPE ...>")
    unit = float(root.xpath("string(*[local-name()='asset']/*[local-name()='unit']/@meter)") or 1.0)
    if not 0.0 < unit < np.inf:
        raise ModelError(f"its unit is {unit} m", hint="it has to be a positive number of metres")
    _check_instances(root)
    for element in list(root.iter(*(f"{{*}}{name}" for name in _DAE_WITHOUT))):
        element.getparent().remove(element)
    return etree.tostring(root), unit


def _check_instances(root: Any) -> None:
    """ModelError if a DAE, whose nodes can repeat other nodes, stands for very many of them."""
    nodes = {node.get("id"): node for node in root.iter("{*}node")}
    counts: dict[str, int] = {}

    def count(inside: Any) -> int:
        """Nodes that the instances inside an element stand for."""
        return sum(size(instance.get("url", "#")[1:]) for instance in inside.iter("{*}instance_node"))

    def size(name: str) -> int:
        if name not in counts:
            # a node inside itself is endless
            counts[name] = _MOST_INSTANCES
            counts[name] = 1 + (count(nodes[name]) if name in nodes else 0)
        return counts[name]

    if count(root) > _MOST_INSTANCES:
        raise ModelError("repeats its nodes too often", hint="export it again, without instances")


def _load(content: bytes, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) in the file's unit and triangles (m, 3); ModelError if there are none."""
    require("trimesh", "reading a mesh")
    import trimesh

    # what it logs about damaged files, tracebacks included, is said by the error
    log = logging.getLogger("trimesh")
    before = log.level
    # the loggers of its modules have the level of this one
    log.setLevel(logging.CRITICAL + 1)
    try:
        # given no resolver, the reader opens no other files
        scene = trimesh.load_scene(
            io.BytesIO(content), file_type=kind[1:], process=False, skip_materials=True, ignore_broken=False
        )
        meshes = [scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry]
        count = sum(len(getattr(mesh, "faces", ())) for mesh in meshes)
        if count > _MOST_TRIANGLES:
            raise ModelError(f"has {count} triangles", hint=f"{_MOST_TRIANGLES} is the most that is read")
        mesh = scene.to_mesh()
    except ModelError:
        raise
    # a damaged file makes the reader stumble in any way
    except Exception as error:
        raise _unreadable(kind, error) from None
    finally:
        log.setLevel(before)
    if not count:
        raise ModelError("holds no triangles", hint="it may be cut short, or hold points and lines only")
    binary = len(content) == 84 + 50 * count
    if kind == ".stl" and not binary and len(_VERTEX.findall(content)) != 3 * count:
        # the reader passes over a solid that is not ended
        raise ModelError("is cut short in the middle of a solid", hint="export it again")
    points, triangles = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int32)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ModelError("a point has no three finite coordinates", hint="export it again")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise ModelError("a triangle names a point that is not there", hint="export it again")
    # an STL repeats a point for every triangle around it
    return _merged(points, triangles) if kind == ".stl" else (points, triangles)


def _merged(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same mesh with each point only once."""
    order = np.lexsort(points.T)
    points = points[order]
    first = np.concatenate([[True], (points[1:] != points[:-1]).any(axis=1)])
    index = np.empty(len(points), dtype=np.int32)
    index[order] = np.cumsum(first) - 1
    return points[first], index[triangles]


def _unreadable(kind: str, error: Exception) -> ModelError:
    # readers quote what they found, line breaks included, and at any length
    reason = " ".join(str(error).split())[:200]
    message = f"is not a sound {kind[1:].upper()} file ({type(error).__name__}: {reason})"
    return ModelError(message, hint="it may be damaged or cut short; export it again")
