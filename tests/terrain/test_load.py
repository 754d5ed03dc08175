"""Terrain files: what they hold is what the grid is, and bad ones say what is wrong."""

import matplotlib.image
import numpy as np
import pytest

import treadle as td

ASCII = """ncols 3
nrows 2
xllcorner 10.0
yllcorner 20.0
cellsize 0.5
NODATA_value -9999
1 2 3
4 5 -9999
"""


def test_ascii_grid(tmp_path):
    path = tmp_path / "hill.asc"
    path.write_text(ASCII.replace("-9999\n", "6\n", 2).replace("NODATA_value 6", "NODATA_value -9999"))
    grid = td.load_terrain(path, friction=0.5)
    # rows run from north to south; the corner is that of a cell, the heights are at their centres
    assert grid.height(10.25, 20.25) == 4.0 and grid.height(10.25, 20.75) == 1.0
    assert grid.height(11.25, 20.25) == 6.0 and grid.friction == 0.5


def test_holes_are_refused_or_filled(tmp_path):
    path = tmp_path / "hill.asc"
    path.write_text(ASCII)
    with pytest.raises(td.InputError, match=r"hill\.asc: .*1 holes"):
        td.load_terrain(path)
    filled = td.load_terrain(path, holes="fill")
    assert filled.height(11.25, 20.25) in (3.0, 5.0)


def test_points_in_any_order(tmp_path):
    path = tmp_path / "hill.csv"
    points = [(x, y, x + 10 * y) for x in (0.0, 0.5, 1.0) for y in (2.0, 3.0)]
    path.write_text("x,y,z\n" + "\n".join(f"{x},{y},{z}" for x, y, z in reversed(points)))
    grid = td.load_terrain(path)
    assert [grid.height(x, y) for x, y, _ in points] == [z for _, _, z in points]


def test_image(tmp_path):
    path = tmp_path / "hill.png"
    pixels = np.array([[0.0, 1.0], [0.5, 0.0], [1.0, 1.0]])
    matplotlib.image.imsave(path, pixels, cmap="gray", vmin=0.0, vmax=1.0)
    grid = td.load_terrain(path, spacing=2.0, heights=(-1.0, 3.0))
    assert grid.height(0.0, 4.0) == -1.0 and grid.height(2.0, 4.0) == 3.0
    assert grid.height(0.0, 2.0) == pytest.approx(1.0, abs=0.02)


def write_geotiff(path, transform, **options):
    """Two rows of three heights, the last of which is missing."""
    rasterio = pytest.importorskip(
        "rasterio", reason="GeoTIFF needs rasterio: pip install 'treadle[terrain]'"
    )
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, -9999.0]])
    shape = {"height": 2, "width": 3, "count": 1, "dtype": "float64", "nodata": -9999.0}
    with rasterio.open(
        path, "w", driver="GTiff", transform=rasterio.Affine(*transform), **shape, **options
    ) as f:
        f.write(values, 1)


@pytest.mark.parametrize("north_up", [True, False])
def test_geotiff(tmp_path, north_up):
    path = tmp_path / "hill.tif"
    # x = a column + c, y = e row + f of the corner of a cell; rows run from north to south or back
    write_geotiff(path, (0.5, 0.0, 10.0, 0.0, -0.25 if north_up else 0.25, 20.5 if north_up else 20.0))
    with pytest.raises(td.InputError, match=r"hill\.tif: .*1 holes"):
        td.load_terrain(path)
    grid = td.load_terrain(path, holes="fill", friction=0.5)
    assert grid.spacing == (0.5, 0.25) and grid.friction == 0.5
    first, second = (20.375, 20.125) if north_up else (20.125, 20.375)
    assert [grid.height(x, first) for x in (10.25, 10.75, 11.25)] == [1.0, 2.0, 3.0]
    assert [grid.height(x, second) for x in (10.25, 10.75)] == [4.0, 5.0]
    assert grid.height(11.25, second) in (3.0, 5.0)


def test_a_geotiff_that_is_turned(tmp_path):
    path = tmp_path / "hill.tif"
    write_geotiff(path, (0.5, 0.1, 10.0, 0.1, -0.5, 20.0))
    with pytest.raises(td.InputError, match=r"hill\.tif: .*turned against north"):
        td.load_terrain(path)


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.asc", "ncols 3\nnrows 2\n1 2 3\n", "cellsize"),
        ("a.asc", ASCII.replace("1 2 3\n", ""), "2 rows of 3 heights are announced, but 3 follow"),
        ("a.asc", ASCII.replace("1 2 3", "1 two 3"), "a height is a number, not 'two'"),
        ("a.asc", ASCII.replace("nrows 2", "nrows 1").replace("1 2 3\n", ""), "two rows and two columns"),
        ("a.asc", ASCII.replace("ncols 3", "ncols 300000000"), "too many"),
        ("a.asc", "", "ncols"),
        ("a.xyz", "0 0 1\n1 0 1\n3 0 1\n0 1 1\n1 1 1\n3 1 1\n", "x.*evenly spaced"),
        ("a.xyz", "0 0 1\n1 0 1\n0 1 1\n", "1 holes"),
        ("a.xyz", "0 0\n", "three numbers"),
        ("a.xyz", "0 0 1\n1 0 1\n", "two values of y"),
        ("a.dem", "", "ends in one of"),
        ("a.png", "", "spacing of its pixels"),
        ("a.tif", "no raster", "cannot be read|needs rasterio"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(td.InputError, match=message) as caught:
        td.load_terrain(tmp_path / name)
    assert name in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(td.InputError, match="cannot be read"):
        td.load_terrain(tmp_path / "nowhere.asc")
