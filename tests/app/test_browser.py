"""The page in a real Chromium: what only a browser shows."""

from contextlib import suppress

import numpy as np
import pytest

import treadle as td
from tests.app.framing import COARSE, boxes
from tests.app.pages import PATIENCE
from tests.app.test_uploads import urdf
from treadle.app import Live, open_server

pytestmark = pytest.mark.slow

#: Whether the page's own script has its line.
READY = "window.treadle?.ready()"

#: Ends when so many more pictures are drawn.
DRAWN = """count => new Promise(done => {
    const next = () => count-- > 0 ? requestAnimationFrame(next) : done();
    next();
})"""


@pytest.fixture(scope="module")
def app():
    spec = td.ModelSpec("crane")
    spec.add_body("arm", 20.0, center=(0.5, 0, 0), inertia=td.box_inertia(20.0, 1.0, 0.2, 0.2))
    spec.add_joint("lift", "revolute", None, "arm", axis=(0, -1, 0), damping=5.0)
    spec.add_shape("look", "arm", "box", size=(1.0, 0.3, 0.3), position=(0.5, 0, 0), color=(0.9, 0.6, 0.1, 1))
    spec.add_actuator("hoist", "velocity", "lift", damping=2000.0, lower=-1.0, upper=1.0)
    with Live(open_server(port=0), td.Simulation(spec.compile())) as live:
        live.start()
        yield live


@pytest.fixture
def page(chromium, app, until):
    before = set(app.server.get_clients())
    page = chromium.new_page(viewport={"width": 900, "height": 700})
    page.set_default_timeout(1e3 * PATIENCE)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{app.url}/?{COARSE}")
    page.get_by_role("button", name="Pause").wait_for()
    page.wait_for_function(READY)
    # this one is there, and that of the test before has left the seat
    until(lambda: len(app.driver_lock) == 1 and not before & set(app.server.get_clients()))
    until(lambda: bool(app.server.get_clients()))
    yield page
    page.close()
    assert errors == []


def test_hold_a_button_and_a_key(page, app, until):
    sim = app.sim
    button = page.get_by_role("button", name="hoist +")
    # viser has no tooltips on buttons: the page's own script gives them
    page.wait_for_function("document.querySelectorAll('button[title]').length > 3")
    assert "hold to move (key R): hoist +1" in button.get_attribute("title")
    start = sim.joint("lift").position
    button.hover()
    page.mouse.down()
    until(lambda: sim.actuator("hoist").command == 1.0)
    until(lambda: sim.joint("lift").position > start + 0.05)
    page.mouse.up()
    until(lambda: sim.actuator("hoist").command == 0.0)
    page.mouse.move(300, 300)
    page.locator("canvas[data-engine]").click(position={"x": 20, "y": 600})
    page.keyboard.down("f")
    until(lambda: sim.actuator("hoist").command == -1.0)
    page.keyboard.up("f")
    until(lambda: sim.actuator("hoist").command == 0.0)


def test_keyboard_alone(page, app, until):
    page.keyboard.press("Space")
    until(lambda: app.pace.paused)
    page.get_by_role("button", name="Start").wait_for()
    time = app.sim.time
    page.keyboard.press("n")
    until(lambda: app.sim.time > time)
    # every control is reached by tabbing
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent || document.activeElement.id"))
    assert {"Start", "Step", "Reset"} <= reached
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    until(lambda: not app.pace.paused)


def test_keys_are_the_machines_after_the_panel_was_used(page, app, until):
    sim = app.sim
    # space presses no button that the mouse pressed before
    page.get_by_role("button", name="Pause").click()
    until(lambda: app.pace.paused)
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("Space")
    until(lambda: not app.pace.paused)
    # keys are not typed into a list from which something was chosen
    field = page.locator("input[aria-haspopup=listbox]:visible").first
    field.click()
    page.get_by_role("option", name="0.5x", exact=True).click()
    until(lambda: app.pace.speed == 0.5)
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.down("r")
    until(lambda: sim.actuator("hoist").command == 1.0)
    page.keyboard.up("r")
    until(lambda: sim.actuator("hoist").command == 0.0)
    app.pace.speed = 1.0


def test_drag_a_body(page, app, until):
    sim = app.sim
    app.send(lambda sim: (sim.reset(), setattr(sim.actuator("hoist"), "command", 0.0))).result()
    page.evaluate(DRAWN, 5)
    # where the middle of the arm is on the canvas
    place = pixel(page, app.stage.scene, app.stage.scene.pose("arm")[:3] @ (0.6, 0.0, 0.0, 1.0))
    page.keyboard.down("Control")
    page.mouse.move(*place)
    page.mouse.down()
    page.mouse.move(place[0], place[1] - 60, steps=8)
    until(lambda: app.stage.push.grabs.forces.get("arm", 0.0) > 1.0)
    page.get_by_text("N", exact=False).first.wait_for()
    assert sim.loads.any()
    page.mouse.up()
    page.keyboard.up("Control")
    until(lambda: not sim.loads.any())


def test_what_is_under_the_pointer(page, app, until):
    app.send(lambda sim: (sim.reset(), setattr(sim.actuator("hoist"), "command", 0.0))).result()
    page.evaluate(DRAWN, 5)
    place = pixel(page, app.stage.scene, app.stage.scene.pose("arm")[:3] @ (0.5, 0.0, 0.0, 1.0))
    page.mouse.move(5, 600)
    page.mouse.move(*place)
    tip = page.locator(".treadle-tip")
    tip.wait_for(state="visible")
    assert tip.inner_text() == "arm on joint lift"
    page.mouse.move(5, 600)
    tip.wait_for(state="hidden")


def test_files_are_saved_by_the_browser(page, app, until, tmp_path):
    page.set_viewport_size({"width": 900, "height": 1100})
    page.get_by_role("tab", name="View").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture").click()
    assert download.value.suggested_filename == "crane.png"
    page.get_by_role("button", name="Film").click()
    page.get_by_role("button", name="Stop filming").wait_for()
    page.evaluate(DRAWN, 30)
    with page.expect_download() as download:
        page.get_by_role("button", name="Stop filming").click()
    download.value.save_as(tmp_path / "film")
    assert (tmp_path / "film").stat().st_size > 1000


def test_reload_and_a_lost_line(page, app, until):
    page.reload()
    page.get_by_role("button", name="Pause").wait_for()
    before = set(app.server.get_clients())
    app.server._websock_server.disconnect_all_clients()
    # the scripts of the lost connection may be ready, too: wait for those of the new one
    until(lambda: bool(set(app.line.clients) - before))
    page.get_by_role("button", name="Pause").wait_for()
    page.wait_for_function(READY)
    # and it still drives
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    until(lambda: app.pace.paused)
    page.keyboard.press("Space")
    until(lambda: not app.pace.paused)


def test_a_phone(page, until):
    page.set_viewport_size({"width": 390, "height": 780})
    page.evaluate(DRAWN, 5)
    button = page.get_by_role("button", name="Pause")
    if not button.is_visible():
        page.get_by_text("crane").first.click()
    button.wait_for()
    box = button.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.wait_for_function("document.documentElement.scrollWidth <= 390")


def test_a_file_of_ones_own(page, app, until, tmp_path):
    """The last one: it puts another machine on the page."""
    path = tmp_path / "two.urdf"
    path.write_bytes(urdf("meshes/box.stl"))
    page.get_by_role("tab", name="Scenes").click()

    def opened() -> bool:
        return app.sim.model.name == "two"

    # a browser that is starved may lose its line, and the file with it: whoever sees that tries again
    for _ in range(2):
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Open a file of yours").click()
        chooser.value.set_files(path)
        with suppress(AssertionError):
            until(opened)
        if opened():
            break
    said = f"seat {app.driver_lock.driver} of {set(app.server.get_clients())}, {app.server.guard.dropped}"
    assert opened(), f"the file was not opened: {said}; the page says {app.stage.message.content!r}"
    page.get_by_text("meshes that are missing").wait_for()


def pixel(page, scene, point) -> tuple[float, float]:
    """Where a point of the world is on the page."""
    found = boxes(page, scene, np.array([point]))
    assert found is not None
    return found["x"][0], found["y"][0]
