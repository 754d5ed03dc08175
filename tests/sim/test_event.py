"""Events: located on the dense output, in order, with what they do."""

from math import pi, sqrt

import numpy as np
import pytest

import treadle as td
from tests.oracles import pendulum
from treadle.integrators import INTEGRATORS

ADAPTIVE = [name for name, method in INTEGRATORS.items() if method.adaptive]
G = 9.81


def swing() -> td.Model:
    """A01: a point mass on a massless rod of one metre."""
    spec = td.ModelSpec("A01")
    spec.add_body("bob", mass=1.0, center=(0.0, 0.0, -1.0), inertia=(0.0, 0.0, 0.0))
    spec.add_joint("hinge", "revolute", None, "bob", axis=(0.0, 1.0, 0.0))
    return spec.compile()


def ball() -> td.Model:
    spec = td.ModelSpec("ball")
    spec.add_body("ball", mass=1.0)
    spec.add_joint("height", "prismatic", None, "ball", axis=(0.0, 0.0, 1.0))
    return spec.compile()


def angle(q, v, t):
    return q["hinge"]


def rate(q, v, t):
    return v["hinge"]


def height(q, v, t):
    return q["height"]


@pytest.mark.parametrize("dt", [0.05, 1.0, 10.0])
@pytest.mark.parametrize(
    ("integrator", "tolerance", "error"),
    [("dopri5", 1e-6, 1e-5), ("dopri5", 1e-9, 1e-8), ("dopri853", 1e-9, 1e-8), ("dopri853", 1e-12, 1e-12)],
)
def test_crossings_of_a_pendulum(integrator, tolerance, error, dt):
    events = [td.Event(angle), td.Event(rate, direction=1)]
    sim = td.Simulation(swing(), dt, integrator, q=[pi / 2], events=events, tolerance=tolerance)
    sim.run(10.0)
    period = pendulum.period(pi / 2, 1.0, 1.0, 0.0)
    bottom, turn = sim.events.times("angle"), sim.events.times("rate")
    assert len(bottom) == 8
    assert len(turn) == 4
    np.testing.assert_allclose(bottom, period / 4 + period / 2 * np.arange(8), rtol=0.0, atol=error)
    np.testing.assert_allclose(turn, period / 2 + period * np.arange(4), rtol=0.0, atol=error)
    assert [entry.time for entry in sim.events.log] == sorted(bottom + turn)
    assert sim.time == pytest.approx(10.0, abs=1e-12)


def test_the_state_at_an_event():
    sim = td.Simulation(swing(), 1.0, "dopri853", q=[pi / 2], events=[td.Event(angle)], tolerance=1e-12)
    sim.run(1.0)
    (entry,) = sim.events.log
    assert entry.name == "angle"
    assert abs(entry.q[0]) < 1e-12
    assert entry.v[0] == pytest.approx(-sqrt(2 * G), abs=1e-11)


@pytest.mark.parametrize(("direction", "count"), [(0, 8), (1, 4), (-1, 4)])
def test_directions(direction, count):
    events = [td.Event(angle, direction=direction)]
    sim = td.Simulation(swing(), 0.5, "dopri5", q=[pi / 2], events=events)
    sim.run(10.0)
    assert len(sim.events.log) == count
    if direction:
        assert all(np.sign(entry.v[0]) == direction for entry in sim.events.log)


def test_an_event_without_action_changes_nothing():
    plain = td.Simulation(swing(), 0.25, "dopri5", q=[pi / 2])
    watched = td.Simulation(swing(), 0.25, "dopri5", q=[pi / 2], events=[td.Event(angle)])
    plain.run(10.0)
    watched.run(10.0)
    assert watched.effort == plain.effort
    np.testing.assert_allclose(watched.q, plain.q, rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_a_bouncing_ball(integrator):
    def bounce(sim):
        sim.v[:] *= -0.8
        return abs(sim.v[0]) < 1e-2

    event = td.Event(height, direction=-1, action=bounce)
    sim = td.Simulation(ball(), 0.1, integrator, q=[1.0], events=[event])
    sim.run(100.0)
    flight = sqrt(2.0 / G)
    times, speed = [flight], G * flight
    while speed * 0.8 >= 1e-2:
        speed *= 0.8
        times.append(times[-1] + 2.0 * speed / G)
    np.testing.assert_allclose(sim.events.times("height"), times, rtol=0.0, atol=1e-12)
    assert sim.events.stopped_by is event
    assert sim.time == pytest.approx(times[-1], abs=1e-12)


@pytest.mark.parametrize("direction", [0, -1])
def test_an_event_does_not_happen_twice(direction):
    """A bounce without loss, also where both directions count."""

    def bounce(sim):
        sim.v[:] *= -1.0

    event = td.Event(height, direction=direction, action=bounce)
    sim = td.Simulation(ball(), 0.1, "dopri853", q=[1.0], events=[event])
    sim.run(10.0)
    flight = sqrt(2.0 / G)
    np.testing.assert_allclose(
        sim.events.times("height"), flight * (1.0 + 2.0 * np.arange(11)), rtol=0.0, atol=1e-11
    )


def test_a_terminal_event_ends_the_run_at_its_time():
    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, terminal=True)])
    sim.run(10.0)
    flight = sqrt(2.0 / G)
    assert sim.time == pytest.approx(flight, abs=1e-12)
    assert sim.events.stopped_by is sim.events[0]
    assert abs(sim.q[0]) < 1e-12
    # it goes on from there, and does not stop again at once
    sim.run(0.5)
    assert sim.time == pytest.approx(flight + 0.5, abs=1e-12)
    assert sim.q[0] == pytest.approx(1.0 - G * sim.time**2 / 2, abs=1e-9)
    assert len(sim.events.log) == 1
    assert sim.events.stopped_by is None


def test_a_run_from_zero_does_not_start_with_an_event():
    sim = td.Simulation(ball(), 0.1, "dopri5", v=[1.0], events=[td.Event(height)])
    sim.run(1.0)
    assert sim.events.times("height") == [pytest.approx(2.0 / G, abs=1e-12)]


def test_several_events_in_one_substep_come_in_order():
    events = [
        td.Event(lambda q, v, t, h=h: q["height"] - h, name=f"at {h}") for h in (0.2, 0.5, 0.8, 0.2000001)
    ]
    sim = td.Simulation(ball(), 10.0, "dopri853", q=[1.0], events=events)
    sim.step()
    assert [entry.name for entry in sim.events.log] == ["at 0.8", "at 0.5", "at 0.2000001", "at 0.2"]
    expected = [sqrt(2.0 * (1.0 - h) / G) for h in (0.8, 0.5, 0.2000001, 0.2)]
    np.testing.assert_allclose([entry.time for entry in sim.events.log], expected, rtol=0.0, atol=1e-12)


def test_two_crossings_in_one_substep_are_seen():
    """Up through 0.9 of the highest point and down again; the motion is so smooth that substeps are long."""
    sim = td.Simulation(
        ball(), 10.0, "dopri853", v=[10.0], events=[td.Event(lambda q, v, t: q["height"] - 4.0)]
    )
    sim.step()
    root = sqrt(100.0 - 8.0 * G)
    expected = [(10.0 - root) / G, (10.0 + root) / G]
    np.testing.assert_allclose([e.time for e in sim.events.log], expected, rtol=0.0, atol=1e-12)


def test_actions_act_on_forces_and_see_the_time():
    seen = []

    def push(sim):
        seen.append(sim.time)
        sim.tau[:] = 2.0 * G

    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, direction=-1, action=push)])
    sim.run(2.0)
    flight = sqrt(2.0 / G)
    after = 2.0 - flight
    assert seen == [pytest.approx(flight, abs=1e-12)]
    assert sim.q[0] == pytest.approx(-G * flight * after + G * after**2 / 2, abs=1e-9)
    assert sim.time == pytest.approx(2.0, abs=1e-12)


def test_an_action_may_go_back():
    start = []

    def again(sim):
        sim.restore(start[0])

    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, direction=-1, action=again)])
    start.append(sim.save())
    sim.step(7)
    assert sim.time == pytest.approx(0.2, abs=1e-12)
    assert sim.events.log == []


def test_controllers_hold_their_command_over_an_event():
    """The command of the step in which the event falls is that of its start, traced or called back."""
    count = []

    def traced(q, v, t):
        return {"height": G + 1.0 - 0.5 * v["height"]}

    def called(q, v, t):
        count.append(t)
        return {"height": float(G + 1.0 - 0.5 * v["height"])}

    ends = []
    for controller in (traced, called):
        events = [td.Event(lambda q, v, t: q["height"] - 0.3, name="gate", action=lambda sim: None)]
        sim = td.Simulation(ball(), 0.25, "dopri5", controllers=[controller], events=events)
        sim.run(1.0)
        ends.append((sim.q[0], sim.events.times("gate")[0]))
    plain = td.Simulation(ball(), 0.25, "dopri5", controllers=[traced])
    plain.run(1.0)
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)
    assert ends[0][0] == pytest.approx(plain.q[0], abs=1e-9)


def test_states_continue_bit_for_bit():
    def bounce(sim):
        sim.v[:] *= -0.9

    def new() -> td.Simulation:
        events = [
            td.Event(height, action=bounce),
            td.Event(lambda q, v, t: v["height"], terminal=True, name="top"),
        ]
        return td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=events)

    one = new()
    one.run(5.0)
    assert one.events.stopped_by is not None
    state = one.save()
    other = new()
    other.restore(state)
    for sim in (one, other):
        sim.run(3.0)
    assert one.save() == other.save()


def test_a_machine_with_quaternions():
    """A free body tumbles; the event is when its axis passes the horizontal plane."""
    spec = td.ModelSpec("top")
    spec.add_body("body", mass=1.0, inertia=(1.0, 2.0, 3.0))
    spec.add_joint("free", "free", None, "body")
    spec.gravity = (0.0, 0.0, 0.0)
    model = spec.compile()

    def upright(q, v, t):
        w, x, y, z = q["free"][:4]
        return w * w - x * x - y * y + z * z

    sim = td.Simulation(
        model, 1.0, "dopri853", v=[0.1, 2.0, 0.1, 0, 0, 0], events=[td.Event(upright)], tolerance=1e-12
    )
    sim.run(20.0)
    assert len(sim.events.log) > 5
    fine = td.Simulation(model, 1.0, "dopri853", v=[0.1, 2.0, 0.1, 0, 0, 0], tolerance=1e-12)
    for entry in sim.events.log:
        fine.reset()
        fine.dt = entry.time
        fine.step()
        np.testing.assert_allclose(fine.q, entry.q, rtol=0.0, atol=1e-11)
        assert np.linalg.norm(entry.q[:4]) == pytest.approx(1.0, abs=1e-14)


def test_loads_are_there_at_events():
    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height)])
    sim.apply_force("ball", (0.0, 0.0, 0.5 * G))
    sim.run(1.0)
    assert sim.events.times("height") == [pytest.approx(sqrt(4.0 / G), abs=1e-11)]


def test_quality_does_not_disturb_events():
    calls = []
    event = td.Event(height, direction=-1, terminal=True, action=lambda sim: calls.append(sim.time))
    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[event])
    sim.run(0.4)
    sim.quality()
    assert calls == []
    assert sim.events.log == []
    sim.run(1.0)
    assert len(calls) == 1


@pytest.mark.parametrize("name", [n for n in INTEGRATORS if n not in ADAPTIVE])
def test_methods_without_error_control_take_the_step_again(name):
    """The state at an event is that of a step that ends there: a bounce is as accurate as the method."""
    bounce = td.Event(height, direction=-1, action=bounced)
    sim = td.Simulation(ball(), 1e-3, name, q=[1.0], events=[bounce])
    sim.run(0.8)
    fall = sqrt(2.0 / G)
    assert sim.events.times("height") == [
        pytest.approx(fall, abs=1e-3 if INTEGRATORS[name].order == 1 else 1e-9)
    ]
    after = 0.8 - fall
    exact = sqrt(2.0 * G) * after - 0.5 * G * after**2
    assert sim.q[0] == pytest.approx(exact, abs=2e-2 if INTEGRATORS[name].order == 1 else 1e-8)
    assert sim.time == pytest.approx(0.8)


def bounced(sim: td.Simulation) -> None:
    sim.v[:] *= -1.0


def test_another_integrator_may_be_chosen_on_the_way():
    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height)])
    sim.run(0.2)
    sim.integrator = "rk4"
    sim.run(0.1)
    assert sim.events.log == []
    sim.integrator = "dopri853"
    sim.run(0.3)
    assert sim.events.times("height") == [pytest.approx(sqrt(2.0 / G), abs=1e-12)]


def test_endless_bounces_are_an_error():
    def stick(sim):
        sim.v[:] = 1e-13

    sim = td.Simulation(ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, direction=-1, action=stick)])
    with pytest.raises(td.TreadleError, match=r"event 'height' crossed zero .* times within"):
        sim.run(10.0)


def test_wrong_events():
    with pytest.raises(td.InputError, match=r"needs a function of \(q, v, t\)"):
        td.Event(3.0)  # type: ignore[arg-type]
    with pytest.raises(td.InputError, match="-1, 0 or 1"):
        td.Event(height, direction=2)
    with pytest.raises(td.InputError, match="a function of the simulation"):
        td.Event(height, action=1)  # type: ignore[arg-type]
    with pytest.raises(td.InputError, match="must return one number, not dict"):
        td.Simulation(ball(), 0.1, "dopri5", events=[td.Event(lambda q, v, t: {"height": 1.0})])
    with pytest.raises(td.InputError, match="different ones"):
        td.Simulation(ball(), 0.1, "dopri5", events=[td.Event(height), td.Event(height)])
    with pytest.raises(td.InputError, match=r"made with td\.Event"):
        td.Simulation(ball(), 0.1, "dopri5", events=[height])  # type: ignore[list-item]
    sim = td.Simulation(
        ball(), 0.1, "dopri5", q=[1.0], events=[td.Event(height, action=lambda sim: sim.step())]
    )
    with pytest.raises(td.InputError, match="must not step"):
        sim.run(1.0)
