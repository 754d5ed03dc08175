"""What a batch shows of every world: signals, time, resets; each is what a simulation shows."""

import numpy as np
import pytest

import treadle as td

WORLDS = 6


def box_spec(name: str = "box", friction: float = 0.6) -> td.ModelSpec:
    """A box that slides on a floor."""
    spec = td.ModelSpec(name)
    spec.add_material("rubber", friction=friction, restitution=0.0)
    spec.add_body("block", 2.0, inertia=td.box_inertia(2.0, 0.2, 0.2, 0.2))
    spec.add_joint("root", "free", None, "block")
    spec.add_shape("cube", "block", "box", (0.2, 0.2, 0.2), role="collision", material="rubber")
    spec.add_shape("floor", None, "plane", role="collision", material="rubber")
    return spec


@pytest.fixture(scope="module")
def arm() -> td.Model:
    return td.scene("arm")


def stepped(model: td.Model, **options) -> tuple[td.Batch, list[td.Simulation]]:
    """Worlds, and simulations that went the same way."""
    worlds = td.Batch(model, WORLDS, **options)
    sims = [td.Simulation(model, **options) for _ in range(WORLDS)]
    rng = np.random.default_rng(3)
    v = 0.3 * rng.normal(size=(WORLDS, model.nv))
    worlds.v = v
    for k, sim in enumerate(sims):
        sim.v = v[k]
        sim.step(20)
    worlds.step(20)
    return worlds, sims


def test_poses_velocities_and_energy_are_those_of_simulations(arm):
    worlds, sims = stepped(arm)
    link = arm.links[-1].name
    pose, velocity = worlds.signal(f"body.{link}.pose"), worlds.signal(f"body.{link}.velocity")
    assert pose.shape == (WORLDS, 7) and velocity.shape == (WORLDS, 6)
    for k, sim in enumerate(sims):
        body = sim.body(link)
        np.testing.assert_allclose(pose[k, :3], body.pose[:3, 3], atol=1e-12)
        # sim.body gives the velocity as (angular, linear) of the origin, in world axes
        np.testing.assert_allclose(velocity[k], np.ravel(body.velocity), atol=1e-10)
    expected = [td.kinetic_energy(arm, q, v) for q, v in zip(worlds.q, worlds.v, strict=True)]
    np.testing.assert_allclose(worlds.signal("energy.kinetic"), expected, rtol=1e-10)


def test_several_signals_are_computed_together(arm):
    worlds, _ = stepped(arm)
    found = worlds.signals("body.*.pose", "energy.total")
    assert len(found) == len(arm.frames) + 1
    name = f"body.{arm.frames[0].name}.pose"
    np.testing.assert_array_equal(found[name], worlds.signal(name))


def test_an_unknown_signal_is_refused(arm):
    worlds = td.Batch(arm, 2)
    with pytest.raises(td.InputError, match=r"no signal 'body.nothing.pose'"):
        worlds.signal("body.nothing.pose")
    with pytest.raises(td.InputError, match=r"no signal 'nothing"):
        worlds.signals("nothing.*")


def test_contact_forces_are_those_of_simulations():
    model = box_spec().compile()
    worlds = td.Batch(model, WORLDS, dt=2e-3)
    height = 0.1 + 0.002 * np.arange(WORLDS)
    q = np.tile([1.0, 0, 0, 0, 0, 0, 0.1], (WORLDS, 1))
    q[:, 6] = height
    worlds.q = q
    worlds.step(30)
    forces, depth = worlds.signal("contact.block.force"), worlds.signal("contact.block.penetration")
    torques = worlds.signal("contact.block.torque")
    for k in range(WORLDS):
        sim = td.Simulation(model, dt=2e-3)
        sim.q = q[k]
        sim.step(30)
        felt = sim.contact_on("block")
        np.testing.assert_allclose(forces[k], felt.force, atol=1e-9)
        np.testing.assert_allclose(torques[k], felt.torque, atol=1e-9)
    assert depth.shape == (WORLDS,)
    worlds.step(400)
    np.testing.assert_allclose(worlds.signal("contact.block.force")[:, 2], 2.0 * 9.81, rtol=1e-6)


def test_wheel_slip_of_every_world():
    model = td.scene("differential-drive")
    worlds = td.Batch(model, WORLDS)
    worlds.commands = np.linspace(0.5, 2.0, WORLDS)[:, None] * np.ones(len(model.actuators))
    worlds.step(50)
    wheel = model.wheels[0].name
    slip = worlds.signal(f"wheel.{wheel}.slip")
    assert slip.shape == (WORLDS,) and (np.abs(slip) <= 1.0).all()
    assert len(np.unique(slip)) == WORLDS


def test_time_of_every_world(arm):
    worlds = td.Batch(arm, WORLDS, dt=1e-3)
    worlds.step(10)
    worlds.dt = np.linspace(1e-3, 2e-3, WORLDS)
    worlds.step(5)
    np.testing.assert_allclose(worlds.time, 0.01 + 5 * np.linspace(1e-3, 2e-3, WORLDS), rtol=1e-12)
    worlds.reset([2])
    assert worlds.time[2] == 0.0 and worlds.time[1] > 0.0


def test_a_world_that_is_reset_goes_the_way_of_a_new_one():
    model = box_spec().compile()
    rng = np.random.default_rng(5)
    start = np.tile([1.0, 0, 0, 0, 0, 0, 0.11], (WORLDS, 1))
    v = rng.normal(size=(WORLDS, 6))
    worlds = td.Batch(model, WORLDS, dt=2e-3)
    worlds.q, worlds.v = start, v
    worlds.step(80)
    chosen = np.array([True, False, True, False, False, True])
    worlds.reset(chosen, q=start[chosen], v=v[chosen])
    before = worlds.q[~chosen].copy()
    worlds.step(40)
    fresh = td.Batch(model, WORLDS, dt=2e-3)
    fresh.q, fresh.v = start, v
    fresh.step(40)
    np.testing.assert_array_equal(worlds.q[chosen], fresh.q[chosen])
    np.testing.assert_array_equal(worlds.v[chosen], fresh.v[chosen])
    assert (worlds.q[~chosen] != before).any()


def test_a_reset_of_all_worlds_is_the_start():
    model = td.scene("pendulum")
    worlds = td.Batch(model, WORLDS)
    q, v = worlds.q.copy(), worlds.v.copy()
    worlds.tau = 1.0
    worlds.step(30)
    worlds.reset()
    np.testing.assert_array_equal(worlds.q, q)
    np.testing.assert_array_equal(worlds.v, v)
    assert (worlds.taken == 0).all()
