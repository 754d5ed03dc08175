"""Vehicles are driven in a real Chromium: they go where they are sent, and stay in the picture."""

from time import monotonic

import numpy as np
import pytest

import treadle as td
from tests.app.framing import COARSE, boxes, drawn, fits, moving
from tests.app.pages import PATIENCE
from tests.app.test_browser import DRAWN, READY
from tests.app.test_driving import WHEELED, place
from treadle.app import Live, open_server

pytestmark = [pytest.mark.slow, pytest.mark.browser]

#: Simulated seconds for which the machine is sent forward.
HELD = 3.0


@pytest.fixture(scope="module")
def app():
    with Live(open_server(port=0), td.Simulation(td.scene(WHEELED[0]))) as live:
        live.start()
        yield live


@pytest.fixture(scope="module")
def page(chromium, app):
    page = chromium.new_page(viewport={"width": 760, "height": 480})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(f"{app.url}/?{COARSE}")
    page.wait_for_function(READY)
    yield page
    page.close()


def shown(page, app, name: str, until) -> None:
    """Put a machine on the page, and wait until it is there."""
    before = app.stage
    app.switch(lambda: td.Simulation(td.scene(name)))
    until(lambda: app.stage is not before and app.sim.time > 0.0)
    page.wait_for_function("root => window.treadleCameras.seen.root === root", arg=app.stage.scene.under)
    stays(page, app)


def stays(page, app) -> None:
    """Wait until the machine, where it is now, is all in the free part of the window."""
    end, scene = monotonic() + PATIENCE, app.stage.scene
    while not fits(found := boxes(page, scene, moving(scene)), (0.15, 1.0)):
        assert monotonic() < end, found
        page.evaluate(DRAWN, 1)


def drives(page, app, seconds: float) -> None:
    """Wait for simulated seconds; every picture meanwhile has all of the machine in the free part."""
    sim, end = app.sim, monotonic() + PATIENCE
    begin = sim.time
    while sim.time < begin + seconds:
        assert monotonic() < end
        page.evaluate(DRAWN, 1)
        found = drawn(page, app.stage.scene)
        assert fits(found, (0.15, 1.0)), found


@pytest.mark.parametrize("name", WHEELED)
def test_forward_for_three_seconds(page, app, until, name):
    shown(page, app, name, until)
    sim, levers = app.sim, app.stage.drive.driving
    start = place(sim)
    page.keyboard.down("ArrowUp" if WHEELED.index(name) % 2 else "i")
    drives(page, app, HELD)
    page.keyboard.up("ArrowUp" if WHEELED.index(name) % 2 else "i")
    gone = place(sim) - start
    assert gone[0] > 0.5 * HELD * levers.speed
    assert abs(gone[1]) < 0.1 * gone[0]
    # it stops when it is let go, in the picture
    until(lambda: all(sim.actuator(w.actuator.name).command == 0.0 for w in levers.wheels))
    stays(page, app)
    # views are of where it is now
    app.stage.aim("Left")
    page.wait_for_function("window.treadleCameras.seen.view === 'Left'")
    stays(page, app)


#: Machines without wheels that are driven: the body to look at, the key, and how far they go at least (m).
OTHERS = {
    "bluerov2": ("vehicle", "i", 0.5),
    "bluerov2-arm": ("vehicle", "ArrowUp", 0.5),
    "remus": ("hull", "i", 2.0),
    "roadheader-cutting": ("main_body", "y", 0.05),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_go_forward(page, app, until, name):
    body, key, least = OTHERS[name]
    shown(page, app, name, until)
    sim = app.sim
    start = sim.body(body).position[0]
    page.keyboard.down(key)
    drives(page, app, HELD)
    page.keyboard.up(key)
    assert sim.body(body).position[0] > start + least
    until(lambda: not app.stage.drive.held_buttons.held)
    stays(page, app)


def test_a_lever_in_the_picture(page, app, until):
    shown(page, app, "differential-drive", until)
    page.get_by_role("checkbox", name="levers").check(force=True)
    lever = page.get_by_role("application", name="Left lever: Forward, Back, Left, Right")
    lever.wait_for()
    box = lever.bounding_box()
    panel = page.locator("[data-floating-window]").bounding_box()
    assert box["x"] + box["width"] <= panel["x"]
    wanted, middle = app.stage.drive.driving.wanted, (box["x"] + 66, box["y"] + 66)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0], middle[1] - 23, steps=3)
    until(lambda: wanted["throttle"] == pytest.approx(0.5, abs=0.1))
    page.mouse.up()
    until(lambda: wanted["throttle"] == 0.0)
    page.get_by_role("checkbox", name="levers").uncheck(force=True)
    lever.wait_for(state="detached")


def test_a_button_and_a_turn(page, app, until):
    shown(page, app, "differential-drive", until)
    sim, levers = app.sim, app.stage.drive.driving
    page.get_by_role("button", name="Left", exact=False).first.hover()
    page.mouse.down()
    until(lambda: levers.wanted["steer"] == 1.0)
    until(lambda: abs(sim.body("body").pose[1, 0]) > 0.5)
    page.mouse.up()
    until(lambda: levers.wanted["steer"] == 0.0)
    assert np.linalg.norm(place(sim)) < 0.5
    stays(page, app)
