"""Actuators and equality constraints of a compiled MuJoCo model.

An actuator's force on its joint is gear (gain u + b0 + b1 gear q + b2 gear v), with the command u.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from treadle.formats.mjcf_bodies import BALL, HINGE, SLIDE
from treadle.formats.mjcf_compiled import Compiled, unique
from treadle.model import ModelSpec
from treadle.model.parts import IDENTITY

__all__ = ["add_actuators", "add_equalities"]

#: Numbers of MuJoCo's enumerations.
_JOINT, _JOINT_IN_PARENT, _TENDON = 0, 1, 3
_FILTERS = (2, 3)
_CONNECT, _WELD, _COUPLED_JOINTS, _COUPLED_TENDONS = range(4)
_SITE = 6


# ----------------------------------------------------------------------------------------------------------
# actuators
# ----------------------------------------------------------------------------------------------------------


def add_actuators(spec: ModelSpec, compiled: Compiled) -> None:
    """The drives that a Treadle actuator can be; the report names the others and why."""
    model = compiled.model
    # sentences of the report, with the actuators that each is about
    notes: dict[str, list[str]] = defaultdict(list)
    left: dict[str, list[str]] = defaultdict(list)
    for drive, name in enumerate(compiled.names("actuator", model.nactuator)):
        problem = _problem(model, drive)
        target = None if problem else _target(model, drive)
        if problem or target is None:
            problem = problem or "which are not motors on one degree of freedom of their joint"
            left[f"actuators left out, {problem}"].append(name)
            continue
        joint, dof, gear = target
        if model.actuator_dyntype[drive] in _FILTERS:
            notes["actuators that follow the command at once, without their activation filter"].append(name)
        if model.actuator_forcelimited[drive] and model.actuator_forcerange[drive].sum():
            notes["actuators with unequal force limits, of which the larger counts either way"].append(name)
        if model.actuator_dampingpoly[drive].any():
            notes["actuators whose damping is not linear, of which the linear part is kept"].append(name)
        if model.opt.disableactuator >> model.actuator_group[drive] & 1:
            notes["actuators that are switched off in the file, but not here"].append(name)
        kind, options = _law(model, drive, gear)
        line = compiled.line("actuator", name)
        spec.add_actuator(name, kind, compiled.joints[joint], freedom=dof, **options, line=line)
    for sentence, names in left.items():
        compiled.note(sentence, names, "warning")
    for sentence, names in notes.items():
        compiled.note(sentence, names)


def _problem(model: Any, drive: int) -> str | None:
    """What keeps an actuator from being one of Treadle's."""
    transmission = model.actuator_trntype[drive]
    if model.actuator_plugin[drive] >= 0:
        return "which are plugins"
    if transmission not in (_JOINT, _JOINT_IN_PARENT, _TENDON):
        return "which do not act on joints"
    if model.actuator_dyntype[drive] not in (0, *_FILTERS):
        return "which have activation dynamics"
    if model.actuator_ctrlnum[drive] != 1 or model.actuator_gaintype[drive] != 0:
        return "whose force is not proportional to one command"
    if model.actuator_biastype[drive] not in (0, 1):
        return "whose bias force is not affine in position and velocity"
    if model.actuator_delay[drive]:
        return "whose command is delayed"
    if transmission == _TENDON and _single_joint(model, model.actuator_trnid[drive, 0]) is None:
        return "which pull on tendons"
    return None


def _target(model: Any, drive: int) -> tuple[int, int, float] | None:
    """Joint, dof and gear of an actuator that acts on a single degree of freedom."""
    gears = model.actuator_gear[model.actuator_outadr[drive]]
    target, transmission = int(model.actuator_trnid[drive, 0]), model.actuator_trntype[drive]
    if transmission == _TENDON:
        found = _single_joint(model, target)
        return None if found is None else (found[0], 0, gears[0] * found[1])
    kind = model.jnt_type[target]
    if kind in (SLIDE, HINGE):
        return target, 0, gears[0]
    used = np.flatnonzero(gears[:3] if kind == BALL else gears)
    turns = kind == BALL or (used >= 3).any()
    affine = model.actuator_biastype[drive] and model.actuator_biasprm[drive, 1:3].any()
    # in the parent's axes it turns the body about an axis that its degrees of freedom do not have
    if len(used) != 1 or affine or (turns and transmission == _JOINT_IN_PARENT):
        return None
    # MuJoCo's free joint counts the translation first
    dof = int(used[0]) if kind == BALL else int(used[0] + 3) % 6
    return target, dof, gears[used[0]]


def _single_joint(model: Any, tendon: int) -> tuple[int, float] | None:
    """The joint and its coefficient of a tendon that is nothing but a multiple of one joint's position."""
    parts = tendon_joints(model, tendon)
    return next(iter(parts.items())) if len(parts) == 1 else None


def tendon_joints(model: Any, tendon: int) -> dict[int, float]:
    """Coefficients by joint of a fixed tendon; none if it runs through space."""
    if model.tendon_type[tendon] != 0:
        return {}
    start = model.tendon_adr[tendon]
    path = range(start, start + model.tendon_num[tendon])
    return {int(model.wrap_objid[k]): float(model.wrap_prm[k]) for k in path}


def _law(model: Any, drive: int, gear: float) -> tuple[str, dict[str, Any]]:
    """Type and options of the actuator."""
    options: dict[str, Any] = {}
    control = model.actuator_ctrladr[drive]
    if model.actuator_ctrllimited[control]:
        options["lower"], options["upper"] = model.actuator_ctrlrange[control]
    if model.actuator_forcelimited[drive]:
        options["effort"] = abs(gear) * np.abs(model.actuator_forcerange[drive]).max()
    gain = model.actuator_gainprm[drive, 0]
    bias = model.actuator_biasprm[drive, :3] if model.actuator_biastype[drive] == 1 else np.zeros(3)
    if not bias.any():
        return "motor", {**options, "gain": gear * gain}
    if gear == 1.0 and bias[0] == 0.0 and bias[2] <= 0.0 and gain > 0.0:
        if bias[1] == -gain:
            return "position", {**options, "stiffness": gain, "damping": 0.0 - bias[2]}
        if bias[1] == 0.0 and bias[2] == -gain:
            return "velocity", {**options, "damping": gain}
    return "general", {**options, "gain": gear * gain, "bias": bias * gear ** np.array([1, 2, 2])}


# ----------------------------------------------------------------------------------------------------------
# equality constraints
# ----------------------------------------------------------------------------------------------------------


def add_equalities(spec: ModelSpec, compiled: Compiled) -> None:
    """Loop joints and couplings; the report names the constraints that are neither."""
    model = compiled.model
    names = compiled.names("equality", model.neq)
    used_joints = {joint.name for joint in spec.joints}
    left: list[str] = []
    for index, name in enumerate(names):
        kind = model.eq_type[index]
        if not model.eq_active0[index]:
            left.append(f"{name} (switched off)")
        elif kind in (_CONNECT, _WELD):
            own = unique(name, used_joints)
            if not _add_loop(spec, compiled, index, own):
                left.append(f"{name} (of a body with itself)")
            elif own != name:
                compiled.report.append(f'equality constraint "{name}" is called "{own}": the name is taken')
        elif kind == _COUPLED_JOINTS:
            _couple_joints(spec, compiled, index, name)
        elif kind != _COUPLED_TENDONS or not _couple_tendon(spec, compiled, index, name):
            left.append(f"{name} ({'tendons' if kind == _COUPLED_TENDONS else 'flex'})")
    compiled.note("equality constraints left out", left, "warning")
    if len(left) < model.neq:
        compiled.report.append(
            "equality constraints are soft in MuJoCo (solref, solimp) and became exact loops and couplings"
        )


def _add_loop(spec: ModelSpec, compiled: Compiled, index: int, name: str) -> bool:
    """A ball joint (connect) or fixed joint (weld) between two bodies, if they are two."""
    model, data = compiled.model, compiled.model.eq_data[index]
    weld = model.eq_type[index] == _WELD
    # a weld that does not care about rotation is a ball joint
    fixed = weld and data[10] != 0.0
    objects = [int(model.eq_obj1id[index]), int(model.eq_obj2id[index])]
    # body, position and rotation of the joint's frame in it, on either side
    sides: list[tuple[int, Any, Any]]
    if model.eq_objtype[index] == _SITE:
        turned = [model.site_quat[site] if fixed else IDENTITY for site in objects]
        sides = [
            (int(model.site_bodyid[s]), model.site_pos[s], R) for s, R in zip(objects, turned, strict=True)
        ]
    elif weld:
        sides = [(objects[0], data[3:6], data[6:10]), (objects[1], data[:3], IDENTITY)]
    else:
        sides = [(objects[0], data[:3], IDENTITY), (objects[1], data[3:6], IDENTITY)]
    if sides[0][0] == sides[1][0]:
        return False
    if sides[1][0] == 0:
        # the world can only be the first
        sides.reverse()
    (parent, position, rotation), (child, child_position, child_rotation) = sides
    spec.add_joint(
        name, "fixed" if fixed else "ball", compiled.bodies[parent], compiled.bodies[child],
        position=position, rotation=rotation, child_position=child_position, child_rotation=child_rotation,
        line=compiled.line("equality", compiled.name("equality", index)),
    )  # fmt: skip
    return True


def _couple_joints(spec: ModelSpec, compiled: Compiled, index: int, name: str) -> None:
    """y - y0 = sum a_k (x - x0)^k, with the positions x0 and y0 in the pose of the file."""
    model, coefficients = compiled.model, compiled.model.eq_data[index, :5]
    follower, source = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    y0 = model.qpos0[model.jnt_qposadr[follower]]
    if source < 0:
        values = np.array([coefficients[0]])
    else:
        x0 = model.qpos0[model.jnt_qposadr[source]]
        values = np.polynomial.Polynomial(coefficients)(np.polynomial.Polynomial([-x0, 1.0])).coef
    values = np.trim_zeros(np.array([values[0] + y0, *values[1:]]), "b")
    _add_coupling(spec, compiled, name, follower, source, values)


def _couple_tendon(spec: ModelSpec, compiled: Compiled, index: int, name: str) -> bool:
    """A fixed tendon that is kept at its length: c1 q1 + c2 q2 + ... = length0 + a0."""
    model = compiled.model
    tendon = int(model.eq_obj1id[index])
    parts = [(joint, factor) for joint, factor in tendon_joints(model, tendon).items() if factor]
    if model.eq_obj2id[index] >= 0 or not parts:
        return False
    length = model.tendon_length0[tendon] + model.eq_data[index, 0]
    (follower, factor), *others = parts
    if len(others) > 1:
        terms = {compiled.joints[joint]: -float(x / factor) for joint, x in others}
        line = compiled.line("equality", name)
        spec.add_coupling(name, compiled.joints[follower], terms, [float(length / factor)], line=line)
        return True
    source, other = others[0] if others else (-1, 0.0)
    values = np.trim_zeros(np.array([length, -other]) / factor, "b")
    _add_coupling(spec, compiled, name, follower, source, values)
    return True


def _add_coupling(
    spec: ModelSpec, compiled: Compiled, name: str, follower: int, source: int, values: np.ndarray
) -> None:
    joints = compiled.joints
    coefficients = values.tolist() or [0.0]
    line = compiled.line("equality", name)
    spec.add_coupling(name, joints[follower], None if source < 0 else joints[source], coefficients, line=line)
