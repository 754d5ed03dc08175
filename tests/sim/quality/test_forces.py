"""Where a force limits the step."""

import numpy as np
import pytest

import treadle as td


def ball(element: float, **options) -> td.ModelSpec:
    """A ball of 2 kg on a rail, on a spring that is a force element or that of its joint."""
    spec = td.ModelSpec("ball", gravity=(0, 0, 0))
    spec.add_body("ball", 2.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "ball", **options)
    if element:
        spec.add_spring("spring", None, "ball", (0, 0, -1), stiffness=element)
    return spec


def limited(spec: td.ModelSpec, integrator: str, dt: float = 1e-2):
    sim = td.Simulation(spec.compile(), dt=dt, integrator=integrator, q=[1e-3])
    sim.step(10)
    return sim.quality()


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint"])
def test_the_phase_per_step_of_an_element(integrator):
    # w = 150 rad/s: stiff for 10 ms, so that the default integrator takes it implicitly
    found = limited(ball(2.0 * 150.0**2), integrator)
    if integrator == "rk4":
        measure = found.measure("force step")
        assert measure.value == pytest.approx(1.5)
        assert measure.rating == "fair"
        assert "'spring'" in measure.meaning and "implicit_midpoint" in measure.advice
    else:
        assert "force step" not in found


def test_a_joint_spring_limits_the_default_integrator():
    found = limited(ball(0.0, stiffness=2.0 * 190.0**2), "symplectic_euler").measure("force step")
    assert (found.value, found.rating) == (pytest.approx(1.9), "poor")
    assert "joint 'rail'" in found.reason


def test_servos_and_tendons_limit_explicit_methods_alone():
    spec = ball(0.0)
    spec.add_actuator("servo", "position", "rail", stiffness=2.0 * 50.0**2)
    spec.add_tendon("cable", stiffness=2.0 * 80.0**2, length=1.0).through(None, (0, 0, -1)).through("ball")
    assert "force step" not in limited(spec, "symplectic_euler")
    assert limited(spec, "rk4")["force step"] == pytest.approx(0.8)


def test_machines_without_springs_have_no_such_measure():
    sim = td.Simulation(td.scene("pendulum"))
    sim.step(5)
    assert "force step" not in sim.quality()
    assert np.isfinite(sim.q).all()


@pytest.mark.parametrize("stiff", [False, True])
def test_a_law_limits_the_default_integrator_unless_it_is_said_to_be_stiff(stiff):
    gain = td.Input(2.0 * 150.0**2)

    @td.force_element("ball", stiff=stiff)
    def hold(ball, t):
        return {"ball": ball.position * -gain.value}

    for law in (hold, lambda q, v, t: {"rail": -300.0 * v["rail"]}):
        sim = td.Simulation(ball(0.0).compile(), dt=1e-2, q=[1e-3], laws=[law])
        sim.step(10)
        found = sim.quality()
        if law is hold and stiff:
            assert "force step" not in found
            continue
        measure = found.measure("force step")
        assert measure.value == pytest.approx(1.5)
        assert f"force law {law.__name__!r}" in measure.reason
