"""ANYmal on its four feet, held up by PD control, in Treadle and in MuJoCo.

The robot of example-robot-data, with the pose, the gains and the step of SimBenchmark, and of its collision
shapes only the balls of its feet. Servos of both engines make the torques 40 (q0 - q) - 1.0 v in every step.
The model for MuJoCo is the MJCF of the same model, with fixed links merged into what carries them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Protocol

import numpy as np

from treadle.bench.machines import MACHINES
from treadle.bench.peers import MissingPeer, peer
from treadle.bench.race import Contestant, Effort, race
from treadle.formats.load import load_spec
from treadle.formats.mjcf_write import mjcf_text
from treadle.model import Model, ModelSpec
from treadle.sim import Simulation

__all__ = ["DT", "OPTIONS", "MujocoRobots", "TreadleRobots", "largest_slip", "robots", "standing"]

#: Step (s), height of the base (m), distance of robots (m), friction of the feet.
DT, _HEIGHT, _APART, _FRICTION = 5e-3, 0.54, 2.0, 0.8

#: Gains: N m/rad, N m s/rad.
_STIFFNESS, _DAMPING = 40.0, 1.0

#: Positions (rad) of a leg's joints, by the start of their names.
_LEGS = {
    "LF": (0.03, 0.4, -0.8), "RF": (-0.03, 0.4, -0.8), "LH": (0.03, -0.4, 0.8), "RH": (-0.03, -0.4, 0.8),
}  # fmt: skip
_POSE = {
    f"{leg}_{joint}": angle
    for leg, angles in _LEGS.items()
    for joint, angle in zip(("HAA", "HFE", "KFE"), angles, strict=True)
}

#: Steps in one turn of the race.
_TURN = 200

#: Options of MuJoCo: as it is, and two ways to keep feet from slipping, with a cone that is round.
OPTIONS: dict[str, dict[str, float]] = {
    "MuJoCo": {},
    "MuJoCo, no slip": {"cone": 1, "noslip_iterations": 10},
    "MuJoCo, stiff friction": {"cone": 1, "impratio": 100.0},
}

#: Time (s) in which robots come to stand, and for which their feet are watched then.
_SETTLED, _WATCHED = 2.0, 5.0


class Robots(Protocol):
    """Robots in some engine."""

    def step(self, count: int) -> None:
        """Take steps."""
        ...

    def feet(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Angular velocity (rad/s) of each foot, and velocity (m/s) of the centre of its ball."""
        ...

    def height(self) -> float:
        """Height (m) of the lowest base."""
        ...


def standing(side: int, effort: Effort, quick: bool) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of side x side robots in every engine: time of a step (us), slip (m), height (m); and notes."""
    model, notes = robots(side), []
    engines: dict[str, Robots] = {"Treadle": TreadleRobots(model)}
    try:
        engines |= {name: MujocoRobots(model, options) for name, options in OPTIONS.items()}
    except MissingPeer as missing:
        notes.append(str(missing))
    rows = []
    for name, engine in engines.items():
        engine.step(round(_SETTLED / DT))
        slip = largest_slip(engine, model, round((0.1 if quick else 1.0) * _WATCHED / DT))
        rows.append({"engine": name, "error": slip, "height": engine.height()})
    turns = {name: Contestant(lambda engine=engine: engine.step(_TURN)) for name, engine in engines.items()}
    for row, time in zip(rows, race(turns, effort.seconds).values(), strict=True):
        row["step_time"] = 1e6 * time / _TURN
    return rows, notes


def robots(side: int) -> Model:
    """Side x side robots on a plane; joints of the k-th have "k/" before their names."""
    one = load_spec(MACHINES["anymal"].path, floating_base=True)
    spec = ModelSpec("anymal", gravity=(0.0, 0.0, -9.81))
    spec.add_material("rubber", friction=_FRICTION, restitution=0.0)
    spec.add_shape("ground", None, "plane", role="collision", material="rubber")
    for k in range(side * side):
        copy = deepcopy(one)
        for body in copy.bodies:
            body.name = f"{k}/{body.name}"
        for joint in copy.joints:
            joint.name, joint.child = f"{k}/{joint.name}", f"{k}/{joint.child}"
            joint.parent = None if joint.parent is None else f"{k}/{joint.parent}"
        feet = [shape for shape in copy.shapes if shape.role == "collision" and shape.type == "sphere"]
        for shape in feet:
            shape.name, shape.body, shape.material = f"{k}/{shape.name}", f"{k}/{shape.body}", "rubber"
        spec.bodies += copy.bodies
        spec.joints += copy.joints
        spec.shapes += feet
        for name in _POSE:
            spec.add_actuator(
                f"{k}/{name}", "position", f"{k}/{name}", stiffness=_STIFFNESS, damping=_DAMPING
            )
    return spec.compile(strict=False)


def largest_slip(engine: Robots, model: Model, steps: int) -> float:
    """The longest way (m) that the lowest point of any foot slides over the ground."""
    radius = next(shape.size[0] for shape in model.shapes if shape.type == "sphere")
    ways = np.zeros(sum(shape.type == "sphere" for shape in model.shapes))
    for _ in range(steps):
        engine.step(1)
        for k, (turn, velocity) in enumerate(engine.feet()):
            ways[k] += DT * np.hypot(velocity[0] - radius * turn[1], velocity[1] + radius * turn[0])
    return float(ways.max())


class TreadleRobots:
    """Treadle."""

    def __init__(self, model: Model) -> None:
        self.sim = Simulation(model, DT)
        self.balls = [shape for shape in model.shapes if shape.type == "sphere"]
        self.bases = [joint for joint in model.joints if joint.type.kind == "free"]
        for joint in model.joints:
            name = joint.name.partition("/")[2]
            if name in _POSE:
                self.sim.joint(joint.name).position = _POSE[name]
                self.sim.actuator(joint.name).command = _POSE[name]
        for joint, place in zip(self.bases, _places(len(self.bases)), strict=True):
            self.sim.q[joint.q] = [1.0, 0.0, 0.0, 0.0, *place]

    def step(self, count: int) -> None:
        self.sim.step(count)

    def feet(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for ball in self.balls:
            shank = self.sim.body(self.sim.model.bodies[ball.body].name)
            turn, velocity = shank.velocity[:3], shank.velocity[3:]
            arm = shank.pose[:3, :3] @ np.array(list(ball.placement.translation), float)
            yield turn, velocity + np.cross(turn, arm)

    def height(self) -> float:
        return min(float(self.sim.q[joint.q][6]) for joint in self.bases)


class MujocoRobots:
    """MuJoCo with some options."""

    def __init__(self, model: Model, options: Mapping[str, float]) -> None:
        self.mujoco: Any = peer("mujoco")
        spec = self.mujoco.MjSpec.from_string(mjcf_text(model)[0])
        spec.compiler.fusestatic = True
        self.model = spec.compile()
        self.model.opt.timestep = DT
        for name, value in options.items():
            setattr(self.model.opt, name, value)
        self.data = self.mujoco.MjData(self.model)
        self.feet_ids = [self.model.geom(s.name).id for s in model.shapes if s.type == "sphere"]
        self.bases = [joint.name for joint in model.joints if joint.type.kind == "free"]
        for joint in model.joints:
            name = joint.name.partition("/")[2]
            if name in _POSE:
                self.data.joint(joint.name).qpos[0] = _POSE[name]
                self.data.actuator(joint.name).ctrl[0] = _POSE[name]
        for base, place in zip(self.bases, _places(len(self.bases)), strict=True):
            self.data.joint(base).qpos[:3] = place

    def step(self, count: int) -> None:
        self.mujoco.mj_step(self.model, self.data, count)

    def feet(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        self.mujoco.mj_kinematics(self.model, self.data)
        self.mujoco.mj_comPos(self.model, self.data)
        self.mujoco.mj_comVel(self.model, self.data)
        twist = np.zeros(6)
        for foot in self.feet_ids:
            self.mujoco.mj_objectVelocity(
                self.model, self.data, self.mujoco.mjtObj.mjOBJ_GEOM, foot, twist, 0
            )
            yield twist[:3], twist[3:]

    def height(self) -> float:
        return min(float(self.data.joint(base).qpos[2]) for base in self.bases)


def _places(count: int) -> list[tuple[float, float, float]]:
    """Where the bases of so many robots start (m)."""
    side = round(count**0.5)
    return [(_APART * (k // side), _APART * (k % side), _HEIGHT) for k in range(count)]
