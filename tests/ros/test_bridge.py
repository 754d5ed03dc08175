"""The bridge against a stub of rclpy and of the message packages."""

import sys
import types

import numpy as np
import pytest

import treadle as td
from tests.ros.test_bag import rover
from treadle.ros import bridge


class Message:
    """A message of ROS: fields appear when they are read, as those of nested messages do."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = Message()
        setattr(self, name, value)
        return value


class Node:
    def __init__(self, name):
        self.name, self.sent, self.subscriptions, self.timers, self.said = name, {}, {}, [], []

    def create_publisher(self, kind, topic, depth):
        self.sent[topic] = []
        return types.SimpleNamespace(publish=self.sent[topic].append)

    def create_subscription(self, kind, topic, callback, depth):
        self.subscriptions[topic] = callback

    def create_timer(self, period, callback):
        self.timers.append((period, callback))

    def get_logger(self):
        return types.SimpleNamespace(warning=self.said.append)

    def destroy_node(self):
        self.destroyed = True


@pytest.fixture
def ros(monkeypatch):
    """A stub of ROS 2: what the bridge imports, and nothing else."""
    nodes = []

    def create_node(name):
        nodes.append(Node(name))
        return nodes[-1]

    def spin(node):
        for _ in range(3):
            node.timers[0][1]()
        raise KeyboardInterrupt

    rclpy = types.ModuleType("rclpy")
    rclpy.create_node, rclpy.init, rclpy.shutdown, rclpy.spin = create_node, lambda: None, lambda: None, spin
    rclpy.nodes = nodes
    monkeypatch.setitem(sys.modules, "rclpy", rclpy)
    for package, names in {
        "rosgraph_msgs": ["Clock"],
        "sensor_msgs": ["Imu", "JointState", "LaserScan"],
        "tf2_msgs": ["TFMessage"],
        "geometry_msgs": ["TransformStamped"],
    }.items():
        module = types.ModuleType(f"{package}.msg")
        for name in names:
            setattr(module, name, type(name, (Message,), {}))
        monkeypatch.setitem(sys.modules, package, types.ModuleType(package))
        monkeypatch.setitem(sys.modules, f"{package}.msg", module)
    return rclpy


def command(**values):
    message = types.SimpleNamespace(name=[], position=[], velocity=[], effort=[])
    vars(message).update(values)
    return message


def test_it_publishes_what_the_machine_does(ros):
    sim = td.Simulation(rover(), contact=False)
    made = bridge.Bridge(sim, rate=50.0)
    period, tick = made.node.timers[0]
    assert period == 0.02
    tick()
    tick()
    assert sim.time == pytest.approx(0.04)
    sent = made.node.sent
    assert set(sent) == {"/clock", "/joint_states", "/tf", "/imu", "/front_lidar"}
    assert [len(messages) for messages in sent.values()] == [2] * 5
    assert sent["/clock"][-1].clock.nanosec == 40_000_000
    assert sent["/joint_states"][-1].position == sim.q.tolist()
    assert {part.child_frame_id for part in sent["/tf"][-1].transforms} == {"cart", "arm"}
    assert len(sent["/front_lidar"][-1].ranges) == 8


def test_it_follows_commands(ros):
    spec = td.ModelSpec("arm")
    for k in range(3):
        spec.add_body(f"b{k}", 1.0, center=(0.1, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
        spec.add_joint(f"j{k}", "revolute", f"b{k - 1}" if k else None, f"b{k}", axis=(0, 0, 1))
    spec.add_actuator("servo", "rigid_position", "j0")
    spec.add_actuator("drive", "rigid_velocity", "j1")
    sim = td.Simulation(spec.compile())
    made = bridge.Bridge(sim, rate=100.0)
    follow = made.node.subscriptions["/joint_commands"]
    follow(command(name=["j0"], position=[0.3]))
    follow(command(name=["j1"], velocity=[2.0]))
    follow(command(name=["j2", "nobody"], effort=[0.7, 1.0]))
    follow(command(name=["j2", "nobody"], effort=[np.nan, 1.0]))
    assert sim.tau[2] == 0.7
    made.tick()
    assert sim.q[0] == pytest.approx(0.3)
    assert sim.v[1] == pytest.approx(2.0)
    assert len(made.node.said) == 2


def test_the_script(ros, capsys):
    assert bridge.main(["pendulum", "--rate", "100"]) == 0
    (node,) = ros.nodes
    assert node.destroyed
    assert len(node.sent["/joint_states"]) == 3
    assert bridge.main(["nobody.urdf"]) == 1
    assert "no such file" in capsys.readouterr().err


def test_without_ros(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rclpy", None)
    assert bridge.main(["pendulum"]) == 1
    assert "needs ROS 2" in capsys.readouterr().err
