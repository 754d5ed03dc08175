"""Measuring the page: how long the server's frames take while a client in another process receives them."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise
from random import Random

import viser

from treadle.app.live import Live
from treadle.app.server import open_server
from treadle.app.stage import RATE
from treadle.bench.results import Outcome, Row, at_least, limited
from treadle.scenes import scene
from treadle.sim.simulation import Simulation

__all__ = ["measure_crowd", "measure_switches", "measure_view"]

#: Milliseconds of a frame: the median, and what 99 of 100 stay within (the whole frame of the paper).
_MEDIAN, _MOST = 4.0, 8.9

#: Seconds before the measurement begins, and simulated seconds per second that count as real time.
_WARM, _REAL = 3.0, 0.98

#: Milliseconds from one frame to the next.
_STALL = 100.0

#: Megabytes that ten changes of the scene may leave.
_GROWTH = 15.0

#: A client that receives and does nothing else; prints how many times it was sent something.
_CLIENT = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=[sys.argv[2]], compression=None, max_size=None) as page:
    print("open", flush=True)
    count = 0
    try:
        while True:
            page.recv()
            count += 1
    except Exception:
        print(count, flush=True)
"""


def measure_view(name: str = "roadheader", seconds: float = 20.0) -> Outcome:
    """Frame times of a scene that is driven, with one client that receives all frames."""
    with Live(open_server(port=0, title=name), Simulation(scene(name))) as live:
        live.start()
        _warmed(live)
        client = _client(live)
        drive = live.stage.drive
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
            drive.holds.lift(-1)
    received = int(client.communicate(timeout=30)[0].split()[-1])
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


def measure_crowd(name: str = "roadheader", seconds: float = 60.0) -> Outcome:
    """The longest stall of the loop while two of three clients come and go at random."""
    random = Random(0)
    with Live(open_server(port=0), Simulation(scene(name))) as live:
        live.start()
        _warmed(live)
        watcher, others = _client(live), [_client(live) for _ in range(2)]
        end, longest = time.monotonic() + seconds, 0.0
        live.stage.meter.ends.clear()
        while time.monotonic() < end:
            time.sleep(random.uniform(0.2, 1.5))
            number = random.randrange(2)
            others[number].kill()
            others[number].wait()
            others[number] = _client(live)
            ends = tuple(live.stage.meter.ends)
            live.stage.meter.ends.clear()
            longest = max([longest, *(late - early for early, late in pairwise(ends))])
        running = live.sim.time
        time.sleep(0.5)
        went_on = live.sim.time > running
    for client in (watcher, *others):
        client.wait(timeout=30)
    row = Row("view", name, live.sim.model.nv, "longest gap of frames, pages leaving", "ms", 1e3 * longest)
    outcome = limited(row, _STALL)
    outcome.checks.append(at_least(f"{name}: runs on after all of it", float(went_on), 1.0))
    return outcome


def _client(live: Live) -> subprocess.Popen[str]:
    address = f"ws://127.0.0.1:{live.server.get_port()}"
    command = [sys.executable, "-c", _CLIENT, address, f"viser-v{viser.__version__}"]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    client.stdout.readline()
    return client


def _work(live: Live, seconds: float) -> None:
    """Hold one move after the other, as someone at the page does."""
    holds = live.stage.drive.holds
    names = [name for name, move in holds.moves.items() if not move.switch]
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        if names:
            holds.lift(-1)
            holds.press(-1, names[number % len(names)])
        number += 1
        time.sleep(min(1.0, max(0.0, end - time.monotonic())))


def _switch(live: Live, name: str) -> None:
    before = live.stage
    before.scenes.open(name)
    while live.stage is before or live.sim.time == 0.0:
        time.sleep(0.02)
    _warmed(live)


def _warmed(live: Live) -> None:
    live.stage.warmth.wait()
