"""Lidars and cameras by rays: speed, and agreement with peers.

A lidar of 64 x 1,024 beams and a camera in the tunnel of the roadheader, and range finders over rough
terrain. Hits are compared with those of trimesh and Embree, a moving lidar with rays that are cast one by
one, and the camera's time with MuJoCo's renderer. Speeds are those of one core by its CPU time, which other
work on the computer does not lengthen much; those of two threads are by the CPU time of the main thread and
of the longer of the two, which is the time that passes on two cores with nothing else to do.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.bench.results import Check, at_least, at_most
from treadle.scenes import scene
from treadle.sensors.camera import Camera, Intrinsics, Picture
from treadle.sensors.ranging import Lidar, LidarScan
from treadle.sensors.rays import RayScene
from treadle.studies.moving_lidar import AZIMUTH, ELEVATION, LIDAR, moving_row, swinging_row
from treadle.studies.study import Column, Findings, Report
from treadle.terrain import Plane, random_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["run"]

#: From where its points are shown, and at what they are looked at (m).
ABOVE = ((4.6, 6.0, 11.5), (0.2, -0.2, 0.4))

#: Where the cameras stand and what they look at (m).
VIEWS = {"tunnel": ((-5.2, 2.2, 3.2), (3.0, -0.45, 1.55)), "open": ((9.3, 6.6, 3.5), (1.05, 0.0, 1.15))}

_COLUMNS = (
    Column("case", "case"),
    Column("caster", "caster"),
    Column("rays", "rays", ".0f"),
    Column("rate", "Mrays/s", ".2f"),
    Column("clock", "elapsed", ".2f"),
    Column("frames", "frames/s", ".1f"),
    Column("difference", "difference (m)", ".1e"),
    Column("apart", "rays apart", ".0f"),
)


@dataclass
class _Shown:
    """What the plot shows."""

    scans: list[LidarScan] = field(default_factory=list)
    pictures: dict[str, Picture] = field(default_factory=dict)
    scenes: dict[str, RayScene] = field(default_factory=dict)


def run(quick: bool, report: Report) -> Findings:
    """Measure all casters; quick: fewer turns."""
    shown = _Shown()
    findings = Findings(_COLUMNS, [], lambda: _draw(shown))
    turns = 3 if quick else 15
    model = scene("roadheader")
    tunnel = RayScene(model)
    open_air = RayScene(model, surroundings=False, terrain=Plane())
    shown.scenes = {"tunnel": tunnel, "open": open_air}
    report(0.0, "lidar")
    findings.rows += _lidar_rows(tunnel, turns, shown, findings.notes)
    report(0.3, "moving lidar")
    findings.rows += [moving_row(tunnel, 40 if quick else 200), swinging_row()]
    report(0.5, "terrain")
    findings.rows += _terrain_rows(turns)
    report(0.7, "cameras")
    findings.rows += _camera_rows(shown, turns, findings.notes)
    findings.checks = _checks(findings.rows)
    return findings


def _least(work: Callable[[], Any], turns: int) -> float:
    """The least CPU time (s) of some turns, after a first one that is not counted."""
    work()
    times = []
    for _ in range(turns):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def _least_of_threads(work: Callable[[], Any], turns: int) -> tuple[float, float]:
    """The least time (s) of some turns on as many threads: CPU time of the longest way, and by the clock."""
    work()
    main, least, clock = threading.get_ident(), np.inf, np.inf
    clocks = {t.ident: time.pthread_getcpuclockid(t.ident) for t in threading.enumerate() if t.ident}
    for _ in range(turns):
        started, before = time.perf_counter(), {k: time.clock_gettime(c) for k, c in clocks.items()}
        work()
        clock = min(clock, time.perf_counter() - started)
        used = {k: time.clock_gettime(c) - before[k] for k, c in clocks.items()}
        least = min(least, used.pop(main) + max(used.values()))
    return least, clock


def _lidar_rows(tunnel: RayScene, turns: int, shown: _Shown, notes: list[str]) -> list[dict[str, Any]]:
    """A sweep of 64 x 1,024 beams by our kernels, and by trimesh with Embree."""
    lidar = Lidar(azimuth=AZIMUTH, elevation=ELEVATION, sweep=0.0)
    ways = lidar.beams.reshape(-1, 3)
    hits = tunnel.cast(LIDAR, ways)
    seconds = _least(lambda: tunnel.cast(LIDAR, ways), turns)
    rows: list[dict[str, Any]] = [
        {"case": "lidar, tunnel", "caster": "treadle", "rays": len(ways), "rate": 1e-6 * len(ways) / seconds}
    ]
    pose = np.eye(4)
    pose[:3, 3] = LIDAR
    shown.scans.append(lidar.scan(tunnel, pose))
    embree = _embree(tunnel, notes)
    if embree is not None:
        expected = embree(np.array(LIDAR), ways)
        seconds = _least(lambda: embree(np.array(LIDAR), ways), turns)
        rate = 1e-6 * len(ways) / seconds
        rows.append(
            {"case": "lidar, tunnel", "caster": "Embree", "rays": len(ways), "rate": rate}
            | _agreement(hits.distance, expected)
        )
    return rows


def _agreement(distance: np.ndarray, expected: np.ndarray) -> dict[str, float]:
    """The largest difference of the rays that hit the same face, and how many do not (1e-6 m apart)."""
    with np.errstate(invalid="ignore"):
        error = np.abs(distance - expected)
    error[np.isinf(distance) & np.isinf(expected)] = 0.0
    same = error <= 1e-6
    return {"difference": float(error[same].max()), "apart": float((~same).sum())}


def _embree(scene: RayScene, notes: list[str]) -> Callable[[np.ndarray, np.ndarray], np.ndarray] | None:
    """Distances by trimesh and Embree, for rays from one point; None where it is not installed."""
    import trimesh

    try:
        from trimesh.ray.ray_pyembree import RayMeshIntersector
    except ImportError:
        notes.append("Embree is not installed: pip install embreex to compare with it")
        return None
    corners = [
        piece.triangles @ X[:9].reshape(3, 3).T + X[9:]
        for piece in scene.pieces
        for X in [scene.poses[0, piece.body]]
        if piece.triangles is not None
    ]
    points = np.concatenate(corners).reshape(-1, 3)
    mesh = trimesh.Trimesh(points, np.arange(len(points)).reshape(-1, 3), process=False)
    caster = RayMeshIntersector(mesh)

    def distances(origin: np.ndarray, ways: np.ndarray) -> np.ndarray:
        origins = np.tile(origin, (len(ways), 1))
        points, ray, _ = caster.intersects_location(origins, ways, multiple_hits=False)
        found = np.full(len(ways), np.inf)
        found[ray] = np.linalg.norm(points - origin, axis=1)
        return found

    return distances


def _terrain_rows(turns: int) -> list[dict[str, Any]]:
    """Range finders over rough ground: straight down, and a lidar close to it."""
    ground = random_grid((40.0, 40.0), spacing=0.05, roughness=0.15, correlation=1.5, seed=1)
    field_ = RayScene(scene("differential-drive"), terrain=ground, links=())
    rng = np.random.default_rng(0)
    n, rows = 100_000, []
    origins = np.column_stack([rng.uniform(-15.0, 15.0, (n, 2)), np.full(n, 1.5)])
    azimuth = rng.uniform(0.0, 2.0 * np.pi, n)
    for name, angles in (("down", (1.2, 0.5 * np.pi)), ("ahead", (0.2, 0.8))):
        depression = rng.uniform(*angles, n)
        ways = np.column_stack(
            [np.cos(depression) * np.cos(azimuth), np.cos(depression) * np.sin(azimuth), -np.sin(depression)]
        )
        hits = field_.cast(origins, ways)
        found = np.isfinite(hits.distance)
        points = hits.point[found][:2000]
        height = np.array([float(ground.height(x, y)) for x, y in points[:, :2].tolist()])
        seconds = _least(lambda ways=ways: field_.cast(origins, ways), turns)
        row = {"case": f"terrain, {name}", "caster": "treadle", "rays": n}
        rows.append(
            row | {"rate": 1e-6 * n / seconds, "difference": float(np.abs(points[:, 2] - height).max())}
        )
        both = field_.cast(origins, ways, threads=2)
        seconds, clock = _least_of_threads(lambda ways=ways: field_.cast(origins, ways, threads=2), turns)
        row |= {"caster": "two threads", "rate": 1e-6 * n / seconds, "clock": 1e-6 * n / clock}
        rows.append(row | {"apart": float((both.distance != hits.distance).sum())})
    return rows


def look(eye: tuple[float, ...], at: tuple[float, ...]) -> np.ndarray:
    """Pose (4, 4) of a camera at a point (m) that looks at another, upright."""
    x = np.subtract(at, eye)
    x /= np.linalg.norm(x)
    y = np.cross((0.0, 0.0, 1.0), x)
    y /= np.linalg.norm(y)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.column_stack([x, y, np.cross(x, y)]), eye
    return X


def _camera_rows(shown: _Shown, turns: int, notes: list[str]) -> list[dict[str, Any]]:
    """Colour and depth of 320 x 240 pixels in the tunnel and in the open, and depth against Embree."""
    rows: list[dict[str, Any]] = []
    camera = Camera(Intrinsics.from_angle(320, 240, np.radians(60.0)))
    for name, (eye, at) in VIEWS.items():
        view, pose = shown.scenes[name], look(eye, at)
        shown.pictures[name] = camera.picture(view, pose)
        seconds = _least(lambda view=view, pose=pose: camera.picture(view, pose), turns)
        rows.append({"case": f"camera, {name}", "caster": "treadle", "rays": 76800, "frames": 1.0 / seconds})
    embree = _embree(shown.scenes["tunnel"], notes)
    if embree is not None:
        apart, difference = _depth_apart(shown.pictures["tunnel"].depth, camera.intrinsics, embree)
        row = {"case": "depth, tunnel", "caster": "Embree", "rays": 76800}
        rows.append(row | {"difference": difference, "apart": float(apart)})
    frames = _mujoco_frames(shown.scenes["open"], turns, notes)
    if frames is not None:
        rows.append({"case": "camera, open", "caster": "MuJoCo", "rays": 76800, "frames": frames})
    return rows


def _depth_apart(
    depth: np.ndarray, lens: Intrinsics, embree: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> tuple[int, float]:
    """Pixels whose depth no ray within half a pixel has, to half a pixel's footprint; largest difference."""
    pose = look(*VIEWS["tunnel"])
    v, u = np.mgrid[: lens.height, : lens.width]
    missing = np.ones(depth.shape, dtype=bool)
    difference = 0.0
    places = (0.0, -0.1, 0.1, -0.25, 0.25, -0.5, 0.5)
    for du, dv in ((a, b) for a in places for b in places):
        rows = np.nonzero(missing)
        if not len(rows[0]):
            break
        rays = lens.rays(u[rows] + du, v[rows] + dv)
        expected = embree(pose[:3, 3], rays @ pose[:3, :3].T) * rays[:, 0]
        with np.errstate(invalid="ignore"):
            error = np.abs(depth[rows] - expected)
        close = error <= 0.5 * expected / lens.fx
        if missing.all():
            difference = float(error[close].max())
        missing[rows] = ~close
    return int(missing.sum()), difference


def _mujoco_frames(view: RayScene, turns: int, notes: list[str]) -> float | None:
    """Frames per second of CPU time of MuJoCo's renderer for the same triangles; None where it cannot run."""
    os.environ.setdefault("MUJOCO_GL", "egl")
    import trimesh
    from trimesh.exchange.obj import export_obj

    corners = [
        piece.triangles @ X[:9].reshape(3, 3).T + X[9:]
        for piece in view.pieces
        for X in [view.poses[0, piece.body]]
        if piece.triangles is not None
    ]
    points = np.concatenate(corners).reshape(-1, 3)
    mesh = trimesh.Trimesh(points, np.arange(len(points)).reshape(-1, 3), process=True)
    X = look(*VIEWS["open"])
    axes = " ".join(f"{x:.9g}" for x in (*-X[:3, 1], *X[:3, 2]))
    place = " ".join(f"{x:.9g}" for x in X[:3, 3])
    angle = 2.0 * np.degrees(np.arctan(np.tan(np.radians(30.0)) * 240.0 / 320.0))
    text = f"""<mujoco><asset><mesh name="machine" file="machine.obj" inertia="shell"/></asset><worldbody>
        <light pos="5 3 9" dir="-5 -3 -9" directional="true"/><geom type="plane" size="50 50 1"/>
        <camera name="eye" pos="{place}" xyaxes="{axes}" fovy="{angle}"/>
        <geom type="mesh" mesh="machine" contype="0" conaffinity="0"/></worldbody></mujoco>"""
    try:
        mujoco: Any = import_module("mujoco")
        assets = {"machine.obj": export_obj(mesh).encode()}
        model = mujoco.MjModel.from_xml_string(text, assets)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        renderer = mujoco.Renderer(model, 240, 320)
    # no package, no EGL, no driver: whatever the reason, there is nothing to compare with
    except Exception as error:
        notes.append(f"MuJoCo's renderer does not run here ({type(error).__name__})")
        return None

    def frame() -> None:
        renderer.disable_depth_rendering()
        renderer.update_scene(data, "eye")
        renderer.render()
        renderer.enable_depth_rendering()
        renderer.update_scene(data, "eye")
        renderer.render()

    return 1.0 / _least(frame, turns)


def _checks(rows: list[dict[str, Any]]) -> list[Check]:
    def find(case: str, caster: str = "treadle") -> dict[str, Any]:
        return next((row for row in rows if row["case"] == case and row["caster"] == caster), {})

    lidar, embree = find("lidar, tunnel"), find("lidar, tunnel", "Embree")
    depth = find("depth, tunnel", "Embree")
    terrain = [row for row in rows if row["case"].startswith("terrain") and "clock" in row]
    return [
        at_least("lidar of 64 x 1,024 in the tunnel: million rays/s of a core", lidar["rate"], 1.0),
        at_most("the same: rays more than 1e-6 m from Embree's", embree.get("apart"), 0.0),
        at_most("moving lidar: off rays cast one by one (m)", find("moving lidar")["difference"], 1e-12),
        at_most(
            "lidar of a swinging arm: off columns cast one by one (m)",
            find("lidar of an arm")["difference"],
            1e-6,
        ),
        at_least(
            "range rays on terrain: million/s of two threads on two cores",
            min(row["rate"] for row in terrain),
            2.0,
        ),
        at_most("the same: rays that differ from those of one", sum(row["apart"] for row in terrain), 0.0),
        at_least("camera in the tunnel: frames/s of a core", find("camera, tunnel")["frames"], 10.0),
        at_least("camera in the open: frames/s of a core", find("camera, open")["frames"], 10.0),
        at_most("depth: pixels that no ray of Embree within half a pixel has", depth.get("apart"), 0.0),
    ]


def _draw(shown: _Shown) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14.0, 10.4), dpi=130, layout="constrained")
    grid = figure.add_gridspec(3, 6, height_ratios=(2.2, 0.9, 1.6))
    _draw_scan(figure.add_subplot(grid[0, :4]), shown.scans[0])
    ranges = figure.add_subplot(grid[1, :])
    figure.colorbar(_draw_ranges(ranges, shown.scans[0]), ax=ranges, shrink=0.9, pad=0.01)
    picture, view = shown.pictures["tunnel"], shown.scenes["tunnel"]
    labels = [f"{surface.link}" for surface in view.surfaces]
    number = {name: k for k, name in enumerate(sorted(set(labels)))}
    links = np.array([*[number[label] for label in labels], -1])
    segments = np.where(picture.segmentation >= 0, links[picture.segmentation], np.nan)
    panels = (
        (grid[0, 4:], picture.rgb, "Colour in the tunnel, 320 x 240", None),
        (grid[2, :2], np.where(np.isfinite(picture.depth), picture.depth, np.nan), "Depth (m)", "viridis_r"),
        (grid[2, 2:4], segments, "Segmentation by link", "tab20"),
        (grid[2, 4:], shown.pictures["open"].rgb, "Colour in the open", None),
    )
    for place, image, title, colors in panels:
        axes = figure.add_subplot(place)
        drawn = axes.imshow(image, cmap=colors, interpolation="nearest")
        axes.set(title=title, xticks=[], yticks=[])
        if colors == "viridis_r":
            figure.colorbar(drawn, ax=axes, shrink=0.75)
    return figure


def _draw_scan(axes: Any, scan: LidarScan) -> None:
    """The points of a sweep below the roof, from above, coloured by height."""
    points = scan.points.reshape(-1, 3) + np.array(LIDAR)
    points = points[np.isfinite(points[:, 0]) & (points[:, 2] < 3.8)]
    X = look(*ABOVE)
    seen = (np.vstack([points, LIDAR]) - X[:3, 3]) @ X[:3, :3]
    places = Intrinsics.from_angle(900, 560, np.radians(62.0)).project(seen)
    order = np.argsort(-seen[:-1, 0])
    axes.scatter(
        *places[:-1][order].T, s=1.1, c=points[order, 2], cmap="turbo", linewidths=0, rasterized=True
    )
    axes.plot(*places[-1], "^", ms=9, color="white", mec="black")
    axes.annotate("lidar", places[-1], xytext=(8, 6), textcoords="offset points", color="white")
    axes.set(
        title="Points of a lidar sweep, 64 x 1,024 beams, by height",
        xticks=[],
        yticks=[],
        facecolor="#101418",
    )
    axes.set(xlim=(0, 900), ylim=(560, 0))
    axes.set_aspect("equal")


def _draw_ranges(axes: Any, scan: LidarScan) -> Any:
    """The distances of a sweep as a picture, azimuth to the left as the lidar sees it."""
    image = np.where(np.isfinite(scan.distance), scan.distance, np.nan).T[::-1, ::-1]
    drawn = axes.imshow(
        image, cmap="viridis_r", aspect="auto", extent=(*np.degrees(AZIMUTH)[::-1], *np.degrees(ELEVATION))
    )
    axes.set(title="The same sweep as distances (m)", xlabel="azimuth (deg)", ylabel="elevation (deg)")
    return drawn
