"""Put the page and MuJoCo's own renderer side by side: docs/images/beside-mujoco.png.

python tools/beside_mujoco.py                 torso and loader
python tools/beside_mujoco.py rocky7 arm      others

MuJoCo draws the machine as Treadle writes it as MJCF, on the sky and the checkered floor of its sample models.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from treadle.app import Live, open_server
from treadle.app.browser import FLAGS, find_chromium
from treadle.formats.save import save_files
from treadle.scenes import scene
from treadle.sim import Simulation

PATH = Path(__file__).parents[1] / "docs" / "images" / "beside-mujoco.png"
WIDTH, HEIGHT = 900, 640


def main() -> None:
    """One row per machine: the page, then MuJoCo, from the same side."""
    names = sys.argv[1:] or ["torso", "loader"]
    sheet = Image.new("RGB", (2 * WIDTH, HEIGHT * len(names)))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_chromium(), args=[*FLAGS, "--no-sandbox"])
        for row, name in enumerate(names):
            ours, eye, target = page_picture(browser, name)
            sheet.paste(ours, (0, row * HEIGHT))
            sheet.paste(mujoco_picture(name, eye, target), (WIDTH, row * HEIGHT))
        browser.close()
    sheet.save(PATH)


def page_picture(browser: Any, name: str) -> tuple[Image.Image, np.ndarray, np.ndarray]:
    """The page without its panel, and where its camera stands and looks (m)."""
    with Live(open_server(port=0), Simulation(scene(name))) as live:
        live.start()
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(live.url)
        page.wait_for_function("window.treadle?.ready()", timeout=300_000)
        page.wait_for_function("window.treadleCameras.seen.root", timeout=300_000)
        live.pace.pause()
        # as where a graphics card draws, and nothing before the machine
        live.stage.view.cast = True
        live.stage.introduce()
        hidden = "[data-floating-window], .treadle-card, .treadle-timeline, .mantine-Notifications-root"
        page.add_style_tag(content=f"{hidden} {{ display: none !important; }}")
        live.stage.aim("Oblique")
        time.sleep(12.0)
        shot = Path(tempfile.mkdtemp()) / "page.png"
        page.screenshot(path=shot, timeout=300_000)
        camera = next(iter(live.server.get_clients().values())).camera
        eye, target = np.array(camera.position), np.array(camera.look_at)
        page.close()
    return Image.open(shot).convert("RGB"), eye, target


def mujoco_picture(name: str, eye: np.ndarray, target: np.ndarray) -> Image.Image:
    """The same machine drawn by MuJoCo, from there."""
    os.environ.setdefault("MUJOCO_GL", "egl")
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.xml"
        save_files(scene(name), path, gather=True)
        spec: Any = mujoco.MjSpec.from_file(str(path))
        add_surroundings(mujoco, spec)
        model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    camera, way = mujoco.MjvCamera(), target - eye
    camera.lookat, camera.distance = target, float(np.linalg.norm(way))
    camera.azimuth = np.degrees(np.arctan2(way[1], way[0]))
    camera.elevation = np.degrees(np.arcsin(way[2] / camera.distance))
    renderer = mujoco.Renderer(model, HEIGHT, WIDTH)
    renderer.update_scene(data, camera)
    return Image.fromarray(renderer.render())


def add_surroundings(mujoco: Any, spec: Any) -> None:
    """The sky, the floor and the light of MuJoCo's sample models."""
    kinds, patterns = mujoco.mjtTexture, mujoco.mjtBuiltin
    sky = {"rgb1": [0.3, 0.5, 0.7], "rgb2": [0, 0, 0], "width": 512, "height": 3072}
    spec.add_texture(name="sky", type=kinds.mjTEXTURE_SKYBOX, builtin=patterns.mjBUILTIN_GRADIENT, **sky)
    floor = {"rgb1": [0.1, 0.2, 0.3], "rgb2": [0.2, 0.3, 0.4], "width": 300, "height": 300}
    spec.add_texture(name="floor", type=kinds.mjTEXTURE_2D, builtin=patterns.mjBUILTIN_CHECKER, **floor)
    material = spec.add_material(name="floor", reflectance=0.2, texrepeat=[5, 5], texuniform=True)
    names = list(material.textures)
    names[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    material.textures = names
    plane = {"type": mujoco.mjtGeom.mjGEOM_PLANE, "size": [0, 0, 0.05], "pos": [0, 0, -0.001]}
    spec.worldbody.add_geom(name="floor", material="floor", contype=0, conaffinity=0, **plane)
    sun = spec.worldbody.add_light(pos=[0, 0, 6], dir=[-0.3, 0.2, -1])
    sun.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    spec.visual.global_.offwidth, spec.visual.global_.offheight = WIDTH, HEIGHT


if __name__ == "__main__":
    main()
