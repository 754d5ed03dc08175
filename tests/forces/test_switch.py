"""Switches: locked over substeps under error control, plain conditions elsewhere."""

from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import treadle as td
from treadle.forces.switch import locked, switch_count, switch_values

G, STIFFNESS = 9.81, 1e5


def ball() -> td.Model:
    spec = td.ModelSpec("ball")
    spec.add_body("ball", mass=1.0)
    spec.add_joint("height", "prismatic", None, "ball", axis=(0.0, 0.0, 1.0))
    return spec.compile()


def floor(condition):
    """A spring that only pushes."""

    def law(q, v, t):
        depth = -q["height"]
        return {"height": td.where(condition(depth), STIFFNESS * depth, 0.0)}

    return law


def exact(time: float) -> float:
    """Height of a ball of 1 kg that fell from 1 m onto the spring: parabolas and pieces of a sine."""
    speed, w = sqrt(2.0 * G), sqrt(STIFFNESS)

    def pressed(t: float) -> float:
        return G / STIFFNESS * (cos(w * t) - 1.0) - speed / w * sin(w * t)

    contact: Any = brentq(pressed, 0.9 * pi / w, 1.5 * pi / w, xtol=1e-16)
    t = (time - speed / G) % (2.0 * speed / G + contact)
    return pressed(t) if t < contact else speed * (t - contact) - G * (t - contact) ** 2 / 2


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("integrator", ["dopri5", "dopri853"])
def test_a_one_sided_spring_reaches_the_tolerance(integrator, tolerance):
    sim = td.Simulation(ball(), 0.1, integrator, q=[1.0], laws=[floor(td.switch)], tolerance=tolerance)
    sim.run(10.0)
    assert abs(sim.q[0] - exact(10.0)) < 10.0 * tolerance


@pytest.mark.parametrize(
    ("integrator", "tolerance", "share"), [("dopri5", 1e-6, 0.6), ("dopri853", 1e-9, 0.25)]
)
def test_a_locked_jump_takes_fewer_substeps(integrator, tolerance, share):
    tried = {}
    for name, condition in (("locked", td.switch), ("open", lambda x: x > 0.0)):
        sim = td.Simulation(ball(), 0.1, integrator, q=[1.0], laws=[floor(condition)], tolerance=tolerance)
        sim.run(10.0)
        tried[name] = sim.effort[0]
    assert tried["locked"] < share * tried["open"]


def test_a_jump_that_is_not_locked_is_an_error_where_the_tolerance_cannot_be_kept():
    open_law = floor(lambda x: x > 0.0)
    sim = td.Simulation(ball(), 0.1, "dopri853", q=[1.0], laws=[open_law], tolerance=1e-12)
    with pytest.raises(
        td.SimulationDiverged, match=r"cannot keep the tolerance 1e-12 at t = .*td\.switch"
    ) as caught:
        sim.run(10.0)
    assert caught.value.element == "joint 'height'"
    state = caught.value.last_good_state
    assert state.time <= caught.value.time <= state.time + sim.dt
    assert sim.save() == state


def test_dry_friction_that_changes_its_direction():
    """A block is thrown up a slope: it slides up, then down, as its weight is more than the friction."""

    def friction(q, v, t):
        return {"height": td.where(td.switch(v["height"]), -2.0, 2.0)}

    sim = td.Simulation(ball(), 1.0, "dopri5", v=[10.0], laws=[friction])
    sim.run(3.0)
    up = 10.0 / (G + 2.0)
    top = 10.0 * up - (G + 2.0) * up**2 / 2
    assert sim.q[0] == pytest.approx(top - (G - 2.0) * (3.0 - up) ** 2 / 2, abs=1e-10)


def test_friction_that_holds_is_an_error_that_says_what_to_do():
    def friction(q, v, t):
        return {"height": G + td.where(td.switch(v["height"]), -2.0, 2.0)}

    sim = td.Simulation(ball(), 1.0, "dopri5", v=[1.0], laws=[friction])
    with pytest.raises(td.TreadleError, match=r"switch 0 of the force laws .* at t = 0\.5 s; .* td\.tanh"):
        sim.run(3.0)


def test_several_switches_that_depend_on_each_other():
    def law(q, v, t):
        below = td.switch(0.5 - q["height"])
        gate = td.where(below, 0.2, 0.8)
        return {"height": td.where(below, 3.0, 1.0) + td.where(td.switch(q["height"] - gate), 0.5, 5.0)}

    reference = td.Simulation(ball(), 1e-6, "rk4", q=[1.0], laws=[law])
    sim = td.Simulation(ball(), 0.3, "dopri853", q=[1.0], laws=[law])
    reference.run(0.6)
    sim.run(0.6)
    assert switch_count(sim.model, [law]) == 2
    assert sim.q[0] == pytest.approx(reference.q[0], abs=1e-5)


def test_results_do_not_depend_on_the_step():
    ends = []
    for dt in (0.01, 0.1, 1.0):
        sim = td.Simulation(ball(), dt, "dopri853", q=[1.0], laws=[floor(td.switch)])
        sim.run(10.0)
        ends.append(sim.q[0])
    np.testing.assert_allclose(ends, ends[0], rtol=0.0, atol=1e-8)


def test_steps_in_pieces_give_the_same_bits():
    whole = td.Simulation(ball(), 0.01, "dopri5", q=[1.0], laws=[floor(td.switch)])
    pieces = td.Simulation(ball(), 0.01, "dopri5", q=[1.0], laws=[floor(td.switch)])
    whole.step(200)
    for _ in range(50):
        pieces.step(4)
        pieces.restore(pieces.save())
    assert whole.save() == pieces.save()


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "implicit_midpoint"])
def test_other_methods_take_the_plain_condition(integrator):
    locked_law, open_law = floor(td.switch), floor(lambda x: x > 0.0)
    sims = [td.Simulation(ball(), 1e-4, integrator, q=[0.1], laws=[law]) for law in (locked_law, open_law)]
    for sim in sims:
        sim.step(5000)
    assert sims[0].save() == sims[1].save()


def test_batches_take_the_plain_condition():
    batch = td.Batch(ball(), 3, 1e-2, "dopri5", laws=[floor(td.switch)])
    batch.q = np.full((3, 1), 0.1)
    batch.step(50)
    sim = td.Simulation(ball(), 1e-2, "dopri5", q=[0.1], laws=[floor(lambda x: x > 0.0)])
    sim.step(50)
    np.testing.assert_allclose(batch.q[:, 0], sim.q[0], rtol=0.0, atol=1e-12)


def test_modes_and_arguments():
    model, law = ball(), floor(td.switch)
    assert switch_values(model, [law, law], [-0.5], [0.0], 0.0) == [0.5, 0.5]
    assert td.switch(0.0) is False
    with locked([0.0, 1.0]) as asked:
        assert [td.switch(x) for x in (5.0, -5.0, 7.0)] == [False, True, False]
    assert asked == [5.0, -5.0, 7.0]
    assert td.switch(1.0) is True
