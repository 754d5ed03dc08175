"""Many free bodies: the first step of a field of boxes, the cost per body and step of small fields and large
ones, and that of a pile at rest that sleeps.

    python benchmarks/many_bodies.py [--bodies 1000 10000] [--json]

Boxes of random sizes rest on a plane; others lie on each other, one island, and fall asleep. Times are CPU
times of this process: from an empty description to the first step, and of the steps that follow.
"""

import argparse
import json
import time

import treadle as td
from treadle.studies.mpi_scenes import field

FIRST_STEP, GROWTH, SLEEPING = 10.0, 1.5, 0.05


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


def pile(bodies: int) -> td.Model:
    """Layers of equal boxes, each on up to four of those below."""
    spec, side = td.ModelSpec("pile"), round(bodies ** (1 / 3))
    spec.add_material("stone", friction=0.5, restitution=0.0)
    spec.add_shape("floor", None, "plane", (), role="collision", material="stone")
    for k in range(bodies):
        layer, at = divmod(k, side * side)
        row, column = divmod(at, side)
        place = (0.21 * column + 0.05 * (layer % 2), 0.21 * row + 0.05 * (layer % 2), 0.05 + 0.1 * layer)
        spec.add_body(f"box{k}", 1.0, type="box", size=(0.2, 0.2, 0.1))
        spec.add_shape(f"box{k}", f"box{k}", "box", (0.2, 0.2, 0.1), role="collision", material="stone")
        spec.add_joint(f"box{k}", "free", None, f"box{k}", position=place)
    return spec.compile()


def asleep(bodies: int) -> dict[str, float]:
    """CPU time (us) per body and step of a pile at rest, awake and asleep, and how many boxes sleep."""
    sim = td.Simulation(pile(bodies), dt=5e-3, sleep=True)
    sim.step(20)
    times = []
    for steps in (20, 100):
        start = time.process_time()
        sim.step(20)
        times.append(1e6 * (time.process_time() - start) / 20 / bodies)
        sim.step(steps)
    count = int((sim.contact_step.sleeping > 0).sum())
    start = time.process_time()
    sim.step(100)
    sleeping = 1e6 * (time.process_time() - start) / 100 / bodies
    return {"bodies": bodies, "awake_us": min(times), "asleep_us": sleeping, "asleep": count}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bodies", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--pile", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    measure(100, 0.1)
    rows = [measure(bodies, given.seconds) for bodies in given.bodies]
    rests = asleep(given.pile)
    growth = rows[-1]["us_per_body"] / rows[0]["us_per_body"]
    checks = [
        {"name": f"CPU time to the first step of {rows[-1]['bodies']} boxes (s)",
         "value": rows[-1]["first_step"], "limit": FIRST_STEP, "holds": rows[-1]["first_step"] <= FIRST_STEP},
        {"name": f"cost per body from {rows[0]['bodies']} to {rows[-1]['bodies']} boxes", "value": growth,
         "limit": GROWTH, "holds": growth <= GROWTH},
        {"name": f"cost of a pile of {rests['bodies']} boxes asleep, by awake",
         "value": rests["asleep_us"] / rests["awake_us"], "limit": SLEEPING,
         "holds": rests["asleep"] == rests["bodies"] and rests["asleep_us"] <= SLEEPING * rests["awake_us"]},
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": [*rows, rests], "checks": checks}))
        return
    for row in rows:
        print(
            f"{row['bodies']:6d} boxes: first step after {row['first_step']:.2f} s, "
            f"{row['us_per_body']:.2f} us per body and step, {row['contacts']} contacts"
        )
    print(
        f"{rests['bodies']:6d} boxes in a pile: {rests['awake_us']:.2f} us per body and step awake, "
        f"{rests['asleep_us']:.3f} asleep ({rests['asleep']} sleep)"
    )
    for check in checks:
        print(f"{check['name']}: {check['value']:.3g} (limit {check['limit']:g})")


if __name__ == "__main__":
    main()
