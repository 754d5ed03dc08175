"""Sensors: what a machine would measure. One type per file, and one line each in SENSOR_TYPES.

A type derives from `SensorKind` (`sensors.kind`): its `measure` is a function of the instant over traced
scalars, compiled with those of all other sensors of the same rate; a type that has to compute in Python
(rays, satellites, pictures) adds `process`, which gets those numbers for all worlds. Rates, delays, noise,
memory, recordings and batches are the framework's (`sensors.bank`, `sensors.noise`, `treadle.sim.sensing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle.errors import ModelError
from treadle.model.model import Model, suggest
from treadle.model.sensors import Sensor
from treadle.plugins import Registry

if TYPE_CHECKING:
    from treadle.sensors.kind import SensorKind

__all__ = ["SENSOR_TYPES", "bind_sensor", "bind_sensors", "sensor_type"]

#: Types by name, and where in this package their class is: imported when a machine has such a sensor.
_OWN = {
    "acceleration": "frame:Acceleration",
    "accelerometer": "imu:Accelerometer",
    "actuation": "joint:Actuation",
    "actuator_force": "actuator:ActuatorForce",
    "altimeter": "pressure:Altimeter",
    "angular_acceleration": "frame:AngularAcceleration",
    "angular_velocity": "frame:AngularVelocity",
    "axis": "frame:Axis",
    "barometer": "pressure:Barometer",
    "bumper": "contact:Bumper",
    "camera": "camera.sensor:CameraSensor",
    "center_of_mass": "machine:CenterOfMass",
    "clock": "machine:Clock",
    "contact_force": "contact:ContactForce",
    "depth": "pressure:Depth",
    "distance": "distance:DistanceSensor",
    "doppler_log": "odometry:DopplerLog",
    "encoder": "encoder:Encoder",
    "energy": "machine:Energy",
    "force": "force_torque:ForceSensor",
    "force_torque": "force_torque:ForceTorque",
    "gps": "gps.sensor:GpsSensor",
    "gyroscope": "imu:Gyroscope",
    "imu": "imu:Imu",
    "inclinometer": "inclinometer:Inclinometer",
    "joint_limit": "joint:JointLimit",
    "joint_limit_force": "joint:JointLimitForce",
    "joint_quaternion": "joint:JointQuaternion",
    "joint_torque": "joint:JointTorque",
    "lidar": "ranging.sensors:LidarSensor",
    "linear_acceleration": "frame:LinearAcceleration",
    "linear_velocity": "frame:LinearVelocity",
    "load_cell": "force_torque:LoadCell",
    "magnetometer": "magnetometer:Magnetometer",
    "motor_current": "actuator:MotorCurrent",
    "orientation": "frame:Orientation",
    "pose": "frame:Pose",
    "position": "frame:Position",
    "projection": "camera.projection:Projection",
    "range_finder": "ranging.sensors:RangeFinder",
    "resolver": "joint:Resolver",
    "tachometer": "joint:Tachometer",
    "tactile": "tactile:TactileGrid",
    "tendon_force": "tendon:TendonForce",
    "tendon_length": "tendon:TendonLength",
    "tendon_limit": "tendon:TendonLimit",
    "tendon_velocity": "tendon:TendonVelocity",
    "torque": "force_torque:TorqueSensor",
    "touch": "contact:Touch",
    "ultrasonic": "ranging.sensors:UltrasonicSensor",
    "velocity": "frame:Velocity",
    "wheel_odometry": "odometry:WheelOdometry",
}

#: Classes of sensors by the name of their type.
SENSOR_TYPES: Registry[type[SensorKind]] = Registry(
    "treadle.sensors", {name: f"treadle.sensors.{place}" for name, place in _OWN.items()}
)


def sensor_type(name: str) -> type[SensorKind]:
    """The class of a type of sensors; KeyError if there is none."""
    return SENSOR_TYPES[name]


def bind_sensors(model: Model) -> list[SensorKind]:
    """The sensors of a model, each with the class of its type; ModelError where a description is wrong."""
    return [bind_sensor(model, sensor) for sensor in model.sensors]


def bind_sensor(model: Model, sensor: Sensor) -> SensorKind:
    """A sensor with the class of its type; ModelError where it is not described soundly."""
    place = {"file": model.file, "line": sensor.line, "element": f'sensor "{sensor.name}"'}
    if sensor.type not in SENSOR_TYPES:
        hint = suggest(sensor.type, sorted(SENSOR_TYPES))
        raise ModelError(f"there is no sensor of type {sensor.type!r}", hint=hint, **place)
    try:
        return sensor_type(sensor.type)(model, sensor)
    except ValueError as error:
        raise ModelError(str(error), **place) from None
