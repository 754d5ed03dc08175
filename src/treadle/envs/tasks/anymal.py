"""ANYmal: a quadruped follows a commanded velocity over rough ground.

Observation and reward in the manner of Rudin, Hoeller, Reist and Hutter (2022); the robot is that of
example-robot-data, with the balls of its feet as collision shapes and PD control of its joints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

from treadle.batch.situation import Situation
from treadle.envs.start import Begin, Start
from treadle.envs.task import Task
from treadle.envs.tasks.gymnasium_machines import square_sum
from treadle.errors import InputError
from treadle.formats import load_spec
from treadle.graph import Scalar, cos, exp, sin
from treadle.model import Model
from treadle.spatial import Vec3
from treadle.terrain import Grid, random_grid

__all__ = ["HEIGHT", "POSE", "REACH", "TASK", "ground"]

#: Gains (N m/rad, N m s/rad), height of the base (m), reach of an action (rad).
_STIFFNESS, _DAMPING, HEIGHT, REACH = 80.0, 2.0, 0.6, 0.5

#: Positions (rad) of a leg's joints.
_LEGS = {
    "LF": (0.03, 0.4, -0.8), "RF": (-0.03, 0.4, -0.8), "LH": (0.03, -0.4, 0.8), "RH": (-0.03, -0.4, 0.8),
}  # fmt: skip
#: Of all joints, by name.
POSE = {
    f"{leg}_{joint}": angle
    for leg, angles in _LEGS.items()
    for joint, angle in zip(("HAA", "HFE", "KFE"), angles, strict=True)
}


@cache
def ground() -> Grid:
    """Rough ground of 30 m x 30 m."""
    return random_grid((30.0, 30.0), 0.1, roughness=0.03, correlation=0.4, seed=2, friction=0.8)


@cache
def machine() -> Model:
    """The robot, which touches the ground with its feet alone."""
    spec = load_spec(_file(), floating_base=True)
    spec.shapes = [s for s in spec.shapes if s.role == "visual" or s.type == "sphere"]
    spec.add_material("rubber", friction=0.8, restitution=0.0)
    for shape in spec.shapes:
        if shape.role == "collision":
            shape.material = "rubber"
    for name in POSE:
        spec.add_actuator(name, "position", name, stiffness=_STIFFNESS, damping=_DAMPING)
    return spec.compile(strict=False)


def _file() -> Path:
    try:
        installed = files("example-robot-data") or []
    except PackageNotFoundError:
        installed = []
    for file in installed:
        if file.as_posix().endswith("/anymal_b_simple_description/robots/anymal.urdf"):
            return Path(str(file.locate())).resolve()
    raise InputError("ANYmal comes with example-robot-data: pip install 'treadle[peers]'")


def start(begin: Start) -> Begin:
    """Somewhere with any heading; the command is a velocity ahead, sideways, and a rate of turning."""
    x, y, heading = begin.uniform(-12.0, 12.0), begin.uniform(-12.0, 12.0), begin.uniform(-math.pi, math.pi)
    q: list[Scalar] = list(begin.q)
    root = next(joint.q for joint in begin.model.joints if joint.type.kind == "free")
    height = ground().height(x, y) + HEIGHT
    q[root] = [cos(0.5 * heading), 0.0, 0.0, sin(0.5 * heading), x, y, height]
    for name, angle in POSE.items():
        q[begin.model.joint(name).q.start] = angle + begin.uniform(-0.05, 0.05)
    wanted = [begin.uniform(-1.0, 1.0), begin.uniform(-0.5, 0.5), begin.uniform(-1.0, 1.0)]
    return Begin(q, begin.v, wanted)


def base(now: Situation) -> tuple[Vec3, Vec3, Vec3]:
    """Velocity and angular velocity of the base, and the vertical, all in its axes."""
    pose, motion = now.pose("base"), now.velocity("base")
    back = pose.rotation.T
    return back.apply(motion.linear), back.apply(motion.angular), back.apply(Vec3(0.0, 0.0, 1.0))


def observe(now: Situation) -> Sequence[Scalar]:
    """Motion of the base, the vertical, the command, the joints, and the last action."""
    velocity, turning, up = base(now)
    positions = [now.joint_position(name)[0] - angle for name, angle in POSE.items()]
    speeds = [now.joint_velocity(name)[0] for name in POSE]
    return [*velocity, *turning, *up, *now.variables, *positions, *speeds, *now.action]


def fallen(now: Situation) -> Any:
    """The base leans by more than 60 degrees, or is near the ground."""
    _, _, up = base(now)
    place = now.position("base")
    return (up.z < 0.5) | (place.z - ground().height(place.x, place.y) < 0.25)


def reward(now: Situation) -> Mapping[str, Scalar]:
    """Following the command, less bouncing, rolling, torque and jerky actions."""
    velocity, turning, _ = base(now)
    vx, vy, rate = now.variables
    off = square_sum([velocity.x - vx, velocity.y - vy])
    change = [a - b for a, b in zip(now.action, now.before, strict=True)]
    dt = now.period
    return {
        "reward_velocity": dt * exp(-4.0 * off),
        "reward_turning": 0.5 * dt * exp(-4.0 * square_sum([turning.z - rate])),
        "reward_bounce": -2.0 * dt * velocity.z * velocity.z,
        "reward_roll": -0.05 * dt * square_sum([turning.x, turning.y]),
        "reward_torque": -1e-5 * dt * square_sum(now.moment.tau),
        "reward_change": -0.01 * dt * square_sum(change),
    }


TASK = Task(
    name="ANYmal",
    machine=machine,
    start=start,
    observe=observe,
    reward=reward,
    terminated=fallen,
    remember=lambda now: list(now.action),
    command=lambda now: [
        angle + REACH * action for angle, action in zip(POSE.values(), now.action, strict=True)
    ],
    action_low=(-1.0,) * 12,
    action_high=(1.0,) * 12,
    dt=5e-3,
    steps=4,
    max_episode_steps=1000,
    options={"terrain": ground(), "time_stepping": True},
)
