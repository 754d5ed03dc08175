"""Cost of machines in a fluid: a step of REMUS 100 against MuJoCo, and many BlueROV2 at once.

    python benchmarks/fluid.py [--worlds 4096] [--json]

MuJoCo's ellipsoid model leaves the acceleration part of added mass out, and has no buoyancy; at 10 ms it
diverges, so that it is given 1 ms. Times are CPU times of this process, both sides taking turns; the rate of
many worlds is that of two cores that do nothing else.
"""

import argparse
import json
import math
import time

import mujoco
import numpy as np

import treadle as td

CORES, LEAST_RATE = 2, 50.0


def remus() -> td.Model:
    """A free spheroid of 1.6 m x 0.19 m with drag and added mass, as heavy as the water."""
    a, b, density = 0.8, 0.095, 1026.0
    mass = density * 4.0 / 3.0 * math.pi * a * b**2
    across = mass * (a**2 + b**2) / 5.0
    spec = td.ModelSpec("remus")
    spec.add_body("hull", mass, center=(0, 0, -0.02), inertia=(0.4 * mass * b**2, across, across))
    spec.add_joint("free", "free", None, "hull")
    td.Fluid(density).surround(spec)
    spec.add_hull("shape", "hull", size=(a, b, b), drag_coefficient=0.42, linear_drag=(0.5, 5, 5, 2, 20, 20))
    return spec.compile()


REMUS_MJCF = """
<mujoco><option timestep="0.001" density="1026" viscosity="0.001"/><worldbody><body><freejoint/>
<geom type="ellipsoid" size="0.8 0.095 0.095" mass="31.03" fluidshape="ellipsoid" contype="0"
  conaffinity="0"/>
</body></worldbody></mujoco>
"""


def bluerov2() -> td.Model:
    """The vehicle with its published coefficients, free in the water."""
    spec = td.ModelSpec("bluerov2")
    spec.add_body("vehicle", 13.5, inertia=(0.26, 0.23, 0.37))
    spec.add_joint("free", "free", None, "vehicle")
    td.Fluid(1000.0).surround(spec)
    spec.add_hull(
        "hull", "vehicle", (0, 0, 0.01), shape="volume", volume=0.0134,
        added_mass=(0.186, 0.135, 0.222, 6.36, 7.12, 18.69), linear_drag=(0, 0.8, 0, 13.7, 0, 33),
        quadratic_drag=(1.19, 0.47, 1.5, 141, 217, 190),
    )  # fmt: skip
    return spec.compile()


def best(function, rounds: int) -> float:
    """Least CPU time (s) of a call."""
    found = np.inf
    for _ in range(rounds):
        start = time.process_time()
        function()
        found = min(found, time.process_time() - start)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sim = td.Simulation(remus(), dt=1e-2, v=[0.1, 0.2, 0.1, 1.5, 0.1, 0.0])
    there = mujoco.MjModel.from_xml_string(REMUS_MJCF)
    data = mujoco.MjData(there)
    data.qvel[:] = [1.5, 0.1, 0.0, 0.1, 0.2, 0.1]
    steps = 500
    sim.step(steps)
    ours = theirs = np.inf
    for _ in range(given.rounds):
        ours = min(ours, best(lambda: sim.step(steps), 1) / steps)
        theirs = min(theirs, best(lambda: mujoco.mj_step(there, data, steps), 1) / steps)
    worlds = td.Batch(bluerov2(), given.worlds, dt=1e-2, threads=1)
    worlds.v[:] = np.random.default_rng(0).uniform(-0.5, 0.5, worlds.v.shape)
    worlds.step(10)
    each = best(lambda: worlds.step(20), given.rounds) / 20
    rate = CORES * 1e-2 / each
    many = f"{given.worlds} BlueROV2"
    rows = [
        {"case": "REMUS 100", "us": 1e6 * ours, "peer": "MuJoCo", "peer_us": 1e6 * theirs,
         "ratio": theirs / ours},
        {"case": many, "us_per_world": 1e6 * each / given.worlds, "times_real_time": rate},
    ]  # fmt: skip
    checks = [
        {"name": "REMUS 100: step over MuJoCo's", "value": ours / theirs, "limit": 1.0,
         "holds": ours <= theirs},
        {"name": f"{many}: times real time", "value": rate, "limit": LEAST_RATE, "holds": rate >= LEAST_RATE},
    ]  # fmt: skip
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}))
        return
    for check in checks:
        print(f"{check['name']}: {check['value']:.3g} (limit {check['limit']:g})")


if __name__ == "__main__":
    main()
