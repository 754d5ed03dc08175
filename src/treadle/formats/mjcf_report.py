"""What a compiled MuJoCo model has that a Treadle machine does not: sentences of the import report."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_bodies import BALL, HINGE, SLIDE
from treadle.formats.mjcf_compiled import Compiled, library

__all__ = ["report_rest"]

#: Kinds of objects that are not carried over at all, and how many there are.
_KINDS = {
    "camera": "ncam",
    "light": "nlight",
    "flex": "nflex",
    "plugin": "nplugin",
}
_CALLED = {
    "flex": "flexible bodies (their points are carried over as bodies, without elasticity)",
}
#: Those of them that move the machine or hold it.
_ACTING = ("flex", "plugin")
#: Options that are carried over or have their own sentence.
_KNOWN_OPTIONS = (
    "density",
    "viscosity",
    "wind",
    "timestep",
    "gravity",
    "integrator",
    "disableflags",
    "enableflags",
    "disableactuator",
)


def report_rest(compiled: Compiled) -> None:
    """All that is not carried over and that nothing else reports."""
    model = compiled.model
    for kind, count in _KINDS.items():
        names = compiled.names(kind, getattr(model, count))
        severity = "warning" if kind in _ACTING else "note"
        compiled.note(f"{_CALLED.get(kind, kind + 's')} are not carried over", names, severity)
    mocap = [compiled.bodies[body] for body in np.flatnonzero(model.body_mocapid >= 0)]
    compiled.note("bodies that follow motion capture, fixed here", mocap, "warning")
    _report_joints(compiled)
    _report_bodies(compiled)
    _report_keyframes(compiled)
    _report_options(compiled)
    if model.nmat:
        compiled.report.append("of the materials of geoms the colour is kept, not shine and texture")
    if any(getattr(model, name) for name in dir(model) if name.startswith("nuser_")):
        compiled.report.append("user data of elements are not carried over")
    if compiled.source.left_out:
        counts = ", ".join(f"{tag} ({count})" for tag, count in sorted(compiled.source.left_out.items()))
        compiled.report.append(f"elements that are not read: {counts}")


def _report_joints(compiled: Compiled) -> None:
    model, names = compiled.model, compiled.joints
    kinds = model.jnt_type
    scalar = (kinds == SLIDE) | (kinds == HINGE)
    # joint by joint, whether one of its dofs has a damping that is not linear
    bent = np.zeros(model.njnt, dtype=bool)
    bent[model.dof_jntid[model.dof_dampingpoly.any(axis=1)]] = True
    lopsided = model.jnt_actfrclimited & (model.jnt_actfrcrange.sum(axis=1) != 0.0)
    soft = _softness(model.jnt_solref, model.jnt_solimp)
    rough = np.zeros(model.njnt, dtype=bool)
    own = _softness(model.dof_solref, model.dof_solimp) & (model.dof_frictionloss != 0.0)
    rough[model.dof_jntid[own]] = True
    findings = {
        "ball joints whose limit is not carried over": model.jnt_limited & (kinds == BALL),
        "ball and free joints whose spring is not carried over": (model.jnt_stiffness != 0.0) & ~scalar,
        "joints whose springs or dampers are not linear, of which the linear part is kept": bent
        | model.jnt_stiffnesspoly.any(axis=1),
        "joints whose springs yield, which is not carried over": model.jnt_springyield != 0.0,
        "joints with unequal limits of drive force, of which the larger counts either way": lopsided,
        "joints whose limits act at a margin, which is not carried over": model.jnt_limited
        & (model.jnt_margin != 0.0),
        "joints whose limits have a softness of their own (solreflimit, solimplimit), not carried over": (
            model.jnt_limited & soft
        ),
        "joints whose dry friction has a softness of its own (solreffriction), not carried over": rough,
        "joints whose drives carry the weight (actuatorgravcomp), here without the limits of those drives": (
            model.jnt_actgravcomp != 0
        ),
    }
    for sentence, found in findings.items():
        severity = "note" if "softness" in sentence or "margin" in sentence else "warning"
        compiled.note(sentence, [names[joint] for joint in np.flatnonzero(found)], severity)


def _softness(reference: np.ndarray, impedance: np.ndarray) -> np.ndarray:
    """Whether solref or solimp is not what it is by default."""
    usual = (0.9, 0.95, 0.001, 0.5, 2.0)
    return (reference != (0.02, 1.0)).any(axis=1) | (impedance != usual).any(axis=1)


def _report_bodies(compiled: Compiled) -> None:
    model = compiled.model
    lifted = [compiled.bodies[body] for body in np.flatnonzero(model.body_gravcomp)]
    compiled.note("bodies whose weight is compensated (gravcomp), by force elements here", lifted)
    if (model.tree_sleep_policy >= 3).any():
        compiled.report.append("which bodies may sleep is not carried over")


def _report_keyframes(compiled: Compiled) -> None:
    model = compiled.model
    names = compiled.names("key", model.nkey)
    mocap = model.body_pos[model.body_mocapid >= 0].ravel()
    lost = {
        "times": model.key_time,
        "commands": model.key_ctrl,
        "activations": model.key_act,
        "poses of motion capture": model.key_mpos - mocap,
    }
    for what, values in lost.items():
        found = [names[key] for key in range(model.nkey) if np.any(values[key])]
        compiled.note(f"keyframes of which the {what} are not carried over", found)


def _report_options(compiled: Compiled) -> None:
    """Settings of MuJoCo's solver that are not what they are by default."""
    mujoco = library()
    given, usual = compiled.model.opt, mujoco.MjOption()
    if given.integrator not in (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_RK4):
        name = _word(mujoco.mjtIntegrator(given.integrator))
        compiled.report.append(f"the integrator {name} is not known here: symplectic Euler takes its place")
    known = _KNOWN_OPTIONS
    if compiled.switched("mjENBL_OVERRIDE"):
        known = (*known, "o_solref", "o_friction")
    words = {"cone": mujoco.mjtCone, "jacobian": mujoco.mjtJacobian, "solver": mujoco.mjtSolver}
    changed = []
    for name in dir(given):
        value = getattr(given, name)
        if name.startswith("_") or callable(value) or name in known:
            continue
        if not np.array_equal(value, getattr(usual, name)):
            numbers = " ".join(f"{x:g}" for x in np.atleast_1d(value))
            changed.append(f"{name} = {_word(words[name](value)) if name in words else numbers}")
    read = mujoco.mjtDisableBit.mjDSBL_GRAVITY, mujoco.mjtDisableBit.mjDSBL_CONTACT
    off = given.disableflags & ~(int(read[0]) | int(read[1]))
    changed += [f"{word} off" for word in _flags(mujoco.mjtDisableBit, off)]
    on = given.enableflags & ~int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    changed += [f"{word} on" for word in _flags(mujoco.mjtEnableBit, on)]
    if changed:
        compiled.report.append(f"options of MuJoCo that have no counterpart: {', '.join(changed)}")


def _flags(kind: Any, value: int) -> list[str]:
    """The flags that are set; the last member of the enumeration is their number."""
    flags = [flag for name, flag in kind.__members__.items() if not name.startswith("mjN")]
    return [_word(flag) for flag in flags if value & flag.value]


def _word(member: Any) -> str:
    """A member of an enumeration as MJCF files have it: elliptic for mjCONE_ELLIPTIC."""
    return member.name.partition("_")[2].lower()
