"""Exported C against Treadle's own step: bits, digits and time, on UR5, roadheader, Rocky 7 and squeezer.

python benchmarks/exports.py                      with gcc
python benchmarks/exports.py --compilers gcc clang
python benchmarks/exports.py --arm64-compiler "zig cc -target aarch64-linux-musl" --qemu qemu-aarch64-static
python benchmarks/exports.py --json

Both sides take the same steps in C loops: exported ones in a program that is compiled here, Treadle's in
`Batch.step` with one world. Both are timed in turns, in CPU seconds; the least of several runs counts.
Differences are of positions and velocities, as a share of those above 1 (the crank of the squeezer turns at
129 rad/s).
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import treadle as td

STRICT = ["-Wall", "-Wextra", "-Werror", "-std=c99"]
#: Steps of a comparison, and of a timed run.
COMPARED, TIMED, REPEATS = 500, 20_000, 7

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "machine.h"

static machine_state state;

int main(int count, char **given)
{
    long steps = count > 1 ? atol(given[1]) : 0;
    machine_initialize(&state);
    for (int k = 0; k < MACHINE_NV; k++) state.tau[k] = 0.01 * (k + 1);
    const clock_t start = clock();
    for (long k = 0; k < steps; k++)
        if (machine_step(&state)) return 1;
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%.9g\\n", seconds);
    for (int k = 0; k < MACHINE_NQ; k++) printf("%a\\n", state.q[k]);
    for (int k = 0; k < MACHINE_NV; k++) printf("%a\\n", state.v[k]);
    return 0;
}
"""


def machines() -> dict[str, td.Model]:
    """The machines; UR5 where example-robot-data is installed."""
    found = {name: td.scene(name) for name in ("roadheader", "rocky7", "squeezer")}
    packages = [Path(folder) for folder in sys.path if folder.endswith("site-packages")]
    paths = [path for folder in packages for path in folder.glob("**/ur_description/urdf/ur5_robot.urdf")]
    return {"UR5": td.load(paths[0]), **found} if paths else found


class Own:
    """Treadle's own step of a machine, under the joint forces of the program."""

    def __init__(self, model: td.Model) -> None:
        self._worlds = td.Batch(model, 1, lanes=1, threads=1, contact=None if model.wheels else False)
        self._start = self._worlds.save()

    def ran(self, steps: int) -> tuple[float, np.ndarray]:
        """Seconds per step, and the state at the end."""
        worlds = self._worlds
        worlds.restore(self._start)
        worlds.tau[0] = 0.01 * np.arange(1, worlds.tau.shape[1] + 1)
        before = time.process_time()
        worlds.step(steps)
        taken = time.process_time() - before
        return taken / steps, np.concatenate([worlds.q[0], worlds.v[0]])


def compiled(model: td.Model, folder: Path, kind: str, command: list[str], **target: str) -> Path:
    """A program around the exported machine; every warning is an error."""
    sim = td.Simulation(model, contact=None if model.wheels else False)
    files = td.export(sim, folder, kind, name="machine", functions=(), **target)
    (folder / "main.c").write_text(PROGRAM)
    program = folder / "main"
    subprocess.run(
        [*command, *STRICT, str(folder / "main.c"), str(files[1]), "-o", str(program), "-lm"], check=True
    )
    return program


def ran(command: list[str], steps: int) -> tuple[float, np.ndarray]:
    """Seconds per step, and the state at the end."""
    lines = subprocess.run([*command, str(steps)], capture_output=True, text=True, check=True).stdout.split()
    return float(lines[0]) / steps, np.array([float.fromhex(x) for x in lines[1:]])


class Case(NamedTuple):
    """A way to export and compile; `before` is what runs the program."""

    title: str
    kind: str
    command: list[str]
    before: list[str]
    target: dict[str, str]


def cases(given: argparse.Namespace) -> list[Case]:
    """What the options ask for."""
    found = []
    for compiler in given.compilers:
        command = [*shlex.split(compiler), *shlex.split(given.flags)]
        found += [Case(f"{kind}, {compiler}", kind, command, [], {}) for kind in ("static", "source")]
    if given.arm64_compiler:
        target = {"target": "aarch64-linux-gnu", "cpu": "cortex-a72"}
        command = [*shlex.split(given.arm64_compiler), "-static"]
        found.append(Case("static, ARM64 in qemu", "static", command, [given.qemu], target))
    return found


class Measured(NamedTuple):
    """Difference of the states, and seconds per step of both; None where they mean nothing."""

    difference: float
    own: float
    taken: float | None


def measured(model: td.Model, own: Own, case: Case) -> Measured:
    """One export against Treadle."""
    _, expected = own.ran(COMPARED)
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(model, Path(folder), case.kind, case.command, **case.target)
        _, end = ran([*case.before, str(program)], COMPARED)
        rounds = [] if case.before else range(REPEATS)
        times = [(own.ran(TIMED)[0], ran([str(program)], TIMED)[0]) for _ in rounds]
    difference = float((np.abs(end - expected) / np.maximum(1.0, np.abs(expected))).max())
    if not times:
        return Measured(difference, 0.0, None)
    return Measured(difference, min(time for time, _ in times), min(time for _, time in times))


def main() -> int:
    """Print the table, or rows and checks."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--compilers", nargs="+", default=["gcc"])
    options.add_argument("--flags", default="-O2 -march=native -ffp-contract=fast -fno-math-errno")
    options.add_argument("--arm64-compiler")
    options.add_argument("--qemu", default="qemu-aarch64-static")
    options.add_argument("--only", help="name of one machine")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    rows, checks = [], []
    for name, model in machines().items():
        if given.only not in (None, name):
            continue
        own = Own(model)
        for case in cases(given):
            error, least, taken = measured(model, own, case)
            ratio = None if taken is None else taken / least
            rows.append({"machine": name, "export": case.title, "difference": error, "ratio": ratio})
            limit = 0.0 if case.kind == "static" else 1e-12
            checks.append(check(f"{name}, {case.title}: difference", error, limit))
            if ratio is not None:
                checks.append(check(f"{name}, {case.title}: time over Treadle's", ratio, 1.2))
            if not given.json:
                told = "" if ratio is None else f"{least * 1e6:8.3f} us in Treadle, x {ratio:.2f}"
                print(f"{name:<12} {case.title:<24} difference {error:9.2e}  {told}", flush=True)
    if given.json:
        print(json.dumps({"rows": rows, "checks": checks}, indent=1))
    return 0 if all(each["holds"] for each in checks) else 1


def check(name: str, value: float, limit: float) -> dict[str, object]:
    """A line that has to hold."""
    return {"name": name, "value": value, "limit": limit, "holds": value <= limit}


if __name__ == "__main__":
    sys.exit(main())
