"""Actuators and equality constraints of a compiled MuJoCo model.

An actuator's force on its joint is gear (gain u + b0 + b1 gear q + b2 gear v), with the command u.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from treadle.formats.mjcf_bodies import BALL, HINGE, SLIDE
from treadle.formats.mjcf_compiled import Compiled, unique
from treadle.formats.mjcf_tendons import tendon_joints, tendon_names
from treadle.model import ModelSpec
from treadle.model.parts import IDENTITY

__all__ = ["add_actuators", "add_equalities"]

#: Numbers of MuJoCo's enumerations.
_JOINT, _JOINT_IN_PARENT, _TENDON = 0, 1, 3
_FILTERS = (2, 3)
#: types of gain, bias and dynamics of a muscle
_MUSCLE = (2, 2, 4)
_CONNECT, _WELD, _COUPLED_JOINTS, _COUPLED_TENDONS = range(4)
_SITE = 6


# ----------------------------------------------------------------------------------------------------------
# actuators
# ----------------------------------------------------------------------------------------------------------


def add_actuators(spec: ModelSpec, compiled: Compiled) -> None:
    """The drives that a Treadle actuator can be; the report names the others and why."""
    model = compiled.model
    tendons = tendon_names(compiled)
    # sentences of the report, with the actuators that each is about
    notes: dict[str, list[str]] = defaultdict(list)
    left: dict[str, list[str]] = defaultdict(list)
    for drive, name in enumerate(compiled.names("actuator", model.nactuator)):
        problem = _problem(model, drive)
        target = None if problem else _target(compiled, drive, tendons)
        if problem or target is None:
            problem = problem or "which are not motors on one degree of freedom of their joint"
            left[f"actuators left out, {problem}"].append(name)
            continue
        place, gear = target
        for sentence in _simplified(model, drive):
            notes[sentence].append(name)
        kind, options = _muscle(model, drive, gear) if _is_muscle(model, drive) else _law(model, drive, gear)
        line = compiled.line("actuator", name)
        spec.add_actuator(name, kind, **place, **options, line=line)
    for sentence, names in left.items():
        compiled.note(sentence, names, "warning")
    for sentence, names in notes.items():
        compiled.note(sentence, names)


def _simplified(model: Any, drive: int) -> Iterator[str]:
    """Sentences about what is not carried over of an actuator."""
    if model.actuator_forcelimited[drive] and model.actuator_forcerange[drive].sum():
        yield "actuators with unequal force limits, of which the larger counts either way"
    if model.actuator_dampingpoly[drive].any():
        yield "actuators whose damping is not linear, of which the linear part is kept"
    if model.actuator_actlimited[drive] and not _is_muscle(model, drive):
        yield "actuators whose activation is limited, which is not carried over"
    if model.opt.disableactuator >> model.actuator_group[drive] & 1:
        yield "actuators that are switched off in the file, but not here"


def _is_muscle(model: Any, drive: int) -> bool:
    kinds = model.actuator_gaintype[drive], model.actuator_biastype[drive], model.actuator_dyntype[drive]
    return kinds == _MUSCLE


def _problem(model: Any, drive: int) -> str | None:
    """What keeps an actuator from being one of Treadle's."""
    transmission = model.actuator_trntype[drive]
    if model.actuator_plugin[drive] >= 0:
        return "which are plugins"
    if transmission not in (_JOINT, _JOINT_IN_PARENT, _TENDON):
        return "which do not act on joints or tendons"
    if model.actuator_delay[drive]:
        return "whose command is delayed"
    if _is_muscle(model, drive):
        return None
    if model.actuator_dyntype[drive] not in (0, *_FILTERS):
        return "which have activation dynamics"
    if model.actuator_ctrlnum[drive] != 1 or model.actuator_gaintype[drive] != 0:
        return "whose force is not proportional to one command"
    if model.actuator_biastype[drive] not in (0, 1):
        return "whose bias force is not affine in position and velocity"
    return None


def _target(compiled: Compiled, drive: int, tendons: list[str]) -> tuple[dict[str, Any], float] | None:
    """What an actuator drives, and its gear; None if that is not a single degree of freedom."""
    model = compiled.model
    gears = model.actuator_gear[model.actuator_outadr[drive]]
    target, transmission = int(model.actuator_trnid[drive, 0]), model.actuator_trntype[drive]
    if transmission == _TENDON:
        parts = tendon_joints(model, target)
        if len(parts) == 1:
            (joint, factor), *_ = parts.items()
            return {"joint": compiled.joints[joint]}, gears[0] * factor
        return {"tendon": tendons[target]}, gears[0]
    name, kind = compiled.joints[target], model.jnt_type[target]
    if kind in (SLIDE, HINGE):
        return {"joint": name}, gears[0]
    used = np.flatnonzero(gears[:3] if kind == BALL else gears)
    turns = kind == BALL or (used >= 3).any()
    affine = model.actuator_biastype[drive] and model.actuator_biasprm[drive, 1:3].any()
    # in the parent's axes it turns the body about an axis that its degrees of freedom do not have
    if len(used) != 1 or affine or (turns and transmission == _JOINT_IN_PARENT):
        return None
    # MuJoCo's free joint counts the translation first
    dof = int(used[0]) if kind == BALL else int(used[0] + 3) % 6
    return {"joint": name, "freedom": dof}, gears[used[0]]


def _limits(model: Any, drive: int, gear: float) -> dict[str, Any]:
    """Limits of command and force, and the filter of the command."""
    options: dict[str, Any] = {}
    control = model.actuator_ctrladr[drive]
    if model.actuator_ctrllimited[control]:
        options["lower"], options["upper"] = model.actuator_ctrlrange[control]
    if model.actuator_forcelimited[drive]:
        options["effort"] = abs(gear) * np.abs(model.actuator_forcerange[drive]).max()
    if model.actuator_dyntype[drive] in _FILTERS and model.actuator_dynprm[drive, 0] > 0.0:
        options["time_constant"] = float(model.actuator_dynprm[drive, 0])
    return options


def _law(model: Any, drive: int, gear: float) -> tuple[str, dict[str, Any]]:
    """Type and options of the actuator."""
    options = _limits(model, drive, gear)
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


def _muscle(model: Any, drive: int, gear: float) -> tuple[str, dict[str, Any]]:
    """A muscle, whose parameters MuJoCo keeps among those of gain, bias and dynamics."""
    gain, dynamics = model.actuator_gainprm[drive], model.actuator_dynprm[drive]
    lengths = model.actuator_lengthrange[drive]
    force = gain[2] if gain[2] >= 0.0 else gain[3] / max(model.actuator_acc0[drive], 1e-15)
    values = {
        "force": force, "lower_length": lengths[0], "upper_length": lengths[1], "lower": gain[0],
        "upper": gain[1], "lmin": gain[4], "lmax": gain[5], "vmax": gain[6], "fpmax": gain[7],
        "fvmax": gain[8], "activation_time": dynamics[0], "deactivation_time": dynamics[1],
        "smoothing": dynamics[2],
    }  # fmt: skip
    muscle = {name: float(value) for name, value in values.items()}
    return "muscle", {**_limits(model, drive, gear), "gain": float(gear), "muscle": muscle}


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
        elif kind != _COUPLED_TENDONS or not (
            _couple_tendon(spec, compiled, index, name) or _keep_length(spec, compiled, index)
        ):
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


def _keep_length(spec: ModelSpec, compiled: Compiled, index: int) -> bool:
    """A tendon that is kept at its length: both limits are there."""
    model, tendon = compiled.model, int(compiled.model.eq_obj1id[index])
    if model.eq_obj2id[index] >= 0:
        return False
    kept = spec.tendon(tendon_names(compiled)[tendon])
    kept.lower = kept.upper = float(model.tendon_length0[tendon] + model.eq_data[index, 0])
    return True


def _add_coupling(
    spec: ModelSpec, compiled: Compiled, name: str, follower: int, source: int, values: np.ndarray
) -> None:
    joints = compiled.joints
    coefficients = values.tolist() or [0.0]
    line = compiled.line("equality", name)
    spec.add_coupling(name, joints[follower], None if source < 0 else joints[source], coefficients, line=line)
