"""Elevation grids from files: ESRI ASCII grids, points in text, GeoTIFF and images."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import InputError
from treadle.extras import require
from treadle.terrain.grid import MOST_POINTS, Grid
from treadle.terrain.mesh import mesh_heights

__all__ = ["fill_holes", "load_terrain"]


def load_terrain(
    path: str | PathLike[str],
    spacing: float | None = None,
    heights: tuple[float, float] | None = None,
    holes: str = "refuse",
    **options: Any,
) -> Grid:
    """The elevation grid in a file; its kind follows from the suffix.

    .asc is an ESRI ASCII grid, .xyz or .csv has a point x y z per line, .tif is a GeoTIFF (needs rasterio),
    .stl, .obj and .ply are meshes, taken at points `spacing` apart;
    the grey values of images lie from `heights[0]` (black) to `heights[1]` (white), `spacing` metres apart.
    Where heights are missing the file is refused; with holes="fill" they are those of the nearest points.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise InputError(f"{path}: a terrain file ends in one of {known}, not {path.suffix!r}")
    if holes not in ("refuse", "fill"):
        raise InputError(f"holes must be 'refuse' or 'fill', not {holes!r}")
    try:
        values, step, origin = reader(path, spacing, heights)
        if holes == "fill":
            values = fill_holes(values)
        return Grid(values, step, origin, **options)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except Exception as error:
        # the readers of images and grids raise whatever a damaged byte leads them to
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(f"{path}: is damaged, or no terrain ({reason})") from None


def fill_holes(heights: np.ndarray) -> np.ndarray:
    """The heights, missing ones filled from the nearest neighbour."""
    ndimage: Any = require("scipy.ndimage", "filling holes in a terrain")
    heights = np.asarray(heights, dtype=float)
    missing = ~np.isfinite(heights)
    if missing.all():
        raise InputError("the elevation grid has no heights at all")
    where = ndimage.distance_transform_edt(missing, return_distances=False, return_indices=True)
    return heights[tuple(where)]


Read = tuple[np.ndarray, tuple[float, float], tuple[float, float]]


def _ascii_grid(path: Path, spacing: float | None, heights: tuple[float, float] | None) -> Read:
    """Rows run from north to south, columns from west to east; the corner is that of the lowest cell."""
    header: dict[str, float] = {}
    with open(path, encoding="ascii", errors="replace") as file:
        while True:
            place = file.tell()
            words = file.readline().split()
            if len(words) != 2 or not words[0][0].isalpha():
                break
            header[words[0].lower()] = _number(words[1], words[0])
        file.seek(place)
        missing = [name for name in ("ncols", "nrows", "cellsize") if name not in header]
        if missing:
            raise InputError(f"an ASCII grid states {', '.join(missing)} in its first lines")
        rows, columns = int(header["nrows"]), int(header["ncols"])
        if rows * columns > MOST_POINTS:
            raise InputError(f"{rows} x {columns} heights are too many; crop the grid to {MOST_POINTS}")
        values = np.array([_number(word, "a height") for word in file.read().split()])
    if len(values) != rows * columns:
        raise InputError(f"{rows} rows of {columns} heights are announced, but {len(values)} follow")
    if "nodata_value" in header:
        values[values == header["nodata_value"]] = np.nan
    cell = header["cellsize"]
    shift = 0.5 * cell if "xllcorner" in header else 0.0
    origin = (
        header.get("xllcorner", header.get("xllcenter", 0.0)) + shift,
        header.get("yllcorner", header.get("yllcenter", 0.0)) + shift,
    )
    return values.reshape(rows, columns)[::-1].T, (cell, cell), origin


def _points(path: Path, spacing: float | None, heights: tuple[float, float] | None) -> Read:
    """A point x y z per line, in any order, on a regular grid."""
    text = path.read_text(encoding="utf-8", errors="replace").replace(",", " ")
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if rows and not rows[0][0].lstrip("+-.").replace(".", "").replace("e", "").isdigit():
        rows = rows[1:]
    if not rows or any(len(row) != 3 for row in rows):
        raise InputError("every line of a file of points has three numbers, x y z")
    values = np.array([[_number(word, "a coordinate") for word in row] for row in rows])
    x, y = np.unique(values[:, 0]), np.unique(values[:, 1])
    if len(x) * len(y) > MOST_POINTS:
        raise InputError(
            "the points lie on no regular grid; resample them, with scipy.interpolate for example"
        )
    grid = np.full((len(x), len(y)), np.nan)
    grid[np.searchsorted(x, values[:, 0]), np.searchsorted(y, values[:, 1])] = values[:, 2]
    even = Grid.at(x.tolist(), y.tolist(), np.zeros(grid.shape))
    return grid, even.spacing, even.origin


def _geotiff(path: Path, spacing: float | None, heights: tuple[float, float] | None) -> Read:
    rasterio: Any = require("rasterio", "reading GeoTIFF")
    with rasterio.open(path) as file:
        values = file.read(1, masked=True).astype(float).filled(np.nan)
        transform = file.transform
    if transform.b or transform.d:
        raise InputError("the raster is turned against north; resample it")
    step = abs(transform.a), abs(transform.e)
    low = transform.f + transform.e * values.shape[0] if transform.e < 0.0 else transform.f
    rows = values[::-1] if transform.e < 0.0 else values
    return rows.T, step, (transform.c + 0.5 * step[0], low + 0.5 * step[1])


def _image(path: Path, spacing: float | None, heights: tuple[float, float] | None) -> Read:
    from matplotlib.image import imread

    if spacing is None or heights is None:
        raise InputError("an image needs the spacing of its pixels and the heights of black and white, in m")
    pixels = np.asarray(imread(path), dtype=float)
    if pixels.ndim == 3:
        pixels = pixels[..., : min(3, pixels.shape[2])].mean(axis=2)
    if pixels.max() > 1.0:
        pixels /= 255.0
    values = heights[0] + pixels * (heights[1] - heights[0])
    return values[::-1].T, (spacing, spacing), (0.0, 0.0)


def _mesh(path: Path, spacing: float | None, heights: tuple[float, float] | None) -> Read:
    import trimesh

    if spacing is None:
        raise InputError("a mesh needs the spacing of the points at which it is taken, in m")
    try:
        mesh: Any = trimesh.load(path, force="mesh")
        points, triangles = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)
    except OSError:
        raise
    except Exception as error:
        raise InputError(f"not a mesh that can be read ({error})") from None
    values, origin = mesh_heights(points, triangles, spacing)
    return values, (spacing, spacing), origin


def _number(word: str, what: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"{what} is a number, not {word[:40]!r}") from None


_READERS: dict[str, Callable[[Path, float | None, tuple[float, float] | None], Read]] = {
    ".asc": _ascii_grid,
    ".xyz": _points,
    ".csv": _points,
    ".tif": _geotiff,
    ".tiff": _geotiff,
    ".png": _image,
    ".jpg": _image,
    ".stl": _mesh,
    ".obj": _mesh,
    ".ply": _mesh,
}
