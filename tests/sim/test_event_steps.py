"""Events of machines with contact, against closed forms."""

import math

import numpy as np
import pytest

import treadle as td

G, R = 9.81, 0.1


def ball(height=0.5, restitution=1.0):
    spec = td.ModelSpec("ball")
    spec.add_material("steel", restitution=restitution, friction=0.0)
    spec.add_shape("ground", None, "plane", role="collision", material="steel")
    spec.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, 0.0))
    spec.add_shape("skin", "ball", "sphere", (R,), role="collision", material="steel")
    return spec.compile(), [1, 0, 0, 0, 0, 0, height]


def above(level):
    def height(q, v, t):
        return q["flight"][6] - level

    return height


def turning(q, v, t):
    return v["flight"][5]


def simulated(events, dt=0.01, **options):
    model, q = ball(**options)
    return td.Simulation(model, dt=dt, q=q, events=events)


def test_crossings_before_and_after_an_impact():
    sim = simulated([td.Event(above(0.3), name="level"), td.Event(turning, direction=-1, name="top")])
    sim.run(1.0)
    falls = math.sqrt(2.0 * 0.4 / G)
    through = math.sqrt(2.0 * 0.2 / G)
    period = 2.0 * falls
    expected = [through, period - through, period + through, 2.0 * period - through]
    assert sim.events.times("level") == pytest.approx([t for t in expected if t < 1.0], abs=1e-9)
    assert sim.events.times("top") == pytest.approx([period], abs=1e-9)
    assert sim.events.log[0].q[6] == pytest.approx(0.3, abs=1e-9)
    assert sim.time == pytest.approx(1.0)


def test_events_that_do_nothing_change_no_bit():
    with_events, without = simulated([td.Event(above(0.3))]), simulated([])
    for sim in (with_events, without):
        sim.run(1.0)
    np.testing.assert_array_equal(with_events.q, without.q)
    np.testing.assert_array_equal(with_events.v, without.v)
    assert with_events.contact_on("ball").force == pytest.approx(without.contact_on("ball").force, abs=0.0)


def test_a_terminal_event_ends_the_run():
    sim = simulated([td.Event(above(0.2), direction=1, terminal=True)], dt=0.05)
    sim.run(2.0)
    falls = math.sqrt(2.0 * 0.4 / G)
    assert sim.time == pytest.approx(2.0 * falls - math.sqrt(2.0 * 0.3 / G), abs=1e-9)
    assert sim.q[6] == pytest.approx(0.2, abs=1e-9)
    assert sim.events.stopped_by is not None
    sim.run(0.5)
    assert sim.q[6] > 0.1


def test_an_action_changes_the_motion_inside_a_step():
    def stop(sim):
        sim.v[:] = 0.0

    sim = simulated([td.Event(above(0.3), direction=-1, action=stop)], dt=0.04)
    sim.step(6)
    rest = 6 * 0.04 - math.sqrt(2.0 * 0.2 / G)
    assert sim.time == pytest.approx(0.24)
    assert sim.q[6] == pytest.approx(0.3 - 0.5 * G * rest**2, abs=1e-8)
    assert len(sim.events.log) == 1


def test_contacts_can_be_read_in_an_action():
    seen = []

    def landing(q, v, t):
        return v["flight"][5] + 0.5

    def look(sim):
        seen.append(sim.contact_on("ball").force[2])

    sim = simulated([td.Event(landing, direction=1, action=look)], restitution=0.0)
    sim.run(0.4)
    assert len(seen) == 1
    assert seen[0] > 100.0


def test_a_trajectory_is_refused():
    model, q = ball()
    sim = td.Simulation(model, integrator="dopri5", q=q)
    with pytest.raises(td.InputError, match="without contact"):
        td.trajectory(sim, 0.1)
