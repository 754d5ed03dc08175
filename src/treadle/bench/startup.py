"""Fresh processes: importing Treadle, making code for a machine, and the first step."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from treadle.bench.machines import MACHINES, Machine
from treadle.bench.race import Effort
from treadle.bench.results import Outcome, Row, limited
from treadle.errors import TreadleError

__all__ = ["measure_code", "measure_startup"]

#: Longest time (s) to trace, compile and load the step where nothing is stored yet.
COLD_LIMITS = {"ur5": 0.3, "panda": 0.3, "talos": 2.0, "chain250": 5.0}

#: The same from the disk cache, for any machine.
WARM_LIMIT = 0.1

IMPORT_LIMIT = 0.3
FIRST_STEP_COLD_LIMIT = 1.5
FIRST_STEP_WARM_LIMIT = 0.8

_IMPORT = """
import time
start = time.perf_counter()
import treadle
print(time.perf_counter() - start)
"""

_CODE = """
import sys, time
from treadle.bench.machines import MACHINES
from treadle.native.program import compile_program
from treadle.sim.step.options import StepOptions
from treadle.sim.step.program import step_program
model = MACHINES[sys.argv[1]].model()
start = time.perf_counter()
compile_program(step_program(model, StepOptions()))
print(time.perf_counter() - start)
"""

_FIRST_STEP = """
import sys
import treadle as td
sim = td.Simulation(td.load(sys.argv[1]))
sim.step()
print(sim.time)
"""


def measure_startup(effort: Effort) -> Outcome:
    """Time to import Treadle, and from the start of a process to the end of the first step of the UR5."""
    machine = MACHINES["ur5"]
    path, freedoms = str(machine.path), machine.model().nv
    imports, cold, warm = [], [], []
    for _ in range(effort.processes):
        with tempfile.TemporaryDirectory(prefix="treadle-bench-") as cache:
            imports.append(_inside(_IMPORT, cache))
            cold.append(_whole(_FIRST_STEP, cache, path))
            warm.append(_whole(_FIRST_STEP, cache, path))
    outcome = Outcome()
    for machine_name, quantity, times, limit in (
        ("treadle", "import", imports, IMPORT_LIMIT),
        ("ur5", "process to first step, nothing stored", cold, FIRST_STEP_COLD_LIMIT),
        ("ur5", "process to first step, stored", warm, FIRST_STEP_WARM_LIMIT),
    ):
        count = freedoms if machine_name == "ur5" else 0
        row = Row("startup", machine_name, count, quantity, "s", statistics.median(times))
        outcome.add(limited(row, limit))
    return outcome


def measure_code(machine: Machine, effort: Effort) -> Outcome:
    """Time to get the step's machine code in a fresh process: made anew, then from the disk cache."""
    cold, warm = [], []
    for _ in range(effort.processes):
        with tempfile.TemporaryDirectory(prefix="treadle-bench-") as cache:
            cold.append(_inside(_CODE, cache, machine.name))
            warm.append(_inside(_CODE, cache, machine.name))
    outcome, freedoms = Outcome(), machine.model().nv
    for quantity, times, limit in (
        ("code, nothing stored", cold, COLD_LIMITS.get(machine.name)),
        ("code, stored", warm, WARM_LIMIT),
    ):
        row = Row("startup", machine.name, freedoms, quantity, "s", statistics.median(times))
        outcome.add(limited(row, limit))
    return outcome


def _inside(script: str, cache: str, *arguments: str) -> float:
    """Seconds that the script measured itself."""
    return float(_process(script, cache, *arguments))


def _whole(script: str, cache: str, *arguments: str) -> float:
    """Seconds from the start of the process to its end."""
    start = time.perf_counter()
    _process(script, cache, *arguments)
    return time.perf_counter() - start


def _process(script: str, cache: str, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "TREADLE_CACHE": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise TreadleError(f"a measured process failed: {result.stderr.strip().splitlines()[-1]}")
    return result.stdout
