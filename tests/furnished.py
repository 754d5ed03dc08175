"""Random machines with all that a description can hold: loops, shapes, materials, actuators, states."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.machines import JOINT_KINDS, MOVING_KINDS, build_spec, random_rotation
from treadle import ModelSpec
from treadle.joints import JOINT_TYPES
from treadle.model.parts import SHAPE_TYPES

__all__ = ["furnished_machines", "furnished_spec"]

#: Names that a writer may stumble over.
ODD_NAMES = (
    "world", "a b", "x.y", 'quo"te', "back\\slash", "Kübel", "机器人", "line\nbreak", "tab\t", "#",
    "[[body]]", "'''", '"""', "\x7f", "a\u2028b", "=", "true", "1.5", "-",
)  # fmt: skip

_SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3}


@st.composite
def furnished_machines(draw: st.DrawFn, largest: int = 6) -> ModelSpec:
    """A description of up to `largest` bodies; Hypothesis chooses the tree, a seed the rest."""
    count = draw(st.integers(1, largest))
    kinds = [draw(st.sampled_from(JOINT_KINDS)) for _ in range(count)]
    parents = [draw(st.integers(-1, i - 1)) for i in range(count)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return furnished_spec(rng, kinds, parents)


def furnished_spec(rng: np.random.Generator, kinds: list[str], parents: list[int]) -> ModelSpec:
    """The machine of `build_spec` with names, poses, loops and parts of all kinds."""
    spec = build_spec(rng, kinds, parents, MOVING_KINDS)
    _rename(rng, spec)
    for body in spec.bodies:
        if rng.random() < 0.3:
            body.type = str(rng.choice(list(_SIZES)))
            body.size, body.inertia = _numbers(rng, _SIZES[body.type], 0.1, 0.5), None
    for joint in spec.joints:
        _dress_joint(rng, joint)
    _add_loops(rng, spec)
    _add_parts(rng, spec)
    _add_elements(rng, spec)
    moving = [joint for joint in spec.joints[: len(kinds)] if joint.type != "fixed"]
    _add_drives(rng, spec, moving)
    _add_sensors(rng, spec, moving)
    spec.name = str(rng.choice([*ODD_NAMES, "machine", ""]))
    if rng.random() < 0.5:
        spec.settings = {
            "dt": 1e-3, "steps": 5, "shadow": True, "odd key.": "text",
            "ground": {"height": -0.5, "levels": [1, 2.5, [0.25]], "deep": {"a b": {}}},
        }  # fmt: skip
    return spec


def _rename(rng: np.random.Generator, spec: ModelSpec) -> None:
    """Give about a third of the bodies and joints odd names."""
    odd = rng.permutation(ODD_NAMES).tolist()
    for items in (spec.bodies, spec.joints):
        new = {item.name: odd.pop() if odd and rng.random() < 0.3 else item.name for item in items}
        for item in items:
            item.name = new[item.name]
        if items is spec.bodies:
            for joint in spec.joints:
                joint.parent, joint.child = new.get(joint.parent), new[joint.child]
            for frame in spec.frames:
                frame.body = new[frame.body]


def _dress_joint(rng: np.random.Generator, joint: Any) -> None:
    """A pose in the child, limits, springs and the like, for all freedoms or one by one."""
    if rng.random() < 0.4:
        joint.child_position = tuple(rng.uniform(-0.3, 0.3, 3).tolist())
    if rng.random() < 0.4:
        joint.child_rotation = _rotation(rng)
    if joint.type == "fixed":
        return
    kind = JOINT_TYPES["revolute" if joint.type == "continuous" else joint.type]
    count = len(kind.velocities)
    scalar = len(kind.positions) == count
    for name in ("damping", "friction", *(("stiffness", "reference") if scalar else ())):
        if rng.random() < 0.4:
            setattr(joint, name, _each(rng, count, 0.0, 3.0))
    for name in ("effort", "speed"):
        if rng.random() < 0.4:
            setattr(joint, name, _each(rng, count, 0.1, 9.0, gaps=True))
    if scalar and joint.type != "continuous" and rng.random() < 0.5:
        joint.lower, joint.upper = (
            _each(rng, count, -3.0, 0.2, gaps=True),
            _each(rng, count, 0.3, 3.0, gaps=True),
        )


def _add_loops(rng: np.random.Generator, spec: ModelSpec) -> None:
    """Further joints between bodies that the tree has reached."""
    names = [body.name for body in spec.bodies]
    for index in range(int(rng.integers(0, 3))):
        child = str(rng.choice(names))
        parents = [None, *(name for name in names if name != child)]
        parent = parents[int(rng.integers(len(parents)))]
        kind = str(rng.choice(["revolute", "prismatic", "ball", "fixed", "universal", "cylindrical"]))
        joint = spec.add_joint(f"loop{index}", kind, parent, child, position=rng.uniform(-1, 1, 3))
        _dress_joint(rng, joint)


def _add_parts(rng: np.random.Generator, spec: ModelSpec) -> None:
    """Materials, shapes in any order, contacts."""
    names = [None, *(body.name for body in spec.bodies)]
    spec.add_material("steel", stiffness=1e8, restitution=0.2, friction=0.6)
    spec.add_material('rub"ber', damping=3.5, rolling_friction=1e-3)
    spec.geometry = "parts/robot.3dt" if rng.random() < 0.5 else None
    if rng.random() < 0.5:
        names = sorted(names, key=lambda name: (name is None, name))
    for index in range(int(rng.integers(0, 6))):
        kind = str(rng.choice([name for name in SHAPE_TYPES if name != "part" or spec.geometry]))
        options: dict[str, Any] = {"role": str(rng.choice(["visual", "collision"]))}
        if kind in ("mesh", "part"):
            options["file"] = "meshes/a b.stl"
        if rng.random() < 0.5:
            options |= {"position": rng.uniform(-1, 1, 3), "rotation": _rotation(rng)}
        if rng.random() < 0.5:
            options |= {"color": (0.1, 0.2, 0.3, 1.0), "material": "steel"}
        if rng.random() < 0.2:
            options["scale"] = (1e-3, 1e-3, -1e-3)
        if rng.random() < 0.3:
            options |= {"group": "default" if index % 2 else "arm 1", "meets": ("default",)}
        body = names[int(rng.integers(len(names)))]
        spec.add_shape(f"shape {index}", body, kind, _numbers(rng, _SIZES.get(kind, 0), 0.0, 1.0), **options)
    if len(names) > 2:
        spec.add_contact(names[0], names[1], enabled=False)
        spec.add_contact(names[1], names[2], material="steel")


def _add_elements(rng: np.random.Generator, spec: ModelSpec) -> None:
    """Springs between bodies, frames and the world."""
    names = [None, *(item.name for item in (*spec.bodies, *spec.frames))]
    for index in range(int(rng.integers(0, 3))):
        ends = [names[int(k)] for k in rng.choice(len(names), 2, replace=False)]
        options: dict[str, Any] = {"stiffness": rng.uniform(1.0, 100.0)}
        if rng.random() < 0.5:
            options |= {"length": 0.5, "pretension": -2.0, "acts": "compression"}
        elif rng.random() < 0.5:
            options["table"] = ((-0.1, -3.0), (0.2, 1.0), (0.3, 9.0))
        points = rng.uniform(-1.0, 1.0, (2, 3)).tolist()
        spec.add_spring(f"spring {index}", *ends, *points, **options)


def _add_drives(rng: np.random.Generator, spec: ModelSpec, moving: list[Any]) -> None:
    """Actuators, couplings and keyframes on joints of the tree."""
    kinds = {
        joint.name: JOINT_TYPES["revolute" if joint.type == "continuous" else joint.type] for joint in moving
    }
    single = [joint.name for joint in moving if len(kinds[joint.name].positions) == 1]
    for index, joint in enumerate(moving):
        kind = kinds[joint.name]
        freedom = int(rng.integers(len(kind.velocities)))
        if rng.random() < 0.5:
            spec.add_actuator(f"motor {index}", "motor", joint.name, freedom=freedom, gain=rng.uniform(1, 2))
        if kind.velocity_units[freedom] == "m/s":
            spec.add_actuator(
                f"cylinder {index}", "cylinder", joint.name, freedom=freedom, areas=(2e-3, 1e-3),
                pressure=2e7, flow=1e-3, lower=-1, upper=1.0, leakage=1e-13, relief=2.5e7,
            )  # fmt: skip
    if len(single) > 1:
        spec.add_coupling("gear", single[0], single[1], (0.1, -2.0, 1 / 3))
        spec.add_coupling("lock", single[1], None, (0.25,))
    for name in ("initial", "folded"):
        positions, velocities = {}, {}
        for joint in moving:
            if rng.random() < 0.6:
                given = kinds[joint.name]().sample(rng)
                positions[joint.name] = given[0] if len(given) == 1 and rng.random() < 0.5 else given
                velocities[joint.name] = rng.uniform(-1, 1, len(kinds[joint.name].velocities))
        spec.add_keyframe(name, positions, velocities=velocities)


def _add_sensors(rng: np.random.Generator, spec: ModelSpec, moving: list[Any]) -> None:
    """Inertial sensors on bodies, frames and the world, and encoders on joints."""
    names = [None, *(item.name for item in (*spec.bodies, *spec.frames))]
    for index in range(int(rng.integers(0, 3))):
        options: dict[str, Any] = {"position": rng.uniform(-1, 1, 3), "rotation": _rotation(rng)}
        if rng.random() < 0.5:
            options |= {"rate": 200.0, "delay": 0.003, "seed": int(rng.integers(1 << 62))}
            options["noise"] = {"preset": "mpu6000", "gyroscope": {"walk": 1e-4, "bias": (0.1, 0.2, -0.3)}}
        spec.add_sensor(f"imu {index}", "imu", names[int(rng.integers(len(names)))], **options)
    for joint in moving:
        if joint.type in ("revolute", "prismatic") and rng.random() < 0.3:
            spec.add_sensor(f"encoder of {joint.name}", "encoder", joint.name, counts=4096)


def _numbers(rng: np.random.Generator, count: int, low: float, high: float) -> tuple[float, ...]:
    return tuple(rng.uniform(low, high, count).tolist())


def _each(rng: np.random.Generator, count: int, low: float, high: float, gaps: bool = False) -> Any:
    """One number for all freedoms or one for each, None where there is a gap."""
    if rng.random() < 0.5:
        return float(rng.uniform(low, high))
    return tuple(None if gaps and rng.random() < 0.3 else float(rng.uniform(low, high)) for _ in range(count))


def _rotation(rng: np.random.Generator) -> Any:
    """A quaternion of any length, or a matrix."""
    if rng.random() < 0.5:
        return tuple(rng.standard_normal(4).tolist())
    return tuple(tuple(row) for row in random_rotation(rng).tolist())
