"""Inertial sensors against derivatives of poses and velocities by complex steps."""

import numpy as np
import pytest
from hypothesis import given, settings

import treadle as td
from tests.machines import random_rotation, random_spec, random_state, specs
from tests.numeric import complex_step, position_rate
from treadle.dynamics.kinematics import body_velocities, frame_placements, world_transforms
from treadle.scenes.rovers.differential_drive import RADIUS, TRACK, differential_drive

TOLERANCE = 1e-10


def pose(model, body, placement, q):
    """Rotation row by row, then the position, of a frame on a body."""
    X = world_transforms(model, q)[body] @ placement
    return X.to_list()


def velocity_in_world(model, body, placement, q, v):
    """Of the origin of a frame on a body."""
    motion = placement.motion_to_child(body_velocities(model, q, v)[body])
    X = world_transforms(model, q)[body] @ placement
    return list(X.rotation.apply(motion.linear))


def expected(model, sensor, q, v, a):
    """What the sensor shows: rates of its rotation, and of the velocity of its point, less gravity."""
    rate = position_rate(model, q, v)
    placed = lambda x: pose(model, sensor.body, sensor.placement, x)  # noqa: E731
    R = np.array(placed(q)[:9], dtype=float).reshape(3, 3)
    turn = R.T @ complex_step(placed, [q], [rate])[:9].reshape(3, 3)
    moved = lambda x, y: velocity_in_world(model, sensor.body, sensor.placement, x, y)  # noqa: E731
    acceleration = complex_step(moved, [q, v], [rate, a]) - np.array(model.gravity)
    return np.array([turn[2, 1], turn[0, 2], turn[1, 0], *(R.T @ acceleration)])


@settings(max_examples=12, deadline=None)
@given(specs(largest=5))
def test_random_machines(drawn):
    spec, rng = drawn
    moving = [f"b{k}" for k in range(len(spec.bodies))]
    for k, name in enumerate(moving):
        options = {"position": rng.uniform(-1, 1, 3), "rotation": random_rotation(rng)}
        spec.add_sensor(f"imu{k}", "imu", name, **options)
    model = spec.compile()
    sim = td.Simulation(model, contact=False)
    q, v, tau = random_state(model, rng)
    sim.q, sim.v, sim.tau = q, v, tau
    a = td.forward_dynamics(model, q, v, tau)
    for sensor in model.sensors:
        if sensor.body < 0:
            continue
        shown, wanted = sim.sensor(sensor.name).value, expected(model, sensor, q, v, a)
        assert np.abs(shown - wanted).max() <= TOLERANCE * max(1.0, np.abs(wanted).max())


def test_at_rest():
    """A sensor that is fixed to the world shows g upward and no rate."""
    spec = random_spec(np.random.default_rng(1), 3)
    spec.gravity = (0.0, 0.0, -9.81)
    R = np.array(td.rpy(0.3, -0.2, 1.0))
    spec.add_sensor("imu", "imu", None, rotation=R)
    value = td.Simulation(spec.compile(), contact=False).sensor("imu").value
    assert np.allclose(value, [0, 0, 0, *(R.T @ [0, 0, 9.81])], atol=1e-14)


def test_free_fall():
    spec = td.ModelSpec("stone")
    spec.add_body("stone", 2.0, type="box", size=(0.1, 0.2, 0.3))
    spec.add_joint("free", "free", None, "stone")
    spec.add_sensor("imu", "imu", "stone")
    sim = td.Simulation(spec.compile())
    sim.step(10)
    assert np.abs(sim.sensor("imu").value).max() < 1e-14


@pytest.mark.parametrize("steps", [100])
def test_integrates_back_to_the_pose(steps):
    """Strapdown integration of the exact readings follows the motion at the order of its quadrature."""
    errors = []
    for refined in (1, 2):
        rng = np.random.default_rng(5)
        spec = random_spec(rng, 4, root="free")
        spec.add_sensor("imu", "imu", "tip")
        dt = 2e-3 / refined
        sim = td.Simulation(spec.compile(), dt=dt, integrator="rk4", contact=False)
        q, v, _ = random_state(sim.model, rng)
        sim.q, sim.v = q, np.array(v)
        errors.append(_strapdown_error(sim, steps * refined, dt))
    assert errors[0] < 1e-3
    # second order: half the step, a quarter of the error
    assert errors[1] < 0.3 * errors[0]


def _strapdown_error(sim, steps, dt):
    model = sim.model
    number = [frame.name for frame in model.frames].index("tip")
    frame = model.frames[number]

    def placed():
        X = frame_placements(model, sim.q.tolist())[number]
        return np.array(X.rotation.to_rows()), np.array(list(X.translation))

    R, p = placed()
    u = np.array(velocity_in_world(model, frame.body, frame.placement, sim.q.tolist(), sim.v.tolist()))
    before = sim.sensor("imu").value
    for _ in range(steps):
        sim.step()
        now = sim.sensor("imu").value
        rate = 0.5 * (before[:3] + now[:3])
        R_next = R @ _exponential(rate * dt)
        start = R @ before[3:] + np.array(model.gravity)
        end = R_next @ now[3:] + np.array(model.gravity)
        p = p + dt * u + dt**2 * (start / 3.0 + end / 6.0)
        u = u + 0.5 * dt * (start + end)
        R, before = R_next, now
    rotation, position = placed()
    return max(np.abs(R - rotation).max(), np.abs(p - position).max())


def _exponential(w):
    angle = np.linalg.norm(w)
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    if angle < 1e-12:
        return np.eye(3) + K
    return np.eye(3) + np.sin(angle) / angle * K + (1 - np.cos(angle)) / angle**2 * K @ K


def test_on_wheels():
    """In a steady turn the accelerometer shows the centripetal acceleration, at any step."""
    for dt in (0.01, 0.002):
        spec = differential_drive()
        spec.add_sensor("imu", "imu", "body")
        spec.add_sensor("base", "force_torque", "base")
        sim = td.Simulation(spec.compile(), dt=dt)
        for side, sign in (("left", -1.0), ("right", 1.0)):
            sim.actuator(side).command = 1.5 / RADIUS * (1.0 + sign * 0.5 * TRACK * 0.15)
        sim.run(4.0)
        wz, ay = sim.sensor("imu").value[[2, 4]]
        speed = np.linalg.norm(np.array(sim.body("body").velocity)[3:])
        assert 0.2 < wz < 0.25
        assert ay == pytest.approx(speed * wz, rel=0.02)
        # nothing but the ground carries it: no force goes through its free joint
        assert np.abs(sim.sensor("base").value).max() < 1e-6
