"""Prescribed motions of joints."""

import numpy as np
import pytest

import treadle as td


def test_a_straight_line_for_a_minute_at_ten_milliseconds():
    sim = td.Simulation(td.scene("peaucellier"), dt=1e-2, motions={"motor": lambda t: 0.8 * td.sin(2.0 * t)})
    line = sim.body("pen").position[0]
    heights, across, lag = [], 0.0, 0.0
    for _ in range(6000):
        sim.step()
        x, _, z = sim.body("pen").position
        heights.append(z)
        across = max(across, abs(x - line))
        lag = max(lag, abs(sim.joint("motor").position - 0.8 * np.sin(2.0 * sim.time)))
    assert across < 1e-9
    assert sim.quality()["loop residual"] < 1e-9
    # it does draw, and follows its motor
    assert np.ptp(heights) > 0.5
    assert lag < 1e-3


def test_a_motion_is_held_with_no_more_than_the_effort():
    spec = td.ModelSpec("lift")
    spec.add_body("load", 10.0, inertia=(1, 1, 1))
    spec.add_joint("rail", "prismatic", None, "load", axis=(0, 0, 1), effort=50.0)
    model = spec.compile()
    sim = td.Simulation(model, dt=1e-3, motions={"rail": lambda t: 0.0 * t})
    sim.run(1.0)
    # 98.1 N are asked for: it falls with what is left
    assert sim.v[0] == pytest.approx(-4.81, rel=1e-2)
    strong = spec
    strong.joints[0].effort = 200.0
    sim = td.Simulation(strong.compile(), dt=1e-3, motions={"rail": lambda t: 0.1 * t})
    sim.run(1.0)
    assert sim.q[0] == pytest.approx(0.1, abs=1e-9)


def test_wrong_motions():
    model = td.scene("pendulum")
    with pytest.raises(td.InputError, match=r"no joint named 'sholder'"):
        td.Simulation(model, motions={"sholder": lambda t: t})
    with pytest.raises(td.InputError, match="motions are held by 'symplectic_euler', not by 'rk4'"):
        td.Simulation(model, integrator="rk4", motions={"shoulder": lambda t: t})
    with pytest.raises(td.InputError, match="the motion of 'shoulder' must be a function of the time"):
        td.Simulation(model, motions={"shoulder": lambda t: None})
    spec = td.ModelSpec("stone")
    spec.add_body("stone", 1.0, inertia=(1, 1, 1))
    spec.add_joint("air", "free", None, "stone")
    with pytest.raises(td.InputError, match="a motion needs a joint with one freedom"):
        td.Simulation(spec.compile(), motions={"air": lambda t: t})
