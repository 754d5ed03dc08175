"""`import treadle` is quick: what is heavy is imported where it is used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import treadle

HEAVY = {
    "llvmlite", "scipy", "trimesh", "yourdfpy", "matplotlib", "typer", "rich", "mujoco", "numba", "pinocchio",
    "heyoka", "lxml", "multiprocessing", "pyarrow", "mcap", "pandas", "viser",
}  # fmt: skip


#: Packages of what is traced, which a step does not need whose code is stored.
TRACED = {
    "treadle.solvers.closure", "treadle.solvers.impulses", "treadle.integrators.system",
    "treadle.dynamics.aba", "treadle.dynamics.compiled", "treadle.wheels", "treadle.terrain",
    "treadle.constraints.rows", "treadle.native.emit", "treadle.native.schedule", "treadle.sim.step.fused",
}  # fmt: skip

#: What else a first step has no use for.
IDLE = {
    "treadle.geometry.threedt", "treadle.sim.edit", "treadle.sim.history", "treadle.sim.realtime_loop",
    "treadle.sim.quality", "treadle.sim.reaction", "treadle.sim.recording", "treadle.integrators.rk4",
    "treadle.collision", "treadle.contact", "numpy.random",
}  # fmt: skip

ROBOT = """<robot name="arm"><link name="base"/>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def modules_after(script: str, *arguments: str, **environment: str) -> set[str]:
    """Modules in a fresh interpreter after running a script."""
    environment = {**os.environ, "PYTHONPATH": str(Path(treadle.__file__).parents[1]), **environment}
    script += "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(result.stdout))


def loaded_after(script: str) -> set[str]:
    """The same, top-level modules only."""
    return {name.partition(".")[0] for name in modules_after(script)}


def test_import_is_light():
    assert loaded_after("import treadle") & (HEAVY | {"numpy"}) == set()


def test_all_names_are_light():
    modules = loaded_after("from treadle import *")
    assert "numpy" in modules
    assert modules & HEAVY == set()


def test_simulating_needs_the_compiler_only():
    modules = loaded_after("import treadle as td; td.Simulation(td.scene('pendulum')).step(3)")
    assert modules & HEAVY == {"llvmlite"}


@pytest.mark.parametrize("name", ["treadle.graph", "treadle.spatial", "treadle.model", "treadle.formats"])
def test_packages_can_be_imported_first(name):
    """No package depends on another one having been imported before it."""
    assert "treadle" in loaded_after(f"import {name}")


def test_the_first_step_of_a_robot(tmp_path):
    """A URDF takes its parser, with all that this imports; what is stored is neither read nor traced."""
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT)
    script = "import sys, treadle as td; td.Simulation(td.load(sys.argv[1])).step()"
    cold, warm = (modules_after(script, str(path), TREADLE_CACHE=str(tmp_path / "store")) for _ in range(2))
    assert cold & HEAVY == {"llvmlite", "lxml", "scipy", "trimesh", "yourdfpy"}
    assert cold > {"treadle.formats.urdf", "treadle.dynamics.aba", "treadle.sim.step.fused"}
    assert {name for name in cold & IDLE if name.startswith("treadle")} == set()
    assert warm & HEAVY == {"llvmlite"}
    assert warm & (IDLE | TRACED | {"treadle.formats.urdf"}) == set()


BALL = """
import treadle as td
spec = td.ModelSpec("ball")
spec.add_shape("ground", None, "plane", role="collision")
spec.add_body("ball", mass=1.0, type="sphere", size=(0.1,))
spec.add_joint("free", "free", None, "ball", position=(0.0, 0.0, 0.1))
spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision")
td.Simulation(spec.compile(), 2e-3).step()
"""


def test_contact_with_compiled_kernels_needs_no_numba():
    # the first process compiles what is not there yet
    _, warm = (loaded_after(BALL) for _ in range(2))
    assert warm & HEAVY == {"llvmlite"}
