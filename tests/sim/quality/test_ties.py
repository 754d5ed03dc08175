"""Momentum is judged where nothing ties a machine to the world, and only there."""

import numpy as np
import pytest

import treadle as td
from treadle.sim.ledger import floats


def bodies(*loops, count=1, gravity=(0.0, 0.0, -9.81), **joint) -> td.Model:
    """Bodies that are free but for these loops: kind, first and second body."""
    spec = td.ModelSpec("bodies", gravity=gravity)
    for i in range(count):
        spec.add_body(f"b{i}", 1.0 + i, center=(0.1, 0.0, 0.2), inertia=(0.05, 0.04, 0.03))
        spec.add_joint(f"j{i}", "free", None, f"b{i}", **joint)
    for kind, first, second in loops:
        spec.add_joint(f"loop {first} {second}", kind, first, second)
    return spec.compile()


def flung(model: td.Model, seconds: float = 2.0, **options) -> td.Simulation:
    speeds = np.tile(np.linspace(-1.0, 2.0, 6), len(model.bodies))
    sim = td.Simulation(model, **({"dt": 2e-3, "integrator": "rk4", "v": speeds} | options))
    sim.run(seconds)
    return sim


@pytest.mark.parametrize("kind", ["ball", "revolute", "universal", "prismatic", "fixed"])
def test_a_body_that_a_loop_ties_to_the_world_is_not_judged_by_its_momentum(kind):
    """As right as a pendulum is, though its momentum is not kept."""
    sim = flung(bodies((kind, None, "b0")))
    quality = sim.quality(thorough=True)
    assert "linear momentum drift" not in quality
    assert "angular momentum drift" not in quality
    assert quality.rating == "good", quality.verdict
    moved = np.linalg.norm(td.momentum(sim.model, sim.q, sim.v) - td.momentum(sim.model, *_start(sim)))
    assert moved > 1e-3 or kind == "fixed"


def test_a_taut_rope_to_the_world_is_a_tie():
    spec = td.ModelSpec("kite")
    spec.add_body("kite", 1.0, inertia=(0.05, 0.04, 0.03))
    spec.add_joint("air", "free", None, "kite")
    spec.add_joint("string", "rope", None, "kite", position=(0.0, 0.0, 0.1), length=0.3)
    sim = flung(spec.compile(), dt=1e-3)
    assert np.linalg.norm(sim.body("kite").position - (0.0, 0.0, 0.1)) < 0.31
    assert "linear momentum drift" not in sim.quality()


def test_a_loop_between_free_bodies_is_no_tie():
    sim = flung(bodies(("ball", "b0", "b1"), count=2))
    for name in ("linear momentum drift", "angular momentum drift"):
        assert sim.quality()[name] < 1e-6
        assert sim.quality().measure(name).rating == "good"


def test_what_acts_through_the_free_joint_without_an_entry_in_the_ledger_is_a_tie():
    assert floats(bodies())
    assert not floats(bodies(friction=0.3))
    assert not floats(bodies(armature=0.1))
    spec = td.ModelSpec("held")
    spec.add_body("b0", 1.0, inertia=(0.05, 0.04, 0.03))
    spec.add_joint("j0", "free", None, "b0")
    spec.add_actuator("spin", "rigid_velocity", "j0", freedom=2)
    assert not floats(spec.compile())


def test_a_rigid_motor_on_a_free_joint_is_a_tie():
    spec = td.ModelSpec("held", gravity=(0.0, 0.0, 0.0))
    spec.add_body("b0", 1.0, inertia=(0.05, 0.04, 0.03))
    spec.add_joint("j0", "free", None, "b0")
    spec.add_actuator("push", "rigid_velocity", "j0", freedom=3)
    sim = td.Simulation(spec.compile(), dt=1e-3)
    sim.actuator("push").command = 1.0
    sim.run(1.0)
    assert sim.v[3] == pytest.approx(1.0)
    assert sim.quality().rating == "good", sim.quality().verdict


def test_a_locked_freedom_of_a_free_joint_is_a_tie():
    sim = td.Simulation(bodies(), dt=1e-3, integrator="rk4")
    sim.joint("j0").lock(5)
    sim.run(1.0)
    assert abs(sim.q[6]) < 1e-9
    quality = sim.quality()
    assert "linear momentum drift" not in quality
    sim.joint("j0").free(5)
    sim.q[6] += 0.1
    sim.run(1.0)
    assert sim.quality().measure("linear momentum drift").rating == "good"


def test_a_momentum_that_is_lost_is_noticed(monkeypatch):
    """A machine that does float, whose ledger is told of a push that did not act."""
    sim = flung(bodies(gravity=(0.0, 0.0, 0.0)))
    assert sim.quality().measure("linear momentum drift").rating == "good"
    sim.run_log.ledger[4:] += 1.0
    assert sim.quality().measure("linear momentum drift").rating == "poor"


def _start(sim: td.Simulation) -> tuple[np.ndarray, np.ndarray]:
    return sim.run_log.start.q, sim.run_log.start.v
