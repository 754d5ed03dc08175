"""The motion as a function of time."""

from math import pi, sqrt

import numpy as np
import pytest

import treadle as td
from tests.integrators.test_error_control import exact_swing
from tests.sim.test_event import ball, height
from treadle.studies.pendulums import G, point_pendulum


@pytest.mark.parametrize(
    ("integrator", "tolerance", "error"),
    [("dopri5", 1e-6, 1e-5), ("dopri853", 1e-9, 1e-8), ("dopri853", 1e-12, 1e-11)],
)
@pytest.mark.parametrize("dt", [0.05, 5.0])
def test_a_swing(integrator, tolerance, error, dt):
    sim = td.Simulation(point_pendulum(1), dt, integrator, q=[pi / 2], tolerance=tolerance)
    motion = td.trajectory(sim, 5.0)
    assert (motion.start, motion.end) == (0.0, pytest.approx(5.0))
    assert sim.time == pytest.approx(5.0)
    times = np.linspace(0.0, motion.end, 1001)
    angles = [motion(time)[0][0] for time in times]
    np.testing.assert_allclose(angles, exact_swing(times), rtol=0.0, atol=error)
    np.testing.assert_allclose(motion(motion.end)[0], sim.q, rtol=0.0, atol=1e-14)


def test_it_is_the_same_run():
    plain, kept = (td.Simulation(point_pendulum(2), 0.5, "dopri5", q=[1.0, 0.5]) for _ in range(2))
    plain.run(5.0)
    motion = td.trajectory(kept, 5.0)
    assert kept.effort == plain.effort
    np.testing.assert_allclose(kept.q, plain.q, rtol=0.0, atol=1e-13)
    assert len(motion.times) <= plain.effort[0] + 1
    assert (np.diff(motion.times) > 0.0).all()
    # and goes on without keeping anything
    kept.run(1.0)
    assert motion.end == pytest.approx(5.0)


def test_bounces():
    def bounce(sim):
        sim.v[:] *= -1.0

    sim = td.Simulation(
        ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, direction=-1, action=bounce)]
    )
    motion = td.trajectory(sim, 3.0)
    flight = sqrt(2.0 / G)
    for time in np.linspace(0.0, 3.0, 301):
        since = (time + flight) % (2.0 * flight)
        assert motion(time)[0][0] == pytest.approx(sqrt(2.0 * G) * since - G * since**2 / 2, abs=1e-9)


def test_a_terminal_event_ends_it():
    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, terminal=True)])
    motion = td.trajectory(sim, 3.0)
    assert motion.end == pytest.approx(sqrt(2.0 / G), abs=1e-12)
    assert motion.end == sim.time


def test_wrong_arguments():
    with pytest.raises(td.InputError, match=r"error control, 'dopri5' or 'dopri853'"):
        td.trajectory(td.Simulation(ball()), 1.0)
    sim = td.Simulation(ball(), 0.1, "dopri5")
    with pytest.raises(td.InputError, match="at least one step"):
        td.trajectory(sim, 0.0)
    motion = td.trajectory(sim, 1.0)
    with pytest.raises(td.InputError, match="goes from 0 to 1 s"):
        motion(1.5)
