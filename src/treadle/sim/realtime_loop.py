"""The interactive loop: frames in real time, steps inside them, and what users do in between.

    pace = td.Pace(sim, frame=1 / 60, speed=1.0)
    threading.Thread(target=pace.run, kwargs={"on_frame": draw}).start()
    pace.send(lambda sim: sim.apply_force("head", (0, 0, -2e4)))
    pace.pause(); pace.step(); pace.resume(); pace.stop()

Every frame advances the simulation by the frame's time times the speed, in whole steps; commands are taken
between steps (algorithm 3 of the roadheader paper), where these are short between some of them: a command
waits for at most a millisecond of steps. All methods may be called from any thread.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from treadle.errors import InputError
from treadle.sim.checks import check_count
from treadle.sim.simulation import Simulation

__all__ = ["Clock", "Pace"]

#: What a user wants done with the simulation, between two steps.
Command = Callable[[Simulation], Any]

#: Seconds over which the real-time factor is measured.
_WINDOW = 1.0

#: Seconds that steps taken together may take, and how many there are at most.
_TOGETHER, _MOST = 1e-3, 16


class Clock(Protocol):
    """Where the loop gets its time from."""

    def now(self) -> float:
        """Seconds that never run backward."""
        ...

    def wait(self, awake: threading.Event, seconds: float | None) -> None:
        """Wait until the flag is set, at most so many seconds."""
        ...


class _WallClock:
    def now(self) -> float:
        return time.perf_counter()

    def wait(self, awake: threading.Event, seconds: float | None) -> None:
        awake.wait(seconds)


class Pace:
    """Runs a simulation frame by frame, at `speed` times real time (inf: as fast as possible)."""

    def __init__(
        self, sim: Simulation, frame: float = 1 / 60, speed: float = 1.0, clock: Clock | None = None
    ) -> None:
        if not (isinstance(frame, (int, float)) and math.isfinite(frame) and frame > 0.0):
            raise InputError(f"Pace: frame must be a positive number of seconds, not {frame!r}")
        self.sim = sim
        self.frame = float(frame)
        self.paused = False
        #: frames whose steps took longer than the frame
        self.late = 0
        self._clock = clock or _WallClock()
        self._commands: SimpleQueue[tuple[Command, Future[Any]]] = SimpleQueue()
        self._awake = threading.Event()
        self._running = threading.Lock()
        self._stopping = False
        # (wall time, simulated seconds since the start of the loop) of the last frames
        self._samples: deque[tuple[float, float]] = deque()
        self._simulated = 0.0
        # frames and steps since speed or step were last changed
        self._frames = self._steps = 0
        self._rate = (0.0, 0.0)
        # seconds that a step took last
        self._cost = math.inf
        self.speed = speed

    @property
    def speed(self) -> float:
        """Simulated seconds per second, from 0 (excluded) to inf (as fast as it can)."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not (isinstance(value, (int, float)) and value > 0.0):
            raise InputError(f"speed must be a positive number, or math.inf, not {value!r}")
        self._speed = float(value)

    @property
    def factor(self) -> float:
        """The real-time factor over the last second: simulated seconds per second."""
        samples = tuple(self._samples)
        if len(samples) < 2:
            return 0.0
        (t0, s0), (t1, s1) = samples[0], samples[-1]
        return (s1 - s0) / (t1 - t0) if t1 > t0 else 0.0

    def send(self, command: Command) -> Future[Any]:
        """Have `command(sim)` called before the next step; the future has its result or error."""
        future: Future[Any] = Future()
        self._commands.put((command, future))
        self._awake.set()
        return future

    def pause(self) -> None:
        """Take no more steps; commands are still taken."""
        self.paused = True

    def resume(self) -> None:
        """Continue after a pause."""
        self.paused = False
        self._awake.set()

    def step(self, count: int = 1) -> Future[Any]:
        """Pause, and take single steps."""
        number = check_count("steps", count)
        self.pause()
        return self.send(lambda sim: sim.step(number))

    def stop(self) -> None:
        """End the loop before its next step; one that is about to start ends at once."""
        self._stopping = True
        self._awake.set()

    def run(self, seconds: float = math.inf, on_frame: Callable[[Simulation], Any] | None = None) -> None:
        """Run frames until so many seconds are simulated or `stop` is called; `on_frame(sim)` after each."""
        if not self._running.acquire(blocking=False):
            raise InputError("this pace is running already, in another thread")
        try:
            self._begin()
            deadline = self._clock.now()
            while not self._stopping and self._simulated < seconds - 0.5 * self.sim.dt:
                if self.paused:
                    self._idle(on_frame)
                    deadline = self._clock.now()
                    continue
                deadline += self.frame
                self._run_frame(deadline, seconds)
                if on_frame is not None:
                    on_frame(self.sim)
                deadline = self._await(deadline)
        finally:
            self._stopping = False
            self._running.release()

    def _begin(self) -> None:
        self._simulated, self._cost = 0.0, math.inf
        self._samples.clear()
        self._rate = (0.0, 0.0)
        self._mark()

    def _run_frame(self, deadline: float, seconds: float) -> None:
        """The steps of one frame; one that takes twice its time is cut short."""
        left = self._steps_due()
        rest = round((seconds - self._simulated) / self.sim.dt) if seconds < math.inf else math.inf
        left, limit = min(left, rest), deadline if left == math.inf else deadline + self.frame
        while left > 0:
            self.take_commands()
            if self.paused or self._stopping:
                break
            before, begun = self.sim.time, self._clock.now()
            count = self._together(left)
            self.sim.step(count)
            self._simulated += self.sim.time - before
            self._cost = (self._clock.now() - begun) / count
            left -= count
            if self.sim.events.stopped_by is not None:
                self.pause()
            if self._clock.now() >= limit:
                break
        self._mark()

    def _together(self, left: float) -> int:
        """Steps to be taken before the next look at commands: a call for each would cost more than it."""
        fit = _TOGETHER / self._cost if self._cost > 0.0 else _MOST
        return int(max(1.0, min(left, fit, _MOST)))

    def _steps_due(self) -> float:
        """Steps of the next frame: counted from the first on, so that fractions of steps do not add up."""
        if self._speed == math.inf:
            return math.inf
        rate = self._speed, self.sim.dt
        if rate != self._rate:
            self._rate, self._frames, self._steps = rate, 0, 0
        self._frames += 1
        total = math.floor(self._frames * self.frame * self._speed / self.sim.dt + 1e-6)
        due, self._steps = total - self._steps, total
        return due

    def take_commands(self) -> bool:
        """Execute pending commands, where no loop does; whether there were any."""
        found = False
        while True:
            try:
                command, future = self._commands.get_nowait()
            except Empty:
                return found
            found = True
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(command(self.sim))
            except Exception as error:
                future.set_exception(error)

    def _await(self, deadline: float) -> float:
        """Wait for the end of a frame; the time at which the next one starts."""
        now = self._clock.now()
        if self._speed == math.inf:
            return now
        if now >= deadline:
            # what was not done in time is not made up for
            self.late += 1
            return now
        while now < deadline and not self._stopping:
            self._awake.clear()
            if not self._stopping:
                self._clock.wait(self._awake, deadline - now)
            now = self._clock.now()
        return deadline

    def _idle(self, on_frame: Callable[[Simulation], Any] | None) -> None:
        """Wait while paused, taking commands."""
        self._awake.clear()
        if self.take_commands():
            if on_frame is not None:
                on_frame(self.sim)
        elif self.paused and not self._stopping:
            self._clock.wait(self._awake, None)
        self._samples.clear()
        self._mark()

    def _mark(self) -> None:
        now = self._clock.now()
        self._samples.append((now, self._simulated))
        while len(self._samples) > 2 and self._samples[1][0] <= now - _WINDOW:
            self._samples.popleft()
