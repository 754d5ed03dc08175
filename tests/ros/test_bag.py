"""Recordings as ROS 2 bags, read back by rosbags."""

import numpy as np
import pytest

import treadle as td
from treadle.ros import save_ros2_bag

rosbags = pytest.importorskip("rosbags", reason="rosbags is not installed (the extra 'ros')")


def rover():
    """A cart with an IMU and a flat lidar, in front of a wall."""
    spec = td.ModelSpec("cart")
    spec.add_body("cart", 5.0, inertia=(1.0, 1.0, 1.0))
    spec.add_body("arm", 1.0, center=(0.2, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    spec.add_joint("drive", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_joint("shoulder", "revolute", "cart", "arm", axis=(0, 1, 0), position=(0, 0, 0.5))
    spec.add_shape("wall", None, "box", (0.1, 4.0, 4.0), position=(3.0, 0.0, 0.0))
    spec.add_sensor("imu", "imu", "cart", rate=100.0)
    spec.add_sensor("front lidar", "lidar", "cart", rate=100.0, columns=8, azimuth=(-0.2, 0.2))
    return spec.compile()


def test_a_bag_can_be_read(tmp_path):
    from rosbags.highlevel import AnyReader

    model = rover()
    sim = td.Simulation(model, contact=False)
    sim.tau[:] = 2.0, -0.5
    signals = ["joint.*.position", "joint.*.velocity", "sensor.*.value"]
    with sim.record(tmp_path / "run.mcap", rate=100, signals=signals):
        sim.run(0.2)
    recording = td.read_recording(tmp_path / "run.mcap")
    place = save_ros2_bag(recording, model, tmp_path / "bag")
    assert (place / "metadata.yaml").exists()
    with AnyReader([place]) as reader:
        found = {}
        for connection, stamp, raw in reader.messages():
            found.setdefault(connection.topic, []).append(
                (stamp, reader.deserialize(raw, connection.msgtype))
            )
    assert set(found) == {"/clock", "/joint_states", "/tf", "/robot_description", "/imu", "/front_lidar"}
    stamp, last = found["/joint_states"][-1]
    assert stamp == round(recording.time[-1] * 1e9)
    assert list(last.name) == ["drive", "shoulder"]
    np.testing.assert_array_equal(last.position, [recording[f"joint.{j}.position"][-1] for j in last.name])
    np.testing.assert_array_equal(last.velocity, [recording[f"joint.{j}.velocity"][-1] for j in last.name])
    transforms = {part.child_frame_id: part for part in found["/tf"][-1][1].transforms}
    assert transforms["arm"].header.frame_id == "cart"
    X = td.frame_pose(model, last.position, "cart")
    assert transforms["cart"].transform.translation.x == pytest.approx(X[0, 3])
    assert transforms["arm"].transform.rotation.y == pytest.approx(np.sin(0.5 * last.position[1]))
    scan = found["/front_lidar"][-1][1]
    assert len(scan.ranges) == 8
    assert scan.ranges[3] == pytest.approx(3.0 - 0.05 - last.position[0], rel=1e-2)
    assert found["/imu"][-1][1].linear_acceleration.z == pytest.approx(9.81, rel=1e-6)
    assert found["/imu"][-1][1].orientation_covariance[0] == -1.0
    assert "<robot" in found["/robot_description"][0][1].data


def test_what_cannot_be_a_bag(tmp_path):
    model = rover()
    sim = td.Simulation(model, contact=False)
    with sim.record(tmp_path / "run.mcap", rate=100):
        sim.run(0.02)
    recording = td.read_recording(tmp_path / "run.mcap")
    with pytest.raises(td.InputError, match="exists already"):
        save_ros2_bag(recording, model, tmp_path)
    with pytest.raises(td.InputError, match="needs the Model"):
        save_ros2_bag(recording, "cart", tmp_path / "bag")
