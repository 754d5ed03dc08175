"""ROS 2 messages of a machine as nested dictionaries: joint states, transforms, clock, IMUs and laser scans.

Times are seconds of simulation. Quaternions of ROS are (x, y, z, w), those of Treadle (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from treadle.dynamics.compiled import frame_poses
from treadle.model.model import WORLD, Model
from treadle.model.sensors import Sensor
from treadle.sensors import bind_sensor

__all__ = [
    "CLOCK", "IMU", "JOINT_STATE", "LASER_SCAN", "TRANSFORMS", "clock", "imu", "joint_state", "laser_scan",
    "sensor_messages", "transforms",
]  # fmt: skip

Message: TypeAlias = dict[str, Any]

CLOCK = "rosgraph_msgs/msg/Clock"
IMU = "sensor_msgs/msg/Imu"
JOINT_STATE = "sensor_msgs/msg/JointState"
LASER_SCAN = "sensor_msgs/msg/LaserScan"
TRANSFORMS = "tf2_msgs/msg/TFMessage"

#: Name of the world's frame.
_WORLD = "world"


def stamp(seconds: float) -> Message:
    """builtin_interfaces/Time."""
    nanoseconds = round(seconds * 1e9)
    return {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}


def clock(seconds: float) -> Message:
    """The time of the simulation, for nodes with use_sim_time."""
    return {"clock": stamp(seconds)}


def joint_state(
    model: Model, seconds: float, q: np.ndarray, v: np.ndarray | None = None, tau: np.ndarray | None = None
) -> Message:
    """Joints with one degree of freedom, by name; velocities and forces where they are known."""
    joints = [joint for joint in model.joints if joint.type.nq == joint.type.nv == 1]
    places = [joint.v.start for joint in joints]
    return {
        "header": {"stamp": stamp(seconds), "frame_id": ""},
        "name": [joint.name for joint in joints],
        "position": np.array([q[joint.q.start] for joint in joints]),
        "velocity": np.array([] if v is None else [v[k] for k in places]),
        "effort": np.array([] if tau is None else [tau[k] for k in places]),
    }


def transforms(model: Model, seconds: float, q: np.ndarray) -> Message:
    """Poses of all links in the link that carries them; roots in "world"."""
    poses = dict(zip([frame.name for frame in model.frames], frame_poses(model, q), strict=True))
    # of every moving body the link that its joint holds comes first
    first: dict[int, str] = {}
    for link in model.links:
        first.setdefault(link.body, link.name)
    found = []
    for link in model.links:
        own = first[link.body]
        if link.body == WORLD:
            parent = _WORLD if link.name == own else own
        else:
            above = model.bodies[link.body].parent
            parent = own if link.name != own else first.get(above, _WORLD) if above != WORLD else _root(first)
        X_WP = np.eye(4) if parent == _WORLD else poses[parent]
        found.append(_transform(seconds, parent, link.name, np.linalg.solve(X_WP, poses[link.name])))
    return {"transforms": found}


def imu(sensor: Sensor, seconds: float, values: np.ndarray) -> Message:
    """Angular velocity and proper acceleration; the orientation is not known (covariance -1)."""
    unknown, exact = np.zeros(9), np.zeros(9)
    unknown[0] = -1.0
    return {
        "header": {"stamp": stamp(seconds), "frame_id": sensor.name},
        "orientation": _quaternion(np.eye(3)),
        "orientation_covariance": unknown,
        "angular_velocity": _vector(values[:3]),
        "angular_velocity_covariance": exact,
        "linear_acceleration": _vector(values[3:6]),
        "linear_acceleration_covariance": exact,
    }


def laser_scan(model: Model, sensor: Sensor, seconds: float, values: np.ndarray) -> Message:
    """One sweep of a lidar with one row of beams, which gives distances."""
    given: Mapping[str, Any] = bind_sensor(model, sensor).parameters
    first, last = (float(x) for x in given["azimuth"])
    count = int(given["columns"])
    # the last beam of a full turn would be the first one again
    whole = abs(last - first) >= 2.0 * np.pi - 1e-9
    step = (last - first) / (count if whole else max(count - 1, 1))
    return {
        "header": {"stamp": stamp(seconds), "frame_id": sensor.name},
        "angle_min": first,
        "angle_max": first + step * (count - 1),
        "angle_increment": step,
        "time_increment": float(given["sweep"]) / count,
        "scan_time": 0.0 if not sensor.rate else 1.0 / sensor.rate,
        "range_min": float(given["least"]),
        "range_max": float(given["most"]),
        "ranges": np.asarray(values[:count], dtype=np.float32),
        "intensities": np.zeros(0, dtype=np.float32),
    }


def sensor_messages(
    model: Model, values: Mapping[str, np.ndarray], seconds: float
) -> dict[str, tuple[str, Message]]:
    """Topic -> type and message, of the IMUs and flat lidars among the sensors with values."""
    found: dict[str, tuple[str, Message]] = {}
    for name, value in values.items():
        sensor = model.sensor(name)
        if sensor.type == "imu":
            found[f"/{topic(name)}"] = IMU, imu(sensor, seconds, np.ravel(value))
        elif is_flat_lidar(model, sensor):
            found[f"/{topic(name)}"] = LASER_SCAN, laser_scan(model, sensor, seconds, np.ravel(value))
    return found


def is_flat_lidar(model: Model, sensor: Sensor) -> bool:
    """Whether a sensor is a lidar that a LaserScan can hold."""
    if sensor.type != "lidar":
        return False
    given = bind_sensor(model, sensor).parameters
    return int(given["rows"]) == 1 and given["gives"] == "distance"


def topic(name: str) -> str:
    """A name as part of a topic: letters, digits and underscores."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    return f"_{plain}" if plain[:1].isdigit() else plain


def _root(first: Mapping[int, str]) -> str:
    return first.get(WORLD, _WORLD)


def _transform(seconds: float, parent: str, child: str, X: np.ndarray) -> Message:
    return {
        "header": {"stamp": stamp(seconds), "frame_id": parent},
        "child_frame_id": child,
        "transform": {"translation": _vector(X[:3, 3]), "rotation": _quaternion(X[:3, :3])},
    }


def _vector(values: Sequence[float] | np.ndarray) -> Message:
    x, y, z = (float(value) for value in values)
    return {"x": x, "y": y, "z": z}


def _quaternion(R: np.ndarray) -> Message:
    from scipy.spatial.transform import Rotation

    x, y, z, w = (float(value) for value in Rotation.from_matrix(R).as_quat())
    return {"x": x, "y": y, "z": z, "w": w}
