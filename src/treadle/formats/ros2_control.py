"""What drives the joints of a URDF: <ros2_control>, read as actuators that follow their commands.

    <ros2_control name="arm" type="system">
      <joint name="elbow">
        <command_interface name="position">
          <param name="min">-1</param> <param name="max">1</param>
        </command_interface>
        <state_interface name="position"> <param name="initial_value">0.3</param> </state_interface>
      </joint>
    </ros2_control>

A position interface becomes an actuator `rigid_position`, velocity `rigid_velocity`, effort `motor`, called
after its joint, with the limits of its command and the joint's effort. Of several the first is taken. Initial
positions become the keyframe "initial".
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from treadle.formats.urdf_drives import SCALAR_TYPES
from treadle.model import ModelSpec
from treadle.model.finding import Finding

__all__ = ["add_interfaces", "take_out_interfaces"]

_ACTUATORS = {"position": "rigid_position", "velocity": "rigid_velocity", "effort": "motor"}


def take_out_interfaces(root: Any) -> list[Any]:
    """The <ros2_control> elements, which are removed from the robot."""
    found = root.findall("ros2_control")
    for element in found:
        root.remove(element)
    return found


def add_interfaces(spec: ModelSpec, elements: list[Any]) -> list[Finding]:
    """Append an actuator for each joint with a command interface; what was and was not read."""
    notes: dict[str, list[str]] = defaultdict(list)
    joints = {joint.name: joint for joint in spec.joints if joint.type in SCALAR_TYPES}
    driven = {actuator.joint for actuator in spec.actuators}
    start: dict[str, float] = {}
    for system in elements:
        for joint in system.findall("joint"):
            name = (joint.get("name") or "").strip()
            if name not in joints:
                notes["joints of ros2_control that are not there or not one degree of freedom"].append(name)
                continue
            initial = _initial(joint)
            if initial is not None:
                start[name] = initial
            if name in driven:
                notes["joints of ros2_control that a transmission drives already"].append(name)
                continue
            note = _add_actuator(spec, joint, joints[name])
            if note:
                driven.add(name)
                notes[note].append(name)
        for other in ("sensor", "gpio", "transmission"):
            notes[f"<{other}> of ros2_control not read"] += [
                (item.get("name") or "without a name").strip() for item in system.findall(other)
            ]
    if start and not any(keyframe.name == "initial" for keyframe in spec.keyframes):
        spec.add_keyframe("initial", dict(start))
        notes["initial positions of ros2_control that became the keyframe initial"] = list(start)
    return [Finding(sentence, names) for sentence, names in notes.items() if names]


def _add_actuator(spec: ModelSpec, element: Any, joint: Any) -> str | None:
    """Append the actuator of a joint; the note about it, None where nothing commands the joint."""
    commands = [
        command for command in element.findall("command_interface") if command.get("name") in _ACTUATORS
    ]
    if not commands:
        return None
    first = commands[0]
    kind = _ACTUATORS[first.get("name")]
    name = joint.name
    while any(name == other.name for other in spec.actuators):
        name += "_"
    limits = {key: _number(first, word) for key, word in (("lower", "min"), ("upper", "max"))}
    limits = {key: value for key, value in limits.items() if value is not None}
    if len(limits) == 2 and limits["lower"] > limits["upper"]:
        limits = {}
    # an effort limit of zero stands for none in most files
    spec.add_actuator(name, kind, joint.name, effort=joint.effort or None, line=element.sourceline, **limits)
    return f"command interfaces of ros2_control that became actuators ({first.get('name')}: {kind})"


def _initial(element: Any) -> float | None:
    for state in element.findall("state_interface"):
        if state.get("name") == "position":
            return _number(state, "initial_value")
    return None


def _number(element: Any, name: str) -> float | None:
    """A finite number of a <param>, or None."""
    for parameter in element.findall("param"):
        if parameter.get("name") == name:
            try:
                value = float(parameter.text or "")
            except ValueError:
                return None
            return value if math.isfinite(value) else None
    return None
