"""A recording on the page: time slider and timeline, play, pause, speed, views, plots, quality."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np
import viser

from treadle.app.cameras import CHOICES, traveller, vehicle_body
from treadle.app.closing import Closing
from treadle.app.dock import Dock
from treadle.app.driver_lock import DriverLock
from treadle.app.html import rows_html
from treadle.app.page_line import PageLine
from treadle.app.page_looks import connect_looks
from treadle.app.panels.run import SPEEDS
from treadle.app.presenter import Presenter
from treadle.app.recording_quality import recording_quality
from treadle.app.replay_plots import ReplayPlots
from treadle.app.scene import Scene
from treadle.app.scenery import add_scenery_folder
from treadle.app.server import Server
from treadle.errors import InputError
from treadle.model.model import Model
from treadle.sim.recording import Recording

__all__ = ["Replay"]

#: Seconds between frames, and between moves of the time slider while playing.
_FRAME, _SLIDER = 1.0 / 60.0, 0.1

#: The choice to go along with no body.
_NONE = "none"

#: All keys, and what they do.
_KEYS = (
    ("Space", "play and pause"),
    ("click on the timeline", "go to a time"),
    ("drag, right drag, wheel", "turn, move and zoom the view"),
    ("?", "this list"),
)


class Replay(Closing):
    """A server that shows a recording, played by a thread of its own until `close()`."""

    def __init__(self, server: Server, model: Model, recording: Recording) -> None:
        states = list(recording.replay(model))
        if not states:
            raise InputError(f"{recording.path} has no samples to replay")
        self.server, self.model = server, model
        self._times = np.array([t for t, _ in states])
        self._q = np.array([q for _, q in states]).reshape(len(states), -1)
        #: the time that is shown, in seconds
        self.time = float(self._times[0])
        self.driver_lock = DriverLock(server)
        self.line = PageLine(server, self.driver_lock)
        self.scene = Scene(server, model, under=f"/{next(server.numbers)}")
        self.presenter = Presenter(server, self.scene)
        self.dock = Dock(server, self.line)
        self._base = vehicle_body(model, tuple(self.scene.nodes))
        self._thread = threading.Thread(target=self._run, name="treadle replay", daemon=True)
        self._closing, self._playing = threading.Event(), threading.Event()
        self._add_panels(recording)
        self._connect()
        self.seek(self.time)
        super().__init__()

    def start(self) -> None:
        """Play."""
        self.play()
        self._thread.start()

    @property
    def playing(self) -> bool:
        """Whether time goes on."""
        return self._playing.is_set()

    def play(self) -> None:
        """Go on, from the beginning where the end was reached."""
        if self.time >= self._times[-1]:
            self.seek(float(self._times[0]))
        self._playing.set()
        self.button.label = "Pause"

    def pause(self) -> None:
        """Stop at the time that is shown."""
        self.button.label = "Play"
        self._playing.clear()

    def toggle(self) -> None:
        """Play or pause."""
        (self.pause if self.playing else self.play)()

    def seek(self, seconds: float) -> None:
        """Show the last sample at or before a time."""
        self.time = min(max(float(seconds), float(self._times[0])), float(self._times[-1]))
        # half a nanosecond allows for the rounding of times
        sample = int(np.searchsorted(self._times, self.time + 5e-10, side="right")) - 1
        self.scene.show(self._q[max(sample, 0)])

    def aim(self, view: str | None = None, clients: list[int] | None = None, opened: bool = False) -> None:
        """Have pages look at the machine where it is shown, from a side or as when they are opened."""
        x, y = self.scene.pose(self._base)[:2, 0] if self._base else (1.0, 0.0)
        self.presenter.aim(self.presenter.view(view, math.atan2(y, x)), clients, opened)

    def _close(self) -> None:
        """Stop playing and free the port."""
        self._closing.set()
        self._playing.set()
        if self._thread.is_alive():
            self._thread.join()
        self.server.stop()

    def _add_panels(self, recording: Recording) -> None:
        gui = self.server.gui
        gui.set_panel_label(recording.path.name)
        self._add_run(gui, recording)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Plots"):
            self.plots = ReplayPlots(gui, self.dock, recording)
        with tabs.add_tab("Quality"):
            #: what the recording says about itself
            self.quality = gui.add_html(rows_html(recording_quality(recording), ("quality", "value", "")))
        with tabs.add_tab("View"):
            self.views = gui.add_button_group("view", CHOICES, hint="Move your own camera")
            self.follow = gui.add_dropdown(
                "follow",
                (_NONE, *self.scene.nodes),
                initial_value=traveller(self.model, tuple(self.scene.nodes)) or _NONE,
                hint="Cameras go along with a body; with that of a vehicle they turn, too",
            )
            self.dark = gui.add_button(
                "Light or dark", color="gray", hint="Change the colours of your own page"
            )
            #: checkboxes that show and hide the surroundings, by name
            self.surroundings = add_scenery_folder(gui, self.scene)

    def _add_run(self, gui: viser.GuiApi, recording: Recording) -> None:
        first, last = float(self._times[0]), float(self._times[-1])
        end = "" if recording.complete else ", cut off"
        span = f"{len(recording)} over {last - first:g} s{end}"
        rows = [("recording", recording.path.name), ("machine", recording.model), ("samples", span)]
        gui.add_html(rows_html(rows))
        step = max((last - first) / 1000.0, 1e-6)
        self.slider = gui.add_slider(
            "time (s)", first, max(last, first + step), step, first, hint="Simulated time to show, in s"
        )
        self.button = gui.add_button("Play", hint="Play or pause (space bar)")
        self.speed = gui.add_dropdown(
            "speed",
            tuple(name for name, speed in SPEEDS.items() if speed < math.inf),
            initial_value="1x",
            hint="Recorded seconds per second",
        )

    def _connect(self) -> None:
        def look(client: int, seconds: Any) -> None:
            if not isinstance(seconds, (int, float)) or not math.isfinite(seconds):
                raise ValueError(seconds)
            self.pause()
            self.seek(seconds)
            self._tell()

        def key(client: int, name: Any) -> None:
            if name == " ":
                self.toggle()

        def view(event: Any) -> None:
            if event.client is not None:
                self.aim(event.target.value, [event.client.client_id])

        def dark(event: Any) -> None:
            if event.client is not None:
                self.presenter.call("treadle.dark", [], [event.client.client_id])

        connect_looks(self.server, self.line)
        self.line.on("down", key)
        self.line.on("up", lambda client, name: None, drives=False)
        self.line.on("tab", lambda client, name: None, drives=False)
        self.line.on("look", look)
        self.line.on("plot", self.plots.pressed, drives=False)
        self.line.on_open.append(self._opened)
        self.driver_lock.on_join.append(self._welcome)
        self.views.on_click(view)
        self.dark.on_click(dark)
        self.follow.on_update(lambda _: self._chase())
        self.slider.on_update(self._dragged)
        self.button.on_click(lambda _: self.toggle())

    def _welcome(self, client: viser.ClientHandle) -> None:
        clients = [client.client_id]
        name = self.model.name
        self.presenter.title(name, None, [], clients)
        self.presenter.look(None, clients)
        self.presenter.names({body: body for body in self.scene.nodes}, clients)
        steps = ["Space plays and pauses; click on the timeline to go to a time.", "? shows all keys."]
        told = {"scene": f"A recording of {name}", "text": "", "steps": steps, "routine": ""}
        self.presenter.call("treadleGuidance.show", [{**told, "keys": _KEYS}], clients)
        self._chase(clients)
        self.aim(clients=clients, opened=True)

    def _chase(self, clients: list[int] | None = None) -> None:
        body = None if self.follow.value == _NONE else self.follow.value
        self.presenter.follow(body, body == self._base, clients)

    def _opened(self, client: int) -> None:
        """A page can be told of plots and time."""
        self.dock.announce([client])
        self.dock.send(once=True)
        self._tell()

    def _tell(self) -> None:
        """Show the time on the slider and on the timeline."""
        self.slider.value = self.time
        first, last = float(self._times[0]), float(self._times[-1])
        self.line.send({"run": {"start": first, "exact": first, "now": last, "shown": self.time}})

    def _dragged(self, event: Any) -> None:
        if event.client is not None:
            # someone holds the slider
            self.pause()
        self.seek(self.slider.value)

    def _run(self) -> None:
        told = 0.0
        while not self._closing.is_set():
            before = time.monotonic()
            self._closing.wait(_FRAME)
            if not self.playing:
                self._playing.wait()
                continue
            now = time.monotonic()
            self.seek(self.time + (now - before) * SPEEDS[self.speed.value])
            ended = self.time >= self._times[-1]
            if ended or now - told >= _SLIDER:
                told = now
                self._tell()
                self.dock.send()
            if ended:
                self.pause()
