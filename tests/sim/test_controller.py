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
