"""One machine on the page: its simulation, its scene and its panels, all of them owned by one loop."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any

from treadle.app.changes import Changes
from treadle.app.commands import Commands
from treadle.app.driver_lock import DriverLock
from treadle.app.ground import add_terrain
from treadle.app.guidance import guidance
from treadle.app.html import message_html, success_html
from treadle.app.log import collect
from treadle.app.meter import Meter
from treadle.app.page_line import PageLine
from treadle.app.panels.arm import ArmPanel
from treadle.app.panels.build import BuildPanel
from treadle.app.panels.drive import DrivePanel
from treadle.app.panels.edit import EditPanel
from treadle.app.panels.fluid import FluidPanel, has_forces
from treadle.app.panels.own import OwnPanel
from treadle.app.panels.panel import Panel
from treadle.app.panels.plots import PlotsPanel
from treadle.app.panels.push import PushPanel
from treadle.app.panels.quality import QualityPanel
from treadle.app.panels.routine import RoutinePanel
from treadle.app.panels.run import RunPanel
from treadle.app.panels.save import SavePanel
from treadle.app.panels.scenes import ScenesPanel, scene_of
from treadle.app.panels.sensors import SensorsPanel
from treadle.app.panels.view import ViewPanel
from treadle.app.panels.work import WorkPanel
from treadle.app.path_lines import PathLines
from treadle.app.precompile import Precompiler
from treadle.app.presenter import Presenter
from treadle.app.scene import Scene
from treadle.app.selection import Selection
from treadle.app.server import Server
from treadle.app.viser_private import sender_thread
from treadle.model.model import Model
from treadle.sim.history import History
from treadle.sim.realtime_loop import Pace
from treadle.sim.simulation import Simulation

__all__ = ["Stage", "parts_of"]

#: Frames per second to the page.
RATE = 60.0

#: Seconds between updates of the numbers on the panels, and that can be rewound.
_NUMBERS, _KEPT = 0.2, 30.0

#: States of the run before that, and bytes that they may take.
_OLDER, _BYTES = 600, 60_000_000

#: Pixels of the panel: all tabs side by side.
_WIDTH = 440.0


class Stage:
    """Shows and drives a simulation until it is closed; `loop` runs it, in the thread that calls it."""

    def __init__(
        self,
        server: Server,
        driver_lock: DriverLock,
        line: PageLine,
        sim: Simulation,
        changes: Changes | None = None,
    ) -> None:
        self.server, self.driver_lock, self.line, self.sim = server, driver_lock, line, sim
        self.closed = False
        #: what can be undone of the edits
        self.changes = changes or Changes(sim.model)
        self.meter = Meter(sender_thread(server))
        self.pace = Pace(sim, frame=1.0 / RATE, clock=self.meter)
        older = min(_OLDER, max(_BYTES // max(_state_bytes(sim), 1), 10))
        self.history = History(sim, _KEPT, older=older)
        self.commands = Commands(self.pace, self.complain)
        with server.atomic():
            self.scene = Scene(server, sim.model, under=f"/{next(server.numbers)}")
            if sim.terrain is not None:
                add_terrain(server, self.scene, sim.terrain)
            self.presenter = Presenter(server, self.scene)
            self._build()
        self._numbered = -_NUMBERS
        self._due: list[Panel] = []
        #: what compiles ahead
        self.precompiler = Precompiler(sim)
        self._failed: set[str] = set()
        #: the parts that the page was built for
        self.parts = parts_of(sim.model)
        #: puts another simulation on the page, which is made by the loop
        self.switch: Callable[..., None] = lambda make, note="": None
        if self.scene.faults:
            self.complain("not shown: " + "; ".join(self.scene.faults))

    def _build(self) -> None:
        gui = self.server.gui
        #: the body that was clicked
        self.selection = Selection(self)
        #: ways that scripts draw
        self.paths = PathLines(self.server, self.scene)
        gui.main_panel.set_width(_WIDTH)
        gui.set_panel_label(self.sim.model.name)
        self.message = gui.add_html("", visible=False)
        self.run = RunPanel(self)
        self.own = OwnPanel(self)
        self.tabs = gui.add_tab_group()
        with self.tabs.add_tab("Drive"):
            self.routine = RoutinePanel(self)
            self.drive = DrivePanel(self)
            self.routine.offer_push()
        with self.tabs.add_tab("Push"):
            self.push = PushPanel(self)
        with self.tabs.add_tab("Edit"):
            self.edit = EditPanel(self)
            self.build = BuildPanel(self)
        acting: list[Panel] = []
        if has_forces(self.sim.model):
            with self.tabs.add_tab("Forces"):
                self.fluid = FluidPanel(self)
                acting.append(self.fluid)
        with self.tabs.add_tab("Plots"):
            self.plots = PlotsPanel(self)
        sensing: list[Panel] = []
        if self.sim.processes:
            with self.tabs.add_tab("Work"):
                self.work = WorkPanel(self)
                sensing.append(self.work)
        if self.sim.model.sensors:
            with self.tabs.add_tab("Sensors"):
                sensing.append(SensorsPanel(self))
        with self.tabs.add_tab("Quality"):
            self.quality = QualityPanel(self)
        with self.tabs.add_tab("View"):
            self.view = ViewPanel(self)
            self.save = SavePanel(self)
        with self.tabs.add_tab("Scenes"):
            self.arm = ArmPanel(self)
            self.scenes = ScenesPanel(self)
        driving: list[Panel] = [self.run, self.routine, self.drive, self.push, self.edit]
        #: every panel, in the order in which the loop calls them
        others: list[Panel] = [self.quality, self.view, self.save, self.scenes]
        self.panels = [*driving, *acting, self.plots, *sensing, *others]

    def loop(self) -> None:
        """Frames until the stage is closed; an error pauses, and people may change something and go on."""
        self.run.await_first()
        while not self.closed:
            try:
                self.pace.run(on_frame=self.frame)
            except Exception as error:
                self.pace.pause()
                self.complain(error)
                self.frame(self.sim)

    def frame(self, sim: Simulation) -> None:
        """Send a frame; what goes wrong with the page is no business of the simulation."""
        if self.closed:
            # it may have another machine already, for which the page is made anew
            return
        self._attempt("scene", lambda: self.scene.show(self.run.shown(sim)))
        for panel in self.panels:
            self._attempt(type(panel).__name__, lambda panel=panel: panel.frame(sim))
        now = time.monotonic()
        if self.pace.paused or now - self._numbered >= _NUMBERS:
            self._numbered = now
            self._due = list(self.panels)
        # one panel per frame, so that no frame takes long
        for panel in self._due if self.pace.paused else self._due[:1]:
            self._attempt(type(panel).__name__, lambda panel=panel: panel.numbers(sim))
        self._due = [] if self.pace.paused else self._due[1:]
        self.precompiler.begin()
        self.meter.frame()

    def settle(self, sim: Simulation) -> None:
        """Bring the controls to the state, after it was set from elsewhere."""
        self.drive.settle(sim)
        self.push.settle(sim)

    def edited(self, sim: Simulation, text: str = "") -> None:
        """Have all panels look anew at a machine that was changed; the text says how."""
        if parts_of(sim.model) != self.parts:
            # other parts, other controls: the page is built anew around the same simulation
            self.switch(lambda: sim, text)
            return
        self.precompiler.end()
        self.precompiler = Precompiler(sim)
        for panel in self.panels:
            self._attempt(type(panel).__name__, lambda panel=panel: panel.edited(sim))

    def complain(self, error: BaseException | str) -> None:
        """Say what went wrong, until the next button is pressed."""
        self.message.content, self.message.visible = message_html(error), True

    def say(self, text: str) -> None:
        """Say what was done, until the next button is pressed."""
        self.message.content, self.message.visible = success_html(text), True

    def forgive(self) -> None:
        """Take away what was said."""
        self.message.visible = False

    def close(self) -> None:
        """End the loop; the page is cleared by whoever clears it."""
        self.closed = True
        self.pace.stop()

    def clear(self) -> None:
        """Take the machine off the page, after the loop has ended."""
        for panel in self.panels:
            panel.close()
        self.history.close()
        self.precompiler.end()
        with self.server.atomic():
            self.scene.remove()
            self.server.gui.reset()
        collect(self.server)

    @property
    def link(self) -> str | None:
        """The scene that a link to the page opens: the one that is shown, None for a machine of one's own."""
        return scene_of(self.sim.model.name)

    def script(self, source: str, clients: Sequence[int] | None = None) -> None:
        """Run a script on pages, all of them unless they are named."""
        self.presenter.script(source, clients)

    def introduce(self, clients: Sequence[int] | None = None) -> None:
        """Give pages the title, the tooltips and the look."""
        # arrows would turn the camera
        keys = [key for key in self.drive.keys if len(key) > 1]
        self.presenter.title(self.sim.model.name, self.link, keys, clients)
        self.presenter.call("treadle.pairs", [self.drive.pairs], clients)
        self.presenter.call("treadleLevers.show", [self.drive.gamepad.levers, self.drive.levers], clients)
        self.view.chase(clients)
        self.presenter.look(self.view.cast, clients)
        self.presenter.names({body: self.selection.title(body) for body in self.scene.nodes}, clients)
        self.presenter.call("treadleGuidance.show", [guidance(self)], clients)

    def aim(
        self,
        view: str | None = None,
        clients: Sequence[int] | None = None,
        opened: bool = False,
        body: str | None = None,
    ) -> None:
        """Have pages look at the machine where it is now, from a side or as when they are opened.

        With `opened` those that look at it already stay as they are; with a body they look at it alone.
        """
        task = self.view_of_all(view)
        if body is not None:
            corners, X = self.scene.body_corners(body), self.scene.pose(body)
            task["points"] = (corners @ X[:3, :3].T + X[:3, 3]).tolist() or [X[:3, 3].tolist()]
        self.presenter.aim(task, clients, opened)

    def view_of_all(self, view: str | None = None) -> dict[str, Any]:
        """What `cameras.js` needs to look at the machine where it is now, see `aim`."""
        return self.presenter.view(view, self.view.heading)

    def _attempt(self, what: str, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            if what not in self._failed:
                self._failed.add(what)
                logging.getLogger(__name__).exception("%s: not shown; the simulation goes on", what)


def parts_of(model: Model) -> list[tuple[str, str, int]]:
    """Names and freedoms of the parts that have controls or are drawn."""
    found = [("joint", joint.name, joint.type.nv) for joint in model.joints]
    for kind in ("loops", "links", "elements", "tendons", "actuators", "wheels", "shapes"):
        found += [(kind, part.name, 0) for part in getattr(model, kind)]
    return found


def _state_bytes(sim: Simulation) -> int:
    state = sim.save()
    return sum(getattr(value, "nbytes", 8) for value in vars(state).values())
