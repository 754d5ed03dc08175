"""Robots as files have them, floating, dropped on a floor in random legal poses with self-contact.

Those of example-robot-data (URDF) and, where they are installed, the MJCF files of gymnasium and dm_control.
"""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np

from treadle.bench.peers import MissingPeer
from treadle.collision.collider import Collider
from treadle.formats.load import load_spec
from treadle.model import Model, ModelSpec
from treadle.sim.meshes import contact_meshes
from treadle.studies.gauntlet.case import Case, Trace

__all__ = ["ROBOTS", "robot"]

Rng = np.random.Generator

#: Floating robots of example-robot-data by the ends of their paths.
_URDF = {
    "a1": "a1_description/urdf/a1.urdf",
    "alex": "alex_description/urdf/alex_nub_hands.urdf",
    "alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "anymal-b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal-c": "anymal_c_simple_description/urdf/anymal.urdf",
    "anymal-kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "b1": "b1_description/urdf/b1.urdf",
    "b1-z1": "b1_description/urdf/b1-z1.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hector": "hector_description/robots/quadrotor_base.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "human": "human_description/robots/human.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "iris": "iris_description/robots/iris.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "quadruped": "quadruped_description/urdf/quadruped.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "simple-humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo": "solo_description/robots/solo.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "talos-reduced": "talos_data/robots/talos_reduced.urdf",
}

#: MJCF files of robots that float, or move in a plane, over a floor of their own.
_MJCF = {
    "gymnasium": ("envs/mujoco/assets", ("ant", "half_cheetah", "hopper", "humanoid", "walker2d_v5")),
    "dm_control": ("suite", ("cheetah", "dog", "hopper", "humanoid", "humanoid_CMU", "quadruped", "walker")),
}

#: Height (m) of the lowest point of a shape over the floor, and how long a drop lasts (s).
_DROP, _SECONDS = 1.0, 10.0


def robot(rng: Rng, name: str) -> Case:
    """A robot of the lists, dropped from 1 m."""
    package, _, key = name.rpartition("/")
    if package:
        return _mjcf(rng, name, package, key)
    path = _installed("example-robot-data", _URDF[name])
    spec = load_spec(path, floating_base=True)
    spec.add_material("rubber", friction=0.8, restitution=0.0)
    for shape in spec.shapes:
        shape.material = "rubber" if shape.role == "collision" else shape.material
    spec.add_shape("gauntlet floor", None, "plane", role="collision", material="rubber")
    spec.actuators.clear()
    spec.sensors.clear()
    return _dropped(rng, f"robot {name}", spec, None)


def _mjcf(rng: Rng, name: str, package: str, key: str) -> Case:
    folder, _ = _MJCF[package]
    path = _installed(package, f"{package}/{folder}/{key}.xml")
    spec = load_spec(path)
    spec.actuators.clear()
    spec.sensors.clear()
    return _dropped(rng, f"robot {name}", spec, str(path))


def _dropped(rng: Rng, name: str, spec: ModelSpec, mjcf: str | None) -> Case:
    """The robot in a random pose within its limits, its lowest point at the height of the drop."""
    spec.keyframes = [frame for frame in spec.keyframes if frame.name != "initial"]
    model = spec.compile(strict=False)
    q = np.array(model.neutral())
    for joint in model.joints:
        low, high = np.array(joint.lower), np.array(joint.upper)
        if joint.type.kind == "free":
            continue
        if joint.type.nv == 1 and np.isfinite(low[0]) and np.isfinite(high[0]):
            q[joint.q] = rng.uniform(low[0], high[0])
        elif mjcf is None and joint.type.kind == "revolute":
            q[joint.q] = rng.uniform(-1.0, 1.0)
    _lift(model, q, rng)
    positions: dict[str, list[float]] = {joint.name: list(q[joint.q]) for joint in model.joints}
    spec.add_keyframe("initial", {k: x if len(x) > 1 else x[0] for k, x in positions.items()})

    def judge(trace: Trace) -> str:
        last = np.concatenate([trace.q[-1], trace.v[-1]])
        if not np.isfinite(last).all():
            return "positions are not finite"
        if trace.model.joints[0].type.kind == "free":
            start, heights = trace.q[0][6], np.array([sample[6] for sample in trace.q])
            if heights.max() > start + 0.3:
                return f"it jumped {heights.max() - start:.2g} m above where it started"
            if heights.min() < -0.2:
                return "it fell through the floor"
        return ""

    return Case(name, spec.compile(strict=False), _SECONDS, judge, mjcf=mjcf, quick_seconds=1.0)


def _lift(model: Model, q: np.ndarray, rng: Rng) -> None:
    """Turn the base at random and lift it so that the lowest shape is at the height of the drop."""
    base = model.joints[0]
    if base.type.kind != "free":
        return
    quaternion = rng.standard_normal(4)
    q[base.q][:4] = quaternion / np.linalg.norm(quaternion)
    collider = Collider(model, meshes=contact_meshes(model, None))
    collider.place(q)
    collider.collide()
    moving = collider.shapes.body > 0
    lowest = collider.work.boxes[moving, 2].min() if moving.any() else 0.0
    q[base.q.start + 6] += _DROP - lowest


@cache
def _installed(package: str, end: str) -> Path:
    try:
        found = files(package) or []
    except PackageNotFoundError:
        found = []
    for file in found:
        if file.as_posix().endswith(end):
            return Path(str(file.locate())).resolve()
    raise MissingPeer(package, f"the robots of {package}")


#: Cases by name.
ROBOTS = {name: partial(robot, name=name) for name in _URDF} | {
    f"{package}/{key}": partial(robot, name=f"{package}/{key}")
    for package, (_, keys) in _MJCF.items()
    for key in keys
}
