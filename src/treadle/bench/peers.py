"""The libraries that Treadle is measured against, each set up to compute the same thing."""

from __future__ import annotations

import importlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from treadle._version import __version__
from treadle.errors import TreadleError
from treadle.formats.mjcf_export import mjcf_order, to_mjcf
from treadle.model.model import Model

__all__ = [
    "MissingPeer",
    "MujocoModel",
    "PinocchioModel",
    "busy",
    "computer",
    "difference",
    "peer",
    "peer_name",
]

#: Distribution and spoken name of every peer, by module.
_PEERS = {
    "dartpy": ("dartpy", "DART"),
    "envpool": ("envpool", "EnvPool"),
    "exudyn": ("exudyn", "Exudyn"),
    "heyoka": ("heyoka", "heyoka"),
    "mujoco": ("mujoco", "MuJoCo"),
    "pinocchio": ("pin", "Pinocchio"),
    "pybullet": ("pybullet", "Bullet"),
}


class MissingPeer(TreadleError):
    """A package to compare with is not installed."""

    def __init__(self, package: str, what: str) -> None:
        super().__init__(f"{package} is not installed, so {what} are left out: pip install 'treadle[peers]'")


def peer(module: str) -> Any:
    """Import a peer; MissingPeer where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package, name = _PEERS[module.partition(".")[0]]
        raise MissingPeer(package, f"the comparisons with {name}") from None


def peer_name(module: str) -> str:
    """A peer's name with its version."""
    package, name = _PEERS[module]
    return f"{name} {version(package)}"


def computer() -> dict[str, str | int]:
    """The machine and the versions that the numbers belong to."""
    result: dict[str, str | int] = {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "treadle": __version__,
    }
    for package in ("llvmlite", "numpy", *(package for package, _ in _PEERS.values())):
        try:
            result[package] = version(package)
        except PackageNotFoundError:
            result[package] = "not installed"
    return result


def busy() -> list[str]:
    """A note if the computer is busy before anything is measured."""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load <= 0.5 * cores:
        return []
    return [
        f"the computer was busy before (a load of {load:.1f} on {cores} cores): what needs several cores or "
        "fresh processes is slower than it could be"
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference between two arrays, relative to the largest number in the second."""
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300))


class MujocoModel:
    """A machine in MuJoCo, without contact and limits, with the Euler method."""

    def __init__(self, model: Model, dt: float, constraints: bool = False) -> None:
        mujoco = peer("mujoco")
        self.mujoco = mujoco
        self.order_q, self.order_v = mjcf_order(model)
        self.model = mujoco.MjModel.from_xml_string(to_mjcf(model))
        self.model.opt.timestep = dt
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        if not constraints:
            flags = mujoco.mjtDisableBit
            self.model.opt.disableflags |= int(flags.mjDSBL_CONTACT) | int(flags.mjDSBL_CONSTRAINT)
        self.data = mujoco.MjData(self.model)

    def set(self, q: np.ndarray, v: np.ndarray) -> None:
        """Begin anew from a state in Treadle's order."""
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = q[self.order_q], v[self.order_v]

    def step(self, count: int) -> None:
        """Advance in MuJoCo's own loop."""
        self.mujoco.mj_step(self.model, self.data, count)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity in Treadle's order."""
        q, v = np.empty_like(self.data.qpos), np.empty_like(self.data.qvel)
        q[self.order_q], v[self.order_v] = self.data.qpos, self.data.qvel
        return q, v


class PinocchioModel:
    """A robot in Pinocchio, read from the same file, and the way between its coordinates and ours.

    Pinocchio's free joint has q = (p, x, y, z, w) and v = (linear, angular), both in body axes.
    """

    def __init__(self, model: Model, path: Path, floating: bool) -> None:
        self.pin = peer("pinocchio")
        arguments = [self.pin.JointModelFreeFlyer()] if floating else []
        self.model = self.pin.buildModelFromUrdf(str(path), *arguments)
        self.data = self.model.createData()
        self.joints = []
        for joint in model.joints:
            name = "root_joint" if floating and joint.type.kind == "free" else joint.name
            self.joints.append((joint, self.model.joints[self.model.getJointId(name)]))

    def position(self, q: np.ndarray) -> np.ndarray:
        result = np.empty(self.model.nq)
        for joint, other in self.joints:
            values = q[joint.q]
            if joint.type.kind == "free":
                values = np.concatenate([values[4:], values[1:4], values[:1]])
            elif other.nq == 2:
                values = np.array([np.cos(values[0]), np.sin(values[0])])
            result[other.idx_q : other.idx_q + other.nq] = values
        return result

    def vector(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """A velocity, or a joint force, in Pinocchio's order and axes."""
        result = np.empty(self.model.nv)
        for joint, other in self.joints:
            values = v[joint.v]
            if joint.type.kind == "free":
                values = np.concatenate([_rotation(joint, q).T @ values[3:], values[:3]])
            result[other.idx_v : other.idx_v + other.nv] = values
        return result

    def acceleration(self, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """An acceleration of Pinocchio's in our order and axes."""
        result = np.empty_like(v)
        for joint, other in self.joints:
            values = acceleration[other.idx_v : other.idx_v + other.nv]
            if joint.type.kind == "free":
                R, omega = _rotation(joint, q), v[joint.v][:3]
                # d/dt of the velocity in body axes misses the turning of those axes
                linear = R @ values[:3] + np.cross(R @ omega, v[joint.v][3:])
                values = np.concatenate([values[3:], linear])
            result[joint.v] = values
        return result


def _rotation(joint: Any, q: np.ndarray) -> np.ndarray:
    return joint.type.transform(q[joint.q].tolist()).to_matrix()[:3, :3]
