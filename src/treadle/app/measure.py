"""Measuring the page: how long the server's frames take while a client in another process receives them."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from statistics import median

import msgspec.msgpack
import viser

from treadle.app.edits import item_names, shown
from treadle.app.live import Live
from treadle.app.page_line import PATH
from treadle.app.server import open_server
from treadle.app.stage import RATE
from treadle.app.viser_private import messages
from treadle.bench.results import Outcome, Row, at_least, limited
from treadle.model.describe import describe
from treadle.model.model import Model
from treadle.scenes import scene
from treadle.sim.simulation import Simulation

__all__ = ["measure_crowd", "measure_edits", "measure_switches", "measure_view", "open_client"]

#: Milliseconds of a frame: the median, and what 99 of 100 stay within (the whole frame of the paper).
_MEDIAN, _MOST = 4.0, 8.9

#: Seconds before the measurement begins, and simulated seconds per second that count as real time.
_WARM, _REAL = 3.0, 0.98

#: Milliseconds from one frame to the next.
_STALL = 100.0

#: Megabytes that ten changes of the scene may leave.
_GROWTH = 15.0

#: Milliseconds from "Apply" to a changed machine, and how many changes are tried.
_EDIT, _EDITS = 300.0, 8

#: A client that says where it looks from, and receives; prints how many times it was sent something, and the
#: longest time that it was sent nothing once it had everything (s).
_CLIENT = """
import sys, time
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=[sys.argv[2]], compression=None, max_size=None) as page:
    page.send(bytes.fromhex(sys.argv[3]))
    print("open", flush=True)
    count, longest, started = 0, 0.0, time.perf_counter()
    before = started
    try:
        while True:
            page.recv()
            now = time.perf_counter()
            if now - started > 2.0:
                longest = max(longest, now - before)
            before, count = now, count + 1
    except Exception:
        print(count, longest, flush=True)
"""


#: A process that only sleeps, 2 ms at a time, until its input ends; prints the longest that it took (s): what
#: the computer itself keeps others waiting.
_SLEEPER = """
import select, sys, time
longest, before = 0.0, time.perf_counter()
while not select.select([sys.stdin], [], [], 2e-3)[0]:
    now = time.perf_counter()
    longest, before = max(longest, now - before), now
print(longest)
"""


#: A client of the line of the page's scripts, which receives until it is closed.
_READER = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1], max_size=None) as line:
    line.send(sys.argv[2])
    try:
        while True:
            line.recv()
    except Exception:
        pass
"""


def measure_view(name: str = "roadheader", seconds: float = 20.0, plots: int = 4) -> Outcome:
    """Frame times of a scene that is driven, with one client that receives all frames and some plots."""
    with Live(open_server(port=0, title=name), Simulation(scene(name))) as live:
        live.start()
        _warmed(live)
        client = open_client(live)
        drive = live.stage.drive
        reader = _plotted(live, plots)
        try:
            _work(live, _WARM)
            stage = live.stage
            stage.meter.times.clear()
            stage.meter.work.clear()
            late, begun, before = stage.pace.late, time.perf_counter(), live.sim.time
            _work(live, seconds)
            passed, simulated = time.perf_counter() - begun, live.sim.time - before
            times, work = (sorted(1e3 * x for x in row) for row in (stage.meter.times, stage.meter.work))
            dropped = stage.pace.late - late
        finally:
            drive.held_buttons.lift(-1)
    received = int(client.communicate(timeout=30)[0].split()[-2])
    reader.wait(timeout=30)
    machine, freedoms = name, live.sim.model.nv
    outcome = Outcome()
    for quantity, unit, value, limit in (
        ("frame, median", "ms", times[len(times) // 2], _MEDIAN),
        ("frame, 99 of 100", "ms", times[int(0.99 * len(times))], _MOST),
        ("processor, median", "ms", work[len(work) // 2], None),
        ("processor, 99 of 100", "ms", work[int(0.99 * len(work))], None),
        ("late frames", "of all", dropped / max(1.0, passed * RATE), None),
        ("received per second", "1/s", received / (passed + _WARM), None),
    ):
        outcome.add(limited(Row("view", machine, freedoms, quantity, unit, value), limit))
    factor = simulated / passed
    outcome.rows.append(Row("view", machine, freedoms, "real-time factor", "times", factor))
    outcome.checks.append(at_least(f"{machine}: real-time factor", factor, _REAL))
    return outcome


def measure_switches(names: tuple[str, ...] = ("arm", "roadheader"), count: int = 10) -> Outcome:
    """Growth of memory over changes of the scene on one page, after each was there once."""
    from treadle.bench.endurance import resident_bytes

    with Live(open_server(port=0), Simulation(scene(names[-1]))) as live:
        live.start()
        for name in names:
            _switch(live, name)
        before = resident_bytes()
        for number in range(count):
            _switch(live, names[number % len(names)])
        growth = (resident_bytes() - before) / 1e6
    row = Row("view", " and ".join(names), 0, f"memory after {count} scene changes", "MB more", growth)
    return limited(row, _GROWTH)


def measure_edits(name: str = "roadheader") -> Outcome:
    """Time until a new number of a body, a joint or an actuator is in force, and the gap of frames meanwhile.

    The numbers are random ones, which no earlier run has left the code for.
    """
    waits, gaps, random = [], [], Random()
    with Live(open_server(port=0), Simulation(scene(name))) as live:
        live.start()
        _warmed(live)
        choices = _numbers(live.sim.model)
        for number in range(_EDITS):
            before, ends = live.sim.model, live.stage.meter.ends
            kind, part, field = choices[number % len(choices)]
            value = float(shown(describe(before), kind, part)[field]) * random.uniform(1.01, 1.1)
            ends.clear()
            begun = time.perf_counter()
            live.stage.edit.change(kind, part, {field: f"{value:.9g}"})
            while live.sim.model is before:
                time.sleep(1e-3)
            waits.append(time.perf_counter() - begun)
            time.sleep(0.2)
            gaps.append(_longest(tuple(ends)))
            _warmed(live)
    row = Row("view", name, live.sim.model.nv, "edit in force, median", "ms", 1e3 * median(waits))
    outcome = limited(row, _EDIT)
    gap = 1e3 * median(gaps)
    outcome.rows.append(Row("view", name, live.sim.model.nv, "gap of frames at an edit", "ms", gap))
    return outcome


def measure_crowd(name: str = "roadheader", seconds: float = 60.0) -> Outcome:
    """The longest stall while two of three clients come and go at random, at the server and at the third."""
    random, longest, errors = Random(0), 0.0, _Errors()
    with errors, Live(open_server(port=0), Simulation(scene(name))) as live:
        live.start()
        live.demonstrate()
        _warmed(live)
        sleeper = subprocess.Popen(
            [sys.executable, "-c", _SLEEPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        watcher, others = open_client(live), [open_client(live) for _ in range(2)]
        end, ends = time.monotonic() + seconds, live.stage.meter.ends
        ends.clear()
        while time.monotonic() < end:
            time.sleep(random.uniform(0.2, 1.5))
            number = random.randrange(2)
            others[number].kill()
            others[number].wait()
            others[number] = open_client(live)
            longest = max(longest, _longest(tuple(ends)))
            # the last one stays, so that no gap is lost between two looks
            while len(ends) > 1:
                ends.popleft()
        running = live.sim.time
        time.sleep(0.5)
        went_on = live.sim.time > running
    paused = float(sleeper.communicate(timeout=30)[0])
    received = watcher.communicate(timeout=30)[0].split()
    for client in others:
        client.wait(timeout=30)
    freedoms, outcome = live.sim.model.nv, Outcome()
    for quantity, gap in (
        ("longest gap of frames, pages leaving", longest),
        ("longest gap at the page that stays", float(received[-1])),
    ):
        outcome.add(limited(Row("view", name, freedoms, quantity, "ms", 1e3 * gap), _STALL))
    pause = "longest pause of a process that only sleeps"
    outcome.rows.append(Row("view", name, freedoms, pause, "ms", 1e3 * paused))
    outcome.add(
        limited(Row("view", name, freedoms, "errors, pages leaving", "times", float(errors.count)), 0.0)
    )
    outcome.checks.append(at_least(f"{name}: runs on after all of it", float(went_on), 1.0))
    return outcome


class _Errors(logging.Handler):
    """Counts what is logged as an error, and threads that end with one, inside a `with` block."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1

    def __enter__(self) -> None:
        self._hook = threading.excepthook
        threading.excepthook = self._ended
        logging.getLogger().addHandler(self)

    def __exit__(self, *error: object) -> None:
        threading.excepthook = self._hook
        logging.getLogger().removeHandler(self)

    def _ended(self, arguments: threading.ExceptHookArgs) -> None:
        self.count += 1
        self._hook(arguments)


def _numbers(model: Model) -> list[tuple[str, str, str]]:
    """Kind and name of parts, and a field of each that is not zero: a mass, a damper, a stop, an effort."""
    spec, found = describe(model), []
    for kind, field in (("body", "mass"), ("joint", "damping"), ("joint", "upper"), ("actuator", "effort")):
        texts = {part: shown(spec, kind, part)[field] for part in item_names(spec, kind)}
        sizes = {part: float(text) for part, text in texts.items() if text and "," not in text}
        largest = max(sizes, key=lambda part: sizes[part], default=None)
        if largest is not None and sizes[largest] > 0.0:
            found.append((kind, largest, field))
    return found


def _longest(ends: Sequence[float]) -> float:
    return max((late - early for early, late in pairwise(ends)), default=0.0)


def open_client(live: Live) -> subprocess.Popen[str]:
    """A page without a window, in a process of its own, which receives until the server ends."""
    address = f"ws://127.0.0.1:{live.server.get_port()}"
    command = [sys.executable, "-c", _CLIENT, address, f"viser-v{viser.__version__}", _camera().hex()]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    client.stdout.readline()
    return client


def _plotted(live: Live, count: int) -> subprocess.Popen[bytes]:
    """Open plots of the first joints, and a client that is sent their samples."""
    while not (clients := live.server.get_clients()):
        time.sleep(0.01)
    address = f"ws://127.0.0.1:{live.server.get_port()}{PATH}"
    word = live.line.invite(next(iter(clients)))
    reader = subprocess.Popen([sys.executable, "-c", _READER, address, word])
    for joint in [joint for joint in live.sim.model.joints if joint.type.nv == 1][:count]:
        live.plot(f"joint.{joint.name}.torque")
    while not live.line.clients:
        time.sleep(0.01)
    return reader


def _camera() -> bytes:
    """What a page says first; until then viser counts it as not yet there."""
    there, turn = (9.0, 9.0, 5.0), (1.0, 0.0, 0.0, 0.0)
    message = messages.ViewerCameraMessage(
        wxyz=turn,
        position=there,
        fov=0.8,
        near=0.01,
        far=1000.0,
        image_height=800,
        image_width=1200,
        look_at=(0.0, 0.0, 0.0),
        up_direction=(0.0, 0.0, 1.0),
    )
    return msgspec.msgpack.encode(message.as_serializable_dict())


def _work(live: Live, seconds: float) -> None:
    """Hold one move after the other, as someone at the page does."""
    held_buttons = live.stage.drive.held_buttons
    names = [name for name, move in held_buttons.moves.items() if not move.switch]
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        if names:
            held_buttons.lift(-1)
            held_buttons.press(-1, names[number % len(names)])
        number += 1
        time.sleep(min(1.0, max(0.0, end - time.monotonic())))


def _switch(live: Live, name: str) -> None:
    before = live.stage
    before.scenes.open(name)
    while live.stage is before or live.sim.time == 0.0:
        time.sleep(0.02)
    _warmed(live)


def _warmed(live: Live) -> None:
    live.stage.precompiler.wait()
