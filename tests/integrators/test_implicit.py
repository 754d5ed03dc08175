"""What implicit methods promise: stability for stiff forces, and the damping that their knob sets."""

import numpy as np
import pytest

import treadle as td

STIFF = ["implicit_euler", "linear_implicit_euler", "implicit_midpoint", "generalized_alpha", "variational"]


def oscillator(omega: float, damping: float = 0.0) -> td.Model:
    spec = td.ModelSpec("oscillator", gravity=(0, 0, 0))
    spec.add_body("cart", 1.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "cart", axis=(1, 0, 0), stiffness=omega**2, damping=damping)
    return spec.compile()


def amplitude(sim: td.Simulation, omega: float) -> float:
    return float(np.hypot(sim.q[0], sim.v[0] / omega))


@pytest.mark.parametrize("integrator", STIFF)
def test_no_spring_is_too_stiff(integrator):
    """A hundred radians per step: explicit methods explode at two."""
    omega, dt = 1e4, 1e-2
    sim = td.Simulation(oscillator(omega), dt=dt, integrator=integrator, q=[1.0])
    sim.step(100)
    assert amplitude(sim, omega) < 1.0 + 1e-9


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "midpoint", "explicit_euler"])
def test_explicit_methods_explode_there_and_say_so(integrator):
    sim = td.Simulation(oscillator(1e4), dt=1e-2, integrator=integrator, q=[1.0])
    with pytest.raises(td.SimulationDiverged, match="joint 'rail' would move at"):
        sim.step(100)


@pytest.mark.parametrize(("integrator", "kept"), [("implicit_midpoint", True), ("implicit_euler", False)])
def test_the_midpoint_keeps_vibration_and_euler_damps_it(integrator, kept):
    omega, dt = 20.0, 1e-2
    sim = td.Simulation(oscillator(omega), dt=dt, integrator=integrator, q=[1.0])
    sim.step(1000)
    expected = 1.0 if kept else (1.0 + (dt * omega) ** 2) ** (-0.5 * 1000)
    assert amplitude(sim, omega) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_the_spectral_radius_is_what_is_left_of_an_unresolved_vibration(radius):
    """At a very large h omega every step leaves `radius` of the amplitude."""
    omega, dt = 1e3, 1.0
    sim = td.Simulation(oscillator(omega), dt=dt, integrator="generalized_alpha", spectral_radius=radius)
    sim.q[0] = 1.0
    sim.step(20)
    before = abs(sim.q[0])
    sim.step(10)
    if radius == 0.0:
        assert before < 1e-6
    else:
        assert (abs(sim.q[0]) / before) ** 0.1 == pytest.approx(radius, abs=0.08)


def test_the_spectral_radius_is_checked():
    with pytest.raises(td.InputError, match="spectral_radius must be a number from 0 to 1, not 2"):
        td.Simulation(oscillator(1.0), integrator="generalized_alpha", spectral_radius=2)
    with pytest.raises(td.InputError, match="'rk4' has no option 'tolerance'; it has none"):
        td.Simulation(oscillator(1.0), integrator="rk4", tolerance=1e-3)
    with pytest.raises(td.InputError, match="did you mean 'tolerance'"):
        td.Simulation(oscillator(1.0), integrator="dopri5", tolerence=1e-3)


@pytest.mark.parametrize(
    "integrator", ["implicit_euler", "implicit_midpoint", "generalized_alpha", "variational"]
)
def test_the_effort_is_counted(integrator):
    sim = td.Simulation(td.scene("pendulum"), dt=1e-3, integrator=integrator)
    sim.q[:] = 0.5
    sim.step(100)
    rounds, left = sim.effort
    assert 100 < rounds < 1000
    assert left < 1e-10
