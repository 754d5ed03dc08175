"""Views of every machine in Chromium: all of it, in the free part of the window, and nothing before it.

`make test-views` takes all scenes; the test suite some of every kind.
"""

import os
from time import monotonic

import numpy as np
import pytest

import treadle as td
from tests.app.framing import COARSE, boxes, eye, framed
from tests.app.pages import PATIENCE
from tests.app.test_browser import DRAWN, READY
from tests.app.test_changes import change, compiled
from treadle.app import Live, open_server
from treadle.app.cameras import VIEWS
from treadle.app.ground import terrain_mesh
from treadle.app.meshes import machine_meshes, scenery_meshes
from treadle.app.scene import facing
from treadle.model.model import WORLD
from treadle.scenes import scene_names

pytestmark = [pytest.mark.slow, pytest.mark.browser]

#: Scenes that are looked at: with and without surroundings, on the ground, in the air and in water.
SOME = ("bicycle", "bouncing-ball", "campus", "loader", "pendulum", "remus", "roadheader")
SEEN = scene_names() if os.environ.get("TREADLE_VIEWS") == "all" else SOME

#: The share of a machine's bodies that something may stand before: a prop of a tunnel, say.
HIDDEN = 0.15


@pytest.fixture(scope="module")
def app():
    with Live(open_server(port=0), td.Simulation(td.scene("pendulum"))) as live:
        live.start()
        yield live


@pytest.fixture(scope="module")
def page(chromium, app):
    page = chromium.new_page(viewport={"width": 760, "height": 420})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(f"{app.url}/?{COARSE}")
    page.wait_for_function(READY)
    yield page
    page.close()


def comes(page, app, what: str) -> None:
    end = monotonic() + PATIENCE
    while not framed(page, app.stage.scene):
        assert monotonic() < end, f"{what}: {boxes(page, app.stage.scene)}"
        page.evaluate(DRAWN, 1)


@pytest.mark.parametrize("name", SEEN)
def test_every_view_shows_the_machine(page, app, until, name):
    change(app, until, compiled(name, contact=False))
    page.wait_for_function("root => window.treadleCameras.seen.root === root", arg=app.stage.scene.under)
    comes(page, app, "opened")
    places, triangles = middles(app.stage.scene), obstacles(app.sim, app.stage.scene)
    for view in (None, *VIEWS):
        if view is not None:
            app.stage.aim(view)
            page.wait_for_function("view => window.treadleCameras.seen.view === view", arg=view)
            comes(page, app, view)
        assert hidden(places, *eye(page, app.stage.scene), triangles) <= HIDDEN, view


def test_a_wall_is_found():
    """What the other test looks for: a wall between a point and the camera, unless it is cut away."""
    wall = np.array([[[1.0, -1.0, -1.0], [1.0, 3.0, -1.0], [1.0, -1.0, 3.0]]])
    away = np.array([1.0, 0.0, 0.0])
    place, before, beyond = np.zeros((1, 3)), 3.0 * away, 0.5 * away
    assert hidden(place, before, away, 0.01, wall) == 1.0
    assert hidden(place, before, away, 2.5, wall) == 0.0
    assert hidden(place, beyond, away, 0.01, wall) == 0.0
    assert hidden(place, before, away, 0.01, wall[:0]) == 0.0


def middles(scene) -> np.ndarray:
    """Where the bodies that can be seen are (n, 3)."""
    corners = {name: scene.body_corners(name) for name in scene.nodes}
    found = [scene.pose(name)[:3] @ (*c.mean(axis=0), 1.0) for name, c in corners.items() if len(c)]
    return np.array(found) if found else scene.corners().mean(axis=0)[None]


def obstacles(sim, scene) -> np.ndarray:
    """Triangles (n, 3, 3) of what is drawn and is not the machine: tunnels, terrain, buildings."""
    model, (low, high) = sim.model, (scene.corners().min(axis=0), scene.corners().max(axis=0))
    around = [facing(mesh, *scene.bounds) for meshes in scenery_meshes(model).values() for mesh in meshes]
    # what is framed with the machine is meant to be seen
    fixed = [m for m in machine_meshes(model)[0].get(WORLD, []) if len(m.points)]
    fixed = [m for m in fixed if (m.points.min(axis=0) < low).any() or (m.points.max(axis=0) > high).any()]
    found, double = [m.points[m.triangles] for m in around], [m.points[m.triangles] for m in fixed]
    if sim.terrain is not None:
        spread = 3.0 * float((high - low).max())
        x, y = (np.linspace(low[k] - spread, high[k] + spread, 60) for k in (0, 1))
        points, triangles = terrain_mesh(sim.terrain, x, y)
        double.append(points[triangles])
    # these are seen from either side
    found += [side for corners in double for side in (corners, corners[:, ::-1])]
    return np.vstack(found) if found else np.zeros((0, 3, 3))


def hidden(places, eye, back, near: float, triangles: np.ndarray) -> float:
    """The share of places that the camera does not see, by rays from them to it."""
    count = 0
    for place in places:
        way = eye - place
        # what is nearer to the camera than drawing begins is cut away
        depth = float(way @ back)
        count += first_hit(place, way, triangles) < 1.0 - near / depth
    return count / len(places)


def first_hit(place: np.ndarray, way: np.ndarray, triangles: np.ndarray) -> float:
    """The part of the way to the first triangle that faces its end, by Moeller and Trumbore."""
    a, b, c = triangles.transpose(1, 0, 2)
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
    part = (q * e2).sum(axis=1) / det
    hit = front & (u >= 0) & (v >= 0) & (u + v <= 1) & (part > 1e-3)
    return float(part[hit].min()) if hit.any() else np.inf
