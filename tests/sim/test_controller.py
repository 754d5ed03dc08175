"""Controllers: the same motion whether they are traced or called back, and which are which."""

import random

import numpy as np
import pytest

import treadle as td
from treadle.sim.controller import CalledBack, is_pure

GAINS = np.array([30.0, 5.0])


def steady(q, v, t):
    """A pure function of the state, with gains from outside."""
    return {"shoulder": GAINS[0] * (0.5 * td.sin(t) - q["shoulder"]) - GAINS[1] * v["shoulder"]}


class Integrating:
    """One that remembers the error."""

    def __init__(self) -> None:
        self.sum = 0.0

    def __call__(self, q, v, t):
        self.sum += 1e-3 * (0.3 - q["shoulder"])
        return {"shoulder": 40.0 * (0.3 - q["shoulder"]) + 20.0 * self.sum - 4.0 * v["shoulder"]}


def remembering():
    total = 0.0
    log = []

    def by_cell(q, v, t):
        nonlocal total
        total += q["shoulder"]
        return {"shoulder": -total}

    def by_list(q, v, t):
        log.append(q["shoulder"])
        return {"shoulder": -float(len(log))}

    return [by_cell, by_list]


def branching(q, v, t):
    return {"shoulder": 1.0 if q["shoulder"] < 0.2 else -1.0}


def drawing(q, v, t):
    return {"shoulder": random.random() * q["shoulder"]}


def test_pure_functions_are_traced_and_others_called_back():
    model = td.scene("pendulum")
    assert is_pure(model, steady)
    for other in (Integrating(), *remembering(), branching, drawing):
        assert not is_pure(model, other)
    sim = td.Simulation(model, controllers=[steady, branching])
    assert [report[:2] for report in sim.controllers.reports] == [
        ("steady", "traced"),
        ("branching", "called back"),
    ]
    assert tuple(sim.controllers) == (steady, branching)
    assert sim.controllers.called_back == (branching,)


def test_looking_at_a_controller_leaves_no_trace_in_it():
    controller = Integrating()
    sim = td.Simulation(td.scene("pendulum"), controllers=[controller])
    assert controller.sum == 0.0
    sim.step(10)
    assert isinstance(controller.sum, float)
    assert controller.sum != 0.0


@pytest.mark.parametrize("integrator", ["symplectic_euler", "rk4", "variational"])
def test_traced_and_called_back_are_the_same_motion(integrator):
    model = td.scene("pendulum")
    both = steady, CalledBack(steady)
    sims = [td.Simulation(model, integrator=integrator, controllers=[c]) for c in both]
    assert sims[0].controllers.traced and sims[1].controllers.called_back
    for sim in sims:
        sim.step(300)
    np.testing.assert_allclose(sims[0].q, sims[1].q, atol=1e-12)


def test_joint_forces_and_controllers_add_up():
    model = td.scene("pendulum")
    sim = td.Simulation(model, controllers=[branching])
    sim.tau[0] = 0.7
    sim.step(5)
    assert sim.tau[0] == 0.7
    same = td.Simulation(model)
    same.tau[0] = 1.7
    same.step(5)
    np.testing.assert_allclose(sim.q, same.q, atol=1e-14)


def test_wrong_answers_are_explained():
    with pytest.raises(td.InputError, match=r"names no joint of .*: 'sholder'; did you mean 'shoulder'"):
        td.Simulation(td.scene("pendulum"), controllers=[lambda q, v, t: {"sholder": 1.0}])


def shared_target():
    """A controller that follows a target, and one that moves the target at every call."""
    plan = {"target": 0.0}

    def follow(q, v, t):
        return {"shoulder": 30.0 * (plan["target"] - q["shoulder"]) - v["shoulder"]}

    def lead(q, v, t):
        plan["target"] += 0.001
        return {"elbow": -0.1 * v["elbow"]}

    return follow, lead


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_controllers_see_what_those_before_them_did(order):
    ends = []
    for forced in (False, True):
        controllers = shared_target()[order]
        given = [CalledBack(c) for c in controllers] if forced else controllers
        sim = td.Simulation(td.scene("pendulum"), controllers=given)
        ways = {report.name: report.way for report in sim.controllers.reports}
        assert ways["lead"] == "called back"
        assert ways["follow"] == ("called back" if forced else "traced")
        sim.step(20)
        ends.append(sim.q.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)


def falling_arm() -> td.Model:
    """A link that falls on a table."""
    spec = td.ModelSpec("arm", settings={"dt": 2e-3})
    spec.add_shape("table", None, "plane", role="collision")
    spec.add_body("upper", 1.0, center=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02))
    spec.add_joint("shoulder", "revolute", None, "upper", axis=(0, 1, 0), position=(0, 0, 0.2))
    spec.add_shape("tip", "upper", "sphere", (0.05,), position=(0.4, 0, 0), role="collision")
    return spec.compile()


@pytest.mark.parametrize("name", ["free", "contact"])
def test_actions_of_events_change_what_controllers_read(name):
    ends = []
    for forced in (False, True):
        gains, hits = {"k": 3.0}, []

        def hold(q, v, t, gains=gains):
            return {"shoulder": -gains["k"] * q["shoulder"] - 4.0 * td.sin(30.0 * t)}

        def stiffen(sim, gains=gains, hits=hits):
            hits.append(sim.time)
            gains["k"] += 2.0

        event = td.Event(lambda q, v, t: q["shoulder"] - 0.1, action=stiffen, name="crossing")
        given = [CalledBack(hold) if forced else hold]
        machine = td.scene("pendulum") if name == "free" else falling_arm()
        options = {"integrator": "dopri5", "dt": 0.02} if name == "free" else {}
        sim = td.Simulation(machine, controllers=given, events=[event], **options)  # type: ignore[arg-type]
        sim.q[0] = -0.1
        sim.step(100)
        assert hits
        ends.append([*sim.q, *hits])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def test_the_table_of_controllers_says_which_way_was_chosen_and_why():
    sim = td.Simulation(td.scene("pendulum"), controllers=[steady, branching, Integrating()])
    rows = [line.split(maxsplit=1) for line in str(sim.controllers).splitlines()]
    assert [row[0] for row in rows] == ["controller", "steady", "branching", "Integrating"]
    assert "traced       is pure, as long as the array 'GAINS' stays the same" in rows[1][1]
    assert "called back  branches on a number" in rows[2][1]
    assert "called back  keeps something in the attributes of 'Integrating'" in rows[3][1]
    assert str(td.Simulation(td.scene("pendulum")).controllers) == "no controllers"


def test_quality_is_that_of_the_present_data():
    gains = {"k": 3.0}
    sim = td.Simulation(
        td.scene("pendulum"), controllers=[lambda q, v, t: {"elbow": -gains["k"] * q["elbow"]}]
    )
    sim.q = [0.3, 0.2]
    sim.step(50)
    gains["k"] = 5.0
    before = sim.save()
    sim.quality(thorough=True)
    np.testing.assert_array_equal(sim.q, before.q)
    sim.step(50)
    called = td.Simulation(td.scene("pendulum"), controllers=[CalledBack(sim.controllers[0])])
    called.restore(before)
    called.step(50)
    np.testing.assert_allclose(sim.q, called.q, atol=1e-12)


def test_forces_that_are_read_follow_the_data():
    gains = {"k": 3.0}
    sim = td.Simulation(td.scene("pendulum"), controllers=[lambda q, v, t: {"elbow": gains["k"]}])
    for gain in (3.0, 8.0):
        gains["k"] = gain
        sim.step()
        assert sim.joint("elbow").reaction.torque[1] == pytest.approx(gain)


@pytest.mark.parametrize("live", [False, True])
def test_history_goes_back_through_changes_of_data(live):
    gain, gains = td.Input(1.0), {"k": 1.0}

    def push(q, v, t):
        return {"elbow": gain.value if live else gains["k"]}

    sim = td.Simulation(td.scene("pendulum"), controllers=[push])
    history = td.History(sim, seconds=1.0)
    states = []
    for k in range(6):
        gain.value = gains["k"] = float(k)
        sim.step(10)
        states.append((sim.time, sim.q.copy()))
    for moment, q in reversed(states):
        history.rewind(sim.time - moment)
        np.testing.assert_array_equal(sim.q, q)
