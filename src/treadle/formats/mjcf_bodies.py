"""Bodies, joints, sites and keyframes of a compiled MuJoCo model.

A MuJoCo body may have several joints, which move it one after the other: they become a chain of joints
through massless bodies named "<body>/<joint>". The position of a hinge or slide is MuJoCo's `qpos`, also
where that is not zero in the pose of the file (`ref`): the joint's frame is turned or moved back by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_compiled import Compiled, unique
from treadle.model import ModelSpec
from treadle.model.parts import IDENTITY
from treadle.model.values import rotation_matrix

__all__ = ["FREE", "BALL", "SLIDE", "HINGE", "add_bodies", "add_frames", "add_keyframes", "joint_state"]

#: Types of joints by their numbers in `mjtJoint`.
FREE, BALL, SLIDE, HINGE = range(4)
_TYPES = {FREE: "free", BALL: "ball", SLIDE: "prismatic", HINGE: "revolute"}
#: Numbers in `mjtTrn` of the transmissions that act on a joint.
_ON_JOINTS = (0, 1)
_NO_TURN = (1.0, 0.0, 0.0, 0.0)


def add_bodies(spec: ModelSpec, compiled: Compiled) -> None:
    """The tree."""
    model, names = compiled.model, compiled.bodies
    used_bodies, used_joints = set(names), set(compiled.joints)
    for body in range(1, model.nbody):
        line = compiled.line("body", names[body])
        spec.add_body(names[body], **_inertia(model, body), line=line)
        parent = names[model.body_parentid[body]]
        place = {"position": model.body_pos[body], "rotation": _rotation(model.body_quat[body])}
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        if count == 0:
            name = unique(f"{names[body]}/fixed", used_joints)
            spec.add_joint(name, "fixed", parent, names[body], **place, line=line)
        for joint in range(first, first + count):
            child = names[body]
            if joint < first + count - 1:
                child = unique(f"{names[body]}/{compiled.joints[joint]}", used_bodies)
                spec.add_body(child, line=line)
            _add_joint(spec, compiled, joint, parent, child, place)
            parent, place = child, {"position": np.zeros(3), "rotation": IDENTITY}


def _inertia(model: Any, body: int) -> dict[str, Any]:
    """Mass, centre of mass and inertia about it, of which MuJoCo keeps the principal moments and axes."""
    moments = model.body_inertia[body]
    R = rotation_matrix(model.body_iquat[body])
    inertia = moments if np.array_equal(R, np.eye(3)) else R @ np.diag(moments) @ R.T
    return {"mass": model.body_mass[body], "center": model.body_ipos[body], "inertia": inertia}


def _rotation(quaternion: np.ndarray) -> Any:
    return IDENTITY if tuple(quaternion) == _NO_TURN else quaternion


def _add_joint(
    spec: ModelSpec, compiled: Compiled, joint: int, parent: str | None, child: str, place: dict[str, Any]
) -> None:
    """A joint whose body, if it did not move, would be at the given place in its parent."""
    model, name = compiled.model, compiled.joints[joint]
    kind, axis, anchor = model.jnt_type[joint], model.jnt_axis[joint], model.jnt_pos[joint]
    start = model.qpos0[model.jnt_qposadr[joint]]
    options: dict[str, Any] = {}
    if kind == FREE:
        # its position is the pose in the world itself
        place = {}
    if kind in (BALL, HINGE):
        turned = rotation_matrix(place["rotation"])
        if anchor.any():
            place = {**place, "position": place["position"] + turned @ anchor}
            options["child_position"] = anchor
        if kind == HINGE and start:
            place = {**place, "rotation": turned @ _turn(axis, -start)}
    if kind == SLIDE and start:
        shift = rotation_matrix(place["rotation"]) @ (axis * start)
        place = {**place, "position": place["position"] - shift}
    if kind in (SLIDE, HINGE):
        options["axis"] = axis
        options |= _limits(compiled, joint)
    options |= _forces(compiled, joint)
    line = compiled.line("freejoint" if kind == FREE else "joint", name)
    spec.add_joint(name, _TYPES[kind], parent, child, **place, **options, line=line)


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about a unit axis."""
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def _limits(compiled: Compiled, joint: int) -> dict[str, Any]:
    model = compiled.model
    options: dict[str, Any] = {}
    if model.jnt_limited[joint]:
        options["lower"], options["upper"] = model.jnt_range[joint]
    if model.jnt_actfrclimited[joint]:
        options["effort"] = np.abs(model.jnt_actfrcrange[joint]).max()
    return options


def _forces(compiled: Compiled, joint: int) -> dict[str, Any]:
    """Damping, dry friction, rotor inertia and spring, one value per dof unless all are the same."""
    model, kind = compiled.model, compiled.model.jnt_type[joint]
    start = model.jnt_dofadr[joint]
    dofs = slice(start, start + {FREE: 6, BALL: 3}.get(kind, 1))
    damping, armature = model.dof_damping[dofs].copy(), model.dof_armature[dofs].copy()
    for drive in range(model.nactuator):
        # a drive's own, seen from the joint: MuJoCo takes the first gear for all dofs
        if model.actuator_trntype[drive] in _ON_JOINTS and model.actuator_trnid[drive, 0] == joint:
            square = model.actuator_gear[model.actuator_outadr[drive], 0] ** 2
            damping += square * model.actuator_damping[drive]
            armature += square * model.actuator_armature[drive]
    values = {"damping": damping, "armature": armature, "friction": model.dof_frictionloss[dofs]}
    options: dict[str, Any] = {}
    for name, value in values.items():
        if value.any():
            # MuJoCo's free joint counts the translation first
            ordered = [*value[3:], *value[:3]] if kind == FREE else value.tolist()
            options[name] = ordered[0] if len(set(ordered)) == 1 else ordered
    if model.jnt_stiffness[joint] and kind in (SLIDE, HINGE):
        options["stiffness"] = model.jnt_stiffness[joint]
        options["reference"] = model.qpos_spring[model.jnt_qposadr[joint]]
    return options


def add_frames(spec: ModelSpec, compiled: Compiled) -> None:
    """A frame at each site."""
    model = compiled.model
    taken = [body.name for body in spec.bodies]
    for site, name in enumerate(compiled.names("site", model.nsite, taken, "_site")):
        body = compiled.bodies[model.site_bodyid[site]]
        place = {"position": model.site_pos[site], "rotation": _rotation(model.site_quat[site])}
        spec.add_frame(name, body, **place, line=compiled.line("site", compiled.name("site", site)))
    if model.nsite:
        compiled.report.append("sites became frames, without the shapes and colours that they are shown with")


def add_keyframes(spec: ModelSpec, compiled: Compiled) -> None:
    """The keyframes, and as "initial" the pose of the file where that is not the neutral one."""
    model = compiled.model
    names = compiled.names("key", model.nkey)
    if "initial" not in names:
        neutral = {FREE: [1.0] + [0.0] * 6, BALL: [1.0] + [0.0] * 3}
        positions = {}
        for joint, name in enumerate(compiled.joints):
            given = joint_state(model, joint, model.qpos0)
            if given != neutral.get(model.jnt_type[joint], 0.0):
                positions[name] = given
        if positions:
            spec.add_keyframe("initial", positions)
    for key, name in enumerate(names):
        positions, velocities = {}, {}
        for index, joint in enumerate(compiled.joints):
            positions[joint] = joint_state(model, index, model.key_qpos[key])
            rate = joint_state(model, index, model.key_qvel[key], velocity=True)
            if np.any(rate):
                velocities[joint] = rate
        spec.add_keyframe(name, positions, velocities=velocities, line=compiled.line("key", name))


def joint_state(model: Any, joint: int, state: np.ndarray, velocity: bool = False) -> Any:
    """Our position (velocity) of a joint in MuJoCo's vector qpos (qvel): one number, or a list of them."""
    kind = model.jnt_type[joint]
    start = (model.jnt_dofadr if velocity else model.jnt_qposadr)[joint]
    if kind in (SLIDE, HINGE):
        return float(state[start])
    if kind == BALL:
        return state[start : start + (3 if velocity else 4)].tolist()
    turn = state[start + 3 : start + (6 if velocity else 7)].tolist()
    return turn + state[start : start + 3].tolist()
