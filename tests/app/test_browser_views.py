"""Views of every machine in a real Chromium: all of it, in the free part of the window."""

from time import monotonic

import numpy as np
import pytest

import treadle as td
from tests.app.framing import COARSE, boxes, framed
from tests.app.pages import PATIENCE
from tests.app.test_browser import DRAWN, READY
from treadle.app import Live
from treadle.app.cameras import VIEWS
from treadle.app.meshes import scenery_meshes
from treadle.app.scene import facing
from treadle.scenes import scene_names

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(chromium):
    page = chromium.new_page(viewport={"width": 760, "height": 420})
    page.set_default_timeout(1e3 * PATIENCE)
    yield page
    page.close()


def comes(page, app, what: str) -> None:
    end = monotonic() + PATIENCE
    while not framed(page, app.stage.scene):
        assert monotonic() < end, f"{what}: {boxes(page, app.stage.scene)}"
        page.evaluate(DRAWN, 1)


@pytest.mark.parametrize("name", scene_names())
def test_every_view_shows_the_machine(page, apps, name):
    app = apps(Live, td.Simulation(td.scene(name), contact=False))
    page.goto(f"{app.url}/?{COARSE}")
    page.wait_for_function(READY)
    comes(page, app, "opened")
    for view in VIEWS:
        app.stage.aim(view)
        page.wait_for_function("view => window.treadleCameras.seen.view === view", arg=view)
        comes(page, app, view)


def test_no_wall_stands_before_the_roadheader():
    """Of the rays from bodies to a camera far off, few meet something that is drawn and is not cut away."""
    model = td.scene("roadheader")
    sim = td.Simulation(model)
    places = np.array([sim.body(body.name).pose[:3, 3] for body in model.bodies])
    low, high = places.min(axis=0) - 0.5, places.max(axis=0) + 0.5
    meshes = [facing(m, low, high) for meshes in scenery_meshes(model).values() for m in meshes]
    corners = [m.points[m.triangles] for m in meshes]
    a, b, c = np.vstack(corners).transpose(1, 0, 2)
    for view, direction in VIEWS.items():
        way = np.array(direction) / np.linalg.norm(direction)
        hits = [_nearest_hit(place, way, a, b, c) for place in places]
        # nearer to the camera than any of the machine: cut away
        cut = (places @ way).max() - places @ way
        assert np.mean(np.array(hits) < cut) < 0.15, view


def _nearest_hit(place, way, a, b, c) -> float:
    """How far the first triangle is that faces the camera, by Moeller and Trumbore."""
    e1, e2 = b - a, c - a
    p = np.cross(way, e2)
    det = (e1 * p).sum(axis=1)
    # seen from the front: the normal points along the ray, to the camera
    front = (np.cross(e1, e2) @ way) > 1e-12
    det[np.abs(det) < 1e-12] = np.inf
    t = place - a
    u = (t * p).sum(axis=1) / det
    q = np.cross(t, e1)
    v = (q @ way) / det
    distance = (q * e2).sum(axis=1) / det
    hit = front & (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 0.3)
    return float(distance[hit].min()) if hit.any() else np.inf
