"""Sensors of a URDF file: the <sensor> elements inside <gazebo reference="...">, with Gazebo's noise.

A sensor that Treadle has leaves the file with its element; all others stay there and are reported with it.
"""

from __future__ import annotations

from typing import Any

from treadle.model import ModelSpec
from treadle.model.finding import Finding
from treadle.model.values import rpy

__all__ = ["add_sensors", "take_out_sensors"]

#: Gazebo's types that Treadle has, and what they are called here.
TYPES = {
    "imu": "imu",
    "altimeter": "altimeter",
    "magnetometer": "magnetometer",
    "air_pressure": "barometer",
    "force_torque": "force_torque",
    "contact": "contact_force",
}
#: Where a type states noise: path below the sensor, and the group of channels and the place in it.
_NOISE = {
    "imu": {
        f"imu/{block}/{axis}": (group, k)
        for block, group in (("angular_velocity", "gyroscope"), ("linear_acceleration", "accelerometer"))
        for k, axis in enumerate("xyz")
    },
    "altimeter": {
        "altimeter/vertical_position": ("position", 0),
        "altimeter/vertical_velocity": ("velocity", 0),
    },
    "magnetometer": {f"magnetometer/{axis}": ("", k) for k, axis in enumerate("xyz")},
    "air_pressure": {"air_pressure/pressure": ("", 0)},
    "force_torque": {
        f"force_torque/{block}/{axis}": (block, k)
        for block in ("force", "torque")
        for k, axis in enumerate("xyz")
    },
}
#: Gazebo's numbers, and what they are called here.
_NUMBERS = {
    "mean": "bias",
    "stddev": "stddev",
    "bias_mean": "bias",
    "bias_stddev": "bias_stddev",
    "dynamic_bias_stddev": "dynamic_bias_stddev",
    "dynamic_bias_correlation_time": "dynamic_bias_correlation_time",
    "precision": "quantization",
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
    lost = []
    for on, sensor in sensors:
        kind = str(sensor.get("type"))
        name = (sensor.get("name") or kind).strip()
        while name in taken:
            name += "_"
        if on not in parts or (kind == "contact" and not any(s.body == on for s in spec.shapes)):
            lost.append(name)
            continue
        taken.add(name)
        options: dict[str, Any] = {"line": sensor.sourceline}
        rate = _number(sensor, "update_rate")
        if rate:
            options["rate"] = rate
        pose = [float(x) for x in (sensor.findtext("pose") or "").split()]
        if len(pose) == 6:
            options |= {"position": pose[:3], "rotation": rpy(*pose[3:])}
        noise = _noise(sensor, kind)
        if noise:
            options["noise"] = noise
        if kind == "force_torque":
            stated = (sensor.findtext("force_torque/measure_direction") or "").strip()
            options["direction"] = stated or "child_to_parent"
        spec.add_sensor(name, TYPES[kind], on, **options)
    return [Finding("sensors left out, for they are on no link or joint", lost)] if lost else []


def _noise(sensor: Any, kind: str) -> dict[str, Any]:
    """By group; one number per channel."""
    groups: dict[str, dict[str, list[float]]] = {}
    places = _NOISE.get(kind, {})
    sizes = {group: 1 + max(k for g, k in places.values() if g == group) for group, _ in places.values()}
    for path, (group, k) in places.items():
        noise = sensor.find(f"{path}/noise")
        for tag, ours in _NUMBERS.items() if noise is not None else ():
            value = _number(noise, tag)
            if value:
                groups.setdefault(group, {}).setdefault(ours, [0.0] * sizes[group])[k] += value
    flat = groups.pop("", {})
    return {**flat, **groups}


def _number(element: Any, tag: str) -> float:
    try:
        return float(element.findtext(tag) or 0.0)
    except ValueError:
        return 0.0
