"""Sensors in files: robot.toml, MJCF, and URDF with Gazebo's tags."""

from datetime import datetime

import numpy as np
import pytest

import treadle as td
from treadle.formats import mjcf, urdf, urdf_write
from treadle.formats.gazebo_tags import WRITTEN
from treadle.formats.mjcf_write import mjcf_text
from treadle.sensors import SENSOR_TYPES, sensor_type

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
    <sensor name="eye" type="camera"><update_rate>20</update_rate>
      <camera><horizontal_fov>1.2</horizontal_fov><image><width>32</width><height>24</height></image>
      <clip><near>0.1</near><far>50</far></clip><distortion><k1>-0.05</k1><p2>0.01</p2></distortion>
      <noise type="gaussian"><stddev>0.02</stddev></noise></camera></sensor>
    <sensor name="laser" type="ray"><ray>
      <scan><horizontal><samples>90</samples><min_angle>-1.5</min_angle><max_angle>1.5</max_angle></horizontal></scan>
      <range><min>0.2</min><max>30</max></range><noise><stddev>0.01</stddev></noise></ray></sensor>
    <sensor name="beam" type="gpu_lidar"><lidar><scan><horizontal><samples>1</samples></horizontal></scan>
      <range><max>8</max></range></lidar></sensor>
    <sensor name="sonar" type="sonar"><sonar><min>0.1</min><max>5</max><radius>1</radius></sonar></sensor>
    <sensor name="gnss" type="navsat"><update_rate>1</update_rate></sensor>
    <sensor name="radio" type="wireless_receiver"/>
    <material>Gazebo/Red</material>
  </gazebo>
  <gazebo reference="hinge">
    <sensor name="wrist" type="force_torque"><force_torque><frame>child</frame></force_torque></sensor>
  </gazebo>
</robot>"""


#: Values that are no defaults, by the kind of a parameter.
OTHER = {
    "number": -1.25, "positive": 1.5, "magnitude": 0.375, "whole": 3, "vector": (0.1, -0.2, 0.3),
    "text": "a name", "values": (0.5, 2.5),
}  # fmt: skip
#: Noise with all that it may have.
NOISE = {
    "stddev": 0.1, "lower": -2.0, "upper": 3.0, "preset": "mpu6000",
    "gyroscope": {"density": (0.1, 0.2, 0.3), "preset": "adis16448", "misalignment": (0.0, 0.01, 0.0)},
    "accelerometer": {"misalignment": ((1, 0, 0), (0, 1, 0.01), (0, 0, 1))},
}  # fmt: skip


def test_robot_toml_has_all_of_every_type(tmp_path):
    spec = td.ModelSpec("all")
    spec.add_body("arm", 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "arm")
    for k, name in enumerate(SENSOR_TYPES):
        options = sensor_type(name).options.items()
        parameters = {key: o.choices[-1] if o.kind == "choice" else OTHER[o.kind] for key, o in options}
        timing = {} if k % 4 == 0 else {"rate": 0.3 + k, "delay": 0.01 * k}
        place = {"position": (0.1 * k, 1 / 3, -2.0), "rotation": td.rpy(0.1 * k, -0.7, 2.0)}
        noise = {"noise": NOISE if k % 2 else {}, "seed": None if k % 3 else 2**40 + k}
        on = (None, "arm", "hinge")[k % 3]
        spec.add_sensor(f'{name} "{k}" ü.*', name, on, parameters=parameters, **timing, **place, **noise)
    td.save(spec, tmp_path / "all.toml")
    other = td.load_spec(tmp_path / "all.toml")
    for one, two in zip(spec.sensors, other.sensors, strict=True):
        assert (one.name, one.type, one.on, one.rate, one.delay) == (
            two.name,
            two.type,
            two.on,
            two.rate,
            two.delay,
        )
        assert one.seed == two.seed and np.allclose(one.position, two.position, rtol=0, atol=0)
        assert np.allclose(one.rotation, two.rotation, rtol=0, atol=1e-15)
        assert plain(one.noise) == plain(two.noise) and plain(one.parameters) == plain(two.parameters)


def plain(value):
    """Tables and lists, whatever they are made of."""
    if isinstance(value, dict):
        return {name: plain(x) for name, x in value.items()}
    return [plain(x) for x in value] if isinstance(value, (list, tuple)) else value


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
    eye, laser, sonar = spec.sensor("eye"), spec.sensor("laser"), spec.sensor("sonar")
    assert eye.parameters == {
        "angle": 1.2, "width": 32, "height": 24, "least": 0.1, "most": 50.0, "gives": "rgb",
        "distortion": (-0.05, 0.0, 0.0, 0.01, 0.0),
    }  # fmt: skip
    assert eye.noise == {"stddev": 0.02 * 255.0}
    assert laser.parameters == {"columns": 90, "azimuth": (-1.5, 1.5), "least": 0.2, "most": 30.0}
    assert laser.noise == {"distance": {"stddev": 0.01}}
    assert (spec.sensor("beam").type, spec.sensor("beam").parameters) == ("range_finder", {"most": 8.0})
    assert sonar.parameters["half_angle"] == pytest.approx(np.arctan(0.2))
    assert spec.sensor("gnss").type == "gps"
    sim = td.Simulation(spec.compile())
    assert sim.sensor("wrist").value.shape == (6,)
    assert sim.sensor("laser").value.shape == (90,)
    assert sim.sensor("eye").value.shape == (32 * 24 * 3,)
    # what is left of the tags is reported
    assert any("gazebo" in line for line in spec.report)
    assert any("radio" in line or "gazebo" in line for line in spec.report)


def random_numbers(rng, kind):
    """Parameters and noise of a sensor that Gazebo has."""
    axes = lambda: {"stddev": rng.uniform(0, 1, 3).tolist(), "bias": rng.uniform(0, 1, 3).tolist()}  # noqa: E731
    least = rng.uniform(0.1, 1.0)
    ends = {"least": least, "most": least + rng.uniform(1, 50)}
    match kind:
        case "imu":
            return {}, {"gyroscope": axes(), "accelerometer": axes()}
        case "force_torque":
            side = str(rng.choice(["parent_to_child", "child_to_parent"]))
            return {"direction": side}, {"force": axes(), "torque": axes()}
        case "altimeter":
            return {}, {"position": {"stddev": rng.uniform()}, "velocity": {"bias": rng.uniform()}}
        case "magnetometer":
            return {}, axes()
        case "barometer" | "range_finder":
            stated = {"stddev": rng.uniform(), "quantization": rng.uniform()}
            return (ends if kind == "range_finder" else {}), stated
        case "ultrasonic":
            return ends | {"half_angle": rng.uniform(0.1, 0.5)}, {}
        case "lidar":
            counts = {"columns": int(rng.integers(2, 40)), "rows": int(rng.integers(1, 5))}
            spread = {
                "azimuth": (-rng.uniform(), rng.uniform()),
                "elevation": (-rng.uniform(), rng.uniform()),
            }
            return counts | spread | ends, {"distance": {"stddev": rng.uniform()}}
        case "camera":
            size = {"width": int(rng.integers(2, 40)), "height": int(rng.integers(2, 40))}
            lens = {"angle": rng.uniform(0.5, 2.0), "distortion": tuple(rng.uniform(-0.1, 0.1, 5))}
            if rng.uniform() < 0.5:
                lens |= {"focal": tuple(rng.uniform(20, 40, 2)), "center": tuple(rng.uniform(0, 20, 2))}
            gives = str(rng.choice(["rgb", "depth", "segmentation"]))
            return size | lens | ends | {"gives": gives}, {"stddev": rng.uniform()}
    return {}, {}


@pytest.mark.parametrize("seed", range(3))
def test_gazebo_round_trip(seed):
    """Sensors at random places with random numbers are read as they were written."""
    rng = np.random.default_rng(seed)
    spec = td.ModelSpec("rover")
    spec.add_body("base", 2.0, inertia=(1, 1, 1))
    spec.add_body("arm", 1.0, inertia=(1, 1, 1))
    spec.add_joint("mount", "fixed", None, "base")
    spec.add_joint("hinge", "continuous", "base", "arm", position=(0.1, 0.2, 0.3), axis=(0, 1, 0))
    kinds = sorted(
        {kind for kind in WRITTEN if kind in SENSOR_TYPES} - {"contact_force", "depth"} | {"camera"}
    )
    for kind in kinds:
        parameters, noise = random_numbers(rng, kind)
        on = "hinge" if kind == "force_torque" else str(rng.choice(["base", "arm"]))
        place = {"position": rng.uniform(-1, 1, 3).tolist(), "rotation": td.rpy(*rng.uniform(-1.5, 1.5, 3))}
        rate = float(rng.uniform(1, 500))
        spec.add_sensor(kind, kind, on, rate=rate, noise=noise, parameters=parameters, **place)
    spec.add_sensor("late", "imu", "arm", rate=100.0, delay=0.01)
    spec.add_sensor("clock", "clock")
    text, findings = urdf_write.text(spec)
    other = urdf.read(text.encode(), "rover")
    assert [sensor.name for sensor in other.sensors] == [*kinds, "late"]
    assert any("left out" in line and "clock" in line for line in findings)
    assert any("delay" in line and "late" in line for line in findings)
    for kind in kinds:
        one, two = spec.sensor(kind), other.sensor(kind)
        assert (one.type, one.on, one.rate) == (two.type, two.on, two.rate)
        assert np.allclose(one.position, two.position, atol=1e-15)
        assert np.allclose(one.rotation, two.rotation, atol=1e-14)
        assert one.parameters.keys() <= two.parameters.keys()
        for name, value in one.parameters.items():
            same = value == two.parameters[name] or value == pytest.approx(two.parameters[name], rel=1e-14)
            assert same, (kind, name)
        assert flattened(one.noise) == pytest.approx(flattened(two.noise), rel=1e-14), kind
    other.compile()


def flattened(noise):
    """Numbers of a noise by their path."""
    found = {}
    for name, value in noise.items():
        parts = (
            flattened(value) if isinstance(value, dict) else dict(enumerate(np.atleast_1d(value).tolist()))
        )
        found |= {f"{name} {key}": x for key, x in parts.items()}
    return found


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


def test_dates_of_parameters(tmp_path):
    spec = td.ModelSpec("cart")
    spec.add_body("cart", 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0))
    spec.add_sensor("gps", "gps", "cart", start=datetime(2020, 2, 29, 12))
    assert spec.sensor("gps").parameters == {"start": "2020-02-29T12:00:00"}
    td.save(spec, tmp_path / "cart.toml")
    text = (tmp_path / "cart.toml").read_text(encoding="utf-8")
    (tmp_path / "cart.toml").write_text(text.replace('"2020-02-29T12:00:00"', "2020-02-29T12:00:00"))
    assert td.load_spec(tmp_path / "cart.toml").sensor("gps").parameters == spec.sensor("gps").parameters
