"""The roadheader in a real Chromium: pressed, pulled, edited, locked, rewound, and cut off."""

import io

import numpy as np
import pytest
from PIL import Image

import treadle as td
from tests.app.framing import COARSE
from tests.app.lines import Line
from tests.app.pages import PATIENCE
from tests.app.test_browser import DRAWN, READY, pixel
from tests.app.test_roadheader import bits
from treadle.app import Live, open_server
from treadle.app.browser import Browser

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def app():
    with Live(open_server(port=0), td.Simulation(td.scene("roadheader"))) as live:
        live.start()
        yield live


@pytest.fixture(scope="module")
def line(app):
    line = Line(app.server.get_port())
    yield line
    line.close()


@pytest.fixture(scope="module")
def page(chromium, line):
    page = chromium.new_page(viewport={"width": 800, "height": 720})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(f"http://127.0.0.1:{line.port}/?{COARSE}")
    page.get_by_role("button", name="Pause").wait_for()
    page.wait_for_function(READY)
    yield page
    page.close()


def still(app) -> None:
    app.pace.pause()
    app.send(lambda sim: None).result()


def picture(page) -> np.ndarray:
    """What the machine looks like now, without the panel."""
    shot = Image.open(io.BytesIO(page.screenshot(timeout=1e3 * PATIENCE)))
    return np.asarray(shot.convert("L"), dtype=float)[:, :340]


def tab(page, name: str) -> None:
    page.get_by_role("tab", name=name).first.click()


def test_raise_lifts_the_boom_in_the_state_and_in_the_picture(page, app, until):
    still(app)
    page.evaluate(DRAWN, 5)
    first, again = picture(page), picture(page)
    start = app.sim.joint("lift").position
    app.pace.resume()
    page.get_by_role("button", name="Raise").hover()
    page.mouse.down()
    until(lambda: app.sim.joint("lift").position > start + 0.1)
    page.mouse.up()
    until(lambda: app.sim.actuator("lift_left").command == 0.0)
    still(app)
    noise = np.abs(again - first) > 30.0
    until(lambda: (np.abs(picture(page) - first) > 30.0).sum() > 10 * noise.sum() + 300)


def test_the_head_is_dragged_with_ten_kilonewtons(page, app, until):
    tab(page, "Push")
    field = page.get_by_label("strongest pull (N)")
    field.fill("10000")
    field.press("Enter")
    until(lambda: app.stage.push.grabs.limit == 10_000.0)
    place = pixel(page, app.stage.scene, app.stage.scene.pose("cutting_head")[:3, 3])
    app.pace.resume()
    page.keyboard.down("Control")
    page.mouse.move(*place)
    page.mouse.down()
    page.mouse.move(place[0] - 30, place[1] - 120, steps=6)
    until(lambda: any(abs(force - 1e4) < 1.0 for force in app.stage.push.grabs.forces.values()))
    page.get_by_text("10 kN").first.wait_for()
    page.mouse.up()
    page.keyboard.up("Control")
    until(lambda: not app.sim.loads.any())


def test_a_mass_is_edited_and_a_joint_locked(page, app, until):
    still(app)
    before, model = app.sim.save(), app.sim.model
    app.stage.edit.choose("body", "cutting_head")
    tab(page, "Edit")
    field = page.locator(f"input[value='{app.stage.edit.fields['mass'].value}']")
    field.fill("3210")
    page.keyboard.press("Tab")
    until(lambda: app.stage.edit.fields["mass"].value == "3210")
    page.get_by_role("button", name="Apply").click()
    until(lambda: app.sim.model is not model)
    app.send(lambda sim: None).result()
    assert bits(app.sim.save()) == bits(before)
    assert float(next(k.mass for k in app.sim.model.links if k.name == "cutting_head")) == 3210.0
    app.stage.edit.choose("joint", "lift")
    page.get_by_role("button", name="Lock").click()
    until(lambda: app.sim.joint("lift").locked)
    page.get_by_role("button", name="Free").click()
    until(lambda: not app.sim.joint("lift").locked)


def test_five_seconds_back_and_on_again(page, app, until):
    still(app)
    app.send(lambda sim: sim.step(5500)).result()
    end = app.sim.save()
    page.get_by_role("button", name="Back 5 s").click()
    until(lambda: app.sim.time < end.time - 4.9)
    app.send(lambda sim: sim.step(5000)).result()
    assert bits(app.sim.save()) == bits(end)


def test_a_line_that_is_cut_for_five_seconds(page, app, line, until):
    app.pace.resume()
    time = app.sim.time
    line.cut()
    until(lambda: not app.server.get_clients())
    page.wait_for_timeout(5000)
    until(lambda: app.sim.time > time + 1.0)
    line.mend()
    # by itself, and it still drives
    until(lambda: bool(app.server.get_clients()))
    # the new line of its scripts: the old one knocks once more, with a password that is not taken any longer
    until(lambda: bool(set(app.line.clients) & set(app.server.get_clients())))
    page.wait_for_function(READY)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    until(lambda: app.pace.paused)
    app.pace.resume()


def test_a_browser_that_is_killed(app, until):
    here = set(app.server.get_clients())
    browser = Browser(app.url, 400, 300)
    try:
        until(lambda: bool(set(app.server.get_clients()) - here))
        browser._process.kill()
        until(lambda: set(app.server.get_clients()) <= here)
        time = app.sim.time
        until(lambda: app.sim.time > time + 0.2)
    finally:
        browser.close()
    with Browser(app.url, 400, 300):
        until(lambda: bool(set(app.server.get_clients()) - here))
