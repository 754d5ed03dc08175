"""Sensors of many worlds: the bits of a simulation in every column."""

import numpy as np
import pytest

import treadle as td
from tests.sim.sensing.test_sampling import pendulum

NOISE = {"density": 0.01, "walk": 0.1, "bias_stddev": 0.3}


def filled(model, worlds, **options):
    batch = td.Batch(model, worlds, dt=1e-3, integrator="rk4", **options)
    batch.q[:, 0] = np.linspace(-1.0, 1.0, worlds)
    batch.v[:, 0] = 2.0
    return batch


@pytest.mark.parametrize("rate", [None, 1000.0, 130.0])
def test_first_world_is_a_simulation(rate):
    model = pendulum(rate=rate, noise=NOISE)
    batch = filled(model, 5)
    sim = td.Simulation(model, dt=1e-3, integrator="rk4")
    sim.q, sim.v = batch.q[0], batch.v[0]
    assert np.allclose(batch.sensor("imu").value[0], sim.sensor("imu").value, rtol=0, atol=1e-13)
    batch.step(60)
    sim.step(60)
    assert batch.sensor("imu").value.shape == (5, 6)
    assert np.allclose(batch.sensor("imu").value[0], sim.sensor("imu").value, rtol=0, atol=1e-12)


def test_numbers_do_not_depend_on_worlds_and_threads():
    model = pendulum(rate=130.0, noise=NOISE)
    shown = []
    for worlds, threads in ((9, 1), (9, 3), (33, 2)):
        batch = td.Batch(model, worlds, dt=1e-3, threads=threads)
        batch.v[:, 0] = 2.0
        batch.step(60)
        shown.append(batch.sensor("imu").value[:9])
    assert np.array_equal(shown[0], shown[1])
    assert np.array_equal(shown[0], shown[2])
    # every world has noise of its own
    assert len(np.unique(shown[0][:, 3])) == 9


def test_restore():
    model = pendulum(rate=130.0, delay=0.02, noise=NOISE)
    batch = filled(model, 6)
    batch.step(50)
    state = batch.save()
    batch.step(30)
    expected = batch.sensor("imu").value
    other = filled(model, 6)
    other.restore(state)
    other.step(30)
    assert np.array_equal(other.sensor("imu").value, expected)


def test_steps_of_their_own():
    """Worlds with different steps sample at the same instants."""
    batch = filled(pendulum(rate=100.0), 2)
    batch.q[:, 0] = 1.0
    batch.dt = [1e-3, 0.7e-3]
    batch.step(30)
    assert batch.sensor("imu").time.tolist() == pytest.approx([0.03, 0.02])
    first = filled(pendulum(rate=100.0), 2)
    first.q[:, 0] = 1.0
    first.step(20)
    assert np.allclose(batch.sensor("imu").value[1], first.sensor("imu").value[1], atol=1e-9)


def test_samples_inside_steps_leave_the_motion_alone():
    with_sensor, without = filled(pendulum(rate=777.0), 4), filled(pendulum(), 4)
    with_sensor.step(30)
    without.step(30)
    assert np.array_equal(with_sensor.q, without.q)
