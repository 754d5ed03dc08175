"""Pictures and scans are made when somebody reads them, from the sample that is shown."""

from __future__ import annotations

import numpy as np
import pytest

import treadle as td
from treadle.sensors.rays.sensor import RaySensor

#: Its x axis along the rod.
_DOWN = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))


def _pendulum(**sensor) -> td.Model:
    spec = td.ModelSpec("pendulum")
    spec.add_body("rod", 1.0, center=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pivot", "revolute", None, "rod", position=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0))
    spec.add_shape("floor", None, "plane")
    spec.add_sensor("eye", "range_finder", "rod", rotation=_DOWN, **sensor)
    return spec.compile()


def _swing(model: td.Model) -> td.Simulation:
    sim = td.Simulation(model, dt=1e-3)
    sim.joint("pivot").position = 0.8
    return sim


@pytest.fixture
def counted(monkeypatch):
    """How often rays were cast for samples."""
    from treadle.sensors.ranging.sensors import RangeFinder

    calls, process = [], RangeFinder.process

    def counting(self: RaySensor, numbers, capture):
        calls.append(capture.time.copy())
        return process(self, numbers, capture)

    monkeypatch.setattr(RangeFinder, "process", counting)
    return calls


@pytest.mark.parametrize("options", [{}, {"rate": 100.0}, {"rate": 37.0, "delay": 0.1}])
def test_nothing_is_cast_until_it_is_read(counted, options):
    sim = _swing(_pendulum(**options))
    sim.step(300)
    assert not counted
    first = sim.sensor("eye").value
    assert len(counted) == 1
    if options:
        # the sample stays until the next one
        assert sim.sensor("eye").value == first
        assert len(counted) == 1


def test_a_late_reading_shows_the_sample():
    """Height over the floor along the rod at the instant of the sample: z / cos of the angle."""
    model = _pendulum(rate=50.0, delay=0.03)
    sim, angles = _swing(model), {}
    for k in range(200):
        angles[k] = float(sim.joint("pivot").position)
        sim.step()
    sample = round(float(np.ravel(sim.sensor("eye").time)[0]) / 1e-3)
    assert sample == 160
    assert float(np.ravel(sim.sensor("eye").value)[0]) == pytest.approx(
        2.0 / np.cos(angles[sample]), abs=1e-9
    )


def test_a_restored_state_shows_the_same():
    sim = _swing(_pendulum(rate=50.0, delay=0.05))
    sim.step(155)
    state, shown = sim.save(), np.array(sim.sensor("eye").value)
    sim.step(100)
    sim.restore(state)
    np.testing.assert_array_equal(sim.sensor("eye").value, shown)


def test_sensors_that_see_the_same_share_one_scene():
    spec = td.ModelSpec("two")
    spec.add_body("ball", 1.0, type="sphere", size=(0.1,))
    spec.add_joint("ball", "free", None, "ball")
    for name in ("left", "right"):
        spec.add_sensor(name, "range_finder", "ball")
    sim = td.Simulation(spec.compile(), dt=1e-3)
    readings = sim.sampling.bank.readings
    assert readings["left"].kind.scene is readings["right"].kind.scene
