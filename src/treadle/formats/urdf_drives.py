"""What couples and drives the joints of a URDF: <mimic> and <transmission>.

A mimic joint follows another one, q = multiplier q_other + offset. A simple transmission is a motor on
one joint, whose force there is the motor's times the mechanical reduction.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from treadle.model import ModelSpec
from treadle.model.finding import Finding

__all__ = ["SCALAR_TYPES", "add_couplings", "add_motors"]

#: Joints with one degree of freedom.
SCALAR_TYPES = ("revolute", "continuous", "prismatic")
_EFFORT = "EffortJointInterface"


def add_couplings(spec: ModelSpec, robot: Any) -> list[Finding]:
    """Append a coupling, called after its joint, for each mimic joint; what was not coupled."""
    types = {joint.name: joint.type for joint in robot.joints}
    lines = {joint.name: joint.line for joint in spec.joints}
    left, lost = [], []
    for joint in robot.joints:
        mimic = joint.mimic
        # that of a fixed joint has no meaning, and is reported with its axis and limits
        if mimic is None or joint.type == "fixed":
            continue
        if mimic.joint not in types:
            lost.append(f"{joint.name} ({mimic.joint})")
            continue
        source = types[mimic.joint]
        if joint.type not in SCALAR_TYPES or source not in (*SCALAR_TYPES, "fixed"):
            left.append(joint.name)
            continue
        # a fixed joint is at zero
        ratio = () if source == "fixed" else (mimic.multiplier,)
        leader = None if source == "fixed" else mimic.joint
        spec.add_coupling(joint.name, joint.name, leader, (mimic.offset, *ratio), line=lines[joint.name])
    notes = {
        "mimic joints that move freely, for the joints they mimic are not there": lost,
        "mimic joints that move freely, for one of the two joints has several degrees of freedom": left,
    }
    return [Finding(what, names, "warning") for what, names in notes.items() if names]


def add_motors(spec: ModelSpec, transmissions: list[Any]) -> list[Finding]:
    """Append a motor for each transmission that is one; why the others are not."""
    joints = {joint.name: joint for joint in spec.joints}
    sentences: dict[str, list[str]] = defaultdict(list)
    for transmission in transmissions:
        problem = _add_motor(spec, transmission, joints)
        sentence = f"left out, {problem}" if problem else "that became motors, their reduction the gain"
        sentences[sentence].append(transmission.get("name") or "without a name")
    return [Finding(f"transmissions {sentence}", names) for sentence, names in sentences.items()]


def _add_motor(spec: ModelSpec, transmission: Any, joints: dict[str, Any]) -> str | None:
    """Append the motor that a transmission is, or return what keeps it from being one."""
    kind = (transmission.findtext("type") or transmission.get("type") or "").strip()
    drives, targets = transmission.findall("actuator"), transmission.findall("joint")
    if kind.rpartition("/")[2] != "SimpleTransmission" or len(drives) != 1 or len(targets) != 1:
        return "which are not one motor on one joint"
    joint = joints.get(targets[0].get("name"))
    if joint is None or joint.type not in SCALAR_TYPES:
        return "whose joint is not there or does not have one degree of freedom"
    interfaces = [
        (text.text or "").strip().rpartition("/")[2] for text in transmission.iter("hardwareInterface")
    ]
    if interfaces and _EFFORT not in interfaces:
        return "which state no gains for the positions or velocities that they are commanded"
    gain = _reduction(transmission)
    if gain is None:
        return "whose mechanical reduction is no number other than zero"
    motor = drives[0].get("name") or transmission.get("name") or joint.name
    while any(motor == other.name for other in spec.actuators):
        motor += "_"
    # an effort limit of zero stands for none in most files
    effort = joint.effort or None
    spec.add_actuator(motor, "motor", joint.name, gain=gain, effort=effort, line=transmission.sourceline)
    return None


def _reduction(transmission: Any) -> float | None:
    """The mechanical reduction, wherever it stands; 1 if it does not."""
    texts = [element.text or "" for element in transmission.iter("mechanicalReduction")]
    try:
        value = float(texts[0]) if texts else 1.0
    except ValueError:
        return None
    return value if math.isfinite(value) and value else None
