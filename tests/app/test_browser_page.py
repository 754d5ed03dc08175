"""What the page's own scripts show in a real Chromium: welcome, links, plots, dark mode."""

import pytest

import treadle as td
from tests.app.framing import COARSE, boxes, framed
from tests.app.test_browser_changes import OVERTAKEN, faults, opened
from treadle.app import Live, open_server

pytestmark = [pytest.mark.slow, pytest.mark.browser]

#: Plots of the page: samples, and places of the dock and of the free part of the window.
DOCK = """() => ({
    samples: [...window.treadleDock.plots.values()].map((plot) => plot.columns[0].length),
    first: [...window.treadleDock.plots.values()].map((plot) => plot.columns[0][0]),
    top: document.querySelector(".treadle-dock").getBoundingClientRect().top,
    right: document.querySelector(".treadle-dock").getBoundingClientRect().right,
    panel: document.querySelector("[data-floating-window]").getBoundingClientRect().left,
})"""

#: Pixels of a plot that are not of its background.
INK = """() => {
    const canvas = document.querySelector(".treadle-plot canvas");
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let k = 3; k < data.length; k += 4) count += data[k] > 0;
    return count;
}"""


@pytest.fixture(scope="module")
def app():
    with Live(open_server(port=0), td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])) as live:
        live.start()
        yield live


@pytest.fixture
def page(chromium, app):
    for title in tuple(app.stage.plots.plots):
        app.stage.plots.remove(title)
    with opened(chromium, app) as (page, errors):
        page.set_viewport_size({"width": 1000, "height": 700})
        yield page
        assert [text for text in errors if not text.startswith(OVERTAKEN)] == []


def test_a_welcome_and_all_keys(page, app, until):
    card = page.get_by_role("region", name="Welcome")
    card.wait_for()
    assert "Ctrl and drag" in card.inner_text()
    # what viser says, as about a missing graphics card, leaves it free
    app.server.get_clients()[max(app.server.get_clients())].add_notification("Notice", "Some words.")
    notice = page.locator(".mantine-Notification-root").last
    notice.wait_for()

    def below() -> bool:
        # it slides in
        box, words = card.bounding_box(), notice.bounding_box()
        return box["y"] + box["height"] <= words["y"]

    until(below)
    page.get_by_label("Close the welcome").click()
    card.wait_for(state="detached")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    keys.wait_for()
    assert "one time step" in keys.inner_text()
    page.keyboard.press("Escape")
    keys.wait_for(state="detached")
    # once per machine
    page.reload()
    page.wait_for_function("window.treadle?.ready()")
    page.wait_for_function("document.querySelectorAll('[role=tab]').length > 0")
    assert card.count() == 0


def test_plots_stay_below_the_picture(page, app, until, tmp_path):
    until(lambda: app.sim.time > 1.0)
    added = app.sim.time
    page.get_by_role("tab", name="Plots").click()
    page.get_by_role("button", name="Plot", exact=True).click()
    until(lambda: len(app.stage.plots.plots) == 1)
    (title,) = app.stage.plots.plots
    app.stage.plots.plot("joint.shoulder.velocity", title)
    page.get_by_role("tab", name="Drive").click()
    # also what was before it was added
    page.wait_for_function(f"({DOCK})().first[0] < {added - 0.5}")
    page.wait_for_function(f"({DOCK})().samples[0] > 60")
    page.wait_for_function(f"({INK})() > 500")
    page.wait_for_function(f"({DOCK})().right <= ({DOCK})().panel + 1")
    # the machine is above it
    page.wait_for_function("window.treadleCameras.free().height < 0.8")

    def above() -> bool:
        found = boxes(page, app.stage.scene)
        return found is not None and found["y"][1] <= page.evaluate(DOCK)["top"]

    until(above)
    page.get_by_label("x axis").select_option("joint.shoulder.velocity")
    page.wait_for_function("[...window.treadleDock.plots.values()][0].over === 'joint.shoulder.velocity'")
    page.get_by_label("x axis").select_option("time")
    for label, start in (
        ("Save as a table", b"time [s],drive.shoulder.command"),
        ("Save as a drawing", b"<svg"),
        ("Save as a picture", b"\x89PNG"),
    ):
        with page.expect_download() as download:
            page.get_by_label(label, exact=True).click()
        download.value.save_as(tmp_path / "file")
        assert (tmp_path / "file").read_bytes().startswith(start)
    page.get_by_label("Remove this plot").click()
    until(lambda: app.stage.plots.plots == {})
    page.wait_for_function("getComputedStyle(document.querySelector('.treadle-dock')).display === 'none'")


def test_a_zoom_stays_while_the_run_goes_on(page, app, until):
    title = app.stage.plots.plot("joint.elbow.position")
    page.wait_for_function(f"({DOCK})().samples[0] > 60")
    page.wait_for_function(f"({INK})() > 300")
    box = page.locator(".treadle-plot canvas").bounding_box()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 40, steps=4)
    page.mouse.up()
    zoom = "[...window.treadleDock.plots.values()][0].zoom"
    page.wait_for_function(f"{zoom} !== null")
    before, time = page.evaluate(zoom), app.sim.time
    until(lambda: app.sim.time > time + 0.5)
    assert page.evaluate(zoom) == before
    page.locator(".treadle-plot canvas").dblclick(position={"x": 200, "y": 40})
    page.wait_for_function(f"{zoom} === null")
    app.stage.plots.remove(title)


def test_the_timeline_looks_back(page, app, until):
    until(lambda: app.sim.time > 1.0)
    page.keyboard.press("m")
    until(lambda: len(app.stage.run.marks) == 1)
    ((marked, kind, _),) = app.stage.run.marks
    assert kind == "bookmark"
    page.wait_for_function("document.querySelectorAll('.treadle-timeline .mark').length === 1")
    box = page.locator(".treadle-timeline .bar").bounding_box()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 2)
    until(lambda: app.stage.run.looking is not None)
    assert app.pace.paused
    # over the whole run
    start, now = app.stage.history.first, app.sim.time
    assert app.stage.run.looking == pytest.approx(start + 0.3 * (now - start), abs=0.15 * (now - start))
    # a click beside the mark is one on it
    mark = page.locator(".treadle-timeline .mark").bounding_box()
    page.mouse.click(mark["x"] + 3, mark["y"] + 8)
    until(lambda: app.stage.run.looking == marked)
    app.stage.run.reset()
    app.pace.resume()
    page.wait_for_function("document.querySelectorAll('.treadle-timeline .mark').length === 0")


def test_dark_as_the_system_until_someone_chooses(page):
    scheme = "document.documentElement.dataset.mantineColorScheme"
    page.wait_for_function(f"{scheme} === 'light'")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{scheme} === 'dark'")
    page.get_by_role("tab", name="View").click()
    page.get_by_role("button", name="Light or dark").click()
    page.wait_for_function(f"{scheme} === 'light'")
    page.emulate_media(color_scheme="light")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(scheme) == "light"


def test_a_phone(page, app, until):
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 780})
    sheet = page.locator("[data-treadle-sheet]")
    sheet.wait_for()
    app.stage.aim()
    # the machine is above the panel, which is as wide as the window
    until(lambda: framed(page, app.stage.scene))
    assert sheet.bounding_box()["width"] == 390
    assert page.evaluate("document.querySelector('[data-treadle-sheet]').scrollWidth") <= 390


def test_a_gamepad_drives(page, app, until):
    sim = app.sim
    page.evaluate("""() => {
        window.pad = { connected: true, mapping: "standard", axes: [0, 0, 0, 0],
            buttons: Array.from({ length: 16 }, () => ({ value: 0 })) };
        navigator.getGamepads = () => [window.pad];
    }""")
    before = app.pace.paused
    page.evaluate("window.pad.buttons[9].value = 1")
    until(lambda: app.pace.paused != before)
    page.evaluate("window.pad.buttons[9].value = 0")
    page.evaluate("window.pad.buttons[8].value = 1")
    until(lambda: sim.time < 0.5)
    page.evaluate("window.pad.buttons[8].value = 0")
    app.pace.resume()


def test_a_link_to_a_scene(chromium, app, until):
    """The last one: it puts another machine on the page."""
    assert app.sim.model.name == "pendulum"
    page = chromium.new_page(viewport={"width": 700, "height": 420})
    page.goto(f"{app.url}/?scene=arm&{COARSE}")
    until(lambda: app.sim.model.name == "arm")
    page.wait_for_function("window.treadle?.ready()")
    # it moves by itself, out of the picture
    until(lambda: [what for what in faults(page, app) if what != "camera"] == [])
    assert page.evaluate("new URL(window.location.href).searchParams.get('scene')") == "arm"
    page.close()
    page = chromium.new_page(viewport={"width": 700, "height": 420})
    page.goto(f"{app.url}/?scene=armm&{COARSE}")
    page.get_by_text("did you mean 'arm'?").wait_for()
    page.wait_for_function("new URL(window.location.href).searchParams.get('scene') === 'arm'")
    page.close()
