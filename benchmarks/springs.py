"""Cost of force elements: a chain of links with springs between them, over the same chain without.

    python benchmarks/springs.py [--links 50] [--springs 100] [--json]

Springs join random points of random links that are up to `span` links apart. Times are CPU times of this
process, the machines taking turns.
"""

import argparse
import json
import time

import numpy as np

import treadle as td

LIMIT = 1.3


def chain(links: int, springs: int, span: int, seed: int = 0) -> td.Model:
    """Links on ball or revolute joints, and soft springs with dampers between them."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("chain")
    for k in range(links):
        spec.add_body(f"b{k}", 1.0, center=(0, 0, -0.05), inertia=(1e-3, 1e-3, 1e-4))
        parent, place = (f"b{k - 1}", (0, 0, -0.1)) if k else (None, (0, 0, 0))
        axis = (1, 0, 0) if k % 2 else (0, 1, 0)
        spec.add_joint(f"j{k}", "revolute", parent, f"b{k}", position=place, axis=axis, damping=0.01)
    for k in range(springs):
        first = int(rng.integers(links - 1))
        second = min(links - 1, first + 1 + int(rng.integers(span)))
        ends = rng.uniform(-0.05, 0.05, (2, 3)).tolist()
        spec.add_spring(f"s{k}", f"b{first}", f"b{second}", *ends, stiffness=0.05, damping=1e-4, length=0.05)
    spec.add_keyframe("initial", {f"j{k}": 0.05 * (-1) ** k for k in range(links)})
    return spec.compile()


def race(machines: list[td.Model], steps: int, rounds: int) -> list[float]:
    """Least CPU time (s) of a step of each machine."""
    sims = [td.Simulation(model, dt=1e-3) for model in machines]
    best = [np.inf] * len(sims)
    for sim in sims:
        sim.step(steps)
    for _ in range(rounds):
        for k, sim in enumerate(sims):
            start = time.process_time()
            sim.step(steps)
            best[k] = min(best[k], (time.process_time() - start) / steps)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--links", type=int, default=50)
    parser.add_argument("--springs", type=int, default=100)
    parser.add_argument("--span", type=int, nargs="*", default=[1, 3])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    machines = [chain(given.links, 0, 1), *[chain(given.links, given.springs, span) for span in given.span]]
    plain, *sprung = race(machines, given.steps, given.rounds)
    rows = [
        {"links": given.links, "springs": given.springs, "span": span, "us": 1e6 * t,
         "us_without": 1e6 * plain, "cost": t / plain}
        for span, t in zip(given.span, sprung, strict=True)
    ]  # fmt: skip
    checks = [
        {"name": f"cost of springs over {row['span']} links", "value": row["cost"], "limit": LIMIT,
         "holds": row["cost"] <= LIMIT}
        for row in rows
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
        return
    for row in rows:
        times = f"{row['us']:.2f} us with, {row['us_without']:.2f} us without"
        print(f"span {row['span']}: {times}: {row['cost']:.2f}x")


if __name__ == "__main__":
    main()
