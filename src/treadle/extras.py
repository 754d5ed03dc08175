"""Packages beyond the core: which extra brings each of them, and one sentence where it is missing.

The core (numpy, llvmlite) describes machines in Python and robot.toml, simulates, differentiates and exports
them. `pip install "treadle[NAME]"` adds what is named here, `treadle[all]` all of
it.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from treadle.errors import MissingPackage

__all__ = ["PACKAGES", "missing_package", "require"]

#: The extra of every package, by the name under which it is imported.
PACKAGES = {
    "capytaine": "hydro",
    "casadi": "casadi",
    "cascadio": "step",
    "coacd": "parts",
    "coal": "meshes",
    "gymnasium": "learn",
    "imageio": "view",
    "imageio_ffmpeg": "video",
    "jax": "jax",
    "lxml": "urdf",
    "matplotlib": "plots",
    "mcap": "recordings",
    "mpi4py": "mpi",
    "mujoco": "mjcf",
    "numba": "numba",
    "pyarrow": "recordings",
    "pygeomag": "magnetic",
    "pymap3d": "gps",
    "rasterio": "terrain",
    "ray": "cluster",
    "rich": "cli",
    "rosbags": "ros",
    "scipy": "scipy",
    "stable_baselines3": "train",
    "torch": "torch",
    "trimesh": "urdf",
    "typer": "cli",
    "viser": "view",
    "xacro": "xacro",
    "yourdfpy": "urdf",
    "zstandard": "recordings",
}


def require(package: str, what: str) -> ModuleType:
    """Import a package; MissingPackage, with the command that installs it, where it is not there.

    `what` needs it: "reading URDF", "a plot".
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == package.partition(".")[0]:
            raise missing_package(package, what) from None
        raise


def missing_package(package: str, what: str = "this") -> MissingPackage:
    """The error that says how to install a package."""
    top = package.partition(".")[0]
    return MissingPackage(
        f"{what} needs the package {top}, which is not installed: pip install 'treadle[{PACKAGES[top]}]'",
        name=top,
    )
