"""Looking ahead: paths of candidates are those that a simulation takes, and flags tell what went wrong."""

import numpy as np
import pytest

import treadle as td
from tests.wheels.carts import RADIUS, cart

STIFF = {"stiffness": 2e4, "damping": 2e3, "grip": 5e3, "side_grip": 5e3}


@pytest.fixture(scope="module")
def model():
    return cart(parameters=STIFF, effort=20.0)


def test_paths_are_those_of_simulations(model):
    speeds = np.array([[1.0, 1.0, 1.0, 1.0], [0.5, 1.5, 0.5, 1.5]]) / RADIUS
    ground = td.Plane(rise=(0.05, 0.0))
    ahead = td.predict(model, speeds, seconds=1.0, dt=0.01, terrain=ground, samples=10, threads=1)
    assert ahead.path.shape == (2, 10, 3) and ahead.times[-1] == pytest.approx(1.0)
    for candidate in range(2):
        sim = td.Simulation(model, dt=0.01, terrain=ground)
        for actuator, speed in zip(model.actuators, speeds[candidate], strict=True):
            sim.actuator(actuator.name).command = speed
        for sample in range(10):
            sim.step(10)
            np.testing.assert_allclose(ahead.path[candidate, sample], sim.q[4:7], atol=1e-8)
        slips = [sim.wheel(wheel.name).slip for wheel in model.wheels]
        np.testing.assert_allclose(ahead.slip[candidate, -1], slips, atol=1e-6)
    assert not ahead.rolled_over.any()
    end = ahead.path[1, -1]
    assert ahead.distance_to(end[:2])[1] < 1e-12 < ahead.distance_to(end[:2])[0]


def test_commands_may_change_on_the_way(model):
    forth = np.full((1, 4), 1.0 / RADIUS)
    commands = np.stack([forth, 0.0 * forth], axis=1)
    ahead = td.predict(model, commands, seconds=2.0, dt=0.01, samples=4, threads=1)
    way = ahead.path[0, :, 0]
    assert way[1] > 0.5 and abs(way[3] - way[2]) < 0.05


def test_weak_motors_and_falls_are_flagged(model):
    steep = td.Plane(rise=(0.6, 0.0), friction=2.0)
    fast = np.full((1, 4), 4.0 / RADIUS)
    assert td.predict(model, fast, seconds=0.5, dt=0.01, terrain=steep, threads=1).saturated.any()
    strong = cart(parameters=STIFF)
    assert not td.predict(strong, fast, seconds=0.5, dt=0.01, terrain=steep, threads=1).saturated.any()
    tipped = td.predict(model, fast, seconds=1.0, dt=0.01, v=[14.0, *[0.0] * 9], threads=1)
    assert tipped.rolled_over.all()


def test_mistakes(model):
    with pytest.raises(td.InputError, match=r"\(candidates, 4\)"):
        td.predict(model, [[1.0, 2.0]], seconds=1.0)
    with pytest.raises(td.InputError, match="at least one step"):
        td.predict(model, [[0.0] * 4], seconds=0.0, dt=0.01)
    with pytest.raises(td.InputError, match="floats on wheels"):
        td.predict(td.scene("pendulum"), [[0.0]], seconds=1.0)
