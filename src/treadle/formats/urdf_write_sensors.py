"""Sensors of a machine as <sensor> elements inside <gazebo reference="...">; others are reported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.formats.gazebo_tags import BLOCKS, FIELDS, NOISE, NUMBERS, WRITTEN
from treadle.formats.urdf_write_shapes import add_tag, angles, numbers
from treadle.model import ModelSpec
from treadle.model.sensors import SensorSpec
from treadle.model.values import rotation_matrix

__all__ = ["add_sensors", "sensor_findings"]


def add_sensors(root: Any, spec: ModelSpec) -> None:
    """The sensors that Gazebo has."""
    for sensor in spec.sensors:
        if _writable(spec, sensor):
            _write(add_tag(root, "gazebo", reference=str(sensor.on)), sensor)


def sensor_findings(spec: ModelSpec) -> dict[str, list[str]]:
    """What is left out."""
    written = [sensor for sensor in spec.sensors if _writable(spec, sensor)]
    lost = [sensor.name for sensor in spec.sensors if sensor not in written]
    return {
        "sensors left out": lost,
        "sensors written without their delay and without noise that Gazebo does not have": [
            sensor.name for sensor in written if sensor.delay or _other_noise(sensor)
        ],
    }


def _writable(spec: ModelSpec, sensor: SensorSpec) -> bool:
    places = {item.name for item in (*spec.bodies, *spec.frames)}
    if sensor.type == "force_torque":
        places = {joint.name for joint in spec.joints}
    return _gazebo_type(sensor) is not None and sensor.on in places


def _gazebo_type(sensor: SensorSpec) -> str | None:
    kind = sensor.parameters.get("gives", "depth") if sensor.type == "camera" else sensor.type
    return WRITTEN.get(kind)


def _write(parent: Any, sensor: SensorSpec) -> None:
    kind = str(_gazebo_type(sensor))
    element = add_tag(parent, "sensor", name=sensor.name, type=kind)
    _text(element, "always_on", "true")
    if sensor.rate is not None:
        _text(element, "update_rate", _shown(sensor.rate))
    turn = angles(rotation_matrix(sensor.rotation))
    _text(element, "pose", numbers([*np.asarray(sensor.position, dtype=float), *turn]))
    blocks = BLOCKS.get(sensor.type)
    if not blocks:
        return
    block = add_tag(element, blocks[0])
    if sensor.type == "force_torque":
        _text(block, "measure_direction", sensor.parameters.get("direction", "parent_to_child"))
    _write_numbers(block, sensor)
    _write_noise(block, sensor, 1.0 / 255.0 if kind == "camera" else 1.0)


def _write_numbers(block: Any, sensor: SensorSpec) -> None:
    from treadle.sensors import sensor_type

    options = sensor_type(sensor.type).options
    if sensor.type == "range_finder":
        for axis in ("horizontal", "vertical"):
            _text(block, f"scan/{axis}/samples", "1")
    for field in FIELDS.get(sensor.type, ()):
        value = sensor.parameters.get(field.parameter, options[field.parameter].default)
        if value is None:
            continue
        part = value if field.place is None else value[field.place]
        _text(block, field.path, str(round(part)) if field.whole else _shown(part))
    if sensor.type == "ultrasonic":
        chosen = {name: sensor.parameters.get(name, options[name].default) for name in ("half_angle", "most")}
        _text(block, "radius", _shown(chosen["most"] * math.tan(chosen["half_angle"])))


def _write_noise(block: Any, sensor: SensorSpec, scale: float) -> None:
    tags = {ours: tag for tag, ours in NUMBERS.items() if tag != "mean"}
    for path, (group, k) in NOISE.get(sensor.type, {}).items():
        stated = sensor.noise.get(group, {}) if group else sensor.noise
        given = {tags[name]: _part(value, k) for name, value in stated.items() if name in tags}
        if not any(given.values()):
            continue
        noise = _below(block, "" if path == "." else path, "noise")
        noise.set("type", "gaussian_quantized" if given.get("precision") else "gaussian")
        for tag, value in {"mean": 0.0, "stddev": 0.0, **given}.items():
            _text(noise, tag, _shown(value * (1.0 if tag.endswith("time") else scale)))


def _other_noise(sensor: SensorSpec) -> bool:
    """Whether there is noise that is not written."""
    groups = {group for group, _ in NOISE.get(sensor.type, {}).values()}
    known = set(NUMBERS.values())
    for name, value in sensor.noise.items():
        if isinstance(value, dict):
            if name not in groups or value.keys() - known:
                return True
        elif name not in known or "" not in groups:
            return True
    return False


def _part(value: float | Sequence[float], k: int) -> float:
    return float(value) if isinstance(value, (int, float)) else float(value[k])


def _below(parent: Any, path: str, last: str) -> Any:
    """A new element below those of the path, which are made where they are missing."""
    for tag in path.split("/") if path else ():
        found = parent.find(tag)
        parent = add_tag(parent, tag) if found is None else found
    return add_tag(parent, last)


def _text(parent: Any, path: str, text: str) -> None:
    above, _, last = path.rpartition("/")
    _below(parent, above, last).text = text


def _shown(value: float) -> str:
    return numbers([value])
