"""The roadheader cuts rock on the page: real-time factor of the application's own loop, with lumps.

    python benchmarks/cutting_in_app.py [--json] [--seconds 60]

The loop plays the routine of the scene (sump, swing, raise, swing back) with a page that receives all frames:
once in time, where a factor of 1 means that no frame was late, and once as fast as it can.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from treadle.app import Live, open_server
from treadle.app.measure import open_client
from treadle.scenes import scene
from treadle.sim import Routine, Simulation


def factors(live: Live, seconds: float, speed: float) -> tuple[float, float, float]:
    """Real-time factors over so many simulated seconds: mean, slowest second, and per second of CPU time.

    The last one is that of the whole process, server included, and hardly depends on what else runs.
    """
    live.pace.speed = speed
    live.stage.routine.toggle()
    while not live.stage.routine.playing or live.sim.time > 0.5:
        time.sleep(0.01)
    begun, last = time.perf_counter(), (time.perf_counter(), live.sim.time)
    slowest, start, cpu = float("inf"), live.sim.time, time.process_time()
    while live.sim.time - start < seconds:
        time.sleep(0.02)
        now = time.perf_counter(), live.sim.time
        if now[1] - last[1] >= 1.0:
            slowest, last = min(slowest, (now[1] - last[1]) / (now[0] - last[0])), now
    simulated = live.sim.time - start
    mean, busy = simulated / (time.perf_counter() - begun), simulated / (time.process_time() - cpu)
    live.stage.routine.toggle()
    return mean, slowest, busy


def measured(seconds: float) -> dict[str, Any]:
    """Rows and checks."""
    model = scene("roadheader-cutting")
    with Live(open_server(port=0), Simulation(model)) as live:
        live.start()
        client = open_client(live)
        time.sleep(3.0)
        rows = []
        for what, speed, long in (
            ("in time", 1.0, min(seconds, 20.0)),
            ("as fast as it can", float("inf"), seconds),
        ):
            mean, slowest, busy = factors(live, long, speed)
            row = {"simulated": long, "mean": mean, "slowest second": slowest, "per CPU second": busy}
            rows.append({"run": what, **row})
        rock = live.sim.processes["rock"]
        work = {"volume": rock.volume, "lumps": rock.lumps.released, "lumps carried off": rock.lumps.carried}
    frames = client.communicate(timeout=30)[0].split()
    rows.append({"run": "work", **work, "messages to the page": int(frames[-2])})
    checks = [
        {"name": f"real-time factor in the app, {kind}", "value": rows[1][kind], "limit": 1.0,
         "holds": rows[1][kind] >= 1.0}
        for kind in ("mean", "slowest second", "per CPU second")
    ]  # fmt: skip
    checks.append({"name": "messages to the page", "value": rows[2]["messages to the page"], "limit": 100,
                   "holds": rows[2]["messages to the page"] >= 100})  # fmt: skip
    return {"rows": rows, "checks": checks}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=Routine(scene("roadheader-cutting")).seconds)
    given = parser.parse_args()
    found = measured(given.seconds)
    if given.json:
        print(json.dumps(found))
        return
    for row in (*found["rows"], *found["checks"]):
        print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))


if __name__ == "__main__":
    main()
