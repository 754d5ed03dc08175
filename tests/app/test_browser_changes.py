"""Another machine in open pages of a real Chromium: each looks as a page does that is opened now."""

import io
from contextlib import contextmanager
from time import monotonic

import numpy as np
import pytest
from PIL import Image

import treadle as td
from tests.app.framing import COARSE, framed
from tests.app.pages import PATIENCE
from tests.app.test_browser import DRAWN, READY
from tests.app.test_changes import change, still
from tests.app.test_uploads import urdf
from treadle.app import Live, open_server
from treadle.app.edits import shown
from treadle.model.describe import describe

pytestmark = pytest.mark.slow

#: Nodes of the page, how many panels it has, its titles, and the field of view of its camera (degrees).
CONTENT = """() => ({
    nodes: Object.keys(window.__viserSceneTree.getState()),
    drawn: Object.entries(window.__viserMutable.nodeRefFromName).flatMap((item) => item[1] ? [item[0]] : []),
    runs: [...document.querySelectorAll("button")].filter((b) => /^(Pause|Start)$/.test(b.innerText)).length,
    tabs: [...document.querySelectorAll("[role=tab]")].filter((t) => t.textContent === "Drive").length,
    title: document.title,
    lines: document.body.innerText.split("\\n"),
    fov: window.__viserMutable.camera.fov,
})"""

#: What viser's client says where a control comes, is updated and goes between two of its pictures: it applies
#: the updates of a batch after its removals, which harms nothing.
OVERTAKEN = "Tried to update non-existent component"

#: Slows the browser's processor down by so much.
SLOW = 4


@pytest.fixture(scope="module")
def app():
    with Live(open_server(port=0), td.Simulation(td.scene("pendulum"), q=[1.0, 0.0])) as live:
        live.start()
        yield live


@contextmanager
def opened(chromium, app, slow: int = 1):
    """A page of its own, and what its console says that is an error."""
    page = chromium.new_page(viewport={"width": 700, "height": 420})
    page.set_default_timeout(1e3 * PATIENCE * slow)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    if slow > 1:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slow})
    page.goto(f"{app.url}/?{COARSE}")
    page.wait_for_function(READY)
    page.wait_for_function("document.querySelectorAll('[role=tab]').length > 0")
    yield page, errors
    if not page.is_closed():
        page.close()


def faults(page, app) -> list[str]:
    """What a page lacks, or has too much: it is to have the machine of the application and one panel."""
    found, scene, name = page.evaluate(CONTENT), app.stage.scene, app.sim.model.name
    meshes = {mesh.name for meshes in scene.meshes.values() for mesh in meshes}
    wanted = meshes | {node.name for node in scene.nodes.values()}
    roots = {name.split("/")[1] for name in found["nodes"] if name}
    checks = {
        "nodes": wanted <= set(found["nodes"]),
        "meshes": meshes <= set(found["drawn"]),
        "others' nodes": roots == {scene.under[1:], "WorldAxes"},
        "panels": (found["runs"], found["tabs"]) == (1, 1),
        "title": found["title"] == f"{name} - Treadle" and name in found["lines"],
        "field of view": abs(found["fov"] - np.degrees(app.server.initial_camera.fov)) < 1e-6,
        "camera": framed(page, scene),
    }
    return [what for what, holds in checks.items() if not holds]


def arrives(page, app, slow: int = 1) -> None:
    """Wait until a page has the machine of the application, alone; longer for one that is slowed down."""
    end = monotonic() + PATIENCE * slow
    while left := faults(page, app):
        assert monotonic() < end, f"{left} of {page.evaluate(CONTENT)}"
        page.evaluate(DRAWN, 1)


#: Takes away what is shown once: the welcome of a machine, and what viser says about graphics cards.
ONCE = """() => document.querySelectorAll(".treadle-card, .mantine-Notifications-root").forEach(
    (card) => (card.style.display = "none"))"""


def picture(page) -> np.ndarray:
    """What is seen at the left of the panel; small, so that edges do not count."""
    page.evaluate(ONCE)
    page.evaluate(DRAWN, 5)
    shot = Image.open(io.BytesIO(page.screenshot(timeout=1e3 * PATIENCE)))
    left = shot.convert("L").crop((0, 100, 700 - 460, 420))
    return np.asarray(left.resize((60, 80), Image.Resampling.BOX), dtype=float)


def at_rest(page) -> np.ndarray:
    """The picture of a page whose camera has come to where it goes; a slow one is still on its way."""
    before, seen, end = picture(page), picture(page), monotonic() + PATIENCE
    while np.abs(seen - before).max() > 1.0:
        assert monotonic() < end, "it does not come to rest"
        before, seen = seen, picture(page)
    return seen


def looks_new(page, chromium, app) -> None:
    """Compare a page with one that is opened now; it is closed first, for the processor's sake."""
    seen = at_rest(page)
    page.close()
    assert seen.std() > 1.0
    with opened(chromium, app) as (fresh, errors):
        arrives(fresh, app)
        end = monotonic() + PATIENCE
        while np.abs(seen - picture(fresh)).max() > 12.0:
            assert monotonic() < end, "it looks different"
        assert [text for text in errors if not text.startswith(OVERTAKEN)] == []


@pytest.mark.browser
def test_two_pages_of_which_one_is_slow(chromium, app, until):
    with opened(chromium, app) as (page, errors), opened(chromium, app, SLOW) as (slow, more):
        # without waiting for anyone
        for name in ("slider-crank", "roadheader", "pendulum", "arm"):
            change(app, until, td.Simulation(td.scene(name)))
        arrives(page, app)
        arrives(slow, app, SLOW)
        assert [text for text in errors + more if not text.startswith(OVERTAKEN)] == []


def test_a_scene_of_the_menu(chromium, app, until):
    change(app, until, td.Simulation(td.scene("pendulum")))
    with opened(chromium, app) as (page, errors):
        before = app.stage
        page.get_by_role("tab", name="Scenes").click()
        page.get_by_role("button", name="Open arm").click()
        until(lambda: app.stage is not before)
        still(app, until)
        arrives(page, app)
        # its panel drives it
        page.get_by_role("button", name="Start").click()
        until(lambda: not app.pace.paused)
        assert [text for text in errors if not text.startswith(OVERTAKEN)] == []


@pytest.mark.browser
def test_a_file_of_ones_own(chromium, app, until, tmp_path):
    path = tmp_path / "two.urdf"
    # something to be seen, which a camera can be aimed at
    path.write_bytes(urdf("box").replace(b'<mesh filename="box"/>', b'<box size="0.2 0.2 0.4"/>'))
    with opened(chromium, app) as (page, errors):
        before = app.stage
        page.get_by_role("tab", name="Scenes").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Open a file of yours").click()
        chooser.value.set_files(path)
        until(lambda: app.stage is not before)
        still(app, until)
        arrives(page, app)
        assert [text for text in errors if not text.startswith(OVERTAKEN)] == []


@pytest.mark.browser
def test_a_joint_of_another_type(chromium, app, until):
    change(app, until, td.Simulation(td.scene("pendulum")))
    with opened(chromium, app) as (page, errors):
        before, joint = app.stage, app.sim.model.joints[-1].name
        texts = shown(describe(app.sim.model), "joint", joint) | {"type": "ball"}
        before.edit.change("joint", joint, texts)
        until(lambda: app.stage is not before)
        still(app, until)
        arrives(page, app)
        assert [text for text in errors if not text.startswith(OVERTAKEN)] == []
        looks_new(page, chromium, app)
