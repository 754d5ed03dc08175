"""Energy, momentum and solver effort of runs for which they are known."""

import numpy as np
import pytest

import treadle as td
from tests.native.walkers import LEG, walker
from treadle.integrators import INTEGRATORS

FIXED = [name for name, method in INTEGRATORS.items() if not method.adaptive]


@pytest.mark.parametrize("integrator", FIXED)
def test_the_drift_of_a_conservative_machine_is_of_the_order_of_the_method(integrator):
    order = INTEGRATORS[integrator].order
    drifts = []
    for steps in (200, 400) if order < 4 else (40, 80):
        sim = td.Simulation(td.scene("pendulum"), dt=0.5 / steps, integrator=integrator, q=[1.2, 0.4])
        sim.step(steps)
        quality = sim.quality()
        assert "work" not in quality
        drifts.append(abs(quality["energy drift"]))
    assert np.log2(drifts[0] / drifts[1]) > order - 0.3


def test_a_pendulum_that_stands_still_for_a_moment_is_not_poor():
    """At its turning point there is no kinetic energy to judge the drift by."""
    spec = td.ModelSpec()
    spec.add_body("rod", 1.0, center=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("pin", "revolute", None, "rod", axis=(0, 1, 0))
    sim = td.Simulation(spec.compile(), dt=1e-4, q=[1.0])
    sim.step(1000)
    while sim.v[0] < 0.0:
        sim.step()
    assert td.kinetic_energy(sim.model, sim.q, sim.v) < 1e-6
    assert sim.quality().measure("energy drift").rating == "good"


def test_a_machine_at_rest_is_good():
    sim = td.Simulation(td.scene("pendulum"))
    sim.step(200)
    quality = sim.quality(thorough=True)
    assert quality.rating == "good"
    assert quality["energy drift"] == 0.0


@pytest.mark.parametrize("bodies", [0, 1])
def test_machines_without_joints(bodies):
    spec = td.ModelSpec("post")
    for k in range(bodies):
        spec.add_body(f"post{k}", 1.0, inertia=(1, 1, 1))
        spec.add_joint(f"weld{k}", "fixed", None, f"post{k}")
    sim = td.Simulation(spec.compile())
    sim.step(200)
    assert sim.quality(keep=1e-3).rating == "good"


def test_momentum_of_a_machine_that_falls_and_is_pushed():
    sim = td.Simulation(walker([LEG] * 4), dt=1e-3, integrator="rk4")
    sim.v[:] = np.linspace(-1.0, 1.0, sim.model.nv)
    sim.tau[6:] = 0.3
    sim.step(100)
    # loads and forces may come and go
    sim.apply_force(sim.model.links[-1].name, (3.0, -2.0, 1.0), (0.1, 0.0, 0.2), (0.05, 0.0, 0.0))
    sim.tau[:6] = (0.1, -0.2, 0.3, 1.0, 2.0, -1.0)
    sim.step(100)
    sim.clear_forces()
    sim.tau[:] = 0.0
    sim.step(100)
    quality = sim.quality()
    moved = np.linalg.norm(td.momentum(sim.model, sim.q, sim.v))
    assert quality["linear momentum drift"] < 1e-6 * moved
    assert quality["angular momentum drift"] < 1e-6 * moved
    assert quality.measure("linear momentum drift").rating == "good"


def test_momentum_is_left_out_where_the_world_holds_on():
    sim = td.Simulation(td.scene("arm"))
    sim.step(10)
    assert "linear momentum drift" not in sim.quality()


@pytest.mark.parametrize(
    ("integrator", "rounds"), [("implicit_midpoint", (1.0, 10.0)), ("dopri5", (1.0, 5.0))]
)
def test_the_solver_reports_its_effort(integrator, rounds):
    sim = td.Simulation(td.scene("pendulum"), dt=5e-3, integrator=integrator, q=[1.0, 0.2])
    sim.step(100)
    quality = sim.quality()
    assert rounds[0] <= quality["solver rounds"] <= rounds[1]
    assert quality.measure("solver residual").rating == "good"
    sim.q = [0.2, 0.1]
    sim.step(100)
    # counted since the state was set
    assert sim.quality()["solver rounds"] <= rounds[1]


def test_explicit_methods_have_no_solver():
    sim = td.Simulation(td.scene("pendulum"))
    sim.step(10)
    assert "solver rounds" not in sim.quality()


def test_a_solver_that_fails_is_poor():
    """A chain that is tossed about in steps too long for Newton's method."""
    sim = td.Simulation(
        td.scene("chain", links=8),
        dt=0.05,
        integrator="implicit_midpoint",
        q=np.full(8, 1.5),
        v=np.full(8, 9.0),
    )
    sim.step(100)
    quality = sim.quality()
    assert quality["solver residual"] > 1e-4
    assert quality.rating == "poor"
    assert "Newton's method" in quality.verdict


def test_loops_are_measured_where_there_are_some():
    """A square of four bars that folds; the loop stays closed to rounding, and so does the balance."""
    spec = td.ModelSpec("four-bar")
    for name in ("left", "right", "top"):
        spec.add_body(
            name, 1.0, center=(0, 0, 0.5) if name != "top" else (0.5, 0, 0), inertia=(0.1, 0.1, 0.1)
        )
    pin = {"axis": (0.0, 1.0, 0.0)}
    spec.add_joint("a", "revolute", None, "left", damping=0.1, **pin)
    spec.add_joint("b", "revolute", None, "right", position=(1, 0, 0), **pin)
    spec.add_joint("c", "revolute", "left", "top", position=(0, 0, 1), **pin)
    spec.add_joint("d", "revolute", "right", "top", position=(0, 0, 1), child_position=(1, 0, 0), **pin)
    sim = td.Simulation(spec.compile(), dt=1e-3, v=[1.0, 1.0, -1.0])
    sim.run(1.0)
    quality = sim.quality(thorough=True)
    assert quality["work"] < 0.0
    assert quality.measure("loop residual").rating == "good"
    assert quality.measure("energy drift").rating == "good"
    assert "loop residual" not in td.Simulation(td.scene("pendulum")).quality()
