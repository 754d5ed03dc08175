"""The machines that are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np

from treadle.bench.peers import MissingPeer
from treadle.errors import InputError
from treadle.formats import load
from treadle.model.model import Model, suggest
from treadle.scenes import scene

__all__ = ["MACHINES", "Machine", "select"]


@dataclass(frozen=True)
class Machine:
    """A robot of example-robot-data, by the end of its file's path, or a chain of so many links."""

    name: str
    urdf: str | None = None
    floating: bool = False
    links: int = 0

    @property
    def path(self) -> Path:
        """The robot's URDF file."""
        try:
            installed = files("example-robot-data") or []
        except PackageNotFoundError:
            installed = []
        for file in installed:
            if file.as_posix().endswith(f"/{self.urdf}"):
                return Path(str(file.locate())).resolve()
        raise MissingPeer("example-robot-data", "the robots")

    def model(self) -> Model:
        """The machine, loaded once."""
        return _model(self)

    def state(self, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A pose near the neutral one, velocities and joint forces, all small enough for a calm run."""
        model, random = self.model(), np.random.default_rng(seed)
        q, v = np.array(model.neutral()), 0.1 * random.standard_normal(model.nv)
        offset = 0.1 * random.standard_normal(model.nv)
        for joint in model.joints:
            q[joint.q] = joint.type.integrate(q[joint.q].tolist(), offset[joint.v].tolist())
        return q, v, 0.1 * random.standard_normal(model.nv)


@cache
def _model(machine: Machine) -> Model:
    if machine.urdf is None:
        return scene("chain", links=machine.links)
    # all are given the smooth tree: no mimic joints, stops or friction, no drives and no sensors
    model = load(machine.path, floating_base=machine.floating).without_loops().without_bounds()
    return replace(model, actuators=(), sensors=())


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("ur5", "ur_description/urdf/ur5_robot.urdf"),
        Machine("panda", "panda_description/urdf/panda.urdf"),
        Machine("anymal", "anymal_b_simple_description/robots/anymal.urdf", floating=True),
        Machine("talos", "talos_data/robots/talos_full_v2.urdf", floating=True),
        Machine("talos_fixed", "talos_data/robots/talos_full_v2.urdf"),
        Machine("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", floating=True),
        *(Machine(f"chain{links}", links=links) for links in (10, 50, 100, 250)),
    )
}


def select(names: list[str] | None) -> list[Machine]:
    """The machines of these names, or all."""
    for name in names or ():
        if name not in MACHINES:
            raise InputError(
                f"there is no machine named {name!r} in the benchmark; {suggest(name, list(MACHINES))}"
            )
    return [machine for machine in MACHINES.values() if not names or machine.name in names]
