"""Draw the pictures of the sensor pages and of the campus by Treadle's own cameras.

python tools/sensor_pictures.py                 all of them, into docs/images and the page's menu
python tools/sensor_pictures.py lidar campus    some
"""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from runpy import run_path

import numpy as np
from matplotlib.patches import Rectangle
from PIL import Image

from treadle.model import Model
from treadle.scenes import SCENES, scene
from treadle.scenes.rovers.campus import ANTENNA
from treadle.sensors.camera import Camera, Intrinsics, Light, Lighting
from treadle.sensors.gps import GpsReceiver, Site
from treadle.sensors.ranging import Lidar
from treadle.sensors.rays import RayScene
from treadle.studies.ray_sensors import look
from treadle.terrain import Plane

ROOT = Path(__file__).parents[1]
IMAGES, MENU = ROOT / "docs" / "images", ROOT / "src" / "treadle" / "app" / "pictures"

#: Where the rover stands for the picture of the satellites (m): in the street between tower and library.
STREET = (-8.0, 25.5)

#: Sun in the afternoon.
WEST = Lighting(lights=(Light((-7.0, 2.0, 7.0), (0.75, 0.72, 0.66)),))


def main() -> None:
    """Draw what was asked for."""
    drawn = {"camera": camera, "lidar": lidar, "gps": gps, "campus": campus, "estimators": estimators}
    for name in sys.argv[1:] or drawn:
        drawn[name]()


def camera() -> None:
    """Colour, depth and segmentation of the roadheader side by side."""
    view = RayScene(scene("roadheader"))
    pose = look((-5.2, 2.2, 3.2), (3.0, -0.45, 1.55))
    lighting = Lighting.indoors(shadows=True)
    picture = Camera(Intrinsics.from_angle(480, 360, np.radians(62.0)), lighting, samples=3).picture(
        view, pose
    )
    depth = _colored(picture.depth, 2.0, 12.0)
    number = {name: k for k, name in enumerate(sorted({surface.link for surface in view.surfaces}))}
    rng = np.random.default_rng(4)
    palette = rng.uniform(60, 250, (len(number), 3)).astype(np.uint8)
    links = np.array([number[surface.link] for surface in view.surfaces])
    segments = palette[links[picture.segmentation]]
    segments[picture.segmentation < 0] = 0
    _save(np.hstack([picture.rgb, depth, segments]), IMAGES / "sensor-camera.png")


def lidar() -> None:
    """The points of a sweep in the tunnel, coloured by intensity, before a dark ground."""
    view = RayScene(scene("roadheader"))
    place = np.eye(4)
    place[:3, 3] = (3.2, 2.4, 1.9)
    device = Lidar(columns=2048, rows=96, elevation=(-0.65, 0.45), sweep=0.0)
    scan = device.scan(view, place)
    points = (scan.points + place[:3, 3])[np.isfinite(scan.distance) & (scan.points[..., 2] < 1.8)]
    pose = look((4.8, 6.2, 10.5), (0.2, -0.2, 0.3))
    width, height = 1200, 700
    seen = (points - pose[:3, 3]) @ pose[:3, :3]
    u, v = np.rint(Intrinsics.from_angle(width, height, np.radians(62.0)).project(seen)).astype(int).T
    image = np.full((height, width, 3), (16, 20, 24), dtype=np.uint8)
    colors = _colored(points[:, 2], -0.1, 3.6)
    order = np.argsort(-seen[:, 0])
    for du, dv in ((0, 0), (1, 0), (0, 1), (1, 1)):
        inside = (u + du >= 0) & (u + du < width) & (v + dv >= 0) & (v + dv < height)
        chosen = order[inside[order]]
        image[v[chosen] + dv, u[chosen] + du] = colors[chosen]
    _save(image, IMAGES / "sensor-lidar.png")


def gps() -> None:
    """The rover in the street with lines to the satellites: blue in view, red behind a building."""
    street = np.array([*STREET, 0.0]) + ANTENNA
    receiver = GpsReceiver(
        Site(39.98, 116.33, 50.0),
        datetime(2008, 7, 1, 5, 43),
        obstacles=RayScene(scene("campus"), links=("world",)),
    )
    sky = receiver.sky(0.0, street)
    spec = SCENES["campus"]()
    for i in np.flatnonzero(sky.risen):
        # a line ends where a building stops it
        reach = 150.0
        if not sky.visible[i]:
            assert isinstance(receiver.obstacles, RayScene)
            reach = float(receiver.obstacles.cast(street, sky.directions[i]).distance[0])
        color = (0.10, 0.45, 0.95, 1.0) if sky.visible[i] else (0.90, 0.15, 0.15, 1.0)
        middle = street + 0.5 * reach * sky.directions[i]
        spec.add_shape(
            f"signal{i}", None, "cylinder", (0.22, reach), position=middle.tolist(),
            rotation=_along(sky.directions[i]).tolist(), color=color,
        )  # fmt: skip
    model = spec.compile()
    view = RayScene(model, _at(model, STREET), terrain=Plane())
    lens = Intrinsics.from_angle(1200, 800, np.radians(55.0))
    picture = Camera(lens, WEST, samples=2).picture(view, look((-125.0, 42.0, 75.0), (-2.0, 22.0, 22.0)))
    _save(picture.rgb, IMAGES / "sensor-gps.png")


def campus() -> None:
    """The scene for its page and for the menu."""
    model = scene("campus")
    view = RayScene(model, _at(model, (-62.5, -9.5)), terrain=Plane())
    for size, path in (((640, 480), IMAGES / "scene-campus.png"), ((320, 180), MENU / "campus.jpg")):
        lens = Intrinsics.from_angle(*size, np.radians(58.0))
        picture = Camera(lens, WEST, samples=3).picture(view, look((-69.5, -14.0, 3.6), (-52.0, -1.0, 3.3)))
        _save(picture.rgb, path)


def _at(model: Model, place: tuple[float, float]) -> np.ndarray:
    """The rover's position somewhere else on the plane."""
    q = np.array(model.initial()[0])
    q[4:6] = place
    return q


def _along(direction: np.ndarray) -> np.ndarray:
    """A rotation whose z axis is a direction."""
    x = np.cross(direction, (0.3, -0.8, 0.52))
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(direction, x), direction])


def _colored(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Colours of 0 to 255 from blue over green to red."""
    from matplotlib import colormaps

    share = np.clip((np.where(np.isfinite(values), values, high) - low) / (high - low), 0.0, 1.0)
    return (255.0 * colormaps["turbo"](share)[..., :3]).astype(np.uint8)


def estimators() -> None:
    """Paths of the examples with a Kalman filter and with scan matching, and their errors over time."""
    from matplotlib.figure import Figure

    ekf = run_path(str(ROOT / "examples" / "06_ekf.py"))
    scans = run_path(str(ROOT / "examples" / "07_scan_matching.py"))
    figure = Figure(figsize=(13.0, 5.2), dpi=110, layout="constrained")
    (path, error, room) = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 1.15))
    colors = {"true": "black", "GPS": "tab:orange", "odometry": "tab:red", "EKF": "tab:blue", "IMU": "gray"}
    for name in ("GPS", "odometry", "EKF", "true"):
        path.plot(*np.array(ekf["tracks"][name]).T, color=colors[name], lw=1.2, label=name)
    path.set(title="Kalman filter: paths", xlabel="east (m)", ylabel="north (m)", aspect="equal")
    time = (1.0 + np.arange(len(ekf["tracks"]["true"]))) / ekf["RATE"]
    for name in ("IMU", "odometry", "GPS", "EKF"):
        error.semilogy(time, ekf["errors"][name], color=colors[name], lw=1.2, label=name)
    error.set(title="Error of each alone, and fused", xlabel="time (s)", ylabel="error of the place (m)")
    error.set_ylim(1e-2, 1e4)
    for x, y, length, width in scans["BOXES"]:
        corner = (x - 0.5 * length, y - 0.5 * width)
        room.add_patch(Rectangle(corner, length, width, color="0.75"))
    pose, scan = scans["pose"], scans["scan"]
    turn = np.array([[np.cos(pose[2]), np.sin(pose[2])], [-np.sin(pose[2]), np.cos(pose[2])]])
    room.plot(*(scan @ turn + pose[:2]).T, ".", ms=2.5, color="tab:green", label="last scan, matched")
    for name, color in (("odometry", "tab:red"), ("matched", "tab:blue"), ("true", "black")):
        style = {"lw": 1.2, "ls": "--" if name == "true" else "-"}
        room.plot(*np.array(scans["tracks"][name]).T, color=color, label=name, **style)
    room.set(title="Scans matched to a map", xlabel="x (m)", ylabel="y (m)", aspect="equal")
    for axes in (path, error, room):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(IMAGES / "sensor-estimators.png")


def _save(pixels: np.ndarray, path: Path) -> None:
    Image.fromarray(pixels).save(path, optimize=True, quality=88)
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
