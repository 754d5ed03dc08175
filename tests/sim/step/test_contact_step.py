"""Contact of machines, against closed forms."""

import math

import numpy as np
import pytest

import treadle as td

G, K, R = 9.81, 1.4e8, 0.1


def ball(restitution, stiffness=K, gravity=G, height=1.0, friction=0.0):
    spec = td.ModelSpec("ball", gravity=(0.0, 0.0, -gravity))
    # two surfaces in series
    pair = None if stiffness is None else 2.0 * stiffness
    spec.add_material("steel", stiffness=pair, restitution=restitution, friction=friction)
    spec.add_shape("ground", None, "plane", role="collision", material="steel")
    spec.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    spec.add_joint("flight", "free", None, "ball", position=(0.0, 0.0, height))
    spec.add_shape("skin", "ball", "sphere", (R,), role="collision", material="steel")
    return spec.compile()


def box(gravity, friction, stiffness=None, boxes=1, restitution=0.0):
    spec = td.ModelSpec("boxes", gravity=gravity)
    pair = None if stiffness is None else 2.0 * stiffness
    spec.add_material("wood", stiffness=pair, restitution=restitution, friction=friction)
    spec.add_shape("ground", None, "plane", role="collision", material="wood")
    for i in range(boxes):
        spec.add_body(f"box{i}", mass=2.0, inertia=td.box_inertia(2.0, 0.2, 0.2, 0.2))
        spec.add_joint(f"flight{i}", "free", None, f"box{i}", position=(0.0, 0.0, 0.1 + 0.2 * i))
        spec.add_shape(f"skin{i}", f"box{i}", "box", (0.2, 0.2, 0.2), role="collision", material="wood")
    return spec.compile()


def height(sim):
    return sim.body("ball").pose[2, 3]


@pytest.mark.parametrize("restitution", [0.2, 0.4, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("stiffness", [K, None])
def test_ball_rebounds_with_its_restitution(restitution, stiffness):
    model = ball(restitution, stiffness, gravity=0.0, height=0.5)
    sim = td.Simulation(model, dt=0.05, v=[0.0, 0.0, 0.0, 0.0, 0.0, -4.2])
    sim.step(4)
    assert sim.v[5] == pytest.approx(4.2 * restitution, rel=1e-9)
    assert np.abs(sim.v[:5]).max() < 1e-12


@pytest.mark.parametrize("stiffness", [K, None])
def test_elastic_ball_keeps_its_energy_at_a_step_of_128_ms(stiffness):
    sim = td.Simulation(ball(1.0, stiffness), dt=0.128)
    sim.step(79)
    energy = 0.5 * sim.v[5] ** 2 + G * height(sim)
    if height(sim) < R:
        energy += 0.5 * K * (R - height(sim)) ** 2
    assert energy == pytest.approx(G * 1.0, rel=1e-9)
    # it is not just lying there
    assert height(sim) > 0.2 or abs(sim.v[5]) > 1.0


@pytest.mark.parametrize("restitution", [0.0, 0.2, 0.8])
def test_ball_comes_to_rest(restitution):
    sim = td.Simulation(ball(restitution, height=0.3), dt=0.01)
    sim.run(6.0)
    resting = height(sim)
    sim.run(2.0)
    assert (R - height(sim)) * K == pytest.approx(G, rel=1e-8)
    assert height(sim) == pytest.approx(resting, abs=1e-15)
    assert abs(sim.v[5]) < 1e-13
    (point,) = sim.contacts()
    assert point.force == pytest.approx([0.0, 0.0, G], rel=1e-9, abs=1e-9)
    assert point.bodies == (None, "ball")


def test_box_rests_on_its_corners():
    sim = td.Simulation(box((0.0, 0.0, -G), 0.5, stiffness=1e6, restitution=0.3), dt=0.01)
    sim.run(3.0)
    points = sim.contacts()
    assert len(points) == 4
    for point in points:
        assert point.penetration == pytest.approx(2.0 * G / 4.0 / 1e6, rel=1e-9)
        assert point.force[2] == pytest.approx(2.0 * G / 4.0, rel=1e-8)
    # across, the four may brace themselves against each other
    assert sum(point.force for point in points) == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-8)
    assert np.abs(sim.v).max() < 1e-12


@pytest.mark.parametrize("stiffness", [None, 1e6])
def test_box_on_a_slope_sticks_or_slides(stiffness):
    mu, seconds = 0.4, 60.0
    for share in (0.99, 1.01):
        angle = math.atan(share * mu)
        gravity = (G * math.sin(angle), 0.0, -G * math.cos(angle))
        sim = td.Simulation(box(gravity, mu, stiffness, restitution=0.3), dt=0.01)
        sim.run(1.0)
        start, speed = sim.body("box0").pose[0, 3], sim.v[3]
        if share < 1.0:
            sim.run(seconds)
            assert abs(sim.body("box0").pose[0, 3] - start) < 1e-9
        else:
            sim.run(2.0)
            slides = G * (math.sin(angle) - mu * math.cos(angle))
            assert sim.v[3] - speed == pytest.approx(2.0 * slides, rel=1e-6)


def test_ten_boxes_stand():
    sim = td.Simulation(box((0.0, 0.0, -G), 0.5, boxes=10), dt=0.01)
    sim.run(60.0)
    for i in range(10):
        pose = sim.body(f"box{i}").pose
        assert pose[:3, 3] == pytest.approx([0.0, 0.0, 0.1 + 0.2 * i], abs=1e-6)
    assert np.abs(sim.v).max() < 1e-6


def test_forces_are_those_that_act():
    """The impulse of all contact forces is the change of momentum, from throw to rest."""
    sim = td.Simulation(box((0.0, 0.0, -G), 0.5, boxes=2, restitution=0.3), dt=0.005)
    sim.q[6] += 0.3
    sim.v[3:6] = (1.0, 0.2, -1.0)
    sim.v[9] = 0.7
    weight = np.array([0.0, 0.0, -4.0 * G])
    momentum, most = td.momentum(sim.model, sim.q, sim.v)[3:], 0.0
    for _ in range(400):
        sim.step()
        ground = -sim.contact_on(None).force
        momentum = momentum + (weight + ground) * sim.dt
        most = max(most, float(np.linalg.norm(ground)))
        assert td.momentum(sim.model, sim.q, sim.v)[3:] == pytest.approx(momentum, abs=1e-11)
    # it was more than standing, and it has come to rest
    assert most > 10.0 * 4.0 * G
    total = sum(point.force for point in sim.contacts() if point.bodies[0] is None)
    assert total == pytest.approx([0.0, 0.0, 4.0 * G], abs=1e-6)


def test_without_contact_it_falls_through():
    sim = td.Simulation(ball(0.5), dt=0.01, contact=False)
    sim.run(1.0)
    assert height(sim) < -3.0
    assert sim.contacts() == []


def test_work_of_contact_is_the_change_of_energy():
    sim = td.Simulation(ball(0.5), dt=0.01)
    sim.run(2.0)
    energy = 0.5 * sim.v[5] ** 2 + G * height(sim)
    assert sim.run_log.work == pytest.approx(energy - G * 1.0, abs=1e-6)


def test_states_continue_bit_for_bit():
    sim = td.Simulation(box((0.0, 0.0, -G), 0.5, boxes=3), dt=0.005)
    sim.v[3] = 0.3
    sim.step(20)
    state = sim.save()
    sim.step(20)
    q, v = sim.q.copy(), sim.v.copy()
    sim.restore(state)
    sim.step(20)
    assert np.array_equal(sim.q, q)
    assert np.array_equal(sim.v, v)
