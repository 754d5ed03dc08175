"""Sums, sensors, courses, reactions and measures of contact, against closed forms and each other."""

import math

import numpy as np
import pytest

import treadle as td

G, K, R = 9.81, 1e6, 0.1


def ball(stiffness=K, restitution=0.5, gravity=G, height=0.5, law=None):
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, -gravity))
    spec.add_material("rubber", stiffness=stiffness, restitution=restitution, friction=0.0, law=law)
    spec.add_shape("ground", None, "plane", role="collision")
    spec.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, height))
    spec.add_shape("skin", "ball", "sphere", (R,), role="collision", material="rubber")
    return spec.compile()


@pytest.fixture(scope="module")
def table():
    """A block on a deck that slides on a rail."""
    spec = td.ModelSpec("table")
    spec.add_material("wood", friction=0.5)
    spec.add_shape("ground", None, "plane", role="collision", material="wood")
    spec.add_body("lift", mass=3.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("rail", "prismatic", None, "lift", axis=(1, 0, 0), position=(0.0, 0.0, 0.5))
    spec.add_shape("deck", "lift", "box", (0.6, 0.6, 0.1), role="collision", material="wood")
    spec.add_body("block", mass=2.0, inertia=td.box_inertia(2.0, 0.2, 0.2, 0.2))
    spec.add_joint("flight", "free", None, "block", position=(0.1, 0.0, 0.65))
    spec.add_shape("cube", "block", "box", (0.2, 0.2, 0.2), role="collision", material="wood")
    return spec.compile()


@pytest.fixture(scope="module")
def resting(table):
    sim = td.Simulation(table, dt=5e-3)
    sim.run(0.5)
    return sim


def test_sum_of_two_bodies_is_the_weight(resting):
    given = resting.contact_between("lift", "block")
    assert given.force == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-8)
    # through the block's origin, since it stands still
    assert given.torque == pytest.approx([0.0, 0.0, 0.0], abs=1e-8)
    assert given.about == pytest.approx([0.1, 0.0, 0.65], abs=1e-9)
    assert len(given.points) == 4
    assert abs(given.work) < 1e-12
    back = resting.contact_between("block", "lift", about=(0.1, 0.0, 0.65))
    assert back.force == pytest.approx(-given.force)
    assert back.torque == pytest.approx(-given.torque, abs=1e-12)


def test_shapes_and_links_are_named_alike(resting):
    assert resting.contact_between("deck", "cube").force == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-8)
    assert resting.contact_on("lift").force == pytest.approx([0.0, 0.0, -2.0 * G], abs=1e-8)
    assert resting.contact_on(None).force == pytest.approx(np.zeros(3))
    with pytest.raises(td.InputError, match="'bloc' is or has no collision shape"):
        resting.contact_on("bloc")


def test_sums_of_all_pairs_are_those_of_each(resting):
    ((pair, total),) = resting.contact_sums().items()
    assert pair == ("lift", "block")
    alone = resting.contact_between(*pair)
    for name in ("force", "torque", "about", "work"):
        assert getattr(total, name) == pytest.approx(getattr(alone, name), abs=1e-12)
    assert len(total.points) == 4
    bouncing = td.Simulation(ball(), dt=0.5)
    assert bouncing.contact_sums() == {}
    bouncing.step()
    # it came and went within the step
    ((pair, total),) = bouncing.contact_sums().items()
    assert (pair, total.points) == ((None, "ball"), ())
    assert total.force == pytest.approx(bouncing.contact_on("ball").force)
    assert total.force[2] > 5.0


def test_what_a_simulation_touches_can_be_asked_about():
    spec = td.ModelSpec("ball")
    spec.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, 1.0))
    spec.add_shape("skin", "ball", "sphere", (R,), role="collision")
    sim = td.Simulation(spec.compile(), terrain=td.Grid(np.full((3, 3), 0.2), (1.0, 1.0), (-1.0, -1.0)))
    hit = td.ray_cast(sim.collider(), sim.q, (0.3, 0.3, 5.0), (0, 0, -1))
    assert (hit.shape, hit.distance) == ("terrain", pytest.approx(4.8))
    assert td.distance(sim.collider(), sim.q, "ball", "terrain").distance == pytest.approx(0.7)


def test_reaction_of_a_joint_carries_what_lies_on_it(resting):
    reaction = resting.joint("rail").reaction
    assert reaction.force == pytest.approx([0.0, 0.0, 5.0 * G], abs=1e-8)
    # the block lies 0.1 m from the rail's origin
    assert reaction.torque == pytest.approx([0.0, -2.0 * G * 0.1, 0.0], abs=1e-8)


def test_sensors_are_signals(table, tmp_path):
    sim = td.Simulation(table, dt=5e-3)
    with sim.record(tmp_path / "run.parquet", ["contact.block.*", "contact.deck.force"], rate=100):
        sim.run(0.5)
    recorded = td.read_recording(tmp_path / "run.parquet")
    assert recorded["contact.block.force.z"][-1] == pytest.approx(2.0 * G, abs=1e-8)
    assert recorded["contact.deck.force.z"][-1] == pytest.approx(-2.0 * G, abs=1e-8)
    assert recorded["contact.block.torque.y"][-1] == pytest.approx(0.0, abs=1e-8)
    assert recorded["contact.block.penetration"][-1] < 1e-9
    assert "contact.block.work" in recorded.columns


def test_a_blow_is_in_the_sum():
    """The impulse of a whole rebound inside one step, although nothing touches at its end."""
    sim = td.Simulation(ball(gravity=0.0), dt=0.1, v=[0, 0, 0, 0, 0, -10.0])
    sim.step()
    given = sim.contact_on("ball")
    assert given.points == ()
    assert given.force[2] * 0.1 == pytest.approx(1.5 * 10.0, rel=1e-9)
    assert given.work == pytest.approx(0.5 * (5.0**2 - 10.0**2), rel=1e-9)


# what takes rigid bodies out of each other moves them without work
@pytest.mark.parametrize(("stiffness", "closes"), [(K, 1e-9), (None, 1e-4)])
def test_work_over_all_steps_is_the_change_of_energy(stiffness, closes):
    sim = td.Simulation(ball(stiffness), dt=7e-3)
    work = 0.0
    for _ in range(150):
        sim.step()
        work += sim.contact_between("ground", "ball").work
    energy = 0.5 * sim.v[5] ** 2 + G * sim.body("ball").position[2]
    assert work == pytest.approx(energy - G * 0.5, abs=closes)
    assert work == pytest.approx(sim.run_log.work, abs=1e-9)
    assert work < -1.0


def test_nothing_is_told_of_a_state_that_was_set():
    sim = td.Simulation(ball(height=R), dt=5e-3)
    sim.run(0.1)
    assert sim.contact_on("ball").force[2] > 1.0
    sim.reset()
    assert sim.contacts() == []
    assert sim.contact_on("ball").force == pytest.approx(np.zeros(3))


def test_course_of_a_rebound_inside_one_step():
    speed, mass = 4.0, 1.0
    sim = td.Simulation(ball(gravity=0.0, restitution=1.0), dt=0.2, v=[0, 0, 0, 0, 0, -speed])
    sim.step()
    (course,) = sim.contact_histories(samples=201)
    omega = math.sqrt(K / mass)
    assert course.shapes == ("ground", "skin")
    assert course.time[0] == pytest.approx((0.5 - R) / speed)
    assert course.time[-1] - course.time[0] == pytest.approx(math.pi / omega, rel=1e-9)
    since = course.time - course.time[0]
    assert course.depth == pytest.approx(speed / omega * np.sin(omega * since), abs=1e-12)
    assert course.force == pytest.approx(K * course.depth, abs=1e-6)
    impulse = np.trapezoid(course.force, course.time)
    assert impulse == pytest.approx(2.0 * mass * speed, rel=1e-4)


def test_course_of_a_law_is_that_of_the_step():
    sim = td.Simulation(ball(law="hunt_crossley", restitution=0.8, gravity=0.0), dt=0.2)
    sim.v[5] = -4.0
    sim.step()
    (course,) = sim.contact_histories(samples=401)
    impulse = np.trapezoid(course.force, course.time)
    assert impulse == pytest.approx(sim.contact_on("ball").force[2] * 0.2, rel=1e-4)


def test_measures_tell_overlap_and_creep(table):
    sim = td.Simulation(table, dt=5e-3)
    sim.run(1.0)
    before = sim.contact_between("lift", "block")
    quality = sim.quality()
    assert quality["friction creep"] < 1e-9
    assert quality["unfinished solves"] == 0.0
    assert quality["rigid overlap"] < 1e-6
    # asking leaves no trace
    assert sim.contact_between("lift", "block").force == pytest.approx(before.force, abs=0.0)
    deep = td.Simulation(table, dt=5e-3)
    deep.joint("flight").position = [1, 0, 0, 0, 0.0, 0.0, -0.05]
    deep.run(0.6)
    measure = deep.quality().measure("rigid overlap")
    assert measure.value == pytest.approx(0.05, abs=1e-3)
    assert measure.rating == "poor"
    assert measure.reason == "'deck' and 'cube' began 50 mm in each other"
