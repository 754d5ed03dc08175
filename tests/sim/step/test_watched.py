"""Steps that look out for events are steps like all others: loops, stops, actuators, loads and accounts."""

from typing import Any

import numpy as np
import pytest

import treadle as td


def nothing(sim: td.Simulation) -> None:
    """An action that cuts the step and changes nothing."""


def both(model: td.Model, function, dt: float = 1e-2, **options) -> tuple[td.Simulation, td.Simulation]:
    """The same run, plain and cut at every crossing."""
    plain = td.Simulation(model, dt, "dopri853", **options)
    cut = td.Simulation(
        model, dt, "dopri853", events=[td.Event(function, name="cut", action=nothing)], **options
    )
    return plain, cut


def rod(**joint) -> td.ModelSpec:
    spec = td.ModelSpec("rod")
    spec.add_body("rod", mass=1.0, center=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))
    spec.add_joint("hinge", "revolute", None, "rod", axis=(0.0, 1.0, 0.0), **joint)
    return spec


def four_bar() -> td.Model:
    """A parallelogram that swings between two hinges."""
    spec = td.ModelSpec("four-bar")
    hinge: dict[str, Any] = {"axis": (0.0, 1.0, 0.0)}
    bar: dict[str, Any] = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    spec.add_body("left", center=(0.0, 0.0, -0.5), **bar)
    spec.add_body("coupler", center=(0.5, 0.0, 0.0), **bar)
    spec.add_body("right", center=(0.0, 0.0, -0.5), **bar)
    spec.add_joint("a", "revolute", None, "left", **hinge)
    spec.add_joint("b", "revolute", "left", "coupler", position=(0.0, 0.0, -1.0), **hinge)
    spec.add_joint("c", "revolute", None, "right", position=(1.0, 0.0, 0.0), **hinge)
    spec.add_joint(
        "d",
        "revolute",
        "coupler",
        "right",
        position=(1.0, 0.0, 0.0),
        child_position=(0.0, 0.0, -1.0),
        **hinge,
    )
    return spec.compile()


def test_loops_stay_closed():
    plain, cut = both(four_bar(), lambda q, v, t: q["a"], q=[1.0, -1.0, 1.0])
    for sim in (plain, cut):
        sim.run(3.0)
        assert sim.q[0] == pytest.approx(sim.q[2], abs=1e-9)
    assert len(cut.events.log) >= 3
    np.testing.assert_allclose(cut.q, plain.q, rtol=0.0, atol=1e-7)


def test_stops_hold():
    model = rod(lower=-0.3, upper=2.0).compile()
    plain, cut = both(model, lambda q, v, t: q["hinge"] + 0.1, dt=1e-3, q=[1.0])
    for _ in range(20):
        plain.step(100)
        cut.step(100)
        assert cut.q[0] > -0.31
        np.testing.assert_allclose(cut.q, plain.q, rtol=0.0, atol=1e-6)
    assert len(cut.events.log) >= 2


def test_actuators_drive():
    spec = rod(damping=0.1)
    spec.add_actuator("servo", "position", "hinge", stiffness=30.0, damping=2.0)
    plain, cut = both(spec.compile(), lambda q, v, t: q["hinge"] - 0.5)
    for sim in (plain, cut):
        sim.actuator("servo").command = 1.0
        sim.run(2.0)
    assert len(cut.events.log) >= 1
    np.testing.assert_allclose(cut.q, plain.q, rtol=0.0, atol=1e-9)


def test_work_is_accounted_for():
    plain, cut = both(rod(damping=0.2).compile(), lambda q, v, t: q["hinge"], q=[2.0])
    for sim in (plain, cut):
        sim.tau[:] = 0.5
        sim.apply_force("rod", (0.3, 0.0, 0.0))
        sim.run(5.0)
    assert len(cut.events.log) >= 3
    assert abs(plain.run_log.work) > 1.0
    assert cut.run_log.work == pytest.approx(plain.run_log.work, rel=1e-9)


def test_the_energy_balance_closes_over_switches():
    """A one-sided spring that does work on the machine, in steps of a tenth of a second."""

    def spring(q, v, t):
        return {"hinge": td.where(td.switch(q["hinge"]), -50.0 * q["hinge"], 0.0)}

    sim = td.Simulation(rod(damping=0.2).compile(), 0.1, "dopri853", q=[-1.0], laws=[spring])
    before = td.potential_energy(sim.model, sim.q)
    sim.run(3.0)
    after = td.potential_energy(sim.model, sim.q) + td.kinetic_energy(sim.model, sim.q, sim.v)
    assert after - before == pytest.approx(sim.run_log.work, abs=1e-7)
    assert abs(sim.run_log.work) > 1.0
