"""What the types show, against what else computes the same."""

import math

import numpy as np
import pytest

import treadle as td
from tests.machines import random_rotation, random_spec, random_state
from tests.sensors.test_force_torque import walker
from treadle.errors import ModelError
from treadle.sensors.camera import Intrinsics
from treadle.sensors.magnetometer import dipole_field


def tumbling(*sensors, seed=2):
    """A random machine in motion with sensors (type, place, options)."""
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, 4, root="free")
    spec.gravity = (0.0, 0.0, -9.81)
    place = {"position": rng.uniform(-0.3, 0.3, 3), "rotation": random_rotation(rng)}
    spec.add_frame("place", "b3", **place)
    for kind, on, options in sensors:
        spec.add_sensor(kind, kind, on, **options)
    sim = td.Simulation(spec.compile(), contact=False)
    sim.q, sim.v, sim.tau = random_state(sim.model, rng)
    return sim


def test_ground_truth():
    sim = tumbling(
        ("pose", "place", {}), ("velocity", "place", {}), ("position", "b1", {"reference": "place"})
    )
    pose = sim.body("place").pose
    value = sim.sensor("pose").value
    assert np.allclose(value[:3], pose[:3, 3], atol=1e-13)
    w, x, y, z = value[3:]
    assert math.isclose(w * w + x * x + y * y + z * z, 1.0, abs_tol=1e-12)
    assert np.allclose(pose[:3, :3][2, 1] - pose[:3, :3][1, 2], 4.0 * w * x, atol=1e-12)
    assert np.allclose(sim.sensor("velocity").value, sim.body("place").velocity, atol=1e-12)
    seen = np.linalg.inv(pose) @ sim.body("b1").pose
    assert np.allclose(sim.sensor("position").value, seen[:3, 3], atol=1e-12)


def test_acceleration_is_the_rate_of_velocity():
    sim = tumbling(("acceleration", "place", {}), ("accelerometer", "place", {}))
    value, R = sim.sensor("acceleration").value, sim.body("place").pose[:3, :3]
    assert np.allclose(R @ sim.sensor("accelerometer").value, value[3:] + np.array([0, 0, 9.81]), atol=1e-10)
    start, rates = sim.save(), []
    for dt in (1e-5, -1e-5):
        sim.restore(start)
        sim.integrator = "rk4"
        sim.dt = abs(dt)
        sim.v = np.sign(dt) * np.array(start.v)
        sim.step()
        rates.append(np.sign(dt) * sim.body("place").velocity)
    assert np.allclose((rates[0] - rates[1]) / 2e-5, value, atol=1e-4)


def test_height_and_field():
    field = dipole_field(0.7)
    assert field[1] == pytest.approx(3.12e-5 * math.cos(0.7))
    assert field[2] == pytest.approx(-2 * 3.12e-5 * math.sin(0.7))
    sim = tumbling(
        ("altimeter", "place", {"altitude": 100.0}), ("barometer", "place", {"altitude": 1000.0}),
        ("magnetometer", "place", {"latitude": 0.7}), ("inclinometer", "place", {"vertical": "gravity"}),
    )  # fmt: skip
    pose, velocity = sim.body("place").pose, sim.body("place").velocity
    height = pose[2, 3]
    assert np.allclose(sim.sensor("altimeter").value, (height + 100.0, velocity[5]), atol=1e-12)
    standard = 101325.0 * (1.0 - 0.0065 * (height + 1000.0) / 288.15) ** 5.255876
    assert sim.sensor("barometer").value == pytest.approx(standard, rel=1e-6)
    assert np.allclose(sim.sensor("magnetometer").value, pose[:3, :3].T @ field, atol=1e-18)
    x, y, z = pose[:3, :3].T @ (0, 0, 1)
    assert np.allclose(sim.sensor("inclinometer").value, (math.atan2(y, z), math.asin(-x)), atol=1e-12)


def test_in_water():
    spec = td.ModelSpec("diver")
    spec.add_body("hull", 10.0, type="box", size=(1.0, 0.3, 0.3))
    spec.add_joint("free", "free", None, "hull")
    td.Fluid(density=1025.0, current=(0.5, 0.0, 0.0), surface=2.0).surround(spec)
    spec.add_sensor("depth", "depth", "hull", position=(0, 0, -0.1))
    spec.add_sensor("bottom", "doppler_log", "hull")
    spec.add_sensor("water", "doppler_log", "hull", lock="water")
    sim = td.Simulation(spec.compile())
    turn = math.pi / 2.0
    sim.q = [math.cos(turn / 2), 0, 0, math.sin(turn / 2), 0, 0, -3.0]
    sim.v = [0, 0, 0, 1.0, 0.2, 0.0]
    pressure, depth = sim.sensor("depth").value
    assert depth == pytest.approx(5.1)
    assert pressure == pytest.approx(1025.0 * 9.81 * 5.1)
    assert np.allclose(sim.sensor("bottom").value, (0.2, -1.0, 0.0), atol=1e-12)
    assert np.allclose(sim.sensor("water").value, (0.2, -0.5, 0.0), atol=1e-12)
    sim.q[6] = 4.0
    assert sim.sensor("depth").value.tolist() == [0.0, 0.0]


def test_joints_and_drives():
    spec = td.ModelSpec("drive")
    spec.add_body("rotor", 1.0, inertia=(0.1, 0.1, 0.2))
    spec.add_joint("axle", "revolute", None, "rotor", armature=0.3)
    spec.add_actuator("motor", "motor", "axle", gain=2.0)
    spec.add_sensor("resolver", "resolver", "axle", pole_pairs=3, amplitude=2.0)
    spec.add_sensor("tachometer", "tachometer", "axle", gear=10.0)
    spec.add_sensor("current", "motor_current", "motor", constant=0.05, gear=10.0)
    spec.add_sensor("torque", "joint_torque", "axle")
    spec.add_sensor("encoder", "encoder", "axle", counts=100, backlash=0.5, rate=1000.0)
    sim = td.Simulation(spec.compile())
    sim.q, sim.v = [0.7], [1.5]
    sim.actuator("motor").command = 1.5
    assert np.allclose(sim.sensor("resolver").value, (2 * math.sin(2.1), 2 * math.cos(2.1)), atol=1e-13)
    assert sim.sensor("tachometer").value == 15.0
    assert sim.sensor("current").value == pytest.approx(3.0 / (0.05 * 10.0))
    # of 3 N m, what turns the rotor of the motor does not come through
    assert sim.sensor("torque").value == pytest.approx(3.0 * 0.2 / 0.5)
    count = 2.0 * math.pi / 100
    assert sim.sensor("encoder").value == pytest.approx(count * round(0.7 / count))
    sim.run(0.3)
    seen = sim.sensor("encoder").value
    assert seen == pytest.approx(count * round((sim.q[0] - 0.25) / count))
    sim.v = [-1.0]
    sim.actuator("motor").command = 0.0
    sim.run(0.2)
    # the play of the gear is gone through before the reading turns back
    assert sim.sensor("encoder").value == pytest.approx(seen)


def test_odometry():
    model = td.scene("differential-drive")
    wheels = [wheel.joint for wheel in model.wheels][:2]
    from treadle.model.describe import describe

    spec = describe(model)
    spec.add_sensor("odometry", "wheel_odometry", left=[wheels[0]], right=[wheels[1]], track=0.4)
    sim = td.Simulation(spec.compile())
    for name, angle, rate in zip(wheels, (1.0, 3.0), (2.0, 4.0), strict=True):
        sim.joint(name).position, sim.joint(name).velocity = angle, rate
    radius = model.wheels[0].radius
    expected = (2.0 * radius, 2.0 * radius / 0.4, 3.0 * radius, 2.0 * radius / 0.4)
    assert np.allclose(sim.sensor("odometry").value, expected, atol=1e-12)


def with_contact_sensors():
    spec = walker()
    spec.add_sensor("force", "contact_force", "left leg")
    spec.add_sensor("touch", "touch", "left foot")
    spec.add_sensor("bumper", "bumper", "right foot", threshold=1.0)
    spec.add_sensor("imu", "imu", "trunk", rate=700.0, noise={"density": 0.01})
    return spec.compile()


def test_contact():
    sim = td.Simulation(with_contact_sensors(), dt=1e-3)
    sim.step(2)
    assert sim.sensor("bumper").value == 0.0
    sim.step(118)
    force = sim.sensor("force").value
    assert np.allclose(force, sim.contact_on("left leg").force, atol=1e-9)
    assert sim.sensor("touch").value == pytest.approx(np.linalg.norm(force))
    assert sim.sensor("bumper").value == 1.0


def test_contact_in_a_batch_has_the_bits_of_a_simulation():
    model = with_contact_sensors()
    sim, batch = td.Simulation(model, dt=1e-3), td.Batch(model, 3, dt=1e-3, threads=2)
    batch.q[1:, 6] += 0.05
    for count in (2, 118):
        sim.step(count)
        batch.step(count)
        assert np.array_equal(batch.q[0], sim.q)
        for name in ("force", "touch", "bumper"):
            assert np.allclose(batch.sensor(name).value[0], sim.sensor(name).value, rtol=1e-12, atol=1e-12)
        assert np.allclose(batch.sensor("imu").value[0], sim.sensor("imu").value, rtol=1e-10, atol=1e-10)
    assert batch.sensor("touch").value[0] > 1.0


def test_samples_inside_contact_steps_leave_the_motion_alone():
    model, plain = with_contact_sensors(), walker().compile()
    with_sensors, without = td.Simulation(model, dt=1e-3), td.Simulation(plain, dt=1e-3)
    with_sensors.step(140)
    without.step(140)
    assert np.array_equal(with_sensors.q, without.q)
    assert np.array_equal(with_sensors.v, without.v)


@pytest.mark.parametrize(
    ("kind", "on", "options", "words"),
    [
        ("imo", "b0", {}, "did you mean 'imu'"),
        ("encoder", "b0", {}, "is not"),
        ("imu", "j0", {}, "link or frame"),
        ("imu", "b0", {"delay": 0.1}, "needs a rate"),
        ("imu", "b0", {"counts": 3}, "no parameter 'counts'"),
        ("imu", "b0", {"noise": {"sigma": 1.0}}, "no 'sigma'"),
        ("imu", "b0", {"noise": {"gyro": {"stddev": 1.0}}}, "gyroscope"),
        ("imu", "b0", {"noise": {"stddev": -1.0}}, "not negative"),
        ("imu", "b0", {"noise": {"preset": "mpu"}}, "mpu6000"),
        ("encoder", "j0", {"noise": {"preset": "mpu6000"}}, "gyroscope, accelerometer"),
        ("imu", "b0", {"noise": {"lower": 1.0, "upper": 0.0}}, "above the upper"),
        ("imu", "b0", {"rate": 100.0, "delay": 1e9}, "shorter delay"),
        ("touch", "b0", {}, "collision shapes"),
        ("touch", "b0", {"zone": "box", "size": (1.0, 2.0)}, "3 numbers"),
        ("touch", "b0", {"zone": "box", "size": (1.0, 2.0, -1.0)}, "positive"),
        ("touch", "j0", {"zone": "sphere", "size": (1.0,)}, "link or frame"),
        ("tendon_length", "b0", {}, "tendon"),
        ("projection", "b0", {}, "no camera"),
        ("projection", "b0", {"camera": "b1", "focal": 3.0}, "2 numbers"),
        ("force_torque", None, {}, "placed on"),
        ("encoder", "j1", {"counts": -5}, "positive"),
    ],
)
def test_mistakes_are_named(kind, on, options, words):
    spec = random_spec(np.random.default_rng(0), 2, kinds=["revolute"])
    spec.add_sensor("thing", kind, on, **options)
    with pytest.raises(ModelError, match="thing") as caught:
        td.Simulation(spec.compile())
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate": 0.0}, "rate"),
        ({"rate": 1e300}, "above 1e+06"),
        ({"noise": "mpu6000"}, "stddev"),
        ({"delay": -1.0}, "delay"),
        ({"seed": -3}, "seed"),
        ({"on": "nothing"}, "nothing"),
    ],
)
def test_mistakes_are_named_at_compile(options, words):
    spec = random_spec(np.random.default_rng(0), 2)
    spec.add_sensor("thing", "imu", **{"on": "b0"} | options)
    with pytest.raises(ModelError) as caught:
        spec.compile()
    assert words in str(caught.value)


def test_limits_and_distances():
    """A carriage on its end stop: the stop carries its weight, and a ball on it stays away from the wall."""
    spec = td.ModelSpec("lift")
    spec.add_body("car", 4.0, type="box", size=(0.4, 0.4, 0.4))
    spec.add_joint("rail", "prismatic", None, "car", axis=(0, 0, 1), lower=0.0, upper=2.0)
    spec.add_shape("ball", "car", "sphere", (0.1,), role="collision")
    spec.add_shape("wall", None, "box", (0.2, 4.0, 4.0), role="collision", position=(1.1, 0, 0))
    spec.add_sensor("stop", "joint_limit_force", "rail")
    spec.add_sensor("acceleration", "accelerometer", "car")
    spec.add_sensor("gap", "distance", "car", to="wall")
    spec.add_sensor("near", "distance", "ball", to="world", most=0.5)
    sim = td.Simulation(spec.compile(), contact=False)
    sim.step(5)
    assert sim.sensor("stop").value == pytest.approx(4.0 * 9.81, rel=1e-9)
    assert sim.sensor("gap").value == pytest.approx(0.9, abs=1e-12)
    assert sim.sensor("near").value == 0.5
    sim.q = [1.0]
    assert sim.sensor("stop").value == 0.0
    # a state that is set at a stop, and one that is reached while shapes touch
    for options in ({"contact": False}, {"contact": True}):
        sim = td.Simulation(spec.compile(), **options)
        assert sim.sensor("stop").value == pytest.approx(4.0 * 9.81, rel=1e-9)
        sim.q = [0.002]
        sim.step(200)
        assert sim.sensor("stop").value == pytest.approx(4.0 * 9.81, rel=1e-9)
        assert sim.sensor("acceleration").value == pytest.approx([0, 0, 9.81], abs=1e-9)
    with pytest.raises(td.ModelError, match="such a shape or the world"):
        spec.add_sensor("wrong", "distance", "ball", to="nothing")
        td.Simulation(spec.compile())


def test_zones_feel_what_is_in_them():
    """A beam on two feet, with a weight nearer to one: each zone shows the share of its foot."""
    spec = td.ModelSpec("beam")
    spec.add_material("hard", stiffness=1e6, damping=2e3, friction=0.5)
    spec.add_shape("ground", None, "plane", role="collision", material="hard")
    spec.add_body("beam", 4.0, center=(0.1, 0, 0), inertia=(0.1, 0.4, 0.4))
    spec.add_joint("base", "planar", None, "beam", position=(0, 0, 0.05), rotation=td.rpy(np.pi / 2, 0, 0))
    for name, x in (("left", -0.5), ("right", 0.5)):
        spec.add_shape(name, "beam", "sphere", (0.05,), role="collision", position=(x, 0, 0), material="hard")
        spec.add_sensor(name, "touch", "beam", zone="box", size=(0.2, 0.2, 0.2), position=(x, 0, 0))
    spec.add_sensor("whole", "touch", "beam", zone="sphere", size=(2.0,))
    spec.add_sensor(
        "under", "touch", None, zone="cylinder", size=(0.3, 0.1), position=(0.5, 0, 0), rate=300.0
    )
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3)
    sim.step(2000)
    assert sim.sensor("left").value == pytest.approx(4.0 * 9.81 * 0.4, rel=1e-5)
    assert sim.sensor("right").value == pytest.approx(4.0 * 9.81 * 0.6, rel=1e-5)
    assert sim.sensor("whole").value == pytest.approx(4.0 * 9.81, rel=1e-6)
    assert sim.sensor("under").value == pytest.approx(sim.sensor("right").value, rel=1e-6)
    worlds = td.Batch(model, 3, dt=1e-3, threads=2)
    worlds.step(2000)
    for name in ("left", "right", "whole", "under"):
        assert (worlds.sensor(name).value == sim.sensor(name).value).all(), name


def test_projection_is_that_of_the_lens():
    spec = td.ModelSpec("eye")
    spec.add_body("head", 1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("pan", "revolute", None, "head", axis=(0, 0, 1), position=(0.1, 0.2, 0.3))
    spec.add_frame("lens", "head", position=(0.1, 0, 0), rotation=td.rpy(0.1, 0.2, 0))
    lens = Intrinsics.from_angle(64, 48, 1.2)
    given = {"camera": "lens", "focal": (lens.fx, lens.fy), "center": (lens.cx, lens.cy)}
    spec.add_sensor("mark", "projection", None, position=(3.0, 0.5, 0.4), **given)
    spec.add_sensor("seen", "position", None, position=(3.0, 0.5, 0.4), reference="lens")
    sim = td.Simulation(spec.compile())
    for angle in (-0.3, 0.0, 0.4):
        sim.q = [angle]
        expected = lens.project(sim.sensor("seen").value)
        assert sim.sensor("mark").value == pytest.approx(expected, abs=1e-11)


def test_a_link_goes_before_a_fixed_joint_of_its_name():
    spec = td.ModelSpec("names")
    for name in ("box", "lid"):
        spec.add_body(name, 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_joint("hinge", "revolute", None, "box", axis=(0, 1, 0))
    spec.add_joint("box", "fixed", "box", "lid", position=(0, 0, 0.5))
    spec.add_sensor("on link", "position", "box")
    spec.add_sensor("cut", "force", "box")
    sim = td.Simulation(spec.compile(), dt=1e-3)
    assert sim.sensor("on link").value.tolist() == [0.0, 0.0, 0.0]
    # what a joint holds: the lid alone
    assert sim.sensor("cut").value == pytest.approx([0.0, 0.0, 9.81])
    spec.add_sensor("bad", "encoder", "weld")
    spec.joint("box").name = "weld"
    with pytest.raises(td.ModelError, match="which 'weld' is not"):
        td.Simulation(spec.compile())
