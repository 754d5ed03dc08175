"""Draw the built-in scenes as they start into docs/images/scene-NAME.png, without a window.

    pip install pyvista
    python tools/scene_pictures.py                       all of them
    python tools/scene_pictures.py gripper squeezer      some

Only the tools need pyvista; Treadle itself does not. render_scene.py makes the pictures of the roadheader.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyvista as pv
from PIL import Image

from treadle.app.depth_colors import scale_of
from treadle.app.meshes import machine_meshes
from treadle.app.panels.tool_path import with_plan
from treadle.app.panels.work import face_mesh
from treadle.dynamics.kinematics import world_transforms
from treadle.model import WORLD, Model
from treadle.planning.tool_plan import tuned_plan
from treadle.process.types import processes_of
from treadle.scenes import scene, scene_names
from treadle.sim import Routine, Simulation

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SIZE = (640, 480)

#: Where the eye stands, seen from the middle of the machine, and how many sizes of the machine away.
EYE, DISTANCE = np.array([0.40, 0.86, 0.32]), 1.55

#: The same for scenes that are better seen from elsewhere.
EYES = {
    "loader": (np.array([0.50, 0.80, 0.35]), 1.3),
    "marbles": (EYE, 1.8),
    "mobile-manipulator": (np.array([0.60, 0.70, 0.35]), 1.55),
    "torso": (np.array([0.78, 0.52, 0.28]), 1.8),
    "moored-buoy": (np.array([0.40, 0.86, 0.10]), 1.75),
    "swimmer": (np.array([0.30, 0.60, 0.75]), 1.3),
    "slope": (np.array([0.55, 0.75, 0.40]), 1.45),
}

#: Where the eye stands and what it looks at (m), in scenes of which a part is worth seeing.
PLACES = {
    "grinding": ((1.22, -0.98, 1.0), (0.31, 0.0, 0.52)),
    "roadheader-cutting": ((-0.6, 5.4, 4.3), (4.5, -0.3, 1.25)),
}

#: Scenes of which what moves fills the picture.
ALONE = {"bicycle", "campus"}

#: Seconds of the routine after which scenes are drawn.
MOMENTS = {
    "gripper": 4.0,
    "torso": 4.6,
    "slope": 4.6,
    "box-stack": 1.0,
    "marbles": 2.4,
    "mobile-manipulator": 8.5,
    "grinding": 7.3,
    "roadheader-cutting": 21.5,
}

#: Scenes that render_scene.py draws.
BY_OTHERS = {"roadheader", "roadheader-ground"}

#: Options of scenes and positions of joints that show more of them.
OPTIONS = {"chain": {"links": 8}}
POSTURES = {
    "arm": {"swing": 0.3, "bend": -0.2, "pitch": 0.6},
    "chain": {f"joint{k}": -0.25 for k in range(1, 9)},
    "bluerov2-arm": {"upper": 0.5, "lower": 0.9},
    "swimmer": {"joint1": 0.45, "joint2": 0.35, "joint3": -0.25, "joint4": -0.5, "joint5": 0.1},
    "pendulum": {"shoulder": -0.9, "elbow": 0.5},
    "four-bar-chain": {"pin0": 0.5, "pin1": 0.5, "pin2": 0.5, "elbow0": -0.5, "elbow1": -0.5},
}


def draw(name: str) -> Path:
    """Draw one scene."""
    model = scene(name, **OPTIONS.get(name, {}))
    q = np.array(model.initial()[0])
    for joint, value in POSTURES.get(name, {}).items():
        q[model.joint(joint).q] = value
    plotter = pv.Plotter(off_screen=True, window_size=[2 * n for n in SIZE], lighting="none")
    if name in MOMENTS:
        sim = Simulation(model)
        Routine(model).run(sim, MOMENTS[name])
        q = sim.q
        add_worked(plotter, sim)
    points = [add(plotter, mesh, pose) for mesh, pose in placed(model, q)]
    if name in ALONE:
        points = [mesh.points @ X[:3, :3].T + X[:3, 3] for mesh, X in placed(model, q, moving=True)]
    low, high = np.vstack(points).min(axis=0), np.vstack(points).max(axis=0)
    middle, size = 0.5 * (low + high), float(np.linalg.norm(high - low))
    plotter.set_background("#dde3e9")
    for place, strength in (((3, 6, 9), 0.8), ((-6, 4, 5), 0.4), ((5, -8, 6), 0.3)):
        position = middle + size * np.array(place)
        plotter.add_light(
            pv.Light(position=position, focal_point=middle, intensity=strength, light_type="scene light")
        )
    eye, distance = EYES.get(name, (EYE, DISTANCE))
    place = PLACES.get(name, (middle + distance * size * eye, middle))
    plotter.camera.position, plotter.camera.focal_point = place
    plotter.camera.up, plotter.camera.view_angle = (0.0, 0.0, 1.0), 38.0
    plotter.enable_anti_aliasing("ssaa")
    pixels = plotter.screenshot(None, return_img=True)
    plotter.close()
    path = FOLDER / f"scene-{name}.png"
    Image.fromarray(pixels).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS).save(path, optimize=True)
    return path


def draw_workpiece() -> Path:
    """The workpiece of the grinding scene after a pass along a zig-zag, with the path and the depths."""
    model = scene("grinding", preston=1e-10)
    tool = processes_of(model)["grinding"]
    plan = replace(
        tool.plan, pattern="zigzag", points=((0.455, -0.012), (0.545, -0.012)), pitch=8e-3, count=4
    )
    plan, _ = tuned_plan(model, tool, plan, 5.0)
    sim = Simulation(with_plan(model, "grinding", tool, plan))
    Routine(sim.model).run(sim)
    face = sim.processes["grinding"].face
    plotter = pv.Plotter(off_screen=True, window_size=[2 * n for n in SIZE])
    add_worked(plotter, sim)
    path = plan.on(face.surface).offset(2e-4).points
    plotter.add_mesh(pv.lines_from_points(path), color="#145ac8", line_width=4)
    plotter.add_text(f"removed depth up to {1e6 * face.depth.max():.0f} um", font_size=14, color="black")
    plotter.set_background("#dde3e9")
    plotter.camera.position, plotter.camera.focal_point = (0.62, -0.13, 0.52), (0.5, 0.0, 0.395)
    plotter.camera.up, plotter.camera.view_angle = (0.0, 0.0, 1.0), 38.0
    pixels = plotter.screenshot(None, return_img=True)
    plotter.close()
    path = FOLDER / "grinding-workpiece.png"
    Image.fromarray(pixels).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS).save(path, optimize=True)
    return path


def add_worked(plotter: pv.Plotter, sim: Simulation) -> None:
    """The surfaces that processes wear away, coloured by what is gone, as the page shows them."""
    for process in sim.processes.values():
        face = getattr(process, "face", None)
        if face is not None:
            points, triangles, colors = face_mesh(face, scale_of(face.depth))
            mesh = pv.PolyData(points, np.insert(triangles, 0, 3, axis=1).ravel())
            plotter.add_mesh(mesh, scalars=colors, rgb=True, ambient=0.35, diffuse=0.75, specular=0.05)


def placed(model: Model, q: np.ndarray, moving: bool = False):
    """Every mesh of the machine, or of what moves, with the pose of its body."""
    bodies = world_transforms(model, q.tolist())
    for body, meshes in machine_meshes(model)[0].items():
        if moving and body == WORLD:
            continue
        pose = np.eye(4) if body == WORLD else bodies[body].to_matrix()
        yield from ((mesh, pose) for mesh in meshes)


def add(plotter: pv.Plotter, mesh, pose: np.ndarray) -> np.ndarray:
    """Put a mesh into the picture; its points in the world."""
    points = mesh.points @ pose[:3, :3].T + pose[:3, 3]
    faces = np.insert(mesh.triangles, 0, 3, axis=1).ravel()
    look = {"ambient": 0.28, "diffuse": 0.8, "specular": 0.2, "specular_power": 15}
    plotter.add_mesh(pv.PolyData(points, faces), color=mesh.color[:3], opacity=float(mesh.color[3]), **look)
    return points


if __name__ == "__main__":
    # a drawing library that finds no display says so on the error stream, to nobody's use
    os.environ.setdefault("VTK_LOGGING_LEVEL", "OFF")
    pv.OFF_SCREEN = True
    for each in sys.argv[1:] or [*(n for n in scene_names() if n not in BY_OTHERS), "grinding-workpiece"]:
        print(draw_workpiece() if each == "grinding-workpiece" else draw(each))
