"""A machine as a ROS 2 node: it publishes what it does and follows joint commands.

    python -m treadle.ros.bridge robot.urdf --rate 100

    /clock                  rosgraph_msgs/Clock         simulation time
    /joint_states           sensor_msgs/JointState
    /tf                     tf2_msgs/TFMessage
    /NAME                   sensor_msgs/Imu, sensor_msgs/LaserScan   of every IMU and flat lidar
    /joint_commands         sensor_msgs/JointState      in: positions, velocities or efforts by joint

A command goes to the joint's actuator: a position to one that takes positions, a velocity to one that takes
velocities; an effort to its motor or, without one, as a joint force. Run it where ROS 2 (rclpy) is there.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.errors import InputError, TreadleError
from treadle.ros import messages
from treadle.sim.simulation import Simulation

__all__ = ["Bridge", "main"]

#: Actuators by what they are commanded.
_POSITION = ("position", "rigid_position", "servo")
_VELOCITY = ("velocity", "rigid_velocity")


class Bridge:
    """The node of one simulation; `tick` advances it by one period and publishes."""

    def __init__(self, sim: Simulation, rate: float = 100.0, name: str = "treadle") -> None:
        self.sim = sim
        rclpy = _module("rclpy")
        self.node = rclpy.create_node(name)
        self.period = 1.0 / rate
        self._steps = max(1, round(self.period / sim.dt))
        self._publishers: dict[str, Any] = {}
        self.node.create_subscription(_class(messages.JOINT_STATE), "/joint_commands", self.command, 10)
        self.node.create_timer(self.period, self.tick)
        #: names in commands that no joint has, each reported once
        self._unknown: set[str] = set()

    def tick(self) -> None:
        """One period of the simulation, and all messages."""
        sim = self.sim
        sim.step(self._steps)
        model, time = sim.model, sim.time
        self._publish("/clock", messages.CLOCK, messages.clock(time))
        state = messages.joint_state(model, time, sim.q, sim.v, sim.tau)
        self._publish("/joint_states", messages.JOINT_STATE, state)
        self._publish("/tf", messages.TRANSFORMS, messages.transforms(model, time, sim.q))
        values = {sensor.name: np.atleast_1d(sim.sensor(sensor.name).value) for sensor in model.sensors}
        for topic, (kind, message) in messages.sensor_messages(model, values, time).items():
            self._publish(topic, kind, message)

    def command(self, message: Any) -> None:
        """Follow a JointState: whatever of positions, velocities and efforts it has."""
        for kind in ("position", "velocity", "effort"):
            for name, value in zip(message.name, getattr(message, kind)):
                self._command(str(name), kind, float(value))

    def _command(self, joint: str, kind: str, value: float) -> None:
        sim = self.sim
        places = {part.name: part for part in sim.model.joints}
        if joint not in places or not np.isfinite(value):
            if joint not in self._unknown:
                self._unknown.add(joint)
                self.node.get_logger().warning(f"no command for {joint!r}: not a joint, or not a number")
            return
        place = places[joint].v.start
        wanted = {"position": _POSITION, "velocity": _VELOCITY, "effort": ("motor", "general")}[kind]
        for actuator in sim.model.actuators:
            if actuator.v == place and actuator.type in wanted:
                sim.actuator(actuator.name).command = value
                return
        if kind == "effort":
            sim.tau[place] = value

    def _publish(self, topic: str, kind: str, message: messages.Message) -> None:
        if topic not in self._publishers:
            self._publishers[topic] = self.node.create_publisher(_class(kind), topic, 10)
        self._publishers[topic].publish(_filled(_class(kind)(), message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a machine as a node until it is interrupted."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("machine", help="a file, or the name of a scene")
    options.add_argument("--rate", type=float, default=100.0, help="messages per second")
    options.add_argument("--dt", type=float, help="time step in s")
    options.add_argument("--floating", action="store_true", help="the root link moves freely")
    given = options.parse_args(arguments)
    try:
        rclpy = _module("rclpy")
        rclpy.init()
        bridge = Bridge(_opened(given), given.rate)
    except TreadleError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    try:
        rclpy.spin(bridge.node)
    except KeyboardInterrupt:
        pass
    finally:
        bridge.node.destroy_node()
        rclpy.shutdown()
    return 0


def _opened(given: argparse.Namespace) -> Simulation:
    from treadle.formats import load
    from treadle.scenes import SCENES, scene

    known = given.machine in SCENES
    model = scene(given.machine) if known else load(given.machine, floating_base=given.floating)
    return Simulation(model, dt=given.dt)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"the bridge needs ROS 2 ({name}): install it and source its setup file, "
            "for example source /opt/ros/jazzy/setup.bash"
        ) from None


def _class(kind: str) -> Any:
    """The class of a message type, such as "sensor_msgs/msg/Imu"."""
    package, _, name = kind.partition("/msg/")
    return getattr(_module(f"{package}.msg"), name)


#: Types of the messages inside lists.
_ITEMS = {"transforms": "geometry_msgs/msg/TransformStamped"}


def _filled(message: Any, values: messages.Message) -> Any:
    """A message with its fields set."""
    for name, value in values.items():
        if isinstance(value, dict):
            _filled(getattr(message, name), value)
        elif name in _ITEMS:
            setattr(message, name, [_filled(_class(_ITEMS[name])(), item) for item in value])
        else:
            setattr(message, name, value.tolist() if isinstance(value, np.ndarray) else value)
    return message


if __name__ == "__main__":
    sys.exit(main())
