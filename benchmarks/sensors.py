"""Cost of sensors in many worlds: processor time with an IMU, encoders and foot contacts over that without.

python benchmarks/sensors.py [--worlds 4096] [--steps 20] [--json]
"""

from __future__ import annotations

import argparse
import json
import time

import treadle as td

#: Largest share of a step that sensors may take.
LIMIT = 0.2


def walker(sensors: bool = True) -> td.Model:
    """A machine on four legs with twelve joints, with an IMU, encoders and foot contacts."""
    spec = td.ModelSpec("walker", settings={"dt": 2e-3})
    spec.add_material("rubber", stiffness=3e4, damping=150.0, friction=0.8)
    spec.add_body("trunk", 12.0, type="box", size=(0.5, 0.25, 0.12))
    spec.add_joint("base", "free", None, "trunk", position=(0, 0, 0.47))
    for leg, x, y in (("lf", 0.22, 0.12), ("rf", 0.22, -0.12), ("lh", -0.22, 0.12), ("rh", -0.22, -0.12)):
        parts = (
            ("hip", (1, 0, 0), (x, y, 0), 0.05),
            ("thigh", (0, 1, 0), (0, 0, 0), 0.25),
            ("shank", (0, 1, 0), (0, 0, -0.25), 0.2),
        )
        parent = "trunk"
        for name, axis, place, length in parts:
            body = f"{leg} {name}"
            spec.add_body(body, 0.8, center=(0, 0, -0.5 * length), type="box", size=(0.05, 0.05, length))
            spec.add_joint(
                body, "revolute", parent, body, axis=axis, position=place, stiffness=80.0, damping=2.0
            )
            parent = body
            if sensors:
                spec.add_sensor(f"{body} encoder", "encoder", body, counts=8192, noise={"stddev": 1e-4})
        spec.add_shape(
            f"{leg} foot",
            parent,
            "sphere",
            (0.025,),
            role="collision",
            position=(0, 0, -0.2),
            material="rubber",
        )
        if sensors:
            spec.add_sensor(f"{leg} contact", "bumper", f"{leg} foot", threshold=1.0)
    spec.add_shape("ground", None, "plane", role="collision", material="rubber")
    if sensors:
        spec.add_sensor("imu", "imu", "trunk", noise={"preset": "mpu6000"})
    return spec.compile()


def cost(worlds: int, steps: int) -> float:
    """Processor time of sensors over that of the steps, in turns."""
    batches = [td.Batch(walker(sensors), worlds) for sensors in (True, False)]
    used = [0.0, 0.0]
    for batch in batches:
        batch.step(3)
    for _ in range(steps):
        for k, batch in enumerate(batches):
            started = time.process_time()
            batch.step()
            used[k] += time.process_time() - started
    return used[0] / used[1] - 1.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    share = cost(options.worlds, options.steps)
    name = f"cost of sensors in {options.worlds} worlds, share of the step"
    check = {"name": name, "value": share, "limit": LIMIT, "holds": share <= LIMIT}
    if options.json:
        print(json.dumps({"rows": [{"worlds": options.worlds, "share": share}], "checks": [check]}))
    else:
        print(f"{'holds' if check['holds'] else 'fails'}  {name}, at most {LIMIT}: {share:.3f}")


if __name__ == "__main__":
    main()
