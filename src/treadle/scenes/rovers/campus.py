"""A campus for GPS: LandTamer between buildings that hide satellites, after the experiment of Wang (2011)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

from treadle.model import ModelSpec
from treadle.scenes.rovers.landtamer import landtamer
from treadle.scenes.rovers.looks import add_tube

__all__ = ["ANTENNA", "BUILDINGS", "PLACE", "START", "Building", "campus"]

#: Where LandTamer starts (m), heading east.
START = (-95.0, -70.0)

#: Position of the GPS antenna in the hull's axes (m), on top of a mast.
ANTENNA = (-0.85, 0.0, 2.1)

#: Where the world's origin lies, and when it starts: the institute of the publication, after noon.
PLACE = {"latitude": 39.98, "longitude": 116.33, "height": 50.0, "start": "2008-07-01T05:40:00"}


class Building(NamedTuple):
    """A block: middle (x east, y north), lengths along x and y, height (m), and its colour."""

    name: str
    middle: tuple[float, float]
    lengths: tuple[float, float]
    height: float
    color: tuple[float, float, float, float]


_BRICK, _STONE, _GLASS, _PLASTER = (
    (0.62, 0.36, 0.28, 1.0),
    (0.66, 0.63, 0.57, 1.0),
    (0.45, 0.55, 0.62, 1.0),
    (0.80, 0.77, 0.70, 1.0),
)

#: The tower and the library stand along a street of 15 m, the laboratory across its eastern end.
BUILDINGS = (
    Building("tower", (0.0, 10.0), (44.0, 16.0), 48.0, _GLASS),
    Building("library", (0.0, 42.0), (44.0, 18.0), 26.0, _BRICK),
    Building("laboratory", (48.0, 26.0), (20.0, 52.0), 30.0, _PLASTER),
    Building("hall", (-52.0, 30.0), (24.0, 20.0), 14.0, _STONE),
    Building("dormitory", (-35.0, -38.0), (60.0, 14.0), 22.0, _BRICK),
    Building("workshop", (58.0, -34.0), (28.0, 22.0), 9.0, _PLASTER),
)


def campus(buildings: bool = True) -> ModelSpec:
    """LandTamer with a GPS mast between six buildings, x east and y north; without them, in the open."""
    spec = landtamer(position=START)
    spec.name = "campus"
    x, y, z = ANTENNA
    add_tube(spec, "mast", "hull", (x, y, 1.25), (x, y, z), 0.02, (0.08, 0.08, 0.08, 1.0))
    spec.add_shape(
        "antenna", "hull", "cylinder", (0.09, 0.05), position=(x, y, z - 0.03), color=(0.9, 0.9, 0.9, 1.0)
    )
    spec.add_frame("gps", "hull", position=ANTENNA)
    if find_spec("pymap3d") is not None:
        spec.add_sensor("gps receiver", "gps", "gps", rate=1.0, parameters=PLACE)
    for building in BUILDINGS if buildings else ():
        _add_building(spec, building)
    return spec


def _add_building(spec: ModelSpec, building: Building) -> None:
    """A block with a darker storey for machinery on its roof."""
    name, (x, y), (length, width), height, color = building
    spec.add_shape(name, None, "box", (length, width, height), position=(x, y, 0.5 * height), color=color)
    dark = (*(0.7 * c for c in color[:3]), 1.0)
    spec.add_shape(
        f"{name}_roof",
        None,
        "box",
        (0.5 * length, 0.5 * width, 2.5),
        position=(x, y, height + 1.25),
        color=dark,
    )
