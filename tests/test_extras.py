"""What needs a package that is not installed says so in one sentence, with the command that installs it."""

import re
import sys
import tomllib
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

import treadle as td
from treadle.extras import PACKAGES, require
from treadle.geometry.step_file import read_step

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]

#: A mesh that is not convex: two tetrahedra with one corner in common.
ELL = (
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)],
    [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3), (0, 4, 5), (0, 6, 4), (0, 5, 6), (4, 6, 5)],
)

#: Calls that need a package.
USES = {
    "viser": lambda folder: td.view(td.scene("pendulum")),
    "mcap": lambda folder: td.Simulation(td.scene("pendulum")).record(folder / "run.mcap"),
    "pyarrow": lambda folder: td.Simulation(td.scene("pendulum")).record(folder / "run.parquet"),
    "torch": lambda folder: td.torch_function(td.scene("pendulum"), "forward_dynamics"),
    "jax": lambda folder: td.jax_function(td.scene("pendulum"), "forward_dynamics"),
    # a file that nothing has read before: what was read is kept
    "lxml": lambda folder: td.load(
        written(folder / "robot.urdf", f"<robot name='r{uuid4()}'><link name='a'/></robot>")
    ),
    "coacd": lambda folder: td.convex_parts(*ELL),
    "cascadio": lambda folder: read_step(written(folder / "plate.step", "ISO-10303-21;")),
    "capytaine": lambda folder: td.mesh_added_mass(np.eye(3), [[0, 1, 2]]),
    "numba": lambda folder: numba_kernel(),
    "scipy": lambda folder: td.convex_hull(np.eye(3)),
    "gymnasium": lambda folder: environments(),
    "rasterio": lambda folder: td.load_terrain(written(folder / "hill.tif", "II")),
}


def numba_kernel():
    """A kernel that no wheel brings."""
    from treadle.native.kernels import njit

    return njit(lambda x: x)(1.0)


def environments():
    """The package of environments, as if it had not been imported before."""
    import importlib.util

    spec = importlib.util.find_spec("treadle.envs.env")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("package", USES)
def test_one_sentence(package, tmp_path, monkeypatch):
    for name in [package, *[name for name in sys.modules if name.startswith(f"{package}.")]]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(td.TreadleError) as caught:
        USES[package](tmp_path)
    assert f"pip install 'treadle[{PACKAGES[package]}]'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_it_is_an_import_error_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        require("torch", "a test")
    assert caught.value.name == "torch"
    assert isinstance(caught.value, td.MissingPackage)


def test_every_extra_is_one_of_the_projects():
    assert set(PACKAGES.values()) <= set(PROJECT["optional-dependencies"])


def test_the_core_is_small():
    names = {line.partition(">")[0] for line in PROJECT["dependencies"]}
    assert names == {"numpy", "llvmlite"}


def test_the_command_without_its_packages(monkeypatch, capsys):
    from treadle.command import main

    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as caught:
        main()
    assert "treadle[cli]" in str(caught.value)


def test_a_format_whose_package_is_not_installed(tmp_path, monkeypatch):
    from importlib.metadata import PackageNotFoundError

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(sys.modules["treadle.formats.load"], "version", missing)
    with pytest.raises(td.MissingPackage, match=r"treadle\[urdf\]"):
        td.load(written(tmp_path / "robot.urdf", "<robot name='r'><link name='a'/></robot>"))


def test_every_extra_is_on_its_page():
    page = (Path(__file__).parents[1] / "docs" / "reference" / "extras.md").read_text()
    own = {"test", "dev", "docs", "release", "peers"}
    for name, packages in PROJECT["optional-dependencies"].items():
        if name not in own:
            (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
            for package in packages:
                assert f"`{re.split('[<>=]', package)[0]}`" in row
