"""The energy of a machine changes by the work of its forces alone, whatever holds it."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import treadle as td
from tests.loops import loop_machines, with_bounds
from tests.wheels.carts import cart


def lever(**options) -> td.Model:
    """A horizontal rod with 1 kg at 1 m: gravity turns it with 9.81 N m."""
    spec = td.ModelSpec("lever")
    spec.add_body("rod", 1.0, center=(1, 0, 0), inertia=(0.01, 0.01, 0.01))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0, 1, 0), **options)
    return spec.compile()


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4"])
@pytest.mark.parametrize("held", [{"friction": 10.0}, {"lower": -1.0, "upper": 0.0}])
def test_what_is_held_at_rest_has_no_work_done_on_it(held, integrator):
    sim = td.Simulation(lever(**held), dt=1e-2, integrator=integrator)
    sim.run(10.0)
    quality = sim.quality()
    # methods that know the stop between steps only swing about it by h^2 g
    swing = 1e-15 if integrator == "symplectic_euler" or "friction" in held else 1e-7
    assert abs(quality["energy drift"]) < swing


def test_a_lever_that_falls_onto_its_stop_leaves_its_energy_there():
    sim = td.Simulation(lever(lower=-1.0, upper=0.5, damping=0.5), dt=1e-3, integrator="rk4")
    sim.run(3.0)
    quality = sim.quality()
    assert sim.q[0] == pytest.approx(0.5, abs=1e-4)
    assert quality["work"] == pytest.approx(-9.81 * np.sin(0.5), abs=1e-3)
    assert abs(quality["energy drift"]) < 1e-7


@given(loop_machines())
@settings(max_examples=3, phases=(Phase.explicit, Phase.generate))
def test_the_balance_of_random_closed_machines_closes(machine):
    """With loops, stops and friction: what a first-order method leaves goes down with its step."""
    model, q, rng = machine
    model = with_bounds(model, q, rng)
    v = td.assemble(model, q, rng.uniform(-1.0, 1.0, model.nv)).v
    drifts = []
    for integrator, dt in (("symplectic_euler", 4e-4), ("symplectic_euler", 1e-4), ("rk4", 4e-4)):
        sim = td.Simulation(model, dt, integrator, q, v)
        scale = 1.0 + abs(sim.quality()["energy"])
        sim.run(0.2)
        drifts.append(abs(sim.quality()["energy drift"]) / scale)
    coarse, fine, accurate = drifts
    assert coarse < 0.01
    assert fine < 0.35 * coarse + 1e-8
    assert accurate < 1e-8


def test_forces_of_the_ground_do_work_as_they_were_added():
    """A cart drops onto its wheels and bounces: they take out what they were at the start of steps."""
    soft = {"stiffness": 1e4, "damping": 200.0, "grip": 500.0, "side_grip": 500.0}
    sim = td.Simulation(cart(parameters=soft, speed=1.0), dt=1e-3, rolling="direct")
    sim.q[6] += 0.1
    sim.run(0.5)
    quality = sim.quality()
    assert quality["work"] < -5.0
    assert abs(quality["energy drift"]) < 1e-3 * abs(quality["work"])
