"""Many free bodies: the first step of a field of boxes, and the cost per body and step of small fields and
large ones.

    python benchmarks/many_bodies.py [--bodies 1000 10000] [--json]

Boxes of random sizes rest on a plane. Times are CPU times of this process: from an empty description to the
first step, and of the steps that follow.
"""

import argparse
import json
import time

import treadle as td
from treadle.studies.mpi_scenes import field

FIRST_STEP, GROWTH = 10.0, 1.5


def measure(bodies: int, seconds: float) -> dict[str, float]:
    """CPU time (s) to the first step, and per body and step (us)."""
    start = time.process_time()
    sim = td.Simulation(field(bodies), dt=5e-3)
    sim.step()
    first = time.process_time() - start
    sim.step(2)
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        sim.step(2)
        steps += 2
    each = (time.process_time() - start) / steps / bodies
    return {"bodies": bodies, "first_step": first, "us_per_body": 1e6 * each, "contacts": len(sim.contacts())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bodies", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    measure(100, 0.1)
    rows = [measure(bodies, given.seconds) for bodies in given.bodies]
    growth = rows[-1]["us_per_body"] / rows[0]["us_per_body"]
    checks = [
        {"name": f"CPU time to the first step of {rows[-1]['bodies']} boxes (s)",
         "value": rows[-1]["first_step"], "limit": FIRST_STEP, "holds": rows[-1]["first_step"] <= FIRST_STEP},
        {"name": f"cost per body from {rows[0]['bodies']} to {rows[-1]['bodies']} boxes", "value": growth,
         "limit": GROWTH, "holds": growth <= GROWTH},
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
        return
    for row in rows:
        print(
            f"{row['bodies']:6d} boxes: first step after {row['first_step']:.2f} s, "
            f"{row['us_per_body']:.2f} us per body and step, {row['contacts']} contacts"
        )
    for check in checks:
        print(f"{check['name']}: {check['value']:.3g} (limit {check['limit']:g})")


if __name__ == "__main__":
    main()
