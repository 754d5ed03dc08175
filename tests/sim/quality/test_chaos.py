"""Chaos is claimed where neighbouring runs part exponentially, and nowhere else."""

import numpy as np
import pytest

import treadle as td
from treadle.sim.quality import Quality
from treadle.sim.quality.chaos import _mobility, fitted_rate
from treadle.sim.quality.run import Run


def rods(count: int, parts: bool = False) -> td.Model:
    """Rods that hang from each other, or each from a place of its own."""
    spec = td.ModelSpec("rods")
    for i in range(count):
        spec.add_body(f"rod{i}", 1.0, center=(0, 0, -0.5), inertia=(0.09, 0.09, 0.001))
        above = None if parts or i == 0 else f"rod{i - 1}"
        place = (2.0 * i, 0.0, 0.0) if above is None else (0.0, 0.0, -1.0)
        spec.add_joint(f"pin{i}", "revolute", above, f"rod{i}", axis=(0, 1, 0), position=place)
    return spec.compile()


def judged(model: td.Model, q, seconds: float, **options) -> Quality:
    sim = td.Simulation(model, q=q, **options)
    sim.run(seconds)
    return sim.quality(thorough=True)


def test_a_machine_with_one_degree_of_freedom_is_off_and_not_chaotic():
    """Upside down, to 1e-9: which way it falls, and when, no step of this size can tell."""
    quality = judged(rods(1), [np.pi - 1e-9], 60.0, dt=0.02, integrator="rk4")
    assert quality["largest error"] > 1000.0
    assert quality.rating == "poor"
    assert "cannot be trusted to its end" in quality.verdict
    assert "chaotic" not in quality.verdict


def test_a_four_bar_has_one_degree_of_freedom():
    spec = td.ModelSpec("four-bar")
    for name in ("left", "right", "top"):
        middle = (0.5, 0, 0) if name == "top" else (0, 0, 0.5)
        spec.add_body(name, 1.0, center=middle, inertia=(0.1, 0.1, 0.1))
    pin = {"axis": (0.0, 1.0, 0.0)}
    spec.add_joint("a", "revolute", None, "left", **pin)
    spec.add_joint("b", "revolute", None, "right", position=(1.2, 0, 0), **pin)
    spec.add_joint("c", "revolute", "left", "top", position=(0, 0, 1), **pin)
    spec.add_joint("d", "revolute", "right", "top", position=(0, 0, 1.1), child_position=(1, 0, 0), **pin)
    sim = td.Simulation(spec.compile(), dt=5e-3, v=[1.0, 1.0, -1.0])
    sim.run(0.5)
    assert _mobility(Run(sim, True, None)) == 1
    assert Run(sim, True, None).parting_rate is None


@pytest.mark.parametrize("off", [0.0, 1e-6])
def test_what_rounding_takes_is_no_degree_of_freedom(off):
    """A pendulum on the coupler of a four-bar: two, also where one pivot is off its plane by a little."""
    spec = td.ModelSpec("four-bar with a pendulum")
    for name in ("left", "right", "top", "rod"):
        middle = (0.5, 0, 0) if name == "top" else (0, 0, 0.5)
        spec.add_body(name, 1.0, center=middle, inertia=(0.1, 0.1, 0.1))
    pin = {"axis": (0.0, 1.0, 0.0)}
    spec.add_joint("a", "revolute", None, "left", **pin)
    spec.add_joint("b", "revolute", None, "right", position=(1.2, 0, 0), **pin)
    spec.add_joint("c", "revolute", "left", "top", position=(0, off, 1), **pin)
    spec.add_joint("d", "revolute", "right", "top", position=(0, 0, 1.1), child_position=(1, 0, 0), **pin)
    spec.add_joint("e", "revolute", "top", "rod", position=(0.5, 0, 0), **pin)
    sim = td.Simulation(spec.compile(), dt=5e-3)
    sim.run(0.2)
    assert _mobility(Run(sim, True, None)) == 2
    sim.joint("e").lock()
    sim.run(0.2)
    assert _mobility(Run(sim, True, None)) == 1


def test_pendulums_that_do_not_touch_each_other_drift_out_of_phase_but_are_regular():
    """Two degrees of freedom, each with its own energy: distances grow with the time, not exponentially."""
    quality = judged(rods(2, parts=True), [3.14, 2.0], 100.0, dt=0.03, integrator="rk4")
    assert quality["largest error"] > 100.0
    assert "chaotic" not in quality.verdict


def test_a_double_pendulum_over_the_top_is_chaotic():
    quality = judged(rods(2), [2.5, 1.5], 60.0, dt=5e-3, integrator="rk4")
    assert quality.rating == "fair"
    assert "as with any chaotic motion" in quality.verdict
    # Lyapunov exponents of such pendulums are of the order of their frequency
    factor_of_ten = float(quality.verdict.partition("factor of ten every ")[2].split()[0])
    assert 0.3 < factor_of_ten < 5.0


T = np.linspace(0.0, 10.0, 65)


@pytest.mark.parametrize("rate", [1.0, 1.6])
def test_rates_are_found_under_what_comes_and_goes(rate):
    wobble = 1.0 + 0.7 * np.sin(5.0 * T)
    assert fitted_rate(T, 1e-9 * np.exp(rate * T) * wobble) == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0, 3.0])
def test_powers_of_time_are_no_exponentials(power):
    wobble = 1.0 + 0.9 * np.sin(7.0 * T)
    assert fitted_rate(T, 1e-9 * T**power * wobble) is None


def test_a_departure_that_ends_is_no_chaos():
    """Away from a saddle, then in step: exponential for a tenth of the time only."""
    assert fitted_rate(T, 1e-9 * np.exp(np.minimum(9.0 * T, 9.0)) * (1.0 + T)) is None
