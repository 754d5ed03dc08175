"""Cockpit, progress of the compiler, dust, icon and recordings in a real Chromium."""

import numpy as np
import pytest

import treadle as td
from tests.app.framing import COARSE, eye, framed
from tests.app.pages import PATIENCE
from tests.app.test_browser import DRAWN, READY
from tests.app.test_browser_changes import OVERTAKEN, opened
from treadle.app import Live, Replay, open_server

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def app():
    with Live(open_server(port=0), td.Simulation(td.scene("rocky7"))) as live:
        live.start()
        yield live


@pytest.fixture
def page(chromium, app):
    with opened(chromium, app) as (page, errors):
        page.set_viewport_size({"width": 900, "height": 560})
        yield page
        assert [text for text in errors if not text.startswith(OVERTAKEN)] == []


def test_the_cockpit_rides_along(page, app, until):
    scene = app.stage.scene
    page.keyboard.press("v")
    page.wait_for_function("window.treadleCameras.riding()")

    def apart() -> float:
        page.evaluate(DRAWN, 2)
        corners = scene.body_corners("body")
        top = np.array([*(0.5 * (corners.min(axis=0) + corners.max(axis=0)))[:2], corners[:, 2].max(), 1.0])
        return float(np.linalg.norm(eye(page, scene)[0] - (scene.pose("body") @ top)[:3]))

    until(lambda: apart() < 0.1)
    start = app.sim.body("body").position[0]
    page.keyboard.down("i")
    until(lambda: app.sim.body("body").position[0] > start + 0.3)
    page.keyboard.up("i")
    until(lambda: apart() < 0.1)
    # it looks to the front
    assert eye(page, scene)[1] @ scene.pose("body")[:3, 0] < -0.9
    page.keyboard.press("v")
    page.wait_for_function("!window.treadleCameras.riding()")
    until(lambda: framed(page, scene, (0.15, 1.0)))


def test_buttons_wait_for_the_compiler(page, app):
    lines = ["compiling the kernel sim.step.advance: 12 s of about 65 s"]
    app.line.send({"busy": {"lines": lines, "share": 0.2}})
    box = page.locator(".treadle-progress")
    box.wait_for(state="visible")
    assert box.inner_text().strip() == lines[0]
    takes = """() => getComputedStyle([...document.querySelectorAll("[data-floating-window] button")]
        .find((each) => /^(Pause|Start)$/.test(each.innerText))).pointerEvents"""
    assert page.evaluate(takes) == "none"
    app.line.send({"busy": None})
    box.wait_for(state="hidden")
    assert page.evaluate(takes) != "none"


def test_dust_rises_and_settles(page, app):
    cloud = {"root": app.stage.scene.under, "places": [[0.5, 0.0, 0.2]], "size": 1.0}
    for _ in range(5):
        app.line.send({"dust": cloud})
    page.wait_for_function("window.treadleDust.clouds.length >= 5")
    page.wait_for_function("window.treadleDust.clouds.length === 0")


#: Shares of the pixels that shading makes darker and lighter, by 8 of 255 levels, and the most of the sky.
SHADED = """(ground) => {
    const { scene, camera } = window.treadleViewer(), { gl } = window.treadleRenderer();
    const context = gl.getContext(), [width, height] = [gl.domElement.width, gl.domElement.height];
    const read = (on) => {
        window.treadleShading.show(ground, 1.0, on);
        gl.render(scene, camera);
        const pixels = new Uint8Array(4 * width * height);
        context.readPixels(0, 0, width, height, context.RGBA, context.UNSIGNED_BYTE, pixels);
        return pixels;
    };
    const plain = read(false), shaded = read(true), change = (k) => plain[4 * k] - shaded[4 * k];
    const all = [...Array(width * height).keys()], share = (test) => all.filter(test).length / all.length;
    const top = all.filter((k) => k >= width * Math.floor(0.97 * height));
    const sky = Math.max(...top.map(change));
    return { darker: share((k) => change(k) > 8), lighter: share((k) => change(k) < -8), sky };
}"""


def test_contact_shading(page, app, until):
    view = app.stage.view
    view.cast = True
    app.stage.introduce()
    try:
        page.wait_for_function("window.treadleShading.shades()")
        found = page.evaluate(SHADED, app.stage.scene.ground.name)
    finally:
        view.cast = None
        app.stage.introduce()
    # around the machine, not everywhere; nothing becomes lighter, and the sky stays as it is
    assert 0.002 < found["darker"] < 0.15, found
    assert found["lighter"] < 0.001 and found["sky"] <= 1, found
    page.wait_for_function("!window.treadleShading.shades()")


def test_software_drawing_is_said_below_the_picture(page):
    page.wait_for_function(
        "document.querySelector('.treadle-timeline .rate').textContent.includes('no graphics card')"
    )
    page.wait_for_function("!document.body.innerText.includes('Software WebGL')")


def test_fit_keeps_the_direction(page, app, until):
    scene = app.stage.scene
    app.stage.aim("Left")
    page.wait_for_function("window.treadleCameras.seen.view === 'Left'")
    page.evaluate("window.treadleViewer().cameraControl.dolly(-30, false)")
    page.evaluate(DRAWN, 3)
    before = eye(page, scene)[1]
    assert not framed(page, scene, (0.25, 0.8))
    app.stage.aim("Fit")
    until(lambda: framed(page, scene, (0.25, 0.8)))
    np.testing.assert_allclose(eye(page, scene)[1], before, atol=1e-3)


def test_every_field_has_a_name(page):
    page.get_by_role("tab", name="View").click()
    page.wait_for_function("""() => {
        const fields = [...document.querySelectorAll("[data-floating-window] :is([role=slider], input)")]
            .filter((field) => field.type !== "hidden" && field.offsetParent !== null);
        const named = (field) => field.ariaLabel || field.labels?.length || field.placeholder;
        return fields.length > 5 && fields.every(named);
    }""")


def test_an_icon_of_its_own(page):
    icons = page.evaluate("[...document.querySelectorAll('link[rel~=icon]')].map((link) => link.href)")
    assert len(icons) == 1
    assert icons[0].startswith("data:image/svg+xml")


def test_a_recording_has_views_plots_and_a_timeline(chromium, until, tmp_path):
    model = td.scene("rocky7")
    sim = td.Simulation(model)
    with sim.record(tmp_path / "run.mcap"):
        sim.run(seconds=2.0)
    recording = td.read_recording(tmp_path / "run.mcap")
    errors: list[str] = []
    with Replay(open_server(port=0), model, recording) as app:
        page = chromium.new_page(viewport={"width": 1000, "height": 700})
        page.set_default_timeout(1e3 * PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{app.server.url}/?{COARSE}")
        page.wait_for_function(READY)
        until(lambda: framed(page, app.scene, (0.15, 1.0)))
        page.get_by_role("button", name="Plot", exact=True).click()
        page.wait_for_function("[...window.treadleDock.plots.values()][0]?.columns[0].length > 40")
        app.aim("Left")
        page.wait_for_function("window.treadleCameras.seen.view === 'Left'")
        box = page.locator(".treadle-timeline .bar").bounding_box()
        page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 2)
        until(lambda: app.time == pytest.approx(1.0, abs=0.05))
        page.get_by_role("tab", name="Quality").click()
        page.get_by_text("change of the energy").first.wait_for()
        app.start()
        page.keyboard.press(" ")
        until(lambda: not app.playing)
        page.close()
    assert errors == []
