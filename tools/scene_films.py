"""Film the built-in scenes into docs/images/scene-NAME.webp, without a window.

    pip install pyvista
    python tools/scene_films.py                       all of them
    python tools/scene_films.py gripper squeezer      some

A film shows the scene's routine, or else what `FILMS` says. Only the tools need pyvista; Treadle itself does
not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyvista as pv
from PIL import Image
from render_scene import PICTURES, lights
from render_scene import add as add_component
from scene_pictures import ALONE, DISTANCE, EYE, EYES, FOLDER, OPTIONS, POSTURES

import treadle as td
from treadle.app.meshes import machine_meshes
from treadle.dynamics.kinematics import world_transforms
from treadle.geometry import threedt
from treadle.model import WORLD
from treadle.scenes.roadheader import FOLDER as ROADHEADER
from treadle.scenes.rovers.rocky7 import ackermann

#: Pictures per second, and seconds of a film.
RATE, LENGTH = 12, 4.0

#: Scenes with a picture alone: the buildings of the campus are seen by cameras only.
PICTURED = {"campus"}

Commands = Callable[[float], dict[str, float]]


class Film(NamedTuple):
    """What is filmed: seconds of the machine from `start` on, in `LENGTH` seconds of film.

    `commands` by actuator at a time replace the routine. The eye goes along with a machine that it follows.
    """

    seconds: float = LENGTH
    start: float = 0.0
    commands: Commands | None = None
    follow: bool = False
    terrain: Any = None
    options: tuple[tuple[str, Any], ...] = ()
    eye: tuple[tuple[float, float, float], float] | None = None
    size: tuple[int, int] = (320, 240)
    #: name of a picture of `render_scene` whose surroundings and camera it has
    picture: str | None = None


def all_of(*names: str, value: float = 1.0) -> Commands:
    """The same command for some actuators."""
    return lambda t: dict.fromkeys(names, value)


def rocky7(t: float) -> dict[str, float]:
    """Wheels and steering on a bend to and fro."""
    names = [
        f"{side}_{part}" for side in ("left", "right") for part in ("front", "middle", "rear", "steering")
    ]
    return dict(zip(names, ackermann(0.35, 0.5 * np.sin(0.6 * t)), strict=True))


def boom(t: float) -> dict[str, float]:
    """The roadheader's boom goes round over the face while its head turns."""
    slew, lift = 0.8 * np.cos(1.2 * t), 0.7 * np.sin(1.2 * t)
    return {
        "slew_left": slew, "slew_right": -slew, "lift_left": lift, "lift_right": lift,
        "cutter": 2.0, "gather_left": 1.5, "gather_right": -1.5,
    }  # fmt: skip


def six(value: float) -> Commands:
    """All wheels of the LandTamer."""
    return all_of(*[f"{a}_{b}" for a in ("front", "middle", "rear") for b in ("left", "right")], value=value)


def ground(seed: int, roughness: float, size: float = 24.0) -> td.Grid:
    """Hills that a machine can cross."""
    return td.random_grid((size, size), spacing=0.1, roughness=roughness, correlation=0.9, seed=seed)


FILMS = {
    "arm": Film(4.0),
    "barge": Film(8.0),
    "bicycle": Film(4.0, follow=True),
    "bluerov2": Film(8.0),
    "bouncing-ball": Film(2.4),
    "chain": Film(4.0),
    "differential-drive": Film(
        6.0, commands=lambda t: {"left": 4.0, "right": 4.0 + 3.0 * np.sin(t)}, follow=True
    ),
    "friction-chain": Film(4.0),
    "landtamer": Film(3.0, commands=six(5.0), follow=True, terrain=("hills", 3, 0.12)),
    "mecanum": Film(
        6.0,
        commands=lambda t: {
            "front_left": 6.0 * np.cos(t), "front_right": 6.0 * np.sin(t),
            "rear_left": 6.0 * np.sin(t), "rear_right": 6.0 * np.cos(t),
        },
    ),
    "minibaja": Film(1.8, commands=all_of("rear_left", "rear_right", value=14.0), follow=True,
                     terrain=("hills", 5, 0.08), options=(("speed", 4.0),)),
    "moored-buoy": Film(8.0, options=(("current", 1.0),)),
    "peaucellier": Film(6.0, commands=lambda t: {"motor": 1.4 * np.cos(1.05 * t)}),
    "rocky7": Film(12.0, commands=rocky7, follow=True, terrain=("hills", 2, 0.05),
                   eye=((0.62, 0.74, 0.34), 1.35), size=(480, 300)),
    "remus": Film(3.0),
    "roadheader": Film(5.3, commands=boom, picture="tunnel", size=(480, 300)),
    "roadheader-cutting": Film(12.0, start=8.0, eye=((0.10, 0.92, 0.38), 1.1)),
    "roadheader-ground": Film(8.5, eye=((0.55, 0.78, 0.34), 1.25)),
    "slider-crank": Film(1.26),
    "squeezer": Film(0.03, commands=all_of("motor", value=0.033)),
    "zoe": Film(10.0, commands=all_of("front_left", "front_right", "rear_left", "rear_right", value=2.0),
                follow=True, terrain=("hills", 4, 0.08)),
}  # fmt: skip


def filmed(name: str) -> Film:
    """The film of a scene: its own, or the whole routine."""
    model = td.scene(name)
    seconds = td.Routine(model).seconds
    return FILMS.get(name, Film(min(seconds, 16.0) or LENGTH))


def positions(name: str, film: Film) -> Iterator[tuple[td.Model, np.ndarray]]:
    """Positions at every picture of a film."""
    model = td.scene(name, **{**OPTIONS.get(name, {}), **dict(film.options)})
    sim = td.Simulation(model, **({"terrain": hills(film)} if film.terrain else {}))
    for joint, value in POSTURES.get(name, {}).items() if not film.commands else ():
        sim.joint(joint).position = value
    routine = td.Routine(model)
    commands = film.commands or (routine.commands if len(routine) else lambda t: {})
    count = round(LENGTH * RATE)
    steps_before, shown = round(film.start / sim.dt), 0
    for step in range(steps_before + round(film.seconds / sim.dt) + 1):
        if step >= steps_before and (step - steps_before) * sim.dt >= shown * film.seconds / count - 1e-9:
            shown += 1
            yield model, sim.q.copy()
        if shown == count:
            return
        for actuator, value in commands((step + 1) * sim.dt).items():
            sim.actuator(actuator).command = value
        sim.step()


def hills(film: Film) -> td.Grid:
    """The ground of a film."""
    _, seed, roughness = film.terrain
    return ground(seed, roughness)


def draw(name: str) -> str:
    """Film one scene."""
    film = filmed(name)
    frames = list(positions(name, film))
    model = frames[0][0]
    plotter = pv.Plotter(off_screen=True, window_size=[2 * n for n in film.size], lighting="none")
    plotter.set_background("#dde3e9")
    actors: list[tuple[int, Any]] = []
    spots: list[tuple[int, np.ndarray]] = []
    for body, meshes in machine_meshes(model)[0].items():
        for mesh in meshes:
            faces = np.insert(mesh.triangles, 0, 3, axis=1).ravel()
            actor = plotter.add_mesh(
                pv.PolyData(mesh.points, faces), color=mesh.color[:3], opacity=float(mesh.color[3]),
                ambient=0.28, diffuse=0.8, specular=0.2, specular_power=15,
            )  # fmt: skip
            actors.append((body, actor))
            spots.append((body, mesh.points))
    if film.follow or film.terrain:
        color = "#b9a58a" if film.terrain else "#c3c8cd"
        edges = {"show_edges": not film.terrain, "edge_color": "#b3b8bd"}
        plotter.add_mesh(floor(film), color=color, ambient=0.3, diffuse=0.7, specular=0.0, **edges)
    boxes = [bounds(model, q, spots, film.follow or name in ALONE) for _, q in frames]
    size, middles = framing(boxes, film.follow)
    eye, distance = film.eye or EYES.get(name, (EYE, DISTANCE))
    plotter.camera.up, plotter.camera.view_angle = (0.0, 0.0, 1.0), 38.0
    if film.picture is None:
        light(plotter, middles[0], size)
    else:
        middles, eye, distance, size = (
            [surround(plotter, film.picture)] * len(frames),
            towards(film.picture),
            1.0,
            1.0,
        )
    pictures = []
    for (_, q), middle in zip(frames, middles, strict=True):
        bodies = world_transforms(model, q.tolist())
        for body, actor in actors:
            if body != WORLD:
                actor.user_matrix = bodies[body].to_matrix()
        plotter.camera.position = middle + distance * size * np.array(eye)
        plotter.camera.focal_point = middle
        plotter.reset_camera_clipping_range()
        plotter.render()
        pixels = plotter.screenshot(None, return_img=True)
        pictures.append(Image.fromarray(pixels).convert("RGB").resize(film.size, Image.Resampling.LANCZOS))
    plotter.close()
    path = FOLDER / f"scene-{name}.webp"
    first, *rest = pictures
    first.save(
        path, save_all=True, append_images=rest, duration=round(1000 / RATE), loop=0, quality=55, method=6
    )
    return f"{path.name}: {len(pictures)} pictures, {path.stat().st_size / 1e3:.0f} kB"


def bounds(model: td.Model, q: np.ndarray, spots: Any, moving: bool) -> np.ndarray:
    """Lowest and highest point (2, 3) of the machine, or of what moves."""
    bodies = world_transforms(model, q.tolist())
    found = []
    for body, points in spots:
        if body == WORLD:
            if not moving:
                found += [points.min(axis=0), points.max(axis=0)]
            continue
        X = bodies[body].to_matrix()
        placed = points @ X[:3, :3].T + X[:3, 3]
        found += [placed.min(axis=0), placed.max(axis=0)]
    return np.array([np.min(found, axis=0), np.max(found, axis=0)])


def framing(boxes: list[np.ndarray], follow: bool) -> tuple[float, list[np.ndarray]]:
    """Size of what is in the picture, and its middle at every moment."""
    if follow:
        size = max(float(np.linalg.norm(high - low)) for low, high in boxes)
        middles = np.array([0.5 * (low + high) for low, high in boxes])
        # the eye does not shake with the machine
        kernel = np.ones(9) / 9.0
        padded = np.pad(middles, ((4, 4), (0, 0)), mode="edge")
        return size, list(np.stack([np.convolve(column, kernel, "valid") for column in padded.T], axis=1))
    low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    return float(np.linalg.norm(high - low)), [0.5 * (low + high)] * len(boxes)


def floor(film: Film) -> pv.StructuredGrid:
    """The ground as a surface with lines on it."""
    half = 12.0 if film.terrain else 60.0
    x = np.arange(-half, half + 0.01, 0.1 if film.terrain else 1.0)
    y, x = np.meshgrid(x, x)
    z = hills(film).height(x, y) if film.terrain else np.full_like(x, -0.002)
    return pv.StructuredGrid(x, y, np.asarray(z))


def surround(plotter: pv.Plotter, name: str) -> np.ndarray:
    """Put the tunnel of a picture around the machine; the point that the camera looks at."""
    picture = PICTURES[name]
    for component in threedt.read(ROADHEADER / "tunnel.3dt").components:
        if component.name not in picture.hidden:
            add_component(plotter, component, np.eye(4), rough=True)
    plotter.set_background("#17181b")
    for position, strength in lights(picture):
        plotter.add_light(
            pv.Light(
                position=position, focal_point=(0.5, 0, 0.6), intensity=strength, light_type="scene light"
            )
        )
    plotter.camera.view_angle = picture.angle
    return np.array(picture.at)


def towards(name: str) -> np.ndarray:
    """From the point that the camera of a picture looks at to the camera."""
    return np.array(PICTURES[name].eye) - np.array(PICTURES[name].at)


def light(plotter: pv.Plotter, middle: np.ndarray, size: float) -> None:
    """Three lamps, as in the pictures."""
    for place, strength in (((3, 6, 9), 0.8), ((-6, 4, 5), 0.4), ((5, -8, 6), 0.3)):
        position = middle + 4.0 * size * np.array(place)
        plotter.add_light(
            pv.Light(position=position, focal_point=middle, intensity=strength, light_type="scene light")
        )


if __name__ == "__main__":
    os.environ.setdefault("VTK_LOGGING_LEVEL", "OFF")
    pv.OFF_SCREEN = True
    for each in sys.argv[1:] or [name for name in td.scene_names() if name not in PICTURED]:
        print(draw(each), flush=True)
