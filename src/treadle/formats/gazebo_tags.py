"""Gazebo's <sensor> tags and what they are here: types, parameters and noise, for reading and writing.

The names of elements are those of SDF. Of the older and newer names of a type both are read, and
the newer one is written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["BLOCKS", "FIELDS", "NOISE", "NUMBERS", "TYPES", "WRITTEN", "Field"]

#: Gazebo's types that Treadle has, and what they are called here.
TYPES = {
    "imu": "imu",
    "altimeter": "altimeter",
    "magnetometer": "magnetometer",
    "air_pressure": "barometer",
    "force_torque": "force_torque",
    "contact": "contact_force",
    "ray": "lidar",
    "gpu_ray": "lidar",
    "lidar": "lidar",
    "gpu_lidar": "lidar",
    "sonar": "ultrasonic",
    "camera": "camera",
    "depth": "camera",
    "depth_camera": "camera",
    "segmentation": "camera",
    "segmentation_camera": "camera",
    "gps": "gps",
    "navsat": "gps",
}
#: What our types are called there; pictures by what they give.
WRITTEN = {
    "imu": "imu",
    "altimeter": "altimeter",
    "magnetometer": "magnetometer",
    "barometer": "air_pressure",
    "force_torque": "force_torque",
    "contact_force": "contact",
    "lidar": "gpu_lidar",
    "range_finder": "gpu_lidar",
    "ultrasonic": "sonar",
    "rgb": "camera",
    "depth": "depth_camera",
    "segmentation": "segmentation_camera",
    "gps": "navsat",
}
#: Elements that hold the parameters of a type, by our names; the first is the one that is written.
BLOCKS = {
    "imu": ("imu",),
    "altimeter": ("altimeter",),
    "magnetometer": ("magnetometer",),
    "barometer": ("air_pressure",),
    "force_torque": ("force_torque",),
    "lidar": ("lidar", "ray"),
    "range_finder": ("lidar", "ray"),
    "ultrasonic": ("sonar",),
    "camera": ("camera",),
}


class Field(NamedTuple):
    """An element of a block, the parameter that it states, and which number of it."""

    path: str
    parameter: str
    place: int | None = None
    whole: bool = False


_RANGE = (Field("range/min", "least"), Field("range/max", "most"))
#: Numbers of the blocks, by our types.
FIELDS: dict[str, tuple[Field, ...]] = {
    "lidar": (
        Field("scan/horizontal/samples", "columns", whole=True),
        Field("scan/horizontal/min_angle", "azimuth", 0),
        Field("scan/horizontal/max_angle", "azimuth", 1),
        Field("scan/vertical/samples", "rows", whole=True),
        Field("scan/vertical/min_angle", "elevation", 0),
        Field("scan/vertical/max_angle", "elevation", 1),
        *_RANGE,
    ),
    "range_finder": _RANGE,
    "ultrasonic": (Field("min", "least"), Field("max", "most")),
    "camera": (
        Field("horizontal_fov", "angle"),
        Field("image/width", "width", whole=True),
        Field("image/height", "height", whole=True),
        *[
            Field(f"lens/intrinsics/{name}", parameter, k)
            for parameter, names in (("focal", ("fx", "fy")), ("center", ("cx", "cy")))
            for k, name in enumerate(names)
        ],
        Field("clip/near", "least"),
        Field("clip/far", "most"),
        *[
            Field(f"distortion/{name}", "distortion", k)
            for k, name in enumerate(("k1", "k2", "p1", "p2", "k3"))
        ],
    ),
}
#: Where a type states noise: path below its block, the group of channels, and the place in it.
NOISE: dict[str, dict[str, tuple[str, int]]] = {
    "imu": {
        f"{block}/{axis}": (group, k)
        for block, group in (("angular_velocity", "gyroscope"), ("linear_acceleration", "accelerometer"))
        for k, axis in enumerate("xyz")
    },
    "altimeter": {"vertical_position": ("position", 0), "vertical_velocity": ("velocity", 0)},
    "magnetometer": {axis: ("", k) for k, axis in enumerate("xyz")},
    "barometer": {"pressure": ("", 0)},
    "force_torque": {
        f"{block}/{axis}": (block, k) for block in ("force", "torque") for k, axis in enumerate("xyz")
    },
    "lidar": {".": ("distance", 0)},
    "range_finder": {".": ("", 0)},
    "camera": {".": ("", 0)},
}
#: Gazebo's numbers of a noise, and what they are called here.
NUMBERS: dict[str, Any] = {
    "mean": "bias",
    "stddev": "stddev",
    "bias_mean": "bias",
    "bias_stddev": "bias_stddev",
    "dynamic_bias_stddev": "dynamic_bias_stddev",
    "dynamic_bias_correlation_time": "dynamic_bias_correlation_time",
    "precision": "quantization",
}
