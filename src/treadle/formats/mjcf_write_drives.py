"""Actuators, loops and couplings as equality constraints, and keyframes.

| loop joint | in MJCF |
|---|---|
| ball | connect |
| fixed | weld |
| revolute | two connects, at two points of the axis |
| universal | connect; that the axes stay apart cannot be said |
| all others | left out |
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree, WrittenJoint
from treadle.joints import Helical
from treadle.model.attachments import Actuator, Loop
from treadle.model.model import Model
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["add_actuators", "add_couplings", "add_keyframes", "add_loops"]

#: Distance (m) of the two points that hold a hinge.
_APART = 0.1
_MOST_COEFFICIENTS = 5


def add_actuators(
    model: Model, tree: Tree, section: Element, tendons: dict[int, str], names: Names, notes: Notes
) -> None:
    """The drives; a hydraulic cylinder is written as a motor. `tendons` are the names in the file."""
    for actuator in model.actuators:
        tag, law, factor = _law(actuator, notes)
        gear: Any = factor if factor != 1 else None
        if actuator.tendon is not None:
            place = {"tendon": tendons[actuator.tendon]}
        else:
            parts = tree.parts_of(actuator.joint)
            written = next(item for item in parts if actuator.freedom in item.part.dofs)
            place = {"joint": written.name}
            if len(written.part.dofs) > 1:
                gear = np.zeros(6)
                gear[written.part.dofs.index(actuator.freedom)] = factor
        effort = None if actuator.effort is None or np.isinf(actuator.effort) else actuator.effort
        section.add(
            tag,
            name=names.free("actuator", actuator.name),
            **place,
            gear=gear,
            **law,
            ctrlrange=_range(actuator, notes),
            # MuJoCo's limit comes before the gear
            forcerange=(-effort / abs(factor), effort / abs(factor)) if effort and factor else None,
        )


def _law(actuator: Actuator, notes: Notes) -> tuple[str, dict[str, Any], float]:
    """Element, attributes and gear."""
    if actuator.time_constant and actuator.type != "muscle":
        return _filtered(actuator)
    match actuator.type:
        case "motor":
            return "motor", {}, actuator.gain
        case "muscle":
            return "muscle", _muscle(actuator), actuator.gain
        case "position" if actuator.stiffness > 0.0:
            return "position", {"kp": actuator.stiffness, "kv": actuator.damping or None}, 1.0
        case "velocity" if actuator.damping > 0.0:
            return "velocity", {"kv": actuator.damping}, 1.0
        case "rigid_position" | "rigid_velocity":
            what = "rigid motors left without effect, for MJCF has only those that yield"
            notes.add(what, actuator.name, "warning")
            return "motor", {}, 0.0
        case "cylinder":
            what = "hydraulic cylinders, written as motors of command x supply pressure x piston area"
            notes.add(what, actuator.name, "warning")
            return "motor", {}, actuator.pressure * actuator.areas[0]
    gain, bias = actuator.gain, tuple(actuator.bias)
    if actuator.type != "general":
        # a controller without a gain still damps
        gain, bias = 0.0, (0.0, 0.0, -actuator.damping)
    return "general", {"gainprm": gain, "biastype": "affine", "biasprm": bias}, 1.0


def _filtered(actuator: Actuator) -> tuple[str, dict[str, Any], float]:
    """A drive that follows a filter of its command, which only <general> has."""
    gain, bias = actuator.gain, tuple(actuator.bias)
    if actuator.type == "motor":
        bias = (0.0, 0.0, 0.0)
    elif actuator.type == "position":
        gain, bias = actuator.stiffness, (0.0, -actuator.stiffness, -actuator.damping)
    elif actuator.type == "velocity":
        gain, bias = actuator.damping, (0.0, 0.0, -actuator.damping)
    law = {"dyntype": "filterexact", "dynprm": actuator.time_constant, "gainprm": gain}
    return "general", law | ({"biastype": "affine", "biasprm": bias} if any(bias) else {}), 1.0


def _muscle(actuator: Actuator) -> dict[str, Any]:
    assert actuator.muscle is not None
    m = actuator.muscle
    return {
        "timeconst": (m["activation_time"], m["deactivation_time"]),
        "tausmooth": m["smoothing"] or None,
        "range": (m["lower"], m["upper"]),
        "lengthrange": (m["lower_length"], m["upper_length"]),
        **{name: m[name] for name in ("force", "lmin", "lmax", "vmax", "fpmax", "fvmax")},
    }


def _range(actuator: Actuator, notes: Notes) -> tuple[float, float] | None:
    low, high = actuator.lower, actuator.upper
    if actuator.type == "cylinder":
        low, high = -1.0 if low is None else low, 1.0 if high is None else high
    ends = [end for end in (low, high) if end is not None and np.isfinite(end)]
    if len(ends) == 1:
        notes.add("actuators whose command is limited on one side only, which MJCF cannot say", actuator.name)
    return (ends[0], ends[1]) if len(ends) == 2 else None


def add_loops(model: Model, tree: Tree, equality: Element, names: Names, notes: Notes) -> None:
    """Each loop as constraints between sites, which hold wherever the joints are."""
    for loop in model.loops:
        kind = "fixed" if loop.type is None else loop.type.kind
        if kind in ("fixed", "ball", "revolute", "universal"):
            points = [_point(loop, shift) for shift in ((0.0, _APART) if kind == "revolute" else (0.0,))]
            for number, (before, after) in enumerate(points):
                suffix = f"/{number + 1}" if number else ""
                ends = [
                    _site(tree, names, f"{loop.name}{suffix}/{side}", body, place)
                    for side, body, place in (
                        ("predecessor", loop.predecessor, before),
                        ("successor", loop.successor, after),
                    )
                ]
                name = names.free("equality", loop.name + suffix)
                tag = "weld" if kind == "fixed" else "connect"
                equality.add(tag, name=name, site1=ends[0], site2=ends[1])
        _note_loop(loop, kind, notes)


def _point(loop: Loop, shift: float) -> tuple[Transform, Transform]:
    """The loop joint's frame on either side, moved along its axis."""
    if not shift or loop.type is None:
        return loop.predecessor_placement, loop.successor_placement
    along = Transform(Mat3.identity(), Vec3(*(shift * np.array(list(loop.type.axis), dtype=float))))  # type: ignore[attr-defined]
    return loop.predecessor_placement @ along, loop.successor_placement @ along


def _site(tree: Tree, names: Names, wanted: str, body: int, X_BF: Transform) -> str:
    element, place = tree.on_body(body, X_BF)
    return element.add("site", name=names.free("site", wanted, own=False), **place).attributes["name"]


def _note_loop(loop: Loop, kind: str, notes: Notes) -> None:
    if kind == "revolute":
        notes.add("revolute loop joints, written as two connects at points of their axes", loop.name)
    elif kind == "universal":
        notes.add("universal loop joints, written as connects: the twist is not held", loop.name, "warning")
    elif kind not in ("fixed", "ball", "free"):
        notes.add(f"{kind} loop joints left out, for MJCF has no such constraint", loop.name, "warning")
    passive = (*loop.damping, *loop.stiffness, *loop.armature, *loop.friction)
    limits = (*loop.lower, *loop.upper, *loop.effort, *loop.speed)
    if any(passive) or np.isfinite(limits).any():
        what = "loop joints whose springs, dampers, friction and limits are not written"
        notes.add(what, loop.name, "warning")


def add_couplings(model: Model, tree: Tree, equality: Element, names: Names, notes: Notes) -> None:
    """Couplings, and what holds the two parts of a helical joint together."""
    for coupling in model.couplings:
        coefficients = list(coupling.coefficients)
        if len(coefficients) > _MOST_COEFFICIENTS:
            what = f"couplings left out, for MJCF has no more than {_MOST_COEFFICIENTS} coefficients"
            notes.add(what, coupling.name, "warning")
            continue
        if coupling.terms:
            notes.add("couplings left out, for they have several sources", coupling.name, "warning")
            continue
        source = None if coupling.source is None else tree.parts_of(coupling.source)[0].name
        equality.add(
            "joint",
            name=names.free("equality", coupling.name),
            joint1=tree.parts_of(coupling.joint)[0].name,
            joint2=source,
            polycoef=[*coefficients, *[0.0] * (_MOST_COEFFICIENTS - len(coefficients))],
        )
    for joint in model.joints:
        if isinstance(joint.type, Helical):
            turn, slide = (item.name for item in tree.parts_of(joint.name))
            notes.add(
                "helical joints, written as a hinge and a slide that are coupled", joint.name, "warning"
            )
            name = names.free("equality", joint.name, own=False)
            equality.add(
                "joint", name=name, joint1=slide, joint2=turn, polycoef=(0, joint.type.pitch, 0, 0, 0)
            )


def add_keyframes(model: Model, tree: Tree, section: Element, names: Names) -> None:
    """Every named state, in MuJoCo's order."""
    for keyframe in model.keyframes:
        q = [x for item in tree.joints for x in _placed(item, keyframe.q[item.joint.q], item.part.q)]
        v = [x for item in tree.joints for x in _placed(item, keyframe.v[item.joint.v], item.part.v)]
        name = names.free("key", keyframe.name)
        section.add("key", name=name, qpos=q or None, qvel=v if any(v) else None)


def _placed(item: WrittenJoint, values: tuple[float, ...], places: Any) -> list[float]:
    return [factor * values[place] for place, factor in places]
