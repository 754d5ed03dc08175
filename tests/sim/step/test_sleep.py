"""Islands at rest sleep, and wake when something comes near or acts on them."""

import numpy as np
import pytest

import treadle as td
from treadle.errors import InputError

DT = 5e-3


def stacks(count=3, high=3, ball=None):
    """Stacks of boxes apart from each other, and a ball that falls on the first of them."""
    spec = td.ModelSpec("stacks")
    spec.add_material("stone", friction=0.5, restitution=0.0)
    spec.add_shape("floor", None, "plane", (), role="collision", material="stone")
    for k in range(count):
        for j in range(high):
            name = f"box{k}_{j}"
            spec.add_body(name, 1.0, type="box", size=(0.2, 0.2, 0.1))
            spec.add_shape(name, name, "box", (0.2, 0.2, 0.1), role="collision", material="stone")
            spec.add_joint(name, "free", None, name, position=(1.0 * k, 0.0, 0.05 + 0.1 * j))
    if ball is not None:
        spec.add_body("ball", 0.5, type="sphere", size=(0.05,))
        spec.add_shape("ball", "ball", "sphere", (0.05,), role="collision", material="stone")
        spec.add_joint("ball", "free", None, "ball", position=(0.0, 0.0, ball))
    return spec.compile()


def asleep(sim):
    """Names of the bodies that sleep."""
    labels = sim.contact_step.sleeping
    return {body.name for body, label in zip(sim.model.bodies, labels, strict=True) if label > 0}


def loads(sim):
    """Sum of the vertical forces on the floor."""
    return sum(abs(point.force[2]) for point in sim.contacts() if "floor" in point.shapes)


def test_bodies_at_rest_sleep_and_stay_where_they_are():
    sim, other = td.Simulation(stacks(), DT, sleep=True), td.Simulation(stacks(), DT)
    sim.step(90)
    assert not asleep(sim)
    sim.step(60)
    assert len(asleep(sim)) == 9
    q = sim.q.copy()
    sim.step(200)
    other.step(350)
    assert np.array_equal(sim.q, q)
    assert not sim.v.any()
    assert np.abs(sim.q - other.q).max() < 1e-8
    # steps of a world that sleeps are not taken at all
    effort = sim.contact_step.scratch.effort.copy()
    sim.step(100)
    assert np.array_equal(sim.contact_step.scratch.effort[:2], effort[:2])
    assert sim.time == pytest.approx(450 * DT)
    # their contacts and forces are there
    assert len(sim.contacts()) == len(other.contacts())
    assert loads(sim) == pytest.approx(loads(other), rel=1e-9)
    assert loads(sim) == pytest.approx(9 * 9.81, rel=1e-3)


def test_an_island_wakes_when_a_body_comes_near_and_others_sleep_on():
    sim, other = td.Simulation(stacks(ball=3.0), DT, sleep=True), td.Simulation(stacks(ball=3.0), DT)
    sim.step(130)
    assert len(asleep(sim)) == 9
    sim.step(20)
    assert asleep(sim) == {f"box{k}_{j}" for k in (1, 2) for j in range(3)}
    other.step(150)
    assert np.abs(sim.q - other.q).max() < 1e-8
    assert np.abs(sim.v - other.v).max() < 1e-6


@pytest.mark.parametrize("how", ["force", "tau", "velocity", "position"])
def test_what_is_done_to_a_body_wakes_it(how):
    sim = td.Simulation(stacks(), DT, sleep=True)
    sim.step(150)
    body, joint = "box1_2", sim.model.joint("box1_2")
    if how == "force":
        sim.apply_force(body, (20.0, 0.0, 0.0))
    elif how == "tau":
        sim.tau[joint.v][3] = 20.0
    elif how == "velocity":
        sim.v[joint.v][3] = 0.3
    else:
        sim.q[joint.q][6] += 0.02
    sim.step(2)
    assert asleep(sim) == {f"box{k}_{j}" for k in (0, 2) for j in range(3)}
    assert np.abs(sim.v[joint.v]).max() > 0.01


def test_bodies_that_a_load_held_wake_without_it():
    sim = td.Simulation(stacks(1, 1), DT, sleep=True)
    sim.apply_force("box0_0", (2.0, 0.0, 0.0))
    sim.step(150)
    assert len(asleep(sim)) == 1
    held = loads(sim)
    sim.clear_forces()
    sim.step()
    assert not asleep(sim)
    sim.step(150)
    assert len(asleep(sim)) == 1
    assert loads(sim) == pytest.approx(held, rel=1e-9)


def test_a_saved_state_continues_bit_for_bit():
    sim = td.Simulation(stacks(ball=3.0), DT, sleep=True)
    sim.step(120)
    state = sim.save()
    sim.step(60)
    q, v, names = sim.q.copy(), sim.v.copy(), asleep(sim)
    sim.restore(state)
    assert len(asleep(sim)) == 9
    sim.step(60)
    assert np.array_equal(sim.q, q)
    assert np.array_equal(sim.v, v)
    assert asleep(sim) == names


@pytest.mark.parametrize("count", [2, 3, 8])
def test_states_of_steps_with_and_without_sleep_are_told_apart(count):
    """Forces of contacts are not taken for labels of islands, nor labels for forces."""
    model = stacks(count, 1)
    sim, other = td.Simulation(model, DT, sleep=True), td.Simulation(model, DT)
    sim.step(150)
    other.step(150)
    states = sim.save(), other.save()
    sim.restore(states[1])
    assert not asleep(sim)
    other.restore(states[0])
    sim.step(10)
    other.step(10)
    assert np.abs(sim.q - other.q).max() < 1e-9


def test_bodies_on_a_belt_and_beside_machines_stay_awake():
    spec = td.ModelSpec("arm and box")
    spec.add_shape("floor", None, "plane", (), role="collision")
    for name, x in (("near", 0.0), ("far", 2.0)):
        spec.add_body(name, 1.0, type="box", size=(0.2, 0.2, 0.2))
        spec.add_shape(name, name, "box", (0.2, 0.2, 0.2), role="collision")
        spec.add_joint(name, "free", None, name, position=(x, 0.0, 0.1))
    spec.add_body("arm", 1.0, type="box", size=(0.1, 0.1, 0.1))
    spec.add_shape("arm", "arm", "box", (0.1, 0.1, 0.1), role="collision")
    spec.add_joint("slide", "prismatic", None, "arm", position=(0.0, 0.0, 0.25), axis=(0.0, 0.0, 1.0))
    sim = td.Simulation(spec.compile(), DT, sleep=True)
    sim.step(200)
    assert asleep(sim) == {"far"}


def test_what_is_refused():
    with pytest.raises(InputError, match="sleep"):
        td.Simulation(td.scene("pendulum"), sleep=True)
    with pytest.raises(InputError, match="rk4"):
        td.Simulation(stacks(), DT, integrator="rk4", sleep=True)
    with pytest.raises(InputError, match="do not sleep"):
        td.Batch(stacks(), 2, DT, sleep=True)
