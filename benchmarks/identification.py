"""Five masses and five joint dampings of the Panda arm from a noisy run, by gradients through its steps.

python benchmarks/identification.py            needs torch (make test-interop makes an environment with it)
python benchmarks/identification.py --json

The arm follows a reference under a controller; encoders have 0.1 mrad of noise. The run is simulated again
with `td.torch_function(sim, "step", parameters)` inside a PyTorch loop, and L-BFGS minimizes the squared
error of the positions. Seconds are CPU time of the whole identification, compilation excluded.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import torch

import treadle as td

MASSES = [f"panda_link{k}.mass" for k in (2, 3, 4, 5, 6)]
DAMPINGS = [f"panda_joint{k}.damping" for k in (1, 2, 3, 4, 5)]
NOISE, STEPS, DT = 1e-4, 300, 4e-3
#: Gains of the controller, by joint; the fingers are left alone.
STIFFNESS = [60.0, 60.0, 60.0, 60.0, 20.0, 20.0, 5.0, 0.0, 0.0]
DAMPING = [6.0, 6.0, 6.0, 4.0, 1.0, 1.0, 0.2, 0.0, 0.0]


def panda() -> td.Model:
    """The arm of example-robot-data, with viscous friction and without dry friction."""
    packages = [Path(folder) for folder in sys.path if folder.endswith("site-packages")]
    (path, *_) = [x for folder in packages for x in folder.glob("**/panda_description/urdf/panda.urdf")]
    spec = td.load_spec(path)
    for joint in spec.joints:
        joint.friction = 0.0
        joint.damping = 1.0 if joint.type == "revolute" else 10.0
    return spec.compile()


def reference(model: td.Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities over time: two sines per joint about a bent posture, from rest."""
    t = DT * np.arange(STEPS)[:, None]
    middle = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.8, 0.4, *[0.02] * (model.nv - 7)])
    wide = np.array([0.6] * 7 + [0.0] * (model.nv - 7))
    rates = 2.0 * np.pi * rng.uniform(0.5, 2.0, size=(2, model.nv))
    ramp, slope = np.minimum(t / 0.3, 1.0), (t < 0.3) / 0.3
    wave = sum(np.sin(w * t) for w in rates)
    return middle + wide * ramp * wave, wide * (slope * wave + ramp * sum(w * np.cos(w * t) for w in rates))


def rolled(step, parameters: torch.Tensor, targets: torch.Tensor, speeds: torch.Tensor) -> torch.Tensor:
    """Positions of a run under the controller."""
    q, v = targets[0], torch.zeros_like(targets[0])
    found, stiffness, damping = [], torch.tensor(STIFFNESS), torch.tensor(DAMPING)
    for target, speed in zip(targets, speeds, strict=True):
        tau = stiffness * (target - q) + damping * (speed - v)
        q, v = step(q, v, tau, parameters)
        found.append(q)
    return torch.stack(found)


def identified(seed: int) -> dict[str, object]:
    """Errors of the ten parameters, and the seconds that it took."""
    rng, names = np.random.default_rng(seed), [*MASSES, *DAMPINGS]
    model = panda()
    step = td.torch_function(td.Simulation(model, dt=DT, contact=False), "step", names)
    nominal = torch.tensor([td.parameter_value(model, name) for name in names])
    truth = nominal * torch.tensor(rng.uniform(0.6, 1.5, len(names)))
    targets, speeds = (torch.tensor(x) for x in reference(model, rng))
    measured = rolled(step, truth, targets, speeds) + NOISE * torch.tensor(rng.normal(size=targets.shape))
    x = torch.zeros(len(names), dtype=torch.float64, requires_grad=True)
    # compiles the gradient
    rolled(step, nominal * torch.exp(x), targets[:2], speeds[:2]).sum().backward()
    started, calls = time.process_time(), 0
    solver = torch.optim.LBFGS([x], max_iter=60, history_size=20, tolerance_grad=1e-9, tolerance_change=1e-14,
                               line_search_fn="strong_wolfe")  # fmt: skip

    def cost() -> torch.Tensor:
        nonlocal calls
        calls += 1
        solver.zero_grad()
        error = (rolled(step, nominal * torch.exp(x), targets, speeds) - measured) / NOISE
        total = (error**2).mean()
        total.backward()
        return total

    solver.step(cost)
    taken = time.process_time() - started
    error = (nominal * torch.exp(x.detach()) / truth - 1.0).abs()
    return {"seed": seed, "evaluations": calls, "seconds": taken, "cost": float(cost().detach()),
            "errors": dict(zip(names, error.tolist(), strict=True))}  # fmt: skip


def main() -> int:
    """Print rows and checks."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    rows = [identified(seed) for seed in range(given.seeds)]
    worst = max(max(row["errors"].values()) for row in rows)  # type: ignore[attr-defined]
    longest = max(row["seconds"] for row in rows)  # type: ignore[type-var]
    checks = [
        {"name": "largest error of a parameter", "value": worst, "limit": 0.01, "holds": worst <= 0.01},
        {"name": "CPU seconds", "value": longest, "limit": 10.0, "holds": longest <= 10.0},
    ]
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}, indent=1))
    else:
        for row in rows:
            print("seed {seed}: {evaluations} evaluations, {seconds:.2f} s, cost {cost:.4f}".format(**row))
            for name, error in row["errors"].items():  # type: ignore[attr-defined]
                print(f"    {name:<24} {100 * error:8.4f} %")
        for check in checks:
            print("{name}: {value:.4g} (at most {limit:g}) {holds}".format(**check))
    return 0 if all(check["holds"] for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
