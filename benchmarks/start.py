"""CPU seconds of a process until its first contact step, with empty and with full caches, and MuJoCo's.

    python benchmarks/start.py                     # the sources of this checkout
    python benchmarks/start.py --wheel FILE.whl    # a wheel, unpacked into a folder of its own
    python benchmarks/start.py --json              # rows and checks

Seconds are those of user and system time of a fresh process, from its beginning to its end, the least of
several. The cases are a ball that rolls on a plane and ANYmal on its feet. Only a wheel brings its kernels
compiled: without one, the cold rows show what compiling them takes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from treadle.bench.machines import MACHINES

BALL = """
import treadle as td
spec = td.ModelSpec("ball")
spec.add_shape("ground", None, "plane", role="collision")
spec.add_body("ball", mass=1.0, type="sphere", size=(0.1,))
spec.add_joint("free", "free", None, "ball", position=(0.0, 0.0, 0.1))
spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision")
sim = td.Simulation(spec.compile(), 2e-3)
sim.step()
"""

ANYMAL = """
import sys
import treadle as td
from treadle.formats.load import load_spec
spec = load_spec(sys.argv[1], floating_base=True)
spec.shapes = [shape for shape in spec.shapes if shape.role == "collision" and shape.type == "sphere"]
spec.add_shape("ground", None, "plane", role="collision")
model = spec.compile(strict=False)
sim = td.Simulation(model, 5e-3)
sim.q[next(joint.q for joint in model.joints if joint.type.kind == "free")][6] = 0.54
sim.step()
"""

MUJOCO = """
import mujoco
model = mujoco.MjModel.from_xml_string('''<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>''')
mujoco.mj_step(model, mujoco.MjData(model))
"""

ROBOT = MACHINES["anymal"].path

#: CPU seconds that a start may take with empty caches, and with full ones.
LIMITS = {"ball": (2.0, 0.8), "ANYmal": (3.0, 1.2)}


def cpu_seconds(script: str, sources: Path, cache: Path) -> float:
    """User and system time of a fresh process."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(sources),
        "TREADLE_CACHE": str(cache),
        "TREADLE_CACHE_KEY": str(cache.parent / "key"),
        "TREADLE_QUIET": "1",
    }
    # installers compile to byte code too
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", script, str(ROBOT)], env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(sources: Path, cold: int, warm: int) -> list[dict]:
    """A row for each case."""
    rows = []
    for name, script in (("ball", BALL), ("ANYmal", ANYMAL)):
        with tempfile.TemporaryDirectory() as folder:
            caches = [Path(folder) / f"cache{n}" for n in range(cold)]
            # byte code of the sources is written by a process that does not count
            cpu_seconds("import treadle.sim.step.contact_step, treadle.formats.load", sources, caches[0])
            first = [cpu_seconds(script, sources, cache) for cache in caches]
            later = [cpu_seconds(script, sources, caches[0]) for _ in range(warm)]
        rows.append({"case": name, "cold": min(first), "warm": min(later)})
    if find_spec("mujoco") is not None:
        taken = min(cpu_seconds(MUJOCO, sources, Path("none")) for _ in range(warm))
        rows.append({"case": "ball, MuJoCo", "cold": taken, "warm": taken})
    return rows


def checks(rows: list[dict]) -> list[dict]:
    """What is required of a wheel."""
    found = []
    for row in rows:
        for kind, limit in zip(("cold", "warm"), LIMITS.get(row["case"], ()), strict=False):
            name, value = f"first step of {row['case']}, {kind} (CPU s)", row[kind]
            found.append({"name": name, "value": value, "limit": limit, "holds": value <= limit})
    return found


def unpacked(wheel: str, folder: str) -> Path:
    """The sources of a wheel, installed without what it depends on, which this environment has."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wheel]
    subprocess.run(command, check=True)
    return Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheel", help="measure this wheel instead of the sources of the checkout")
    parser.add_argument("--json", action="store_true", help="print rows and checks as one JSON object")
    parser.add_argument("--runs", type=int, default=3, help="processes of each kind (3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(__file__).resolve().parents[1] / "src"
        if options.wheel:
            sources = unpacked(options.wheel, folder)
        rows = measure(sources, options.runs if options.wheel else 1, options.runs)
    found = checks(rows)
    if options.json:
        print(json.dumps({"rows": rows, "checks": found}))
        return
    print(f"{'first step of':16s} {'cold':>8s} {'warm':>8s}   CPU s")
    for row in rows:
        print(f"{row['case']:16s} {row['cold']:8.2f} {row['warm']:8.2f}")
    for check in found:
        mark = "holds" if check["holds"] else "FAILS"
        print(f"{mark}  {check['name']}: {check['value']:.2f}, at most {check['limit']}")


if __name__ == "__main__":
    main()
