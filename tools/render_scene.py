"""Draw a machine with its geometry (.3dt) into PNG files, without a window.

    pip install pyvista
    python tools/render_scene.py docs/images                     all pictures of the documentation
    python tools/render_scene.py docs/images --only tunnel       one of them
    python tools/render_scene.py picture.png --file robot.toml --keyframe initial --eye 8 6 4 --at 0 0 1

Only this tool needs pyvista; Treadle itself does not.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyvista as pv
from PIL import Image

from treadle.dynamics.kinematics import world_transforms
from treadle.formats.load import load_spec
from treadle.geometry import threedt
from treadle.geometry.components import Component, Geometry
from treadle.model import WORLD, Model
from treadle.scenes.roadheader import FOLDER

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Picture:
    """What to draw and from where; `hidden` components of the scenery are left out."""

    keyframe: str
    eye: Point
    at: Point
    up: Point = (0.0, 0.0, 1.0)
    angle: float = 30.0
    scenery: bool = False
    hidden: tuple[str, ...] = ()


#: The pictures of the roadheader in docs/images.
PICTURES = {
    "front-left": Picture("initial", (9.3, 6.6, 3.5), (1.05, 0.0, 1.15), angle=28.0),
    "right": Picture("initial", (-0.35, -21.0, 3.2), (-0.35, 0.0, 1.35), angle=21.0),
    "top": Picture("right_rib", (-0.6, -0.25, 22.0), (-0.6, -0.25, 0.0), up=(0.0, 1.0, 0.0), angle=20.0),
    "rear": Picture("crown", (-12.6, -6.6, 4.6), (-1.0, 0.0, 1.85), angle=28.0),
    "tunnel": Picture(
        "initial", (1.2, 11.6, 4.9), (-0.1, 0.0, 1.3), scenery=True, angle=38.0,
        hidden=("tunnel_left", "tunnel_roof", "tunnel_air_duct"),
    ),
    "tunnel-inside": Picture("initial", (-5.2, 2.2, 3.2), (3.0, -0.45, 1.55), scenery=True, angle=54.0),
}  # fmt: skip


def main() -> None:
    """Read the arguments and draw."""
    parser = argparse.ArgumentParser(description="Draw a machine into PNG files.")
    parser.add_argument("out", type=Path, help="folder of the documentation's pictures, or a PNG file")
    parser.add_argument("--file", type=Path, default=FOLDER / "robot.toml", help="the machine (.toml)")
    parser.add_argument("--only", choices=list(PICTURES), help="one of the documentation's pictures")
    parser.add_argument("--keyframe", default="initial")
    parser.add_argument("--eye", type=float, nargs=3, default=(9.0, 6.5, 4.0))
    parser.add_argument("--at", type=float, nargs=3, default=(0.5, 0.0, 0.9))
    parser.add_argument("--size", type=int, nargs=2, default=(1600, 1000))
    options = parser.parse_args()
    spec = load_spec(options.file)
    model = spec.compile(strict=False)
    folder = options.file.parent
    machine = threedt.read(folder / (spec.geometry or ""))
    scenery = spec.settings.get("scenery")
    surroundings = threedt.read(folder / scenery) if scenery else Geometry("none")
    if options.out.suffix == ".png":
        picture = Picture(options.keyframe, tuple(options.eye), tuple(options.at))
        draw(picture, model, machine, surroundings, options.out, options.size)
        return
    for name in [options.only] if options.only else PICTURES:
        path = options.out / f"{model.name}-{name}.png"
        draw(PICTURES[name], model, machine, surroundings, path, options.size)
        print(path)


def draw(
    picture: Picture, model: Model, machine: Geometry, scenery: Geometry, path: Path, size: tuple[int, int]
) -> None:
    """Draw one picture."""
    plotter = pv.Plotter(off_screen=True, window_size=list(size), lighting="none")
    poses = component_poses(model, picture.keyframe)
    for component in machine.components:
        add(plotter, component, poses[component.name])
    if picture.scenery:
        for component in scenery.components:
            if component.name not in picture.hidden:
                add(plotter, component, np.eye(4), rough=True)
        plotter.set_background("#17181b")
    else:
        ground = pv.Plane(center=(0, 0, -0.006), i_size=400, j_size=400)
        plotter.add_mesh(ground, color="#8f8c87", ambient=0.35, specular=0.0)
        plotter.set_background("#b9c3cc", top="#eef2f5")
    for position, intensity in lights(picture):
        plotter.add_light(
            pv.Light(
                position=position, focal_point=(0.5, 0, 0.6), intensity=intensity, light_type="scene light"
            )
        )
    plotter.camera.position, plotter.camera.focal_point = picture.eye, picture.at
    plotter.camera.up, plotter.camera.view_angle = picture.up, picture.angle
    plotter.enable_anti_aliasing("ssaa")
    plotter.enable_ssao(radius=0.5, bias=0.02, kernel_size=96)
    pixels = plotter.screenshot(None, return_img=True)
    plotter.close()
    Image.fromarray(pixels).convert("RGB").save(path, optimize=True)


def component_poses(model: Model, keyframe: str) -> dict[str, np.ndarray]:
    """Pose in the world (4, 4) of the link that each shape of type "part" shows, by component."""
    q = next(item.q for item in model.keyframes if item.name == keyframe)
    bodies = world_transforms(model, q)
    poses = {}
    for shape in model.shapes:
        if shape.type == "part":
            X = shape.placement.to_matrix()
            poses[shape.file] = X if shape.body == WORLD else bodies[shape.body].to_matrix() @ X
    return poses


def add(plotter: pv.Plotter, component: Component, pose: np.ndarray, rough: bool = False) -> None:
    """Put the parts of a component into the picture, sharp edges kept sharp."""
    for part in component.parts:
        points = part.points @ pose[:3, :3].T + pose[:3, 3]
        counts = np.diff(part.face_offsets)
        faces = np.insert(part.face_indices, part.face_offsets[:-1], counts)
        look = {"smooth_shading": False, "specular": 0.02, "ambient": 0.25} if rough else {
            "smooth_shading": True, "split_sharp_edges": True, "feature_angle": 28, "specular": 0.25,
            "specular_power": 18, "ambient": 0.24,
        }  # fmt: skip
        plotter.add_mesh(
            pv.PolyData(points, faces),
            color=part.color[:3],
            opacity=float(part.color[3]),
            diffuse=0.85,
            **look,
        )


def lights(picture: Picture) -> list[tuple[Point, float]]:
    """Positions and strengths: daylight outside, lamps along the tunnel inside."""
    if picture.scenery:
        return [
            ((-6.0, 6.0, 7.0), 0.55),
            ((4.0, 7.0, 5.0), 0.45),
            ((-9.0, -1.0, 4.0), 0.35),
            ((1.0, 0.5, 4.4), 0.25),
        ]
    return [((8.0, 10.0, 14.0), 0.80), ((-10.0, -8.0, 10.0), 0.40), ((6.0, -12.0, 6.0), 0.50)]


if __name__ == "__main__":
    # a drawing library that finds no display says so on the error stream, to nobody's use
    os.environ.setdefault("VTK_LOGGING_LEVEL", "OFF")
    pv.OFF_SCREEN = True
    main()
