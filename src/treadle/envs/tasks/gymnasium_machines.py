"""Machines of Gymnasium's MuJoCo environments, and their states in MuJoCo's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from treadle.batch.situation import Situation
from treadle.envs.start import Begin, Start
from treadle.formats import load
from treadle.graph import Scalar
from treadle.model.model import Model, ModelJoint
from treadle.spatial import Vec3

__all__ = [
    "asset", "body_contact_forces", "joint_forces", "noisy_start", "qpos", "qvel", "square_sum",
    "subtree_center",
]  # fmt: skip

#: Of a free joint, places of MuJoCo's numbers (position, quaternion) among Treadle's, and of velocities.
_FREE_Q, _FREE_V = (4, 5, 6, 0, 1, 2, 3), (3, 4, 5, 0, 1, 2)


@cache
def asset(name: str) -> Model:
    """A machine from the files that Gymnasium comes with."""
    import gymnasium

    return load(Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / name)


def qpos(situation: Situation) -> list[Scalar]:
    """Positions in MuJoCo's order."""
    return _ordered(situation.model.joints, situation.q, "q")


def qvel(situation: Situation) -> list[Scalar]:
    """Velocities in MuJoCo's order."""
    return _ordered(situation.model.joints, situation.v, "v")


def noisy_start(position: float, velocity: float, normal: bool = False) -> Callable[[Start], Begin]:
    """Positions with uniform noise up to `position`, velocities with uniform or normal noise."""

    def start(begin: Start) -> Begin:
        q = [x + begin.uniform(-position, position) for x in begin.q]
        if normal:
            return Begin(q, [x + begin.normal(0.0, velocity) for x in begin.v])
        return Begin(q, [x + begin.uniform(-velocity, velocity) for x in begin.v])

    return start


def subtree_center(situation: Situation) -> Vec3:
    """Centre of mass of the one machine in the scene."""
    return situation.center_of_mass


def body_contact_forces(situation: Situation, links: Sequence[str]) -> list[Scalar]:
    """MuJoCo's cfrc_ext: of each body, moment about the machine's centre of mass, then force."""
    about = subtree_center(situation)
    forces = [situation.contact_force(link, about) for link in links]
    return [x for force in forces for x in (*force.angular, *force.linear)]


def joint_forces(situation: Situation) -> list[Scalar]:
    """MuJoCo's qfrc_actuator, in its order."""
    return _ordered(situation.model.joints, situation.moment.tau, "v")


def square_sum(values: Sequence[Scalar]) -> Scalar:
    """Sum of the squares."""
    total: Scalar = 0.0
    for x in values:
        total = total + x * x
    return total


def _ordered(joints: Sequence[ModelJoint], values: Sequence[Scalar], which: str) -> list[Scalar]:
    found: list[Scalar] = []
    for joint in joints:
        part = values[getattr(joint, which)]
        order = (_FREE_Q if which == "q" else _FREE_V) if joint.type.kind == "free" else range(len(part))
        found += [part[k] for k in order]
    return found
