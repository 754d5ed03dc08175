"""What a sample of a recording costs, with the signals that are recorded by default.

    python benchmarks/recording.py [--json]

The cost is the processor time of a recorded run less that of the same run unrecorded, by the number of
samples; the shortest of several runs of each counts, and they take turns.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import treadle as td

#: Simulated seconds, samples per second, runs.
SECONDS, RATE, RUNS = 10.0, 100.0, 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(name, Path(folder) / f"run.{s}") for name in SCENES for s in ("mcap", "parquet")]
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": []}, indent=2))
        return
    print(
        f"{'machine':<12} {'format':<8} {'numbers':>8} {'µs/sample':>10} {'bytes/sample':>13} {'step µs':>8}"
    )
    for row in rows:
        print(
            f"{row['machine']:<12} {row['format']:<8} {row['numbers']:>8} {row['value']:>10.1f} "
            f"{row['bytes']:>13.0f} {row['step']:>8.2f}"
        )


def measure(name: str, path: Path) -> dict:
    """One row of the table."""
    sim = SCENES[name]()
    steps = round(SECONDS / sim.dt)
    start = sim.save()
    best = {False: float("inf"), True: float("inf")}
    for _ in range(RUNS):
        for recorded in (False, True):
            sim.restore(start)
            with sim.record(path, rate=RATE) if recorded else nullcontext() as recorder:
                began = time.process_time()
                sim.step(steps)
                if recorder is not None:
                    recorder.flush()
                best[recorded] = min(best[recorded], time.process_time() - began)
    table = td.read_recording(path)
    return {
        "machine": name,
        "format": path.suffix[1:],
        "numbers": len(table.columns),
        "quantity": "cost of a sample",
        "unit": "us",
        "value": (best[True] - best[False]) / (len(table) - 1) * 1e6,
        "bytes": path.stat().st_size / len(table),
        "step": best[False] / steps * 1e6,
    }


def arm() -> td.Simulation:
    """The six-axis arm, let go."""
    sim = td.Simulation(td.scene("arm"))
    sim.joint("swing").position = 0.5
    return sim


def roadheader() -> td.Simulation:
    """The roadheader's tree, held up by nothing."""
    return td.Simulation(td.scene("roadheader").without_loops(), dt=1e-3)


SCENES = {"arm": arm, "roadheader": roadheader}

if __name__ == "__main__":
    main()
