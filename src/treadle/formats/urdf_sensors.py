"""Sensors of a URDF file: the <sensor> elements inside <gazebo reference="...">, with Gazebo's noise.

A sensor that Treadle has leaves the file with its element; all others stay there and are reported with it.
"""

from __future__ import annotations

import math
from typing import Any

from treadle.formats.gazebo_tags import BLOCKS, FIELDS, NOISE, NUMBERS, TYPES
from treadle.model import ModelSpec
from treadle.model.finding import Finding
from treadle.model.values import rpy

__all__ = ["add_sensors", "take_out_sensors"]

#: What cameras give, by Gazebo's types.
_PICTURES = {
    "camera": "rgb",
    "depth": "depth",
    "depth_camera": "depth",
    "segmentation": "segmentation",
    "segmentation_camera": "segmentation",
}


def take_out_sensors(root: Any) -> list[tuple[str, Any]]:
    """The <sensor> elements that Treadle has, with the name of the link or joint that each is on."""
    found = []
    for block in root.findall("gazebo"):
        on = (block.get("reference") or "").strip()
        for sensor in block.findall("sensor") if on else ():
            if sensor.get("type") in TYPES:
                found.append((on, sensor))
                block.remove(sensor)
        if on and len(block) == 0:
            root.remove(block)
    return found


def add_sensors(spec: ModelSpec, sensors: list[tuple[str, Any]]) -> list[Finding]:
    """Add what was taken out; the report names what has no place in the machine."""
    taken = {item.name for item in spec.sensors}
    parts = {item.name for items in (spec.bodies, spec.joints) for item in items}
    lost, satellites = [], []
    for on, sensor in sensors:
        kind = str(sensor.get("type"))
        name = (sensor.get("name") or kind).strip()
        while name in taken:
            name += "_"
        if on not in parts or (kind == "contact" and not any(s.body == on for s in spec.shapes)):
            lost.append(name)
            continue
        taken.add(name)
        type_, options = _described(sensor, kind)
        if type_ == "gps":
            satellites.append(name)
        spec.add_sensor(name, type_, on, line=sensor.sourceline, **options)
    findings = {
        "sensors left out, for they are on no link or joint": lost,
        "GPS receivers with the errors of their satellites instead of the noise of the file; "
        "latitude and longitude of the world are parameters": satellites,
    }
    return [Finding(sentence, names) for sentence, names in findings.items() if names]


def _described(sensor: Any, kind: str) -> tuple[str, dict[str, Any]]:
    """Our type, and the options of a sensor."""
    type_, options = TYPES[kind], {}
    rate = _number(sensor, "update_rate")
    if rate:
        options["rate"] = rate
    pose = [float(x) for x in (sensor.findtext("pose") or "").split()]
    if len(pose) == 6:
        options |= {"position": pose[:3], "rotation": rpy(*pose[3:])}
    block = next((found for name in BLOCKS.get(type_, ()) if (found := sensor.find(name)) is not None), None)
    parameters = {} if block is None else _parameters(block, type_)
    if type_ == "lidar" and parameters.get("columns") == 1 and parameters.get("rows", 1) == 1:
        type_ = "range_finder"
        parameters = {name: x for name, x in parameters.items() if name in ("least", "most")}
    if type_ == "camera":
        parameters["gives"] = _PICTURES[kind]
    if type_ == "ultrasonic" and block is not None and _number(block, "radius"):
        # the radius of the cone at its end
        parameters["half_angle"] = math.atan(_number(block, "radius") / parameters.get("most", 4.0))
    if type_ == "force_torque":
        stated = (sensor.findtext("force_torque/measure_direction") or "").strip()
        parameters["direction"] = stated or "child_to_parent"
    noise = {} if block is None else _noise(block, type_, 255.0 if kind == "camera" else 1.0)
    if noise:
        options["noise"] = noise
    return type_, options | {"parameters": parameters}


def _parameters(block: Any, type_: str) -> dict[str, Any]:
    """Numbers that the block states."""
    found: dict[str, Any] = {}
    for field in FIELDS.get(type_, ()):
        if block.findtext(field.path) is None:
            continue
        value = _number(block, field.path)
        if field.place is None:
            found[field.parameter] = round(value) if field.whole else value
        else:
            length = 5 if field.parameter == "distortion" else 2
            found.setdefault(field.parameter, [0.0] * length)[field.place] = value
    if 0.0 in found.get("focal", ()):
        # a lens needs both lengths
        found.pop("focal")
    return {name: tuple(x) if isinstance(x, list) else x for name, x in found.items()}


def _noise(block: Any, type_: str, scale: float) -> dict[str, Any]:
    """By group; one number per channel, or one for all of them."""
    groups: dict[str, dict[str, list[float]]] = {}
    places = NOISE.get(type_, {})
    sizes = {group: 1 + max(k for g, k in places.values() if g == group) for group, _ in places.values()}
    for path, (group, k) in places.items():
        noise = block.find(f"{path}/noise")
        for tag, ours in NUMBERS.items() if noise is not None else ():
            value = _number(noise, tag) * (1.0 if ours.endswith("time") else scale)
            if value:
                groups.setdefault(group, {}).setdefault(ours, [0.0] * sizes[group])[k] += value
    plain = {
        group: {name: x[0] if len(x) == 1 else x for name, x in numbers.items()}
        for group, numbers in groups.items()
    }
    flat = plain.pop("", {})
    return {**flat, **plain}


def _number(element: Any, tag: str) -> float:
    try:
        return float(element.findtext(tag) or 0.0)
    except ValueError:
        return 0.0
