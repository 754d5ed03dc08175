"""Sensors in files: robot.toml is in test_toml, MJCF and URDF with Gazebo's tags are here."""

import numpy as np

import treadle as td
from treadle.formats import mjcf, urdf
from treadle.formats.mjcf_write import mjcf_text

URDF = """<robot name="rover">
  <link name="base"><inertial>
    <mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <link name="arm"><inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <gazebo reference="arm">
    <sensor name="imu" type="imu">
      <update_rate>250</update_rate><pose>0.1 0 0.2 0 0 1.5</pose>
      <imu><angular_velocity>
        <x><noise type="gaussian"><mean>0</mean><stddev>0.002</stddev><bias_mean>0.01</bias_mean></noise></x>
        <y><noise type="gaussian"><stddev>0.003</stddev></noise></y>
      </angular_velocity></imu>
    </sensor>
    <sensor name="eye" type="camera"/>
    <material>Gazebo/Red</material>
  </gazebo>
  <gazebo reference="hinge">
    <sensor name="wrist" type="force_torque"><force_torque><frame>child</frame></force_torque></sensor>
  </gazebo>
</robot>"""


def test_gazebo_tags():
    spec = urdf.read(URDF.encode(), "rover")
    imu, wrist = spec.sensor("imu"), spec.sensor("wrist")
    assert (imu.type, imu.on, imu.rate, imu.position) == ("imu", "arm", 250.0, (0.1, 0.0, 0.2))
    assert imu.noise == {"gyroscope": {"stddev": (0.002, 0.003, 0.0), "bias": (0.01, 0.0, 0.0)}}
    assert (wrist.type, wrist.on, wrist.parameters) == (
        "force_torque",
        "hinge",
        {"direction": "child_to_parent"},
    )
    sim = td.Simulation(spec.compile())
    assert sim.sensor("wrist").value.shape == (6,)
    # what is left of the tags is reported
    assert any("gazebo" in line for line in spec.report)


def test_mjcf_round_trip():
    spec = td.ModelSpec("arm")
    spec.add_body("arm", 1.0, center=(0.1, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_body("tool", 0.3, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "arm", axis=(0, 1, 0), rotation=td.rpy(0.2, 0.3, 0.1),
                   lower=-2.0, upper=2.0)  # fmt: skip
    spec.add_joint("bolts", "fixed", "arm", "tool", position=(0.2, 0.1, 0.0), rotation=td.rpy(1.0, 0.5, 0))
    spec.add_actuator("motor", "motor", "hinge")
    place = {"position": (0.1, 0.2, 0.3), "rotation": td.rpy(0.3, 0.2, 0.1)}
    for kind in (
        "accelerometer",
        "gyroscope",
        "force",
        "torque",
        "position",
        "linear_velocity",
        "orientation",
    ):
        spec.add_sensor(kind, kind, "tool", **place)
    for kind in ("encoder", "tachometer", "actuation"):
        spec.add_sensor(kind, kind, "hinge")
    spec.add_sensor("actuator_force", "actuator_force", "motor")
    spec.add_sensor("barometer", "barometer", "arm")
    spec.add_shape("wall", None, "box", (0.2, 9, 9), role="collision", position=(3, 0, 0))
    spec.add_shape("hand", "tool", "sphere", (0.1,), role="collision", group="hand", meets=())
    spec.add_shape("room", None, "sphere", (8.0,))
    spec.add_sensor("ray", "range_finder", "tool", **place)
    spec.add_sensor("velocimeter", "linear_velocity", "tool", axes="own", rate=100.0, **place)
    spec.add_sensor("gap", "distance", "hand", to="wall")
    spec.add_sensor("limit", "joint_limit_force", "hinge", noise={"saturation": 5.0})
    model = spec.compile()
    text, findings = mjcf_text(model)
    assert any("not written" in line and "barometer" in line for line in findings)
    other = mjcf.read(text.encode(), "arm").compile(strict=False)
    sims = [td.Simulation(machine, contact=False) for machine in (model, other)]
    for sim in sims:
        sim.q, sim.v = [0.4], [1.5]
        sim.actuator("motor").command = 2.0
    names = [sensor.name for sensor in model.sensors if sensor.name != "barometer"]
    assert {sensor.name for sensor in other.sensors} == set(names)
    assert other.sensor("velocimeter").rate == 100.0
    assert other.sensor("limit").noise == {"saturation": 5.0}
    assert 1.0 < sims[0].sensor("gap").value < 4.0 < sims[0].sensor("ray").value < 9.0
    for name in names:
        first, second = (np.atleast_1d(sim.sensor(name).value) for sim in sims)
        assert np.allclose(first, second, atol=1e-9), name
