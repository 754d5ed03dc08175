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


def turntable(**actuator):
    spec = td.ModelSpec("turntable")
    spec.add_shape("floor", None, "plane", role="collision", position=(0, 0, -1))
    spec.add_body("disk", 1.0, type="cylinder", size=(0.3, 0.05))
    spec.add_joint("turn", "revolute", None, "disk", axis=(0, 0, 1))
    spec.add_shape("disk_skin", "disk", "cylinder", (0.3, 0.05), role="collision")
    spec.add_body("box", 0.1, type="box", size=(0.05, 0.05, 0.05))
    spec.add_joint("float", "free", None, "box", position=(0.1, 0, 0.05))
    spec.add_shape("box_skin", "box", "box", (0.05, 0.05, 0.05), role="collision")
    if actuator:
        spec.add_actuator("servo", joint="turn", **actuator)
    return spec.compile()


def test_beside_contact_a_motion_has_its_rate_too():
    """Also from a standing start, to the third order in the position and the second in the velocity."""
    lags, slips = [], []
    for dt in (0.01, 0.005):
        sim = td.Simulation(turntable(), dt=dt, motions={"turn": lambda t: 0.5 * td.sin(2.0 * t)})
        sim.run(2 * dt)
        lag = slip = 0.0
        while sim.time < 0.5:
            sim.step()
            lag = max(lag, abs(sim.joint("turn").position - 0.5 * np.sin(2.0 * sim.time)))
            slip = max(slip, abs(sim.joint("turn").velocity - np.cos(2.0 * sim.time)))
        lags.append(lag)
        slips.append(slip)
    assert lags[0] < 2e-7
    assert slips[0] < 4e-5
    assert lags[0] / lags[1] == pytest.approx(8.0, rel=0.05)
    assert slips[0] / slips[1] == pytest.approx(4.0, rel=0.05)


def test_beside_contact_a_rigid_servo_stands_still_where_it_was_sent():
    sim = td.Simulation(turntable(type="rigid_position", effort=100.0), dt=0.01)
    sim.actuator("servo").command = 0.5
    sim.run(0.5)
    assert sim.joint("turn").position == pytest.approx(0.5, abs=1e-12)
    assert abs(sim.joint("turn").velocity) < 1e-9
