"""Drifts are judged by what the run did at its peak, wherever it ends."""

import numpy as np
import pytest

import treadle as td
from treadle.sim.quality.run import Run
from treadle.sim.run_log import LEAST_PIECE


def rod(dt: float, integrator: str = "symplectic_euler", angle: float = 1.0) -> td.Simulation:
    spec = td.ModelSpec("rod")
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0))
    return td.Simulation(spec.compile(), dt, integrator, q=[angle])


@pytest.mark.parametrize(("dt", "rating"), [(2e-4, "good"), (1e-3, "good"), (1.5e-2, "fair")])
def test_the_rating_of_a_swing_does_not_depend_on_where_it_ends(dt, rating):
    """The ends go over a whole swing and more: top, bottom, and in between, each in one call."""
    scales, ratings = [], []
    for seconds in np.linspace(1.6, 3.6, 21):
        sim = rod(dt)
        sim.run(float(seconds))
        quality = sim.quality()
        scales.append(Run(sim, False, None).energy_scale)
        ratings.append(quality.measure("energy drift").rating)
    fallen = 9.81 * 0.5 * (1.0 - np.cos(1.0))
    assert set(ratings) == {rating}
    assert np.array(scales) == pytest.approx(fallen, rel=0.25)


def test_a_load_that_is_lifted_and_lowered_has_moved_energy():
    """At the end neither height, nor speed, nor work is left."""
    spec = td.ModelSpec("lift")
    spec.add_body("load", 10.0, inertia=(1, 1, 1))
    spec.add_joint("rope", "prismatic", None, "load", axis=(0, 0, 1))

    def winch(t):
        return 2.0 * td.sin(0.5 * np.pi * t) ** 2

    sim = td.Simulation(spec.compile(), dt=1e-3, motions={"rope": winch})
    sim.run(2.0)
    assert abs(sim.q[0]) < 1e-3
    assert Run(sim, False, None).energy_scale == pytest.approx(10.0 * 9.81 * 2.0, rel=0.1)


def test_steered_runs_are_judged_by_what_was_seen_between_calls():
    sim = rod(1e-3)
    for k in range(3000):
        sim.tau[0] = 1e-3 * (k % 2)
        sim.step()
    assert not sim.run_log.repeatable
    assert Run(sim, False, None).energy_scale == pytest.approx(9.81 * 0.5 * (1.0 - np.cos(1.0)), rel=0.25)


def test_the_worst_drift_counts_not_the_last():
    """After a whole swing symplectic Euler has the energy of the start again."""
    sim = rod(0.03)
    sim.run(3.0)
    run = Run(sim, False, None)
    drift = sim.quality().measure("energy drift")
    assert run.worst_drift > 5.0 * abs(run.energy_drift) or abs(run.energy_drift) > drift.limit
    assert drift.rating != "good"


def test_samples_are_spread_over_the_run_and_change_no_bit():
    sim, other = rod(1e-4), rod(1e-4)
    sim.step(40 * LEAST_PIECE)
    for _ in range(40):
        other.step(LEAST_PIECE)
    assert sim.save() == other.save()
    samples = sim.run_log.samples
    assert 16 <= len(samples) <= 32
    angles = [np.frombuffer(sample.q)[0] for sample in samples]
    assert min(angles) < -0.9
    assert max(angles) > 0.9


def test_samples_do_not_outlive_the_run():
    sim = rod(1e-3)
    sim.step(3 * LEAST_PIECE)
    assert sim.run_log.samples
    sim.q[0] = 0.2
    sim.step(10)
    assert sim.run_log.samples == []
