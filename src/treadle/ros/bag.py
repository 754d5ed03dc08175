"""Recordings as ROS 2 bags: a folder with MCAP and metadata, which RViz, Foxglove and `ros2 bag` read."""

from __future__ import annotations

import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import InputError, RecordingError
from treadle.extras import require
from treadle.formats.save import save
from treadle.model.model import Model
from treadle.model.values import path_of
from treadle.ros import messages
from treadle.sim.recording.recording import Recording

__all__ = ["save_ros2_bag"]

_TOPICS = {"/clock": messages.CLOCK, "/joint_states": messages.JOINT_STATE, "/tf": messages.TRANSFORMS}


def save_ros2_bag(recording: Recording, model: Model, folder: str | PathLike[str]) -> Path:
    """Write a recording of a machine as a ROS 2 bag; returns the folder, which must not exist yet.

    Topics are /clock, /joint_states, /tf, /robot_description, and one for every IMU and flat lidar that was
    recorded (`sensor.*.value`).
    """
    require("rosbags", "a ROS 2 bag")
    if not isinstance(model, Model):
        raise InputError(f"a bag needs the Model that was recorded, not {type(model).__name__}")
    place = path_of(folder)
    if place.exists():
        raise InputError(f"{place} exists already; name a new folder for the bag")
    positions = list(recording.replay(model))
    bag = _Bag(place)
    try:
        with bag:
            bag.add("/robot_description", "std_msgs/msg/String", _start(recording), {"data": _urdf(model)})
            for k, (time, q) in enumerate(positions):
                _add_sample(bag, recording, model, k, time, q)
    except OSError as error:
        raise RecordingError(f"{place} cannot be written ({error.strerror or error})") from None
    return place


def _add_sample(bag: _Bag, recording: Recording, model: Model, k: int, time: float, q: np.ndarray) -> None:
    v, tau = (_by_joint(recording, model, what, k) for what in ("velocity", "torque"))
    found = {
        "/clock": (messages.CLOCK, messages.clock(time)),
        "/joint_states": (messages.JOINT_STATE, messages.joint_state(model, time, q, v, tau)),
        "/tf": (messages.TRANSFORMS, messages.transforms(model, time, q)),
    }
    values = {
        sensor.name: np.atleast_1d(recording[f"sensor.{sensor.name}.value"][k])
        for sensor in model.sensors
        if f"sensor.{sensor.name}.value" in recording
    }
    found |= messages.sensor_messages(model, values, time)
    for topic, (kind, message) in found.items():
        bag.add(topic, kind, time, message)


def _by_joint(recording: Recording, model: Model, what: str, k: int) -> np.ndarray | None:
    """A signal of all joints at a sample (nv); None where one was not recorded."""
    found = np.zeros(model.nv)
    for joint in model.joints:
        name = f"joint.{joint.name}.{what}"
        if name not in recording:
            return None
        found[joint.v] = np.ravel(recording[name][k])
    return found


def _start(recording: Recording) -> float:
    return float(recording.time[0]) if len(recording) else 0.0


def _urdf(model: Model) -> str:
    """The machine as far as URDF can say it, with meshes by their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        save(model, path)
        return path.read_text(encoding="utf-8")


class _Bag:
    """A bag that is written: connections are made with the first message of a topic."""

    def __init__(self, place: Path) -> None:
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore

        self._writer = Writer(place, version=9, storage_plugin=StoragePlugin.MCAP)
        self._types = get_typestore(Stores.ROS2_HUMBLE)
        self._connections: dict[str, Any] = {}

    def __enter__(self) -> _Bag:
        self._writer.open()
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()

    def add(self, topic: str, kind: str, seconds: float, message: messages.Message) -> None:
        if topic not in self._connections:
            self._connections[topic] = self._writer.add_connection(topic, kind, typestore=self._types)
        content = self._types.serialize_cdr(self._made(kind, message), kind)
        self._writer.write(self._connections[topic], round(seconds * 1e9), content)

    def _made(self, kind: str, message: messages.Message) -> Any:
        """A message of rosbags' own classes."""
        made = self._types.types[kind]
        values = {}
        for name, annotation in made.__annotations__.items():
            if name in message:
                values[name] = self._value(str(annotation), message[name])
        return made(**values)

    def _value(self, annotation: str, value: Any) -> Any:
        inner = annotation.removeprefix("list[").removesuffix("]").replace("__", "/").strip("'\"")
        if isinstance(value, dict):
            return self._made(inner, value)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return [self._made(inner, item) for item in value]
        return value
