"""Sensors as MJCF; those that MJCF does not have are left out, and reported."""

from __future__ import annotations

import math
from typing import Any

from treadle.formats.mjcf_element import Element
from treadle.formats.mjcf_notes import Notes
from treadle.formats.mjcf_sensors import ALONG_Z
from treadle.formats.mjcf_write_tree import Names, Tree
from treadle.model.model import Model
from treadle.model.sensors import Sensor
from treadle.spatial import Mat3, Transform, Vec3

__all__ = ["add_sensors"]

#: From our range finders, which look along x, to MuJoCo's sites, which look along z.
_FROM_Z = Transform(Mat3.of([list(row) for row in zip(*ALONG_Z, strict=True)]), Vec3())
#: A distance without an end (m).
_FAR = 1e6

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
_ON_JOINTS = {
    "encoder": "jointpos",
    "tachometer": "jointvel",
    "actuation": "jointactuatorfrc",
    "joint_limit_force": "jointlimitfrc",
}


def add_sensors(model: Model, tree: Tree, section: Element, names: Names, notes: Notes) -> None:
    """The sensors, with their rate, delay and saturation; noise has no effect in MuJoCo."""
    for sensor in model.sensors:
        written = _written(model, sensor, tree, names)
        if not written:
            notes.add("sensors that are not written", sensor.name)
            continue
        timing, saturation = _timing(sensor), sensor.noise.get("saturation")
        cutoff = {} if not isinstance(saturation, (int, float)) else {"cutoff": saturation}
        for tag, attributes in written:
            own = sensor.name if len(written) == 1 else f"{sensor.name}_{tag}"
            section.add(tag, name=names.free("sensor", own), **(cutoff | attributes), **timing)
        if sensor.noise.keys() - cutoff.keys() - {"saturation" if cutoff else ""}:
            notes.add("sensors written without their noise", sensor.name)


def _timing(sensor: Sensor) -> dict[str, Any]:
    """Interval and delay, with a buffer for the samples on their way."""
    if sensor.rate is None:
        return {}
    waiting = math.ceil(sensor.delay * sensor.rate) + 1
    late = {"delay": sensor.delay, "nsample": waiting} if sensor.delay > 0.0 else {}
    return {"interval": 1.0 / sensor.rate, **late}


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
    if kind == "range_finder":
        return [("rangefinder", {"site": _site(sensor, tree, names, _FROM_Z)})]
    if kind == "distance":
        return _distance(model, sensor, names)
    if kind == "linear_velocity" and parameters == {"axes": "own"}:
        return [("velocimeter", {"site": _site(sensor, tree, names)})]
    if sensor.on not in frames or parameters.keys() - {"links"}:
        return []
    if kind in _ON_SITES:
        site = _site(sensor, tree, names)
        return [(tag, {"site": site}) for tag in _ON_SITES[kind]]
    if kind in _FRAMES:
        site = _site(sensor, tree, names)
        return [(tag, {"objtype": "site", "objname": site}) for tag in _FRAMES[kind]]
    return []


def _distance(model: Model, sensor: Sensor, names: Names) -> list[tuple[str, dict[str, Any]]]:
    """Between two links or two shapes."""
    ends = (str(sensor.on), str(sensor.parameters["to"]))
    links, shapes = {link.name for link in model.links}, {shape.name for shape in model.shapes}
    attributes = {
        f"{'body' if name in links else 'geom'}{k}": name
        for k, name in enumerate(ends, start=1)
        if name in links | shapes
    }
    if len(attributes) < len(ends):
        return []
    return [("distance", attributes | {"cutoff": sensor.parameters.get("most") or _FAR})]


def _site(sensor: Sensor, tree: Tree, names: Names, turn: Transform | None = None) -> str:
    """A site where the sensor sits."""
    link = sensor.beyond[0] if sensor.beyond else None
    element, place = tree.on_link(link, sensor.placement if turn is None else sensor.placement @ turn)
    name = names.free("site", sensor.name, own=False)
    element.add("site", name=name, **place)
    return name
