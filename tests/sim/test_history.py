"""Rewinding gives the same bits."""

import numpy as np
import pytest

import treadle as td


def start(**options) -> td.Simulation:
    return td.Simulation(td.scene("pendulum"), 1e-3, q=[1.0, 0.5], **options)


def every_state(sim: td.Simulation, steps: int) -> list[td.State]:
    states = [sim.save()]
    for _ in range(steps):
        sim.step()
        states.append(sim.save())
    return states


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "variational", "dopri5"])
@pytest.mark.parametrize("back", [0, 1, 49, 50, 51, 123, 400])
def test_rewinding_and_going_on(integrator, back):
    reference = every_state(start(integrator=integrator), 600)
    sim = start(integrator=integrator)
    history = td.History(sim, seconds=0.5)
    sim.step(500)
    history.rewind(back * 1e-3)
    assert sim.save() == reference[500 - back]
    sim.step(100 + back)
    assert sim.save() == reference[600]


def test_going_back_twice():
    reference = every_state(start(), 500)
    sim = start()
    history = td.History(sim)
    sim.step(500)
    history.rewind(0.2)
    sim.step(100)
    history.rewind(0.35)
    assert sim.save() == reference[50]
    sim.step(77)
    assert sim.save() == reference[127]


def test_commands_on_the_way_are_part_of_the_history():
    def drive(sim: td.Simulation) -> list[td.State]:
        states = [sim.save()]
        rng = np.random.default_rng(1)
        for number in range(200):
            if number % 7 == 3:
                sim.tau[:] = rng.uniform(-5.0, 5.0, 2)
            if number == 90:
                sim.apply_force("tip", (10.0, 0.0, 0.0))
            if number == 120:
                sim.v[:] *= 0.5
            if number == 150:
                sim.dt = 5e-4
            sim.step()
            states.append(sim.save())
        return states

    reference = drive(start())
    for target in (199, 160, 149, 121, 119, 95, 89, 33, 1):
        sim = start()
        history = td.History(sim)
        drive(sim)
        history.rewind(sim.time - reference[target].time)
        now = sim.save()
        np.testing.assert_array_equal(now.q, reference[target].q)
        np.testing.assert_array_equal(now.v, reference[target].v)
        assert now.time == pytest.approx(reference[target].time, abs=1e-12)


def test_events_happen_again():
    def bounce(sim):
        sim.v[:] *= -0.9

    event = td.Event(lambda q, v, t: q["shoulder"], name="wall", direction=-1, action=bounce)
    sim = start(integrator="dopri5", events=[event])
    history = td.History(sim)
    sim.step(3000)
    times, end = sim.events.times("wall"), sim.save()
    assert len(times) >= 2
    history.rewind(sim.time - times[0] + 0.01)
    assert sim.events.log == []
    sim.step(3000 - sim.world.steps)
    assert sim.events.times("wall") == times
    assert sim.save() == end


def test_controllers_that_are_called_back_are_not_asked():
    asked = []

    def controller(q, v, t):
        asked.append(t)
        return {"elbow": float(len(asked) % 3)}

    sim = start(controllers=[controller])
    history = td.History(sim, seconds=0.1)
    states = every_state(sim, 150)
    count = len(asked)
    history.rewind(0.037)
    assert sim.save() == states[113]
    assert len(asked) == count


def test_recorders_do_not_see_the_steps_again(tmp_path):
    sim = start()
    history = td.History(sim)
    with sim.record(tmp_path / "run.parquet", rate=1000.0) as recorder:
        sim.step(100)
        count = recorder.count
        history.rewind(0.033)
        assert recorder.count == count


def test_the_ring_stays_short():
    sim = start()
    history = td.History(sim, seconds=0.2, every=0.01)
    sim.step(5000)
    assert len(history) <= 22
    assert history.start == pytest.approx(4.8)
    history.rewind(0.2)
    assert sim.time == pytest.approx(4.8)
    with pytest.raises(td.InputError, match=r"the history goes back by"):
        history.rewind(0.3)


def test_resetting_starts_a_new_history():
    sim = start()
    history = td.History(sim)
    sim.step(100)
    sim.reset()
    sim.step(10)
    history.rewind(0.005)
    assert sim.time == pytest.approx(0.005)
    with pytest.raises(td.InputError, match=r"goes back by 0\.005 s"):
        history.rewind(0.05)


def test_closing():
    sim = start()
    with td.History(sim):
        sim.step(10)
    assert sim.observers == []


def test_wrong_arguments():
    sim = start()
    with pytest.raises(td.InputError, match="seconds must be a positive number"):
        td.History(sim, seconds=0.0)
    with pytest.raises(td.InputError, match="every must be a positive number"):
        td.History(sim, every=float("nan"))
    with pytest.raises(td.InputError, match="not negative"):
        td.History(sim).rewind(-1.0)


def test_older_states_of_the_whole_run():
    reference = every_state(start(), 3000)
    sim = start()
    history = td.History(sim, seconds=0.5, every=0.01, older=40)
    sim.step(3000)
    assert history.first == 0.0
    assert history.start == pytest.approx(2.5)
    older = [state.time for state in history.states if state.time < history.start]
    assert len(older) in (40, 41)
    # a fortieth of 2.5 s apart, within a factor of two
    assert max(np.diff(older)) < 0.13
    for time in (0.0, 0.7, 1.9, 2.6):
        state = history.at(time)
        assert 0.0 <= time - state.time < 0.13
        assert state == reference[round(state.time * 1e3)]


@pytest.mark.parametrize("back", [0.0, 0.8, 2.2, 2.6, 3.0])
def test_returning_to_any_time_of_the_run(back):
    reference = every_state(start(), 3300)
    sim = start()
    history = td.History(sim, seconds=0.5, every=0.01, older=40)
    sim.step(3000)
    expected = history.at(back).time if back < history.start else back
    history.return_to(back)
    assert sim.time == pytest.approx(expected, abs=1e-9)
    assert sim.save() == reference[round(sim.time * 1e3)]
    # and on from there, with what was before it still kept
    assert history.first == 0.0
    steps = round(sim.time * 1e3)
    sim.step(300)
    assert sim.save() == reference[steps + 300]


def test_older_states_go_with_a_reset():
    sim = start()
    history = td.History(sim, seconds=0.1, every=0.01, older=20)
    sim.step(1000)
    sim.reset()
    sim.step()
    assert history.first == pytest.approx(0.0)
    assert all(state.time <= sim.time for state in history.states)


def test_how_many_older_states():
    with pytest.raises(td.TreadleError, match="older must be a number"):
        td.History(start(), older=-1)
