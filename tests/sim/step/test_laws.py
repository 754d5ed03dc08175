"""Contact laws of materials in simulations: rebound, rest, and numbers per mass, at steps of any size."""

import pytest

import treadle as td
from treadle.contact.laws import LAWS

MASS, GRAVITY, SPEED = 2.0, 9.81, 2.0


def ball(gravity=GRAVITY, height=0.0, **material):
    """A ball at a height above the ground."""
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, -gravity))
    spec.add_material("ball", friction=0.0, **material)
    spec.add_shape("ground", None, "plane", role="collision")
    spec.add_body("ball", mass=MASS, inertia=(0.01, 0.01, 0.01))
    spec.add_joint("float", "free", None, "ball", position=(0.0, 0.0, height + 0.1))
    spec.add_shape("ball", "ball", "sphere", (0.1,), role="collision", material="ball")
    return spec.compile()


def rebound(dt, **material):
    """Speed after an impact without gravity over that before it."""
    sim = td.Simulation(ball(0.0, 0.01, **material), dt=dt, v=[0.0, 0.0, 0.0, 0.0, 0.0, -SPEED])
    sim.run(0.048)
    return sim.v[5] / SPEED


@pytest.mark.parametrize("dt", [0.048, 1e-4])
def test_an_elastic_law_keeps_the_energy(dt):
    assert rebound(dt, law="hertz", stiffness=1e8) == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("law", [law for law in LAWS if law not in ("kelvin_voigt", "hertz")])
def test_an_impact_is_the_same_in_one_step_and_in_many(law):
    """The speed at which bodies met is kept while they touch, here for some dozens of steps."""
    once, often = (rebound(dt, law=law, stiffness=1e6, restitution=0.6) for dt in (0.016, 2e-4))
    assert often == pytest.approx(once, abs=1e-6)
    if law == "emden_fowler":
        assert once == pytest.approx(0.6, abs=1e-8)


def test_a_load_rests_where_its_law_carries_it():
    sim = td.Simulation(ball(law="hunt_crossley", stiffness=1e8, restitution=0.2, height=0.05), dt=0.01)
    sim.run(4.0)
    depth = (MASS * GRAVITY / 1e8) ** (2.0 / 3.0)
    assert 0.1 - sim.body("ball").position[2] == pytest.approx(depth, rel=1e-7)


def test_stiffness_and_damping_per_mass():
    sim = td.Simulation(ball(stiffness=2500.0, damping=100.0, per_mass=True), dt=0.01)
    sim.run(3.0)
    assert 0.1 - sim.body("ball").position[2] == pytest.approx(GRAVITY / 2500.0, rel=1e-9)
