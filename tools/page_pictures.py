"""Take the pictures of the page for the documentation, docs/images/view-*.png, in Chromium.

python tools/page_pictures.py                 all of them
python tools/page_pictures.py pull plots      some
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Playwright, sync_playwright

from treadle.app import Live, open_server
from treadle.app.browser import FLAGS, find_chromium
from treadle.scenes import scene
from treadle.sim import Simulation

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SIZE = {"width": 1280, "height": 800}

#: Of the timeline, without what it says of the computer that takes the pictures.
_WITH_CARD = """
.treadle-timeline .rate { display: none }
.treadle-timeline .bar { left: 76px !important }
"""


def main() -> None:
    """Take the pictures that are named, or all."""
    wanted = sys.argv[1:] or list(PICTURES)
    with Live(open_server(port=0, title="roadheader"), _sim()) as live, _leisurely() as play:
        live.start()
        browser = play.chromium.launch(executable_path=find_chromium(), args=[*FLAGS, "--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(live.url)
        page.wait_for_function("window.treadle?.ready()", timeout=300_000)
        # as where a graphics card draws
        page.add_style_tag(content=_WITH_CARD)
        live.stage.view.cast = True
        live.stage.introduce()
        for name in wanted:
            PICTURES[name](page, live)
            # what stands still is drawn in the end, however slow the computer is
            time.sleep(6.0 if live.pace.paused else 3.0)
            late = _too_slow(live)
            page.screenshot(path=IMAGES / f"view-{name}.png", timeout=300_000)
            print(name, flush=True)
            if late:
                live.pace.resume()
        browser.close()


@contextlib.contextmanager
def _leisurely() -> Iterator[Playwright]:
    """Browsers that draw with what the simulation leaves them of the processor, as a graphics card would."""
    # of this thread, and so of the processes that it starts
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)
    with sync_playwright() as play:
        yield play


def _sim() -> Simulation:
    return Simulation(scene("roadheader"))


def _too_slow(live: Live, seconds: float = 10.0) -> bool:
    """Wait until the simulation keeps up, as it does where nothing else runs; else it stands still."""
    end = time.monotonic() + seconds
    while not live.pace.paused and live.pace.factor < 0.99 and time.monotonic() < end:
        time.sleep(0.1)
    late = not live.pace.paused and live.pace.factor < 0.99
    if late:
        _still(live)
        time.sleep(10.0)
    return late


def _tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name).first.click(timeout=60_000)


def _still(live: Live) -> None:
    live.pace.pause()
    live.send(lambda sim: None).result()


def _hold(live: Live, name: str, seconds: float) -> None:
    """Hold a button for simulated seconds, however slow the computer is."""
    live.stage.drive.held_buttons.press(-1, name)
    end = live.sim.time + seconds
    while live.sim.time < end:
        time.sleep(0.02)
    live.stage.drive.held_buttons.lift(-1)


def _open(page: Any, live: Live, name: str) -> None:
    """Put another scene on the page, and wait until it is looked at."""
    before = live.stage
    live.switch(lambda: Simulation(scene(name)))
    while live.stage is before or live.sim.time == 0.0:
        time.sleep(0.1)
    page.wait_for_function("root => window.treadleCameras.seen.root === root", arg=live.stage.scene.under)
    page.keyboard.press("Escape")
    # as where a graphics card draws
    live.stage.view.cast = True
    live.stage.introduce()


def _welcome(page: Any, live: Live) -> None:
    page.get_by_role("region", name="Welcome").wait_for()


def _driving(page: Any, live: Live) -> None:
    page.set_viewport_size(SIZE)
    live.stage.drive.levers = None
    _open(page, live, "rocky7")
    _tab(page, "Drive")
    live.stage.view.contacts.value = True
    live.plot(f"wheel.{live.sim.model.wheels[0].name}.force")
    live.plot("joint.base.velocity")
    _hold(live, "Forward", 4.0)
    _still(live)
    # a page without a graphics card is behind
    time.sleep(15.0)
    live.stage.aim("Oblique")


def _selection(page: Any, live: Live) -> None:
    for title in tuple(live.stage.plots.plots):
        live.stage.plots.remove(title)
    live.stage.view.contacts.value = False
    live.stage.selection.choose(next(body for body in live.stage.scene.nodes if "left_rocker" in body))
    _tab(page, "Edit")


def _dark(page: Any, live: Live) -> None:
    live.stage.selection.choose(None)
    page.emulate_media(color_scheme="dark")
    _tab(page, "Drive")


def _measured(page: Any, live: Live) -> None:
    page.emulate_media(color_scheme="light")
    _open(page, live, "loader")
    _tab(page, "View")
    view = live.stage.view
    _hold(live, "Raise", 2.0)
    _still(live)
    view.measure.value = "clearance"
    for body in ("bucket", "chassis"):
        view.tape.touch(body, live.stage.scene.pose(body)[:3, 3])
    live.send(live.stage.frame).result()
    live.stage.aim(body="chassis")


def _cones(page: Any, live: Live) -> None:
    _open(page, live, "gripper")
    _tab(page, "View")
    view = live.stage.view
    view.contacts.value = view.cones.value = True
    live.demonstrate()
    end = live.sim.time + 6.0
    while live.sim.time < end:
        time.sleep(0.1)
    _still(live)


def _cockpit(page: Any, live: Live) -> None:
    for title in tuple(live.stage.plots.plots):
        live.stage.plots.remove(title)
    live.stage.view.ride()
    _tab(page, "Drive")


def _overview(page: Any, live: Live) -> None:
    page.keyboard.press("Escape")
    live.send(lambda sim: live.stage.drive.held_buttons.switch(sim, "Cutter on/off")).result()
    _hold(live, "Raise", 3.0)
    _hold(live, "Swing left", 3.0)


def _pull(page: Any, live: Live) -> None:
    _tab(page, "Push")
    grabs, scene_ = live.stage.push.grabs, live.stage.scene
    head = scene_.pose("cutting_head")[:3, 3]
    live.stage.push.limit.value = 1e4
    grabs.begin(-1, "cutting_head", head)
    grabs.move(-1, head + np.array([-0.3, 1.5, 0.9]))
    time.sleep(1.0)


def _edit(page: Any, live: Live) -> None:
    page.keyboard.press("Escape")
    live.stage.push.grabs.end(-1)
    edit = live.stage.edit
    edit.choose("joint", "lift")
    _tab(page, "Edit")
    _still(live)
    for texts in ({"friction": "200"}, {"damping": "6000"}):
        edit.change("joint", "lift", texts)
        live.send(lambda sim: None).result()
    edit.go("Undo")
    live.send(lambda sim: None).result()
    # down to the buttons, and to what became of the last one
    page.get_by_role("button", name="Original").scroll_into_view_if_needed()


def _plots(page: Any, live: Live) -> None:
    live.pace.resume()
    _tab(page, "Plots")
    live.plot("joint.lift.position * 180 / pi")
    live.plot("drive.lift_left.force")
    for name in ("Lower", "Raise", "Lower"):
        _hold(live, name, 2.5)


def _timeline(page: Any, live: Live) -> None:
    for title in tuple(live.stage.plots.plots):
        live.stage.plots.remove(title)
    _tab(page, "Drive")
    live.pace.resume()
    # beyond what every step can be returned to
    live.pace.speed = 5.0
    while live.sim.time < 45.0:
        time.sleep(0.2)
    live.pace.speed = 1.0
    run, now = live.stage.run, live.sim.time
    for name in ("Swing left", "Raise", "Swing right"):
        _hold(live, name, 1.5)
        run.mark("bookmark", name)
    run.look(now + 2.0)
    bar = page.locator(".treadle-timeline .bar").bounding_box()
    page.mouse.move(bar["x"] + 0.6 * bar["width"], bar["y"] + 2)


def _quality(page: Any, live: Live) -> None:
    live.pace.resume()
    _tab(page, "Quality")


def _view(page: Any, live: Live) -> None:
    view = live.stage.view
    view.opacity.value, view.axes.value, view.mass.value = 0.35, True, True
    view.trail.value = "cutting_head"
    _tab(page, "View")
    _hold(live, "Swing right", 4.0)
    _still(live)


def _scenes(page: Any, live: Live) -> None:
    view = live.stage.view
    view.opacity.value, view.axes.value, view.mass.value, view.trail.value = 1.0, False, False, "none"
    _tab(page, "Scenes")
    _still(live)


def _phone(page: Any, live: Live) -> None:
    page.set_viewport_size({"width": 390, "height": 780})
    page.keyboard.press("Escape")
    time.sleep(3.0)
    # as on a touch screen
    live.stage.drive.levers = True
    live.stage.introduce()
    _tab(page, "Drive")
    live.stage.aim()


def _grinding(page: Any, live: Live) -> None:
    """The tool path and the colours of what is removed, at the end of a pass along a tuned path."""
    _open(page, live, "grinding")
    panel = live.stage.work.paths["grinding"]
    _still(live)
    panel.tune.value = True
    live.send(lambda sim: None).result()
    live.stage.routine.toggle()
    while not live.stage.routine.playing:
        time.sleep(0.05)
    live.pace.resume()
    while live.sim.time < 7.0:
        time.sleep(0.05)
    _still(live)
    _tab(page, "Work")
    for client in live.server.get_clients().values():
        client.camera.position, client.camera.look_at = (0.72, -0.42, 0.66), (0.5, 0.0, 0.40)


def _cutting(page: Any, live: Live) -> None:
    """The roadheader cuts rock: face in colours, numbers, power and specific energy."""
    _open(page, live, "roadheader-cutting")
    live.stage.routine.toggle()
    while live.sim.time < 28.0 or not live.stage.routine.playing:
        time.sleep(0.1)
    _still(live)
    _tab(page, "Work")
    for client in live.server.get_clients().values():
        client.camera.position, client.camera.look_at = (-0.6, 5.4, 4.3), (4.5, -0.3, 1.25)


PICTURES: dict[str, Callable[[Any, Live], None]] = {
    "welcome": _welcome,
    "roadheader": _overview,
    "pull": _pull,
    "edit": _edit,
    "plots": _plots,
    "timeline": _timeline,
    "quality": _quality,
    "options": _view,
    "scenes": _scenes,
    "phone": _phone,
    "driving": _driving,
    "selection": _selection,
    "dark": _dark,
    "grinding": _grinding,
    "measure": _measured,
    "cones": _cones,
    "cutting": _cutting,
    "cockpit": _cockpit,
}

if __name__ == "__main__":
    main()
