"""Worlds with contact have the bits of a Simulation, whatever their place and the number of threads."""

import numpy as np
import pytest

import treadle as td
from treadle.sim.contacts.sensors import shape_forces

WORLDS, STEPS = 5, 60


def pair():
    """A box over a plane, and a ball over the box."""
    spec = td.ModelSpec("pair")
    spec.add_material("stone", friction=0.4, restitution=0.3)
    spec.add_material("foam", friction=0.6, stiffness=2e4, restitution=0.2)
    spec.add_shape("ground", None, "plane", role="collision", material="stone")
    spec.add_body("box", mass=2.0, inertia=td.box_inertia(2.0, 0.2, 0.2, 0.2))
    spec.add_joint("flight", "free", None, "box", position=(0.0, 0.0, 0.15))
    spec.add_shape("cube", "box", "box", (0.2, 0.2, 0.2), role="collision", material="stone")
    spec.add_body("ball", mass=1.0, inertia=(0.004, 0.004, 0.004))
    spec.add_joint("throw", "free", None, "ball", position=(0.02, 0.01, 0.45))
    spec.add_shape("skin", "ball", "sphere", (0.1,), role="collision", material="foam")
    return spec


@pytest.fixture(scope="module")
def model():
    return pair().compile()


@pytest.fixture(scope="module")
def starts(model):
    return np.random.default_rng(3).uniform(-1.0, 1.0, (WORLDS, model.nv))


def alone(model, v, steps=STEPS):
    sim = td.Simulation(model, dt=4e-3)
    sim.v[:] = v
    sim.apply_force("ball", force=(0.5, 0.0, 0.0))
    sim.step(steps)
    return sim


@pytest.mark.parametrize(("threads", "lanes"), [(1, 1), (2, 1), (1, 2), (2, 2), (1, 4), (1, None)])
def test_worlds_have_the_bits_of_a_simulation(model, starts, threads, lanes):
    worlds = td.Batch(model, WORLDS, dt=4e-3, threads=threads, lanes=lanes)
    worlds.v = starts
    worlds.apply_force("ball", force=(0.5, 0.0, 0.0))
    worlds.step(STEPS)
    assert worlds.contact
    for k in range(WORLDS):
        sim = alone(model, starts[k])
        np.testing.assert_array_equal(worlds.q[k], sim.q)
        np.testing.assert_array_equal(worlds.v[k], sim.v)
    # they do touch: without the ground the box would be twice as deep, and no corner is below it
    for k in range(WORLDS):
        sim, touched = alone(model, starts[k], steps=0), False
        for _ in range(STEPS):
            sim.step()
            touched |= bool(sim.contacts())
        assert touched
        assert _lowest_corner(model, worlds.q[k]) > -1e-6


def test_forces_on_shapes_are_those_of_a_simulation(model, starts):
    worlds = td.Batch(model, WORLDS, dt=4e-3, threads=1)
    worlds.v = starts
    worlds.apply_force("ball", force=(0.5, 0.0, 0.0))
    worlds.step(STEPS)
    pressed = 0
    for k in range(WORLDS):
        expected = shape_forces(alone(model, starts[k])).ravel()
        np.testing.assert_array_equal(worlds.arrays["shape_forces"][:, k], expected)
        pressed += np.any(expected != 0.0)
    assert pressed > 1


def test_saved_batches_go_on_bit_for_bit(model, starts):
    worlds = td.Batch(model, WORLDS, dt=4e-3)
    worlds.v = starts
    worlds.step(40)
    state = worlds.save()
    worlds.step(20)
    after = worlds.q.copy(), worlds.v.copy()
    worlds.restore(state)
    worlds.step(20)
    np.testing.assert_array_equal(worlds.q, after[0])
    np.testing.assert_array_equal(worlds.v, after[1])
    other = td.Batch(model, WORLDS, dt=4e-3)
    other.restore(state)
    other.step(20)
    np.testing.assert_array_equal(other.q, after[0])


def _lowest_corner(model, q):
    """Height (m) of the lowest corner of the box."""
    corners = 0.1 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    pose = td.frame_pose(model, q, "box")
    return (corners @ pose[:3, :3].T + pose[:3, 3])[:, 2].min()


def test_constants_differ_by_world(model):
    """Each world moves as a simulation of a machine whose ball has its mass."""
    masses = [1.0, 4.0]
    worlds = td.Batch(model, 2, dt=4e-3, parameters=["ball.mass"])
    worlds.parameter("ball.mass")[:] = masses
    worlds.step(STEPS)
    for k, mass in enumerate(masses):
        spec = pair()
        # another density: the inertia goes with the mass
        spec.body("ball").mass, spec.body("ball").inertia = mass, (0.004 * mass,) * 3
        sim = td.Simulation(spec.compile(), dt=4e-3)
        sim.step(STEPS)
        assert sim.contacts()
        np.testing.assert_allclose(worlds.q[k], sim.q, atol=1e-12)
        np.testing.assert_allclose(worlds.v[k], sim.v, atol=1e-10)
    assert np.abs(worlds.v[0] - worlds.v[1]).max() > 1e-2


def test_a_world_that_diverges_stops_alone(model):
    worlds = td.Batch(model, 2, dt=4e-3)
    worlds.tau[1, 3] = 1e300
    worlds.step(5)
    assert worlds.alive.tolist() == [True, False]
    assert worlds.taken.tolist() == [5, 0]
    assert np.isfinite(worlds.q).all()


def test_contact_can_be_left_out(model):
    worlds = td.Batch(model, 2, dt=4e-3, contact=False)
    worlds.step(200)
    # both fall as if alone, to the first order of the step
    for name in ("flight", "throw"):
        assert worlds.q[:, model.joint(name).q][:, 6] == pytest.approx(-0.5 * 9.81 * 0.8 * 0.804, rel=1e-9)
    with pytest.raises(td.InputError, match="float64"):
        td.Batch(model, 2, precision="float32")


def test_forces_are_those_of_the_last_step(model, starts):
    """However many steps a call takes: those before the last are not added up."""
    at_once, one_by_one = (td.Batch(model, WORLDS, dt=4e-3, threads=1) for _ in range(2))
    at_once.v = one_by_one.v = starts
    at_once.step(STEPS)
    for _ in range(STEPS):
        one_by_one.step()
    np.testing.assert_array_equal(at_once.arrays["shape_forces"], one_by_one.arrays["shape_forces"])
    np.testing.assert_array_equal(at_once.q, one_by_one.q)
    assert at_once.arrays["shape_forces"].any()
