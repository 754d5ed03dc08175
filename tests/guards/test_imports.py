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


def loaded_after(script: str) -> set[str]:
    """Top-level modules in a fresh interpreter after running a script."""
    environment = {**os.environ, "PYTHONPATH": str(Path(treadle.__file__).parents[1])}
    script += (
        "\nimport json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return set(json.loads(result.stdout))


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
