"""Sensors as MJCF; those that MJCF does not have are left out, and reported."""

from __future__ import annotations

from typing import Any

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model.model import Model
from treadle.model.sensors import Sensor

__all__ = ["add_sensors"]

#: Types that sit on a site, and their elements.
_ON_SITES = {
    "accelerometer": ("accelerometer",),
    "gyroscope": ("gyro",),
    "imu": ("accelerometer", "gyro"),
    "force": ("force",),
    "torque": ("torque",),
    "force_torque": ("force", "torque"),
}
#: Types that are frames of a site.
_FRAMES = {
    "position": ("framepos",),
    "orientation": ("framequat",),
    "pose": ("framepos", "framequat"),
    "linear_velocity": ("framelinvel",),
    "angular_velocity": ("frameangvel",),
    "velocity": ("frameangvel", "framelinvel"),
    "angular_acceleration": ("frameangacc",),
}
#: Types of joints with one dof.
_ON_JOINTS = {"encoder": "jointpos", "tachometer": "jointvel", "actuation": "jointactuatorfrc"}


def add_sensors(model: Model, tree: Tree, section: Element, names: Names, notes: Notes) -> None:
    """The sensors; rate, delay and noise are not written."""
    for sensor in model.sensors:
        written = _written(model, sensor, tree, names)
        if not written:
            notes.add("sensors that are not written", sensor.name)
            continue
        for tag, attributes in written:
            own = sensor.name if len(written) == 1 else f"{sensor.name}_{tag}"
            section.add(tag, name=names.free("sensor", own), **attributes)
        if sensor.rate is not None or sensor.noise:
            notes.add("sensors written without their rate, delay and noise", sensor.name)


def _written(model: Model, sensor: Sensor, tree: Tree, names: Names) -> list[tuple[str, dict[str, Any]]]:
    """Elements and attributes that stand for a sensor."""
    kind, parameters = sensor.type, sensor.parameters
    frames = [frame.name for frame in model.frames]
    if kind in _ON_JOINTS and not parameters and sensor.on is not None:
        parts = tree.parts_of(sensor.on)
        return [(_ON_JOINTS[kind], {"joint": parts[0].name})] if len(parts) == 1 else []
    if kind == "actuator_force" and not parameters:
        return [("actuatorfrc", {"actuator": sensor.on})]
    if kind == "clock":
        return [("clock", {})]
    if sensor.on not in frames or parameters.keys() - {"links"}:
        return []
    if kind in _ON_SITES:
        site = _site(sensor, tree, names)
        return [(tag, {"site": site}) for tag in _ON_SITES[kind]]
    if kind in _FRAMES:
        site = _site(sensor, tree, names)
        return [(tag, {"objtype": "site", "objname": site}) for tag in _FRAMES[kind]]
    return []


def _site(sensor: Sensor, tree: Tree, names: Names) -> str:
    """A site where the sensor sits."""
    link = sensor.beyond[0] if sensor.beyond else None
    element, place = tree.on_link(link, sensor.placement)
    name = names.free("site", sensor.name, own=False)
    element.add("site", name=name, **place)
    return name
