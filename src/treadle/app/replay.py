"""A recording on the page: time slider, play, pause, speed."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np

from treadle.app.closing import Closing
from treadle.app.html import rows_html
from treadle.app.panels.run import SPEEDS
from treadle.app.scene import Scene
from treadle.app.scenery import add_scenery_folder
from treadle.app.server import Server
from treadle.errors import InputError
from treadle.model.model import Model
from treadle.sim.recording import Recording

__all__ = ["Replay"]

#: Seconds between frames, and between moves of the time slider while playing.
_FRAME, _SLIDER = 1.0 / 60.0, 0.1


class Replay(Closing):
    """A server that shows a recording, played by a thread of its own until `close()`."""

    def __init__(self, server: Server, model: Model, recording: Recording) -> None:
        states = list(recording.replay(model))
        if not states:
            raise InputError(f"{recording.path} has no samples to replay")
        self.server = server
        self._times = np.array([t for t, _ in states])
        self._q = np.array([q for _, q in states]).reshape(len(states), -1)
        #: the time that is shown, in seconds
        self.time = float(self._times[0])
        self.scene = Scene(server, model)
        self._thread = threading.Thread(target=self._run, name="treadle replay", daemon=True)
        self._closing, self._playing = threading.Event(), threading.Event()
        self._add_panel(recording)
        #: checkboxes that show and hide the surroundings, by name
        self.surroundings = add_scenery_folder(server.gui, self.scene)
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

    def seek(self, seconds: float) -> None:
        """Show the last sample at or before a time."""
        self.time = min(max(float(seconds), float(self._times[0])), float(self._times[-1]))
        # half a nanosecond allows for the rounding of times
        sample = int(np.searchsorted(self._times, self.time + 5e-10, side="right")) - 1
        self.scene.show(self._q[max(sample, 0)])

    def _close(self) -> None:
        """Stop playing and free the port."""
        self._closing.set()
        self._playing.set()
        if self._thread.is_alive():
            self._thread.join()
        self.server.stop()

    def _add_panel(self, recording: Recording) -> None:
        gui = self.server.gui
        first, last = float(self._times[0]), float(self._times[-1])
        with gui.add_folder("Replay"):
            end = "" if recording.complete else ", cut off"
            gui.add_html(
                rows_html(
                    [
                        ("recording", recording.path.name),
                        ("machine", recording.model),
                        ("samples", f"{len(recording)} over {last - first:g} s{end}"),
                    ]
                )
            )
            step = max((last - first) / 1000.0, 1e-6)
            self.slider = gui.add_slider(
                "time (s)", first, max(last, first + step), step, first, hint="Simulated time to show, in s"
            )
            self.button = gui.add_button("Play", hint="Play or pause")
            self.speed = gui.add_dropdown(
                "speed",
                tuple(name for name, speed in SPEEDS.items() if speed < math.inf),
                initial_value="1x",
                hint="Recorded seconds per second",
            )
        self.slider.on_update(self._dragged)
        self.button.on_click(lambda _: self.pause() if self.playing else self.play())

    def _dragged(self, event: Any) -> None:
        if event.client is not None:
            # someone holds the slider
            self.pause()
        self.seek(self.slider.value)

    def _run(self) -> None:
        slid = 0.0
        while not self._closing.is_set():
            before = time.monotonic()
            self._closing.wait(_FRAME)
            if not self.playing:
                self._playing.wait()
                continue
            now = time.monotonic()
            self.seek(self.time + (now - before) * SPEEDS[self.speed.value])
            ended = self.time >= self._times[-1]
            if ended or now - slid >= _SLIDER:
                slid, self.slider.value = now, self.time
            if ended:
                self.pause()
